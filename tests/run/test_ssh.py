"""ssh inside a pod: ours for hosts of the run, the real one for all others."""
import shutil

import pytest

from runs import job, needs_mounts

pytestmark = pytest.mark.skipif(not shutil.which("ssh"), reason="needs an ssh client")


def lines(out, node="node-0-0"):
    return [line.removeprefix(f"[{node}] ") for line in out.splitlines() if line.startswith(f"[{node}] ")]


@needs_mounts  # else names become addresses, also in messages
def test_hosts_of_the_run(box):
    """A command that arrives while its pod ends is told that the pod ended; a later one, that there is no such pod."""
    command = ("[ $JOB_COMPLETION_INDEX = 1 ] && { until [ -e over ]; do sleep 0.05; done; exit 0; }; "
               "ssh -p 22 -o A=b me@job-node-0-1 'echo in $HOSTNAME'; ssh job-node-0-1; echo code $?; touch over; "
               "until ! ssh job-node-0-1.job true 2>gone && grep -q 'no pod' gone; do sleep 0.05; done; cat gone")
    code, out, err = box.run(job(command, nodes=2))
    assert code == 0, err
    assert lines(out) == ["in job-node-0-1", "error: job-node-0-1: give a command: pods have no login shell", "code 255",
                          "error: job-node-0-1.job: no pod of this run is called job-node-0-1.job"]


def test_other_hosts(box):
    """All arguments reach the real ssh as they are: -G prints what it understood and connects to nobody."""
    (box.path / "script").write_text(
        "ssh -G -p 2222 -o 'SetEnv A=\"b c\"' ann@far.example 'echo  two' | grep -E '^(host|user|port|setenv) '\n"
        "ssh -V 2>&1\n"
        "ssh -o BatchMode=yes -p 1 127.0.0.1 true 2>&1\n"
        "echo code $?\n")
    code, out, err = box.run(job("sh ./script"))
    assert code == 0, err
    got = lines(out)
    assert {"host far.example", "user ann", "port 2222", "setenv A=b c"} <= set(got), got
    assert any(line.startswith("OpenSSH") for line in got)
    assert got[-2:] == ["ssh: connect to host 127.0.0.1 port 1: Connection refused", "code 255"]


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_git(box):
    code, out, err = box.run(job("git ls-remote ssh://127.0.0.1:1/repo.git 2>&1 | head -n 1"))
    assert code == 0, err
    assert lines(out) == ["ssh: connect to host 127.0.0.1 port 1: Connection refused"]


def test_no_other_ssh(box):
    command = "PATH=${PATH%%:*}:$PWD/bin ssh far.example true 2>&1; echo code $?"
    code, out, err = box.run(job(command))
    assert lines(out) == ["error: ssh far.example: not a pod of this run, and there is no other ssh in PATH", "code 255"]
