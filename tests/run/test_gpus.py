"""Devices of the machine: who waits for them, who gets them. Nobody opens them, so TRAINYARD_GPUS may name any."""
import os
import pathlib
import pwd
import subprocess
import tempfile

import pytest

from runs import RUNTIME, Box, finish
from waiting import wait_for


@pytest.fixture
def two(box):
    """A machine of two devices, whose locks only this test knows."""
    box.env["TRAINYARD_GPUS"] = "0,1"
    box.env["TRAINYARD_LOCKS"] = str(box.path / "locks")
    box.env.pop("CUDA_VISIBLE_DEVICES", None)
    return box


def beside(box, name):
    """A second run of the same machine."""
    path = box.path / name
    path.mkdir()
    other = Box(path)
    other.env = dict(box.env, XDG_STATE_HOME=str(path / "state"))
    return other


def job(name, command, nodes=1, gpus=1):
    text = RUNTIME.format(command=command, name=name, nodes=nodes, policies="", before="", depends="", pod="", grace=60,
                          more=f", resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}")
    return text.replace("{name: rt}", f"{{name: rt-{name}}}")


def meet(name):
    """Two ranks, neither of which ends without the other."""
    return (f"touch {name}-$JOB_COMPLETION_INDEX; until [ -e {name}-0 ] && [ -e {name}-1 ]; do sleep 0.05; done; "
            f"echo {name} has $CUDA_VISIBLE_DEVICES")


def test_gangs_behind_a_large_pod(two):
    """Both ranks of a gang begin when the large one is over, and two gangs come one after the other."""
    large = "touch large; until [ -e go ]; do sleep 0.05; done"
    p = two.start("---\n".join([job("large", large, gpus=2), job("a", meet("a"), nodes=2), job("b", meet("b"), nodes=2)]))
    wait_for("the large one runs", lambda: (two.path / "large").exists())
    assert not (two.path / "a-0").exists()
    (two.path / "go").touch()
    code, out, err = finish(p)
    assert code == 0, err
    for name in "ab":
        assert {f"{name} has 0", f"{name} has 1"} <= {line.split("] ")[-1].rstrip() for line in out.splitlines()}, out


def test_more_than_the_machine_has(two):
    code, out, err = two.run(job("a", "touch began", nodes=3))
    assert code == 1
    assert "wants 3 nvidia.com/gpu at once, host has 2" in err
    assert not (two.path / "began").exists()


def test_stopped_while_a_job_waits(two):
    """Ctrl-C ends the one that runs; the one that waits does not begin in its place."""
    p = two.start("---\n".join([job("a", "touch a; exec sleep 600", gpus=2), job("b", "touch b", gpus=2)]))
    wait_for("a runs", lambda: (two.path / "a").exists())
    p.send_signal(2)
    code, out, err = finish(p)
    assert code == 130
    assert not (two.path / "b").exists()


def hold(box, gpus=1, name="a"):
    """A run whose job has devices until the file `go` is there."""
    p = box.start(job(name, "echo $CUDA_VISIBLE_DEVICES >mine.new; mv mine.new mine; until [ -e go ]; do sleep 0.05; done", gpus=gpus))
    return p


def devices(box):
    return (box.path / "mine").read_text().strip()


def read_until(stream, word):
    """Lines of a stream up to one with the word."""
    lines = []
    for line in stream:
        lines.append(line)
        if word in line:
            return line
    raise AssertionError("".join(lines))


def test_two_runs_have_different_devices(two):
    other = beside(two, "other")
    p, q = hold(two), hold(other)
    wait_for("both run", lambda: (two.path / "mine").exists() and (other.path / "mine").exists())
    assert {devices(two), devices(other)} == {"0", "1"}
    for box, run in ((two, p), (other, q)):
        (box.path / "go").touch()
        assert finish(run)[0] == 0


def test_another_run_has_them(two):
    """All or none: a run that needs both waits for the one that has one of them, and says who that is."""
    p = hold(two)
    wait_for("the first runs", lambda: (two.path / "mine").exists())
    other = beside(two, "other")
    q = hold(other, gpus=2)
    line = read_until(q.stderr, "FailedScheduling")
    me = pwd.getpwuid(os.getuid()).pw_name
    assert line == f"trainjob/a: FailedScheduling: GPU 0 is used by another run (pid {p.pid}, user {me})\n"
    assert not (other.path / "mine").exists()
    (two.path / "go").touch()
    (other.path / "go").touch()
    assert finish(p)[0] == 0
    assert finish(q)[0] == 0
    assert devices(other) == "0,1"


