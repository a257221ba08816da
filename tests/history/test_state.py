"""Where the state lies when the environment does not say, and what strangers have put there."""
import os
import pwd
import subprocess

import pytest

from past import needs_mounts, say, unshared
from runs import BINARY, job

STRANGER = 54321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can stand for two users")


def no_xdg(box, **more):
    return dict({k: v for k, v in box.env.items() if k not in ("HOME", "XDG_STATE_HOME")}, **more)


@needs_mounts
@as_root
def test_without_home_the_user_database_knows(box):
    home = pwd.getpwuid(0).pw_dir
    (box.path / "job.yaml").write_text(job("echo works"))
    p = unshared(box, f"""
        unset HOME XDG_STATE_HOME
        mount -t tmpfs -o mode=700 none {home}
        "$T" run job.yaml; "$T" get
        ls {home}/.local/state/trainyard
    """)
    assert p.returncode == 0, p
    assert "works" in p.stdout and "Complete" in p.stdout and "trainyard.db" in p.stdout, p


@as_root
def test_without_any_home_a_sentence_says_what_to_set(box):
    user = ["setpriv", f"--reuid={STRANGER}", "--clear-groups"]
    if subprocess.run([*user, BINARY, "version"], capture_output=True).returncode:
        pytest.skip("another user cannot start the program where it lies")
    for args in (["run", "-"], ["get"], ["logs", "x"], ["delete", "x"]):
        p = subprocess.run([*user, BINARY, *args], input=job("echo works"), text=True, capture_output=True,
                           env=no_xdg(box), cwd="/", timeout=120)
        assert p.returncode == 1 and "works" not in p.stdout, p
        assert p.stderr.count("error: ") == 1 and "set XDG_STATE_HOME to a folder of yours" in p.stderr, p


@as_root
def test_what_a_stranger_has_put_there_leads_nowhere(box):
    """As in /tmp: anybody may make what is not there yet."""
    home, victim, theirs = box.path / "home", box.path / "victim", box.path / "home" / ".local"
    for folder in (home, victim, theirs, theirs / "state"):
        folder.mkdir()
    home.chmod(0o1777)
    (theirs / "state" / "trainyard").symlink_to(victim)
    for path in (theirs, theirs / "state", theirs / "state" / "trainyard"):
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    (box.path / "tmp").mkdir()
    box.env = no_xdg(box, HOME=str(home), TMPDIR=str(box.path / "tmp"))
    code, out, err = box.run(job("echo works"))
    assert code == 0 and "works" in out
    assert err.count("this run has no history, its files are in ") == 1 and "belongs to another user" in err
    assert list(victim.iterdir()) == []


def test_what_others_could_look_into_is_closed(box):
    folder = box.path / "state" / "trainyard"
    folder.mkdir(parents=True, mode=0o755)
    folder.chmod(0o755)
    assert box.run(job("true"))[0] == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "Complete" in say(box, "get")


def test_what_others_could_write_to_is_not_used(box):
    folder = box.path / "state" / "trainyard"
    folder.mkdir(parents=True)
    folder.chmod(0o770)
    (box.path / "tmp").mkdir()
    box.env["TMPDIR"] = str(box.path / "tmp")
    code, out, err = box.run(job("echo works"))
    assert code == 0 and "works" in out
    assert err.count("this run has no history") == 1 and "can be written to by others" in err
    assert list(folder.iterdir()) == []
