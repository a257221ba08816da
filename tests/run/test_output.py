"""Where the output of a run goes: a reader who does not read, a full disk, a terminal that is closed."""
import os
import signal
import subprocess
import time

import pytest

from runs import BINARY, finish, job
from test_terminal import Terminal
from waiting import wait_for

FLOOD = "i=0; while :; do echo line $i of an output that nobody reads; i=$((i+1)); done"


def unread(box, *args, text=None, **popen):
    """A run whose output is a pipe that nobody reads; the pipe is full when this returns."""
    (box.path / "job.yaml").write_text(text or job(FLOOD, grace=5))
    r, w = os.pipe()
    p = subprocess.Popen([BINARY, "run", "job.yaml", *args], stdout=w, stderr=w, cwd=box.path, env=box.env, **popen)
    os.close(w)
    return p, r


def logs_rest(box):
    """The size of the log, once nobody reads the container's output any more."""
    files = list(box.path.glob("state/trainyard/runs/*/logs/*/node.*.log"))
    return files[0].stat().st_size if files else 0


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_work_when_nobody_reads(box, sig):
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests under nohup ignores it
    p, r = unread(box)
    signal.signal(signal.SIGHUP, before)
    wait_for("the flood is logged", lambda: logs_rest(box) > 150_000, child=p)
    p.send_signal(sig)
    assert p.wait(timeout=120) == 130
    os.close(r)


def test_the_summary_when_nobody_reads_the_output(box):
    """Standard error has a reader; standard output is full."""
    (box.path / "job.yaml").write_text(job(FLOOD, grace=5))
    r, w = os.pipe()
    with open(box.path / "err", "w") as err:
        p = subprocess.Popen([BINARY, "run", "job.yaml"], stdout=w, stderr=err, cwd=box.path, env=box.env)
    os.close(w)
    before = -1
    while before < 150_000 or before != logs_rest(box):
        before = logs_rest(box)
        time.sleep(0.5)  # that pipe and queue are full shows only in a log that grows no more
    p.send_signal(signal.SIGTERM)
    assert p.wait(timeout=120) == 130
    os.close(r)
    assert "\nlogs: " in (box.path / "err").read_text()


def test_timeout_works_when_nobody_reads(box):
    p, r = unread(box, "--timeout", "2")
    assert p.wait(timeout=120) == 124
    os.close(r)


def test_a_slow_reader_gets_every_line(box):
    """More than pipe and queue hold: the containers wait for the reader, and nothing is lost."""
    p, r = unread(box, text=job("i=0; while [ $i -lt 30000 ]; do echo line number $i; i=$((i+1)); done"))
    wait_for("the queue is full", lambda: logs_rest(box) > 150_000, child=p)
    out = b""
    while data := os.read(r, 65536):
        out += data
    assert p.wait(timeout=120) == 0
    lines = [line for line in out.decode().splitlines() if line.startswith("[node-0-0]")]
    assert lines == ["[node-0-0] line number %d" % i for i in range(30000)]
    assert "trainjob/job: Complete" in out.decode()


@pytest.mark.parametrize("args", [("run", "job.yaml"), ("version",), ("initialize", "--help")])
def test_a_full_disk_is_an_error(box, args):
    (box.path / "job.yaml").write_text(job("echo hello"))
    with open("/dev/full", "w") as full:
        p = subprocess.run([BINARY, *args], stdout=full, stderr=subprocess.PIPE, text=True, cwd=box.path,
                           env=box.env, timeout=120)
    assert p.returncode == 1
    assert p.stderr.count("error: ") == 1
    assert "error: cannot write the output: No space left on device" in p.stderr


def test_quiet_prints_no_notes(box):
    code, out, err = box.run(job("echo hello"), "-q")
    assert code == 0 and out == "" and "note:" not in err
    assert "trainjob/job: Complete" in err


def test_a_closed_terminal_stops_the_run_gracefully(box):
    t = Terminal(box, job("trap 'echo saved >%s; exit 0' TERM; echo at-work; while :; do sleep 0.1; done"
                          % (box.path / "checkpoint")), own=True)
    assert t.read(b"at-work")
    os.close(t.fd)  # the terminal's window is closed
    assert t.p.wait(timeout=120) == 130
    assert (box.path / "checkpoint").read_text() == "saved\n"
    out = subprocess.run([BINARY, "events", "job"], capture_output=True, text=True, env=box.env).stdout
    assert "the terminal was closed (SIGHUP)" in out


def test_nohup(box):
    (box.path / "job.yaml").write_text(job("while ! test -e go; do sleep 0.05; done; echo done"))
    p = subprocess.Popen(["nohup", BINARY, "run", "job.yaml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, text=True, cwd=box.path, env=box.env)
    wait_for("it runs", lambda: list(box.path.glob("state/trainyard/runs/*/logs/*/node.*.log")), child=p)
    p.send_signal(signal.SIGHUP)
    (box.path / "go").touch()
    code, out, _ = finish(p)
    assert code == 0 and "done" in out