def test_killed_runs_leave_no_lock(two):
    p = hold(two, gpus=2)
    wait_for("it runs", lambda: (two.path / "mine").exists())
    p.kill()
    finish(p)
    (two.path / "mine").unlink()
    (two.path / "go").touch()
    code, out, err = finish(hold(two, gpus=2))
    assert code == 0, err
    assert devices(two) == "0,1"


@pytest.fixture
def shared():
    """Not in pytest's folders: they are private, and every session of pytest makes them so again."""
    with tempfile.TemporaryDirectory(prefix="trainyard-two-users-", dir="/tmp") as name:
        path = pathlib.Path(name)
        path.chmod(0o711)
        yield path


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start runs of two users")
def test_two_users(two, shared):
    """The first user's umask does not lock out the second. Root made the directory."""
    runs = []
    (shared / "locks").mkdir()
    (shared / "locks").chmod(0o1777)
    for i, uid in enumerate((1001, 1002)):
        path = shared / str(uid)
        path.mkdir()
        os.chown(path, uid, uid)
        box = Box(path)
        box.env = dict(two.env, XDG_STATE_HOME=str(path / "state"), TRAINYARD_LOCKS=str(shared / "locks"), HOME=str(path))
        file = path / "job.yaml"
        file.write_text(job("a", "echo $CUDA_VISIBLE_DEVICES >mine.new; mv mine.new mine; until [ -e go ]; do sleep 0.05; done", gpus=2 if i else 1))
        file.chmod(0o644)
        runs.append((box, subprocess.Popen([box.binary, "run", str(file)], cwd=path, env=box.env, user=uid, group=uid, extra_groups=[],
                                           umask=0o077, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)))
        if i == 0:
            wait_for("the first user's job runs", lambda: (path / "mine").exists())
    (first, p), (second, q) = runs
    line = read_until(q.stderr, "FailedScheduling")
    assert f"GPU 0 is used by another run (pid {p.pid}, uid 1001)" in line
    assert not (second.path / "mine").exists()
    for box in (first, second):
        (box.path / "go").touch()
    assert finish(p)[0] == 0
    assert finish(q)[0] == 0
    assert devices(second) == "0,1"


def test_what_the_caller_may_use(two):
    two.env["CUDA_VISIBLE_DEVICES"] = "1"
    code, out, err = two.run(job("a", "echo has $CUDA_VISIBLE_DEVICES"))
    assert code == 0 and "has 1\n" in out
    code, out, err = two.run(job("a", "true", gpus=2))
    assert code == 1 and "wants 2 nvidia.com/gpu at once, host has 1" in err


def test_a_device_is_named_twice(two):
    two.env["TRAINYARD_GPUS"] = "0,0"
    code, out, err = two.run(job("a", "true"))
    assert code == 2
    assert "TRAINYARD_GPUS: device 0 is named twice" in err


def test_a_job_that_asks_for_none_is_told(two):
    """It sees none, whatever its own variables say."""
    text = job("a", "echo has [$CUDA_VISIBLE_DEVICES]", gpus=0)
    code, out, err = two.run(text, "-e", "CUDA_VISIBLE_DEVICES=0,1")
    assert code == 0, err
    assert "has []" in out
    assert "note: trainjob/a asks for no GPU and sees none of this machine's 2: set spec.trainer.resourcesPerNode" in err
    code, out, err = two.run(job("a", "true"))
    assert "asks for no GPU" not in err


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_locks_of_a_stranger(two):
    """Who owns the directory could remove the locks of others."""
    locks = two.path / "theirs"
    locks.mkdir()
    locks.chmod(0o1777)
    os.chown(locks, 54321, 54321)
    two.env["TRAINYARD_LOCKS"] = str(locks)
    code, out, err = two.run(job("a", "true"))
    assert code == 0, err
    assert f"warning: GPUs are locked for your own runs only: {locks} belongs to uid 54321, who could remove locks of others" in err
    assert not list(locks.iterdir())


def test_no_place_for_locks(two):
    """Then they are the user's own; the run says so."""
    two.env["TRAINYARD_LOCKS"] = "/proc/none/locks"
    code, out, err = two.run(job("a", "true"))
    assert code == 0, err
    assert "warning: GPUs are locked for your own runs only: /proc/none/locks: No such file or directory" in err
    assert (two.path / "state" / "trainyard" / "locks" / "nvidia-0").exists()
