"""The history of `trainyard run`: seen from other processes, while it goes and afterwards."""
import datetime
import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from past import root, rows, say, seen, state, until, wait_state
from runs import Box, finish, job
from waiting import wait_for

RESTARTS = "      failurePolicy: {maxRestarts: 3}"


def test_nothing_yet(box):
    assert say(box, "get") == ""
    missing = 'error: trainjobs.trainer.kubeflow.org "x" not found\n'
    for words in (["get", "x"], ["describe", "x"], ["logs", "x"], ["events", "x"], ["delete", "x"], ["suspend", "x"]):
        said = say(box, *words, code=1)
        assert said.startswith(missing), said
        said = re.sub(r'note: nor is there a kind "x"; kinds are [^\n]*\n', "", said) if words[0] == "get" else said
        assert re.fullmatch(r"(note: these are the runs of this machine[^\n]*\n)?", said[len(missing):]), said
    assert not root(box).exists()  # looking makes nothing


def test_while_it_runs_and_afterwards(box):
    go = box.path / "go"
    p = box.start(job("echo hello $HOSTNAME; %s; echo bye" % until(go), nodes=2))
    wait_state(box, "Running", "job")
    wait_for("both nodes say hello", lambda: seen(box, "logs", "job").count("hello") == 2)
    wait_for("both pods are ready", lambda: [r["READY"] for r in rows(seen(box, "get", "pods"))] == ["1/1"] * 2)
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
    wait_for("both pods run", lambda: [r["STATUS"] for r in rows(seen(box, "get", "pods", "job"))] == ["Running"] * 2)
    p.kill()
    p.communicate()
    wait_state(box, "Interrupted", "job")
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
    wait_state(box, "Running", "job")
    p.send_signal(signal.SIGINT)
    code, out, err = finish(p)
    assert code == 130
    assert state(box, "job") == "Interrupted"
    assert "Interrupted (the run was told to stop)" in say(box, "describe", "job")
    assert rows(say(box, "get"))[0]["DURATION"] != "<unknown>"


def test_two_runs_at_once(box):
    other = Box(box.path / "other")
    other.path.mkdir()
    other.env = box.env
    go = box.path / "go"
    one, two = (b.start(job("echo from %s; %s" % (n, until(go)), name=n, nodes=3))
                for b, n in ((box, "one"), (other, "two")))
    wait_state(box, "Running", "one", "two")
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
        b = Box(box.path / str(i))
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
    wait_state(box, "Running", "one", "two")
    wait_for("its line", lambda: seen(box, "logs", "one") == "[node-0-0] up\n")
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


def test_follow_across_a_restart(box):
    again, go = box.path / "again", box.path / "go"
    p = box.start(job("echo try; test -e %s && { %s; echo last; exit 0; }; touch %s; exit 3"
                      % (again, until(go), again), policies=RESTARTS))
    wait_for("it is in the history", lambda: state(box, "job"))
    shown = [box.path / "first", box.path / "all"]
    first, follow = (subprocess.Popen([box.binary, "logs", "-f", "job", *more], stdout=file.open("w"),
                                      stderr=subprocess.PIPE, text=True, env=box.env)
                     for file, more in zip(shown, (["--attempt", "1"], [])))
    wait_for("it was restarted", lambda: rows(seen(box, "get", "trainjob", "job"))[0]["RESTARTS"] == "1")
    wait_for("both follow", lambda: all("try" in file.read_text() for file in shown))
    go.touch()
    code, out, err = finish(p)
    assert code == 0, err
    code, _, err = finish(follow)
    out = shown[1].read_text()
    assert code == 0 and out.splitlines()[-2:] == ["[node-0-0] try", "[node-0-0] last"], (out, err)
    code, _, err = finish(first)
    assert code == 0 and shown[0].read_text() == "[node-0-0] try\n", err
    assert say(box, "logs", "job", "--previous") == "[node-0-0] try\n"
    assert "Restarts:    1 of 3" in say(box, "describe", "job")
    assert len(rows(say(box, "get", "pods", "job"))) == 1  # the newest of its name


