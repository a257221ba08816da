"""Old runs go: by themselves at the end of a run, and when they are told to."""
import os
import re
import sqlite3
import subprocess
import time

import pytest

from past import needs_mounts, root, rows, say, seen, state, unshared, until, wait_state
from runs import finish, job
from waiting import wait_for

DAY = 24 * 60 * 60 * 1000


def history(box, *columns):
    db = sqlite3.connect(root(box) / "trainyard.db")
    try:
        return db.execute("SELECT %s FROM runs ORDER BY id" % ", ".join(columns)).fetchall()
    finally:
        db.close()


def age(box, run, days):
    """As if it had been so long ago."""
    db = sqlite3.connect(root(box) / "trainyard.db")
    with db:
        db.execute("UPDATE runs SET started = started - ?1, ended = CASE ended WHEN 0 THEN 0 ELSE ended - ?1 END"
                   " WHERE id = ?2", (days * DAY, run))
        db.execute("UPDATE events SET first = first - ?1, last = last - ?1 WHERE run = ?2", (days * DAY, run))
    db.close()


def folders(box):
    return {p.name for p in (root(box) / "runs").iterdir() if p.is_dir()}


def whole(box):
    """Every run that is known has its folder, and every folder its run."""
    known = {os.path.basename(dir) for (dir,) in history(box, "dir")}
    assert known == folders(box)
    return known


def test_the_newest_stay(box):
    for i in range(4):
        code, _, err = box.run(job("echo %d" % i), "--history", "2")
        assert code == 0 and "warning" not in err, err
    assert [id for (id,) in history(box, "id")] == [3, 4]
    assert len(whole(box)) == 2
    assert [r["STATE"] for r in rows(say(box, "get"))] == ["Complete", "Complete"]
    assert say(box, "logs", "job") == "[node-0-0] 3\n"
    assert say(box, "logs", "job", "--run", "3") == "[node-0-0] 2\n"


def test_the_old_go(box):
    for i in range(3):
        assert box.run(job("true"))[0] == 0
    age(box, 1, 89)
    age(box, 2, 91)
    assert box.run(job("true"), "--history", "all")[0] == 0
    assert len(whole(box)) == 4
    assert box.run(job("true"))[0] == 0  # 90 days, unless told otherwise
    assert [id for (id,) in history(box, "id")] == [1, 3, 4, 5]
    whole(box)


def test_the_variable(box):
    for i in range(2):
        assert box.run(job("true"))[0] == 0
    box.env["TRAINYARD_HISTORY"] = "many"
    code, _, err = box.run(job("true"))
    assert code == 0
    assert "warning: TRAINYARD_HISTORY=many: write 200, 90d, 200,90d or all; old runs are kept" in err
    assert len(whole(box)) == 3
    box.env["TRAINYARD_HISTORY"] = "1"
    assert box.run(job("true"))[0] == 0
    assert len(whole(box)) == 1
    code, out, err = box.run(job("echo ran"), "--history", "0")
    assert code == 2 and "--history 0: write" in err and "ran" not in out


def test_who_is_at_work_stays(box):
    go = box.path / "go"
    p = box.start(job("echo at work; %s; echo done" % until(go), name="long"))
    wait_state(box, "Running", "long")
    for i in range(3):
        assert box.run(job("true"), "--history", "1")[0] == 0
    assert state(box, "long") == "Running"
    assert say(box, "delete", "--older-than", "1ms", "--keep", "0").count("deleted") == 1  # the other one
    assert say(box, "logs", "long") == "[node-0-0] at work\n"
    go.touch()
    assert finish(p)[0] == 0
    assert say(box, "logs", "long") == "[node-0-0] at work\n[node-0-0] done\n"
    assert state(box, "long") == "Complete"
    whole(box)


def test_what_was_to_be_kept_is(box):
    assert box.run(job("touch $TMPDIR/precious"), "--keep")[0] == 0
    age(box, 1, 2)
    for i in range(3):
        assert box.run(job("true"), "--history", "1,1d")[0] == 0
    assert [id for (id,) in history(box, "id")] == [1, 4]
    assert list(root(box).glob("runs/*/pods/**/precious"))
    assert say(box, "delete", "job", "--run", "1").count("deleted") == 1  # told to: that is another thing
    assert len(whole(box)) == 1


def test_an_interrupted_run_goes_too(box):
    p = box.start(job("sleep 60"))
    wait_state(box, "Running", "job")
    p.kill()
    p.communicate()
    wait_state(box, "Interrupted", "job")
    age(box, 1, 100)
    assert box.run(job("true"))[0] == 0
    assert [id for (id,) in history(box, "id")] == [2]
    whole(box)
    assert not list((root(box) / "runs").glob("port-*"))  # what it had claimed is free again


