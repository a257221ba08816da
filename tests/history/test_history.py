"""The history of `trainyard run`: seen from other processes, while it goes and afterwards."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

# The box and the job templates of tests/run, under a name of their own: this folder needs no conftest.
_SPEC = importlib.util.spec_from_file_location(
    "run_conftest", pathlib.Path(__file__).resolve().parents[1] / "run" / "conftest.py")
shared = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(shared)
job, box = shared.job, shared.box

RESTARTS = "      failurePolicy: {maxRestarts: 3}"


def say(box, *args, code=0, timeout=120):
    """Another terminal."""
    p = subprocess.run([box.binary, *args], capture_output=True, text=True, env=box.env, cwd=box.path,
                       timeout=timeout)
    assert "Sanitizer" not in p.stderr, p.stderr
    assert p.returncode == code, (args, p.returncode, p.stdout, p.stderr)
    return p.stdout if code == 0 else p.stderr


def seen(box, *args):
    """The same where it may be too early: what is there so far, or nothing."""
    return subprocess.run([box.binary, *args], capture_output=True, text=True, env=box.env, cwd=box.path,
                          timeout=120).stdout


def rows(text):
    """A table as dictionaries by its heading."""
    lines = text.splitlines() or [""]
    starts = [m.start() for m in re.finditer(r"(?:(?<=^)|(?<=   ))\S", lines[0])]
    cut = lambda line: [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
    return [dict(zip(cut(lines[0]), cut(line))) for line in lines[1:]]


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def state(box, name, run=None):
    p = subprocess.run([box.binary, "get", "trainjob", name, *(["--run", str(run)] if run else [])],
                       capture_output=True, text=True, env=box.env)
    return rows(p.stdout)[0]["STATE"] if p.returncode == 0 else None


def finish(p, timeout=120):
    try:
        out, err = p.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        p.kill()
        raise
    assert "Sanitizer" not in err, err
    return p.returncode, out, err


def until(path):
    """A shell command that waits for a file, so that tests decide when a job goes on."""
    return "while ! test -e %s; do sleep 0.05; done" % path


def root(box):
    return pathlib.Path(box.env["XDG_STATE_HOME"]) / "trainyard"


def test_nothing_yet(box):
    assert say(box, "get") == ""
    assert say(box, "get", "x", code=1) == 'error: trainjobs.trainer.kubeflow.org "x" not found\n'
    for words in (["describe", "x"], ["logs", "x"], ["events", "x"], ["delete", "x"], ["suspend", "x"]):
        assert say(box, *words, code=1) == 'error: trainjobs.trainer.kubeflow.org "x" not found\n'
    assert not root(box).exists()  # looking makes nothing


def test_while_it_runs_and_afterwards(box):
    go = box.path / "go"
    p = box.start(job("echo hello $HOSTNAME; %s; echo bye" % until(go), nodes=2))
    wait_for(lambda: state(box, "job") == "Running")
    wait_for(lambda: seen(box, "logs", "job").count("hello") == 2)
    wait_for(lambda: len([r for r in rows(seen(box, "get", "pods")) if r["READY"] == "1/1"]) == 2)
    pods = rows(say(box, "get", "pods"))
    assert [r["STATUS"] for r in pods] == ["Running"] * 2
    assert pods[0]["NAME"].startswith("job-node-0-0-")
    text = say(box, "describe", "job")
    assert re.search(r"^State: +Running$", text, re.M) and "Process:" in text
    go.touch()
    code, out, err = finish(p)
    assert code == 0, err

    row = rows(say(box, "get"))[0]
    assert (row["NAME"], row["RUNTIME"], row["NODES"], row["STATE"], row["RESTARTS"]) == \
        ("job", "rt", "2", "Complete", "0")
    assert say(box, "logs", "job", "node-0-1") == "hello job-node-0-1\nbye\n"
    assert say(box, "logs", "job", "job-node-0-1") == "hello job-node-0-1\nbye\n"
    assert say(box, "logs", "job", "--tail", "1") == "[node-0-0] bye\n[node-0-1] bye\n"
    assert say(box, "logs", "job", "node-0-1", "--tail", "0") == ""
    assert "has no node \"node-0-7\"; it has: node-0-0, node-0-1" in say(box, "logs", "job", "node-0-7", code=1)
    text = say(box, "describe", "job")
    assert "Complete=True   AllJobsCompleted" in text and "Process:" not in text
    assert re.search(r"^  node-0-1 +node +Completed +0 +0 +127\.\S+ +logs/job-node-0-1/node\.0\.0\.log$",
                     text, re.M)
    assert [r["REASON"] for r in rows(say(box, "events", "job"))].count("SuccessfulCreate") == 2
    obj = json.loads(say(box, "get", "trainjob", "job", "-o", "json"))
    assert obj["status"]["conditions"][0]["type"] == "Complete"
    assert obj["metadata"]["annotations"]["trainyard.dev/state"] == "Complete"
    assert json.loads(say(box, "get", "pods", "-o", "json"))["kind"] == "List"
    assert say(box, "get", "-o", "name") == "trainjob.trainer.kubeflow.org/job\n"
    events = json.loads(say(box, "events", "job", "-o", "json"))["items"]
    assert {e["involvedObject"]["kind"] for e in events} >= {"Job", "Pod", "JobSet"}
    assert (root(box) / "trainyard.db").stat().st_mode & 0o777 == 0o600


def test_a_failure_in_full(box):
    code, out, err = box.run(job("echo oops; exit 7", nodes=1))
    assert code == 1
    assert state(box, "job") == "Failed"
    text = say(box, "describe", "job")
    assert "first failed job: job-node-0" in text
    assert re.search(r"^  node-0-0 +node +Error +7 ", text, re.M)


def test_interrupted_by_kill(box):
    p = box.start(job("sleep 60", nodes=2))
    wait_for(lambda: [r["STATUS"] for r in rows(seen(box, "get", "pods", "job"))] == ["Running"] * 2)
    p.kill()
    p.communicate()
    assert wait_for(lambda: state(box, "job") == "Interrupted")
    assert rows(say(box, "get"))[0]["DURATION"] == "<unknown>"
    assert {r["STATUS"] for r in rows(say(box, "get", "pods", "job"))} == {"Interrupted"}
    assert "Interrupted (the run was killed, or the machine stopped)" in say(box, "describe", "job")
    assert "does not run: it is Interrupted" in say(box, "suspend", "job", code=1)
    code, out, err = box.run(job("true"))
    assert code == 0, err
    assert state(box, "job") == "Complete"
    assert [r["STATE"] for r in rows(say(box, "get"))] == ["Complete", "Interrupted"]
    assert state(box, "job", run=1) == "Interrupted"
    say(box, "delete", "job", "--run", "1")
    assert [r["STATE"] for r in rows(say(box, "get"))] == ["Complete"]


def test_interrupted_by_hand(box):
    p = box.start(job("sleep 60"))
    wait_for(lambda: state(box, "job") == "Running")
    p.send_signal(signal.SIGINT)
    code, out, err = finish(p)
    assert code == 130
    assert state(box, "job") == "Interrupted"
    assert "Interrupted (the run was told to stop)" in say(box, "describe", "job")
    assert rows(say(box, "get"))[0]["DURATION"] != "<unknown>"


def test_two_runs_at_once(box):
    other = shared.Box(box.path / "other")
    other.path.mkdir()
    other.env = box.env
    go = box.path / "go"
    one, two = (b.start(job("echo from %s; %s" % (n, until(go)), name=n, nodes=3))
                for b, n in ((box, "one"), (other, "two")))
    wait_for(lambda: state(box, "one") == state(box, "two") == "Running")
    go.touch()
    for p in (one, two):
        code, out, err = finish(p)
        assert code == 0 and "history" not in err, err
    assert {r["NAME"]: r["STATE"] for r in rows(say(box, "get"))} == {"one": "Complete", "two": "Complete"}
    assert say(box, "logs", "one", "node-0-2") == "from one\n"
    assert say(box, "logs", "two", "node-0-2") == "from two\n"
    assert len({r["RUN"] for r in rows(say(box, "get", "-o", "wide"))}) == 2


def test_eight_runs_at_once_lose_nothing(box):
    boxes = []
    for i in range(8):
        b = shared.Box(box.path / str(i))
        b.path.mkdir()
        b.env = box.env
        boxes.append((b, "job%d" % i))
    runs = [b.start(job("true", name=n)) for b, n in boxes]
    for p in runs:
        code, out, err = finish(p)
        assert code == 0 and "history" not in err, err
    assert {r["NAME"] for r in rows(say(box, "get")) if r["STATE"] == "Complete"} == {n for _, n in boxes}


def test_delete_a_running_job(box):
    two = job("trap 'echo ended; exit 0' TERM; echo up; while :; do sleep 0.05; done", name="one")
    two += "---\n" + two.split("---\n")[1].replace("name: one", "name: two")
    p = box.start(two)
    wait_for(lambda: state(box, "one") == state(box, "two") == "Running")
    wait_for(lambda: seen(box, "logs", "one") == "[node-0-0] up\n")
    folder = next((root(box) / "runs").glob("run-*"))
    assert say(box, "delete", "one") == 'trainjob.trainer.kubeflow.org "one" deleted\n'
    assert state(box, "one") is None
    assert not (folder / "logs" / "one-node-0-0").exists()
    assert state(box, "two") == "Running"  # the other one goes on
    assert p.poll() is None
    assert say(box, "delete", "trainjob", "two") == 'trainjob.trainer.kubeflow.org "two" deleted\n'
    code, out, err = finish(p)
    assert code == 1 and 'trainjob "two" is being deleted, as asked' in err
    assert "[node-0-0] ended" in out or "ended" in out
    assert say(box, "get") == ""
    assert not folder.exists()


def test_delete_all(box):
    for _ in range(2):
        assert box.run(job("true"))[0] == 0
    assert len(rows(say(box, "get"))) == 2
    assert say(box, "delete", "job", "--all").count("deleted") == 2
    assert box.run(job("true", name="other"))[0] == 0
    assert say(box, "delete", "--all") == 'trainjob.trainer.kubeflow.org "other" deleted\n'
    assert list((root(box) / "runs").glob("run-*")) == []
    assert "name a TrainJob, or say --all" in say(box, "delete", code=2)


def test_a_history_that_lies_deletes_nothing_outside(box):
    assert box.run(job("true"))[0] == 0
    precious = box.path / "precious"
    precious.mkdir()
    with sqlite3.connect(root(box) / "trainyard.db") as db:
        db.execute("UPDATE runs SET dir = ?", (str(root(box) / "runs" / ".." / ".." / ".." / "precious"),))
    db.close()
    say(box, "delete", "job")
    assert precious.exists()


def test_follow_across_a_restart(box):
    again, go = box.path / "again", box.path / "go"
    p = box.start(job("echo try; test -e %s && { %s; echo last; exit 0; }; touch %s; exit 3"
                      % (again, until(go), again), policies=RESTARTS))
    wait_for(lambda: state(box, "job"))
    f = subprocess.Popen([box.binary, "logs", "-f", "job", "--attempt", "0"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, env=box.env)
    follow = subprocess.Popen([box.binary, "logs", "-f", "job"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=box.env)
    wait_for(lambda: rows(seen(box, "get", "trainjob", "job"))[0]["RESTARTS"] == "1")
    time.sleep(0.5)
    go.touch()
    code, out, err = finish(p)
    assert code == 0, err
    code, out, err = finish(follow)
    assert code == 0 and out.splitlines()[-2:] == ["[node-0-0] try", "[node-0-0] last"], (out, err)
    code, out, err = finish(f)
    assert code == 0 and out == "[node-0-0] try\n", (out, err)
    assert say(box, "logs", "job", "--previous") == "[node-0-0] try\n"
    assert "Restarts:    1 of 3" in say(box, "describe", "job")
    assert len(rows(say(box, "get", "pods", "job"))) == 1  # the newest of its name


def test_suspend_and_resume(box):
    go = box.path / "go"
    p = box.start(job("echo up; %s" % until(go)))
    wait_for(lambda: state(box, "job") == "Running" and "up" in seen(box, "logs", "job"))
    assert say(box, "suspend", "job") == "trainjob.trainer.kubeflow.org/job suspended\n"
    wait_for(lambda: state(box, "job") == "Suspended")
    wait_for(lambda: not [r for r in rows(say(box, "get", "pods", "job")) if r["STATUS"] == "Running"])
    assert p.poll() is None  # it waits
    go.touch()
    assert say(box, "resume", "job") == "trainjob.trainer.kubeflow.org/job resumed\n"
    code, out, err = finish(p)
    assert code == 0, err
    assert state(box, "job") == "Complete"
    assert "does not run: it is Complete" in say(box, "resume", "job", code=1)


def test_garbage_at_the_control_socket(box):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_for(lambda: state(box, "job") == "Running")
    path = next((root(box) / "runs").glob("run-*")) / "control.sock"
    assert path.stat().st_mode & 0o777 == 0o600
    folder = os.open(path.parent, os.O_PATH)  # the whole path is longer than an address may be

    def dial():
        s = socket.socket(socket.AF_UNIX)
        s.connect("/proc/self/fd/%d/control.sock" % folder)
        return s

    silent = [dial() for _ in range(40)]
    s = dial()
    s.settimeout(60)
    s.sendall(b"\x00\xff garbage\n" + json.dumps({"verb": "explode", "name": "job"}).encode() + b"\n")
    answers = s.makefile()
    assert "an order is one line" in json.loads(answers.readline())["error"]
    assert '"explode" is no order' in json.loads(answers.readline())["error"]
    say(box, "suspend", "job")
    say(box, "resume", "job")
    go.touch()
    assert finish(p)[0] == 0
    for s in silent:
        s.close()
    os.close(folder)


@pytest.mark.parametrize("what", ["garbage", "newer", "cut"])
def test_a_broken_history_costs_a_warning(box, what):
    file = root(box) / "trainyard.db"
    if what == "garbage":
        file.parent.mkdir(parents=True)
        file.write_bytes(b"not a database " * 1000)
    elif what == "newer":
        file.parent.mkdir(parents=True)
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        assert box.run(job("true"))[0] == 0
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        for extra in ("-wal", "-shm"):
            pathlib.Path(str(file) + extra).unlink(missing_ok=True)
        data = file.read_bytes()
        file.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    code, out, err = box.run(job("echo works", nodes=2))
    assert code == 0 and out.count("works") == 2
    assert err.count("this run has no history") == 1, err
    err = say(box, "get", code=1)
    assert err.startswith("error: ") and str(file) in err
    if what == "newer":
        assert "made by a newer trainyard" in err


def has_userns():
    return os.geteuid() == 0 or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


def unshared(box, script):
    """A shell in a mount namespace of its own."""
    return subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-ec", script],
                          capture_output=True, text=True, env=dict(box.env, T=box.binary), cwd=box.path,
                          timeout=120)


needs_mounts = pytest.mark.skipif(not shutil.which("unshare") or not has_userns(),
                                  reason="no mount namespace of one's own here")


@needs_mounts
def test_a_read_only_folder_can_be_read(box):
    assert box.run(job("echo kept"))[0] == 0
    p = unshared(box, """
        mount --bind "$XDG_STATE_HOME" "$XDG_STATE_HOME"
        mount -o remount,bind,ro "$XDG_STATE_HOME"
        ! touch "$XDG_STATE_HOME/x" 2>/dev/null
        "$T" get; "$T" logs job; "$T" describe job >/dev/null; "$T" events job >/dev/null
        rm -f "$XDG_STATE_HOME/x"
    """)
    if "mount" in p.stderr and "permission" in p.stderr:
        pytest.skip("mounts are not allowed here: " + p.stderr)
    assert p.returncode == 0 and "Complete" in p.stdout and "[node-0-0] kept" in p.stdout, p


@needs_mounts
def test_an_unwritable_folder_costs_the_history_only(box):
    (box.path / "state").mkdir()
    (box.path / "job.yaml").write_text(job("echo works"))
    p = unshared(box, """
        mount --bind "$XDG_STATE_HOME" "$XDG_STATE_HOME"
        mount -o remount,bind,ro "$XDG_STATE_HOME"
        mkdir tmp; TMPDIR=$PWD/tmp "$T" run job.yaml
        "$T" get
    """)
    assert p.returncode == 0 and "works" in p.stdout, p
    assert p.stderr.count("this run has no history, its files are in ") == 1, p.stderr
    assert "No resources found" in p.stderr


@needs_mounts
def test_a_full_disk_costs_a_warning(box):
    (box.path / "state").mkdir()
    (box.path / "job.yaml").write_text(job("echo works; touch up; %s" % until("go"), nodes=2))
    p = unshared(box, """
        mount -t tmpfs -o size=1m none "$XDG_STATE_HOME"
        touch go; "$T" run job.yaml >/dev/null
        rm go up
        ("$T" run job.yaml; echo "exit $?") &
        while ! test -e up; do sleep 0.1; done
        dd if=/dev/zero bs=4096 of="$XDG_STATE_HOME/fill" 2>/dev/null || true
        touch go
        wait
        rm "$XDG_STATE_HOME/fill"
        "$T" get
    """)
    assert p.returncode == 0, p
    assert "exit 0" in p.stdout, p
    # Waited for in vain is said; what the log still had room for is there, like all that was before.
    assert p.stderr.count("this run's history waits for room on the disk: ") <= 1, p.stderr
    missing = "the end of this run is missing in its history" in p.stderr
    assert p.stdout.count("Complete") >= (1 if missing else 2), p
    assert missing or "Interrupted" not in p.stdout, p


def test_watch(box):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_for(lambda: state(box, "job") == "Running")
    w = subprocess.Popen([box.binary, "get", "-w", "trainjob", "job"], stdout=subprocess.PIPE, text=True, env=box.env)
    try:
        assert w.stdout.readline().startswith("NAME")
        assert "Running" in w.stdout.readline()
        go.touch()
        assert finish(p)[0] == 0
        told = ""
        while "Complete" not in told:  # what it tells meanwhile is told in the same way
            assert w.stdout.readline().startswith("NAME")
            told = w.stdout.readline()
            assert told.startswith("job ")
    finally:
        w.kill()
        w.communicate()


def test_wrong_usage(box):
    for words in (["logs"], ["logs", "a", "b", "c"], ["logs", "a", "--tail", "x"], ["events"], ["describe"],
                  ["get", "--run", "x"], ["get", "pods", "-w"], ["suspend"], ["logs", "a", "--attempt", "-1"]):
        say(box, *words, code=2)
    assert 'pods "x" not found' in say(box, "get", "pods", "x", code=1)