def test_suspend_and_resume(box):
    go = box.path / "go"
    p = box.start(job("echo up; %s" % until(go)))
    wait_state(box, "Running", "job")
    wait_for("its line", lambda: "up" in seen(box, "logs", "job"))
    assert say(box, "suspend", "job") == "trainjob.trainer.kubeflow.org/job suspended\n"
    wait_state(box, "Suspended", "job")
    wait_for("no pod runs", lambda: not [r for r in rows(say(box, "get", "pods", "job")) if r["STATUS"] == "Running"])
    assert p.poll() is None  # it waits
    go.touch()
    assert say(box, "resume", "job") == "trainjob.trainer.kubeflow.org/job resumed\n"
    code, out, err = finish(p)
    assert code == 0, err
    assert state(box, "job") == "Complete"
    assert "does not run: it is Complete" in say(box, "resume", "job", code=1)


def test_watch(box):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_state(box, "Running", "job")
    w = subprocess.Popen([box.binary, "get", "-w", "trainjob", "job"], stdout=subprocess.PIPE, text=True, env=box.env)
    try:
        assert w.stdout.readline().startswith("NAME")
        assert "Running" in w.stdout.readline()
        go.touch()
        assert finish(p)[0] == 0
        told = ""
        while "Complete" not in told:  # what it tells meanwhile is told in the same way
            told = w.stdout.readline()
            assert told.startswith("job ")
    finally:
        w.kill()
        w.communicate()
    assert 'trainjobs.trainer.kubeflow.org "nosuch" not found' in say(box, "get", "-w", "nosuch", code=1)
    assert say(box, "get", "-A", "-o", "wide").splitlines()[0].count("NAMESPACE") == 1


@pytest.mark.parametrize("kind, name, first, last", [
    ("pods", "job-node-0-0-", "Running", "Completed"), ("jobs", "job-node-0 ", "Running", "Complete"),
    ("jobsets", "job ", "false", "Completed")])
def test_watch_of_other_kinds(box, kind, name, first, last):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_for("the pod runs", lambda: "Running" in seen(box, "get", "pods"), child=p)
    w = subprocess.Popen([box.binary, "get", kind, "-w"], stdout=subprocess.PIPE, text=True, env=box.env)
    try:
        assert w.stdout.readline().startswith("NAME")
        line = w.stdout.readline()
        assert line.startswith(name) and first in line and last not in line
        go.touch()
        assert finish(p)[0] == 0
        while last not in line:
            line = w.stdout.readline()
            assert line.startswith(name)
    finally:
        w.kill()
        w.communicate()


def test_watch_of_events(box):
    go = box.path / "go"
    p = box.start(job(until(go)))
    wait_for("the pod's event", lambda: "Started" in seen(box, "get", "events"), child=p)
    w = subprocess.Popen([box.binary, "get", "events", "job", "-w"], stdout=subprocess.PIPE, text=True, env=box.env)
    try:
        assert w.stdout.readline().startswith("LAST SEEN")
        go.touch()
        assert finish(p)[0] == 0
        lines = []
        while not any("AllJobsCompleted" in line for line in lines):
            lines.append(w.stdout.readline())
            assert re.match(r"\d+s ", lines[-1])
        assert len({line.split(None, 1)[1] for line in lines}) == len(lines)  # each once
    finally:
        w.kill()
        w.communicate()


def test_wrong_usage(box):
    for words in (["logs"], ["logs", "a", "b", "c"], ["logs", "a", "--tail", "x"], ["events"], ["describe"],
                  ["get", "--run", "x"], ["get", "claims", "-w"], ["suspend"], ["logs", "a", "--attempt", "0"]):
        say(box, *words, code=2)
    assert 'pods "x" not found' in say(box, "get", "pods", "x", code=1)


def test_values_of_variables_are_not_kept(box):
    code, out, _ = box.run(job("echo has $KEY $OTHER"), "--env", "KEY=sesame1", "-eOTHER=sesame2")
    assert code == 0 and "has sesame1 sesame2" in out
    said = say(box, "describe", "job")
    assert "--env KEY=*** -eOTHER=***" in said
    kept = b"".join(p.read_bytes() for p in root(box).glob("trainyard.db*"))
    assert b"KEY=" in kept and b"sesame" not in kept


