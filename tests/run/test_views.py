"""What a user sees of a run as JSON, in lines, and as the last word of a failure."""
import json
import os
import re
import signal
import time

import pytest

from runs import SLOW, job

# ---- -o json ----

def test_json(box):
    code, out, err = box.run(job(SLOW, nodes=2), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    kinds = {o["type"] for o in objects}
    assert kinds == {"note", "pod", "line", "event", "job", "progress", "summary"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", o["time"]) for o in objects)
    line = next(o for o in objects if o["type"] == "line")
    assert set(line) == {"time", "type", "job", "node", "pod", "container", "text"}
    last = [o for o in objects if o["type"] == "progress"][-1]
    assert (last["percent"], last["step"], last["total"], last["metrics"]) == (100, 8, 8, {"loss": "0.8"})
    end = objects[-1]
    assert (end["type"], end["result"], end["restarts"]) == ("summary", "Complete", 0)
    assert [(n["node"], n["exitCode"]) for n in end["nodes"]] == [("node-0-0", 0), ("node-0-1", 0)]
    assert os.path.isdir(end["logs"])
    status = [o for o in objects if o["type"] == "job"][-1]["status"]["trainerStatus"]
    assert status["progressPercentage"] == 100
    assert status["metrics"] == [{"name": "loss", "value": "0.8"}]
    assert "lastUpdatedTime" in status


def test_rank_0_speaks_for_the_job(box):
    code, out, err = box.run(job(
        "if [ $JOB_COMPLETION_INDEX = 0 ]; then sleep 0.3; echo step 2/8; else echo step 7/8; sleep 0.6; echo step 8/8; fi",
        nodes=2), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    assert objects[-1]["progress"]["percent"] == 25
    assert [o["percent"] for o in objects if o["type"] == "progress" and o["node"] == "node-0-1"] == [87, 100]


def test_only_the_trainer_counts(box):
    code, out, err = box.run(job(
        "echo hello",
        before="""      - name: prep
        template:
          spec:
            backoffLimit: 0
            template: {spec: {restartPolicy: Never, containers: [{name: p, image: none, command: [echo, 50% done]}]}}""",
        depends="        dependsOn: [{name: prep, status: Complete}]"), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    assert any(o["type"] == "progress" and o["percent"] == 50 for o in objects)
    assert "progress" not in objects[-1]
    assert not any("trainerStatus" in o["status"] for o in objects if o["type"] == "job")


def test_progress_is_written_seldom(box):
    began = time.monotonic()
    code, out, err = box.run(job("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo step $i/1000; sleep 0.002; done"),
                             "-o", "json")
    objects = [json.loads(l) for l in out.splitlines()]
    written = {json.dumps(o["status"]["trainerStatus"]) for o in objects
               if o["type"] == "job" and "trainerStatus" in o["status"]}
    # Once a second, and with what is written anyway: the pods run, the job ends.
    assert code == 0 and len(written) <= time.monotonic() - began + 6
    assert objects[-1]["progress"]["percent"] == 100


def test_json_before_the_first_pod(box):
    """Standard error stays empty: what a program reads has it all."""
    def notes(text, *args):
        code, out, err = box.run(text, "-o", "json", *args)
        assert err == ""
        return code, [(o["level"], o["text"]) for o in map(json.loads, out.splitlines()) if o["type"] == "note"]

    code, said = notes(job("true"))
    assert code == 0 and ("note", "image none is not used; the command runs on this host's filesystem") in said
    code, said = notes(job("true").replace("spec: {runtimeRef", "spec: {nodes: 2, runtimeRef"))
    assert code == 1 and [level for level, _ in said] == ["error"] and ".yaml:" in said[0][1], said
    code, said = notes("a: [")
    assert code == 1 and said[0][0] == "error", said
    code, said = notes(job("true"), "--set", "spec.runtimeRef.name=nobody")
    assert code == 1 and said[0][0] == "error" and "nobody" in said[0][1], said
    code, said = notes("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}")
    assert ("error", "no TrainJob in the input: nothing to run") in said, said


def test_json_of_an_interrupted_run(box):
    p = box.start(job("echo at-work; sleep 60"), "-o", "json")
    for l in p.stdout:
        if json.loads(l)["type"] == "line":
            break
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=60)
    objects = [json.loads(l) for l in out.splitlines()]
    assert p.returncode == 130 and err.count("\n") <= 1  # the warning about the image
    assert any(o["type"] == "note" for o in objects)
    assert any(o["type"] == "event" and o["reason"] == "Stopped" for o in objects)
    assert (objects[-1]["result"], objects[-1]["message"]) == ("Stopped", "terminated (SIGTERM)")


def test_a_format_that_does_not_exist(box):
    code, out, err = box.run(job("true"), "-o", "xml")
    assert code == 2 and '"xml" is not one of table, plain, json' in err


# ---- plain, quiet, keep ----

def test_conditions_are_told_once(box):
    code, out, err = box.run(job(SLOW))
    assert code == 0
    assert err.count("trainjob/job: Complete:") == 1
    assert "\x1b" not in out + err


def test_quiet(box):
    code, out, err = box.run(job("echo hello"), "--quiet")
    assert (code, out) == (0, "")
    assert "Complete after" in err and "Complete:" not in err
    code, out, err = box.run(job("echo hello; exit 3"), "-q")
    assert (code, out) == (1, "")
    assert "node-0-0 failed: exit code 3" in err


def test_keep(box):
    code, out, err = box.run(job("echo data > $TMPDIR/file"), "--keep")
    kept = re.search(r"^kept: (.*)$", err, re.M).group(1)
    assert [p.read_text() for p in box.path.glob(os.path.relpath(kept, box.path) + "/*/tmp/file")] == ["data\n"]
    code, out, err = box.run(job("echo data > $TMPDIR/file"))
    assert "kept:" not in err
    run = os.path.dirname(re.search(r"^logs: (.*)$", err, re.M).group(1))
    assert not os.path.exists(run + "/pods")


# ---- what failed first ----

def message(box, text, *args):
    """The verdict as the user reads it, and the message of the TrainJob's condition."""
    code, out, err = box.run(text, "-o", "json", *args)
    assert code == 1, err
    objects = [json.loads(l) for l in out.splitlines()]
    conditions = [o for o in objects if o["type"] == "job"][-1]["status"]["conditions"]
    return objects[-1]["verdict"], next(c["message"] for c in conditions if c["type"] == "Failed")


def test_the_first_of_three(box):
    verdict, condition = message(box, job(
        "echo begin; touch up.$JOB_COMPLETION_INDEX; if [ $JOB_COMPLETION_INDEX = 1 ]; then "
        "until [ -e up.0 ] && [ -e up.2 ]; do sleep 0.05; done; echo last words; exit 7; fi; sleep 60", nodes=3))
    assert re.match(r"node-0-1 failed first: exit code 7, after \d+\.\d s\n    begin\n    last words\n", verdict)
    assert "2 others were stopped by trainyard because of it" in verdict
    assert condition.startswith("jobset failed due to one or more job failures (first failed job: job-node-0)\nnode-0-1 failed")
    assert "last words" in condition


def test_it_is_the_first_word_of_the_end(box):
    code, out, err = box.run(job("sleep 0.2; echo last words; exit 7"))
    assert code == 1
    end = err[err.index("trainjob/job: Failed:"):].splitlines()
    assert end[1].startswith("node-0-0 failed: exit code 7") and end[2] == "    last words"
    assert end[4].startswith("trainjob/job: Failed after")


def test_traceback(box):
    (box.path / "boom.py").write_text("def f():\n    raise ValueError('boom')\nf()\n")
    verdict, condition = message(box, job("/usr/bin/python3 boom.py"))
    assert verdict.startswith("node-0-0 failed: ValueError: boom (exit code 1), after ")
    assert "    Traceback (most recent call last):\n" in verdict


@pytest.mark.parametrize("command, words", [  # $$ in a manifest is one dollar
    ("kill -9 $$$$", "killed by signal 9 (SIGKILL)"),
    ("kill -SEGV $$$$", "segmentation fault (SIGSEGV)"),
    ("no-such-command", "sh: 1: no-such-command: not found (exit code 127: command not found)"),
    ("sh -c 'kill -9 $$$$'; exit $?", "exit code 137: something in it died of SIGKILL"),
])
def test_words(box, command, words):
    verdict, condition = message(box, job(command))
    assert verdict.startswith("node-0-0 failed: " + words), verdict


def test_a_program_that_is_not_there(box):
    verdict, condition = message(box, job("x").replace("[sh, -c, 'x']", "[no-such-program]"))
    assert "node-0-0 failed: could not start: " in verdict and "no-such-program: No such file" in verdict


def test_restarts(box):
    verdict, condition = message(box, job(
        "sleep 0.2; if [ -e %s/again ]; then exit 4; fi; touch %s/again; exit 3" % (box.path, box.path),
        policies="      failurePolicy: {maxRestarts: 1}"))
    assert re.match(r"node-0-0 failed: exit code 4, after \d+\.\d s, in attempt 2\n", verdict)
    assert re.search(r"^attempt 1: node-0-0 failed first: exit code 3, after \d+\.\d s$", verdict, re.M)


def test_a_failure_that_was_made_good_is_none(box):
    text = job("if [ -e %s/again ]; then exit 0; fi; touch %s/again; exit 3" % (box.path, box.path))
    code, out, err = box.run(text.replace("backoffLimit: 0", "backoffLimit: 2"), "-o", "json")
    assert code == 0
    assert "verdict" not in json.loads(out.splitlines()[-1])


def test_ten_thousand_lines_of_last_words(box):
    verdict, condition = message(box, job(
        "i=0; while [ $i -lt 10000 ]; do echo line $i; i=$((i+1)); done; exit 5"))
    lines = verdict.splitlines()
    assert lines[1:21] == ["    line %d" % i for i in range(9980, 10000)]
    assert len(condition) < 32768


def test_timeout_and_deadline(box):
    code, out, err = box.run(job("sleep 60"), "--timeout", "1")
    assert code == 124 and "trainjob/job: Stopped after" in err and "out of time (--timeout 1)" in err
    code, out, err = box.run(job("sleep 60"), "--set", "spec.activeDeadlineSeconds=1")
    assert code == 1 and "trainjob/job: Failed after" in err
    assert re.search(r"trainjob/job: Failed after.*\n +.*(deadline|active)", err, re.I), err
