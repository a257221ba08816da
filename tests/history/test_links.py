"""A job replaces parts of the state directory by links to a directory of somebody else: nothing there is read, written or removed."""
import subprocess

import pytest

from past import seen
from test_claims import PVC
from runs import finish, job, needs_mounts

VICTIM = {"node.0.0.log": "secret\n", "lock": "", "kept-by-user/file": "1", "pods/x/file": "2", "logs/job-node-0-0/node.0.0.log": "secret\n",
          "job-node-0-0/node.0.0.log": "secret\n", "end": "", "rsh.sock": "", "control.sock": "", "bin/ssh": ""}


@pytest.fixture
def victim(tmp_path):
    root = tmp_path / "victim"
    for name, text in VICTIM.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def contents(root):
    return {str(p.relative_to(root)): p.read_text() for p in root.rglob("*") if p.is_file()}


def replace(box, victim, what):
    """Words of a job that moves a part of its run's directory away, and puts a link there. A run has one directory at that time."""
    return f"run=$(echo {box.path}/state/trainyard/runs/run-*); what=$run{what}; mv $what {box.path}/moved; ln -s {victim} $what"


def run(box, text, *args):
    code, out, err = finish(box.start(text, *args))
    return code, err


@pytest.mark.parametrize("what", ["", "/logs", "/logs/job-node-0-0", "/pods"], ids=["run", "logs", "log", "pods"])
def test_parts_of_a_run(box, victim, what):
    run(box, job("echo hello; " + replace(box, victim, what)))
    assert "secret" not in seen(box, "logs", "job")
    assert "secret" not in seen(box, "describe", "job")
    run(box, job("echo other", name="other"))  # removes what killed runs left
    assert contents(victim) == VICTIM
    seen(box, "delete", "job")
    seen(box, "delete", "--all")
    assert contents(victim) == VICTIM


def test_a_container_that_is_restarted_writes_no_log_there(box, victim):
    text = job("test -e {0} || {{ touch {0}; {1}; exit 3; }}; echo again".format(box.path / "once", replace(box, victim, "/logs/job-node-0-0")))
    code, err = run(box, text.replace("restartPolicy: Never", "restartPolicy: OnFailure").replace("backoffLimit: 0", "backoffLimit: 3"))
    assert code == 0 and "its path is taken by something that is no file" in err, err
    assert contents(victim) == VICTIM


def test_a_second_pod_gets_no_directory_there(box, victim):
    command = "test -e {0} || {{ touch {0}; {1}; exit 3; }}".format(box.path / "once", replace(box, victim, "/pods"))
    code, err = run(box, job(command, policies="      failurePolicy: {maxRestarts: 1}"))
    assert code == 1 and "a part of it is a link or a file, not a directory" in err, err
    assert contents(victim) == VICTIM and [p.name for p in (victim / "pods").iterdir()] == ["x"]
    assert {p.name for p in victim.iterdir()} == {name.split("/")[0] for name in VICTIM}


def test_delete_of_one_job_of_two(box, tmp_path):
    """It deletes directories of logs, and not that of the run."""
    run(box, job("true") + "---\n" + job("true", name="other").split("---\n")[-1])
    runs, moved = box.path / "state" / "trainyard" / "runs", tmp_path / "moved"
    runs.rename(moved)
    runs.symlink_to(moved)
    before = contents(moved)
    assert any("/logs/job-node-0-0/" in name for name in before), before
    seen(box, "delete", "job")
    assert contents(moved) == before


def test_the_directory_of_claims(box, victim):
    run(box, job("true"))
    claims = box.path / "state" / "trainyard" / "claims"
    claims.rmdir()
    claims.symlink_to(victim)
    assert "kept-by-user" not in seen(box, "get", "claims")
    seen(box, "delete", "--claims", "--all")
    seen(box, "delete", "--claims", "kept-by-user")
    assert contents(victim) == VICTIM


@pytest.mark.parametrize("name", ["runs", "claims"])
def test_a_run_creates_nothing_behind_a_link(box, victim, name):
    state = box.path / "state" / "trainyard"
    state.mkdir(parents=True)
    state.chmod(0o700)
    (state / name).symlink_to(victim)
    code, err = run(box, job("true"))
    assert code == 0 and "this run has no history, its files are in " in err, err
    assert f"{state / name}: a part of it is a link or a file, not a directory" in err
    assert contents(victim) == VICTIM and {p.name for p in victim.iterdir()} == {name.split("/")[0] for name in VICTIM}


@needs_mounts
def test_a_claim(box, victim):
    volume = "                volumes: [{name: data, persistentVolumeClaim: {claimName: dataset}}]"
    mounts = ", volumeMounts: [{name: data, mountPath: /mnt/data}]"
    claims = box.path / "state" / "trainyard" / "claims"
    claims.mkdir(parents=True, mode=0o700)
    (box.path / "state" / "trainyard").chmod(0o700)
    (claims / "dataset").symlink_to(victim)
    code, err = run(box, job("rm -r /mnt/data/*", pod=volume, more=mounts) + PVC)
    assert code == 1 and "claim dataset: " in err and "is a link or a file, not a directory" in err, err
    seen(box, "delete", "--claims", "--all")
    assert contents(victim) == VICTIM


@pytest.mark.parametrize("put", ["ln -s {victim}/node.0.0.log $log", "ln -s {victim}/nothing $log", "mkfifo $log"], ids=["link", "dangling", "fifo"])
def test_a_log_that_is_no_file_is_named(box, victim, put):
    code, err = run(box, job(f"log=$(echo {box.path}/state/trainyard/runs/run-*/logs/job-node-0-0/node.0.0.log); mv $log {box.path}/moved; "
                             + put.format(victim=victim)))
    assert code == 0, err
    for args, code in ((["logs", "job"], 1), (["logs", "-f", "job"], 1), (["attach", "job"], 0)):  # of run, too
        p = subprocess.run([box.binary, *args], capture_output=True, text=True, env=box.env, timeout=120)
        err = p.stderr
        assert p.returncode == code, (args, err)
        assert err.count("node.0.0.log is not a regular file and is not shown\n") == 1, (args, err)
        assert "secret" not in p.stdout + err