def test_logs_on_a_terminal(box):
    """A job can color its lines there, and not set the title or clear the screen; files have its bytes."""
    evil = r"\033]0;owned\007\033[31mred\033[0m\033[2Jend"
    code, _, err = box.run(job("printf '%s\\n'" % evil))
    assert code == 0, err
    raw = "\033]0;owned\007\033[31mred\033[0m\033[2Jend"
    assert say(box, "logs", "job", "node-0-0") == raw + "\n"
    assert say(box, "logs", "job") == "[node-0-0] " + raw + "\n"
    for words, want in ((["node-0-0"], b"\033[31mred\033[0mend"), ([], b"[node-0-0] \033[31mred\033[0mend")):
        fd, end = pty.openpty()
        assert subprocess.run([box.binary, "logs", "job", *words], stdout=end, env=box.env).returncode == 0
        assert os.read(fd, 4096).startswith(want)
        os.close(fd)
        os.close(end)


def test_logs_by_time(box):
    """The files stay as the program wrote them; the times are beside them."""
    p = box.start(job("echo one; %s; echo two; printf three" % until("go")))
    wait_for("the first line", lambda: "one" in seen(box, "logs", "job"), child=p)
    time.sleep(2.5)  # entries are 100 ms apart at least, and --since has whole seconds here: time has to pass
    (box.path / "go").touch()
    assert finish(p)[0] == 0
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    out = say(box, "logs", "job", "--timestamps")
    assert re.fullmatch(rf"\[node-0-0\] {stamp} one\n\[node-0-0\] {stamp} two\n\[node-0-0\] {stamp} three\n", out)
    times = re.findall(stamp, out)
    assert times == sorted(times) and times[0] != times[1]
    assert say(box, "logs", "job", "node-0-0") == "one\ntwo\nthree"
    ago = lambda: "%dms" % ((time.time() - datetime.datetime.fromisoformat(times[0][:-1] + "+00:00").timestamp()) * 1000 - 1000)
    assert say(box, "logs", "job", "node-0-0", "--since", ago()) == "two\nthree"
    assert say(box, "logs", "job", "node-0-0", "--since", ago(), "--tail", "1") == "three"
    assert say(box, "logs", "job", "node-0-0", "--since", "10h", "--tail", "2") == "two\nthree"
    assert say(box, "logs", "pod/job-node-0-0") == "one\ntwo\nthree"
    assert "--since soon" in say(box, "logs", "job", "--since", "soon", code=2)


def test_get_by_kind_and_order(box):
    for name in ("a", "b"):
        assert box.run(job("true", name=name))[0] == 0
    assert [r["NAME"] for r in rows(say(box, "get"))] == ["b", "a"]  # newest first
    assert [r["NAME"] for r in rows(say(box, "get", "--sort-by", ".metadata.name"))] == ["a", "b"]
    assert say(box, "get", "-o", "name", "--sort-by={.metadata.name}").split() == [
        "trainjob.trainer.kubeflow.org/a", "trainjob.trainer.kubeflow.org/b"]
    assert {r["NAMESPACE"] for r in rows(say(box, "get", "-A"))} == {"default"}
    assert [r["NAME"] for r in rows(say(box, "get", "trainjob/b"))] == ["b"]
    assert rows(say(box, "get", "pod/b-node-0-0"))[0]["NAME"].startswith("b-node-0-0-")
    assert "--sort-by" in say(box, "get", "--sort-by", "[0]", code=2)
    # Events are those of one run.
    count = len(say(box, "get", "events", "a").splitlines())
    assert box.run(job("true", name="a"))[0] == 0
    assert len(say(box, "get", "events", "a").splitlines()) == count
    assert "not found" in say(box, "get", "events", "nobody", code=1)


def test_the_summary_of_a_deleted_job_names_no_logs(box):
    p = box.start(job("sleep 60"))
    wait_state(box, "Running", "job")
    say(box, "delete", "job")
    code, _, err = finish(p)
    assert code == 1 and "trainjob/job: Deleted" in err and "logs:" not in err
