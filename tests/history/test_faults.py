"""A history that is broken, lies or has no room, and garbage at the door of a run."""
import json
import os
import pathlib
import socket
import sqlite3

import pytest

from past import needs_mounts, root, say, unshared, until, wait_state
from runs import finish, job


def test_a_history_that_lies_deletes_nothing_outside(box):
    assert box.run(job("true"))[0] == 0
    precious = box.path / "precious"
    precious.mkdir()
    with sqlite3.connect(root(box) / "trainyard.db") as db:
        db.execute("UPDATE runs SET dir = ?", (str(root(box) / "runs" / ".." / ".." / ".." / "precious"),))
    db.close()
    say(box, "delete", "job")
    assert precious.exists()


def test_garbage_at_the_control_socket(box):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_state(box, "Running", "job")
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


@pytest.mark.parametrize("end", ["", "-wal", "-journal"])
def test_a_fifo_in_place_of_the_history(box, end):
    assert box.run(job("true"))[0] == 0
    file = root(box) / ("trainyard.db" + end)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    for words in (["get"], ["logs", "job"], ["delete", "job"], ["get", "claims"]):
        assert f"{file}: it is not a regular file" in say(box, *words, code=1, timeout=60)
    code, _, err = box.run(job("true"), timeout=60)
    assert code == 0 and f"this run has no history: {file}: it is not a regular file" in err


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
        "$T" describe job | grep State:
    """)
    assert p.returncode == 0, p
    assert "exit 0" in p.stdout, p
    # Waited for in vain is said; what the log still had room for is there, like all that was before.
    assert p.stderr.count("this run's history waits for room on the disk: ") <= 1, p.stderr
    missing = "the end of this run is missing in its history" in p.stderr
    assert p.stdout.count("Complete") >= (1 if missing else 2), p
    assert missing or "Interrupted" not in p.stdout, p
    assert not missing or ("State:       Interrupted (the disk was full: the history lacks the end of the run, "
                           "which was Complete)" in p.stdout), p