def test_a_history_that_was_moved_away(box):
    """Its folders are nobody's: they go when they are old."""
    assert box.run(job("true"))[0] == 0
    for file in root(box).glob("trainyard.db*"):
        file.unlink()
    old, = folders(box)
    _, _, pid = old.split("-")
    (root(box) / "runs" / old).rename(root(box) / "runs" / ("run-%d-%s" % (time.time() - 91 * 86400, pid)))
    (root(box) / "runs" / "mine").mkdir()
    assert box.run(job("true"))[0] == 0
    assert "mine" in folders(box) and len(folders(box)) == 2


def test_many_at_once(box):
    """Whoever ends takes the old ones out, all of them at the same time."""
    for i in range(4):
        assert box.run(job("true"))[0] == 0
    go = box.path / "go"
    file = box.path / "many.yaml"
    file.write_text(job(until(go)))
    started = [subprocess.Popen([box.binary, "run", str(file), "--history", "3"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=box.path, env=box.env) for _ in range(6)]
    wait_for("six run", lambda: len([r for r in rows(seen(box, "get")) if r["STATE"] == "Running"]) == 6)
    go.touch()
    for p in started:
        code, _, err = finish(p)
        assert code == 0 and "warning" not in err, err
    assert box.run(job("true"), "--history", "3")[0] == 0  # what they left to each other
    assert [id for (id,) in history(box, "id")] == [9, 10, 11]
    assert len(whole(box)) == 3


def test_two_deletes_at_once(box):
    for i in range(8):
        assert box.run(job("true"))[0] == 0
    ps = [subprocess.Popen([box.binary, "delete", "--keep", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env=box.env) for _ in range(3)]
    for p in ps:
        assert finish(p)[0] == 0
    assert len(rows(say(box, "get"))) == 1
    assert len(whole(box)) == 1


@needs_mounts
def test_a_folder_that_cannot_be_written(box):
    for i in range(2):
        assert box.run(job("true"))[0] == 0
    p = unshared(box, """
        mount --bind "$XDG_STATE_HOME" "$XDG_STATE_HOME"
        mount -o remount,bind,ro "$XDG_STATE_HOME"
        "$T" delete --keep 0 --dry-run
        "$T" delete --keep 0 || echo "exit $?"
        "$T" get
    """)
    if "mount" in p.stderr and "permission" in p.stderr:
        pytest.skip("mounts are not allowed here: " + p.stderr)
    assert p.returncode == 0 and "exit 1" in p.stdout, p
    assert p.stdout.count("deleted (dry run)") == 2 and p.stdout.count(" deleted\n") == 0, p
    assert p.stdout.count("Complete") == 2, p
    assert p.stderr.startswith("error: ") and "trainyard.db" in p.stderr, p


@needs_mounts
def test_a_full_disk_gets_room(box):
    (box.path / "state").mkdir()
    (box.path / "job.yaml").write_text(job("head -c 200000 /dev/zero | tr '\\\\0' x | fold"))
    p = unshared(box, """
        mount -t tmpfs -o size=2m none "$XDG_STATE_HOME"
        "$T" run job.yaml >/dev/null
        dd if=/dev/zero bs=4096 of="$XDG_STATE_HOME/fill" 2>/dev/null || true
        "$T" delete --keep 0
        "$T" get
        ls "$XDG_STATE_HOME/trainyard/runs"
    """)
    if "mount" in p.stderr and "permission" in p.stderr:
        pytest.skip("mounts are not allowed here: " + p.stderr)
    assert p.returncode == 0, p
    assert p.stdout == 'trainjob.trainer.kubeflow.org "job" deleted\n', p


def test_a_job_finds_itself(box):
    """Readable from the first moment: the first thing that this job does is to look itself up."""
    for i in range(5):
        code, out, err = box.run(job("%s get trainjob job%d" % (box.binary, i), name="job%d" % i), "--env",
                                 "XDG_STATE_HOME=" + box.env["XDG_STATE_HOME"])
        assert code == 0, (out, err)
        assert re.search(r" job%d .* (Created|Starting|Running) " % i, out, re.M), out


def test_a_timeout_that_is_no_time(box):
    for word in ("soon", "-1", "0", "1.5", "9223372036854775807"):
        code, out, err = box.run(job("echo ran"), "--timeout", word)
        assert code == 2 and "--timeout %s: write seconds, or a duration" % word in err, err
        assert "ran" not in out
    assert box.run(job("sleep 60"), "--timeout", "100ms")[0] == 124
