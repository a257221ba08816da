"""trainyard top: CPU, memory and GPU use of running pods, with real processes."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios

import pytest

from past import rows, say, seen, until
from runs import finish, job
from test_verbs import detach, read_until, start
from waiting import wait_for

# Node 0 computes, node 1 holds 50 MB, in a process that has dropped the environment of the pod.
HOLD = "import time\nx = bytearray(range(250)) * 200000\nopen('held', 'w').close()\ntime.sleep(600)\n"  # until it is killed
TWO = ("if test $JOB_COMPLETION_INDEX = 0; then while ! test -e go; do :; done; "
       "else env -i /usr/bin/python3 hold.py & %s; kill $!; fi" % until("go"))


@pytest.fixture
def two(box):
    (box.path / "hold.py").write_text(HOLD)
    assert detach(box, job(TWO, name="ddp", nodes=2)).returncode == 0
    wait_for("both run", lambda: (box.path / "held").exists() and len(rows(seen(box, "top", "ddp"))) == 2,
             show=lambda: seen(box, "describe", "ddp"))
    yield box
    (box.path / "go").touch()
    say(box, "wait", "ddp")


def number(text, unit):
    assert text.endswith(unit)
    return int(text[:-len(unit)])


def test_cpu_and_memory(two):
    # A machine that is busy with other tests may leave it no CPU for a second.
    wait_for("node 0 computes", lambda: number(rows(say(two, "top", "ddp"))[0]["CPU(cores)"], "m") > 0)
    first, second = rows(say(two, "top", "ddp"))
    assert list(first) == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert (first["NAME"], second["NAME"]) == ("node-0-0", "node-0-1")
    assert number(first["MEMORY(bytes)"], "Mi") < 40
    assert 47 <= number(second["MEMORY(bytes)"], "Mi") < 100
    assert [row["NAME"] for row in rows(say(two, "top"))] == ["ddp/node-0-0", "ddp/node-0-1"]
    line, = say(two, "top", "pod/ddp-node-0-1", "--no-headers").splitlines()
    assert line.split()[0] == "node-0-1"
    a, b = json.loads(say(two, "top", "trainjob/ddp", "-o", "json"))
    assert (a["job"], a["node"], b["node"]) == ("ddp", "node-0-0", "node-0-1")
    assert a["cpuMillicores"] >= 0 and b["memoryBytes"] > 50e6 and "gpuPercent" not in a


def test_who_does_not_run(box):
    assert 'trainjobs.trainer.kubeflow.org "nobody" not found' in say(box, "top", "nobody", code=1)
    assert say(box, "top") == "" and json.loads(say(box, "top", "-o", "json")) == []
    box.run(job("true"))
    assert say(box, "top", "job", code=1) == 'error: trainjob "job" does not run: it is Complete\n'
    assert say(box, "top") == ""
    assert "name one TrainJob" in say(box, "top", "a", "b", code=2)


def test_watch_ends_with_the_job(two):
    p = start(two, "top", "ddp", "--watch")
    for _ in range(6):  # two tables
        assert p.stdout.readline()
    (two.path / "go").touch()
    code, _, err = finish(p)
    assert code == 0 and err == 'note: trainjob "ddp" is Complete\n'


# There is no GPU here: a program of that name stands in for the driver's. It prints the pids of the job's processes as they
# are outside the pods, as nvidia-smi does.
NVIDIA_SMI = """#!/bin/sh
case $1 in
--query-gpu=*) printf 'GPU-a, 80\\nGPU-b, 40\\nGPU-c, 99\\n' ;;
*) for p in /proc/[0-9]*; do
     if tr '\\0' '\\n' < $p/environ 2> /dev/null | grep -qx "TRAINYARD_POD=ddp-node-0-0" &&
        tr '\\0' '\\n' < $p/environ 2> /dev/null | grep -q "^TRAINYARD_RSH=$XDG_STATE_HOME/"; then
       printf 'GPU-a, %s, 1024\\nGPU-b, %s, 512\\n' ${p#/proc/} ${p#/proc/}
     fi
   done
   echo 'GPU-c, 1, 77' ;;
esac
"""


def test_gpus(two):
    tool = two.path / "tools" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(NVIDIA_SMI)
    tool.chmod(0o755)
    two.env["PATH"] = "%s:%s" % (tool.parent, two.env["PATH"])
    first, second = rows(say(two, "top", "ddp"))
    assert (first["GPU%"], first["GPU-MEMORY(bytes)"]) == ("60%", "1536Mi")
    assert (second["GPU%"], second["GPU-MEMORY(bytes)"]) == ("-", "-")
    a, b = json.loads(say(two, "top", "ddp", "-o", "json"))
    assert (a["gpuPercent"], a["gpuMemoryBytes"]) == (60, 1536 << 20) and "gpuPercent" not in b
    tool.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9\n")
    assert "GPU" not in say(two, "top", "ddp")


def take_terminal():
    """In the child. Under nohup the tests inherit that SIGHUP is ignored, and so would it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def on_terminal(box, *args, lines=24):
    fd, end = pty.openpty()
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    before = termios.tcgetattr(end)
    p = subprocess.Popen([box.binary, *args], stdin=end, stdout=end, stderr=end, env=dict(box.env, TERM="xterm"), cwd=box.path,
                         start_new_session=True, preexec_fn=take_terminal)
    return p, fd, end, before


@pytest.mark.parametrize("end_by", ["q", "ctrl-c", "job"])
def test_live(two, end_by):
    p, fd, end, before = on_terminal(two, "top", "ddp")
    out = read_until(fd, b"node-0-1")
    assert b"\x1b[?25l" in out and b"CPU(cores)" in out
    out = read_until(fd, b"\x1b[3A")  # drawn again, in place
    if end_by == "q":
        os.write(fd, b"xq")
    elif end_by == "ctrl-c":
        os.write(fd, b"\x03")
    else:
        (two.path / "go").touch()
    out = read_until(fd, b"is Complete" if end_by == "job" else b"node-0-1   ")
    assert p.wait(timeout=120) == 0
    assert termios.tcgetattr(end) == before
    os.close(end)
    os.close(fd)


def test_a_terminal_with_nothing_running(box):
    p, fd, end, before = on_terminal(box, "top")
    assert p.wait(timeout=60) == 0
    assert os.read(fd, 4096) == b"No running pods\r\n"
    assert termios.tcgetattr(end) == before
    os.close(end)
    os.close(fd)


def test_a_terminal_after_the_last_job(two):
    p, fd, end, before = on_terminal(two, "top")
    read_until(fd, b"node-0-1")
    (two.path / "go").touch()
    read_until(fd, b"No running pods")
    assert p.wait(timeout=120) == 0
    assert termios.tcgetattr(end) == before
    os.close(end)
    os.close(fd)


def test_more_nodes_than_lines(two):
    p, fd, end, _ = on_terminal(two, "top", "ddp", lines=3)
    out = read_until(fd, b" and 2 more")
    assert b"node-0" not in out
    os.write(fd, b"q")
    assert p.wait(timeout=120) == 0
    os.close(end)
    os.close(fd)


def test_a_signal_restores_the_terminal(two):
    p, fd, end, before = on_terminal(two, "top")
    read_until(fd, b"ddp/node-0-1")
    assert termios.tcgetattr(end) != before
    p.send_signal(signal.SIGHUP)
    assert p.wait(timeout=120) == -signal.SIGHUP
    assert termios.tcgetattr(end) == before
    os.close(end)
    os.close(fd)
