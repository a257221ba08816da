"""The failure summary names the process that is to blame, in real cascades. CASCADES=20 runs twenty of them; recorded ones
are src/report/testdata/cascades (see cascades/record.py)."""
import json
import os
import random
import socket
import subprocess

import pytest

from runs import ROOT, job

COUNT = int(os.environ.get("CASCADES", "3"))
PYTHON = "/usr/bin/python3"
TORCH = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: ddp}}
spec:
  runtimeRef: {{name: torch-distributed}}
  trainer:
    numNodes: 2
    numProcPerNode: 2
    command: [{python}, -m, torch.distributed.run, {program}, raise, "{rank}", "{step}"]
    env:
    - {{name: PET_REDIRECTS, value: "2"}}
    - {{name: PET_TEE, value: "2"}}
    - {{name: OMP_NUM_THREADS, value: "1"}}
"""
has_torch = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def objects(out):
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.skipif(not has_torch, reason="needs python3-torch")
@pytest.mark.parametrize("number", range(COUNT))
def test_a_random_rank_raises_at_a_random_step(box, number):
    rank, step = random.randrange(4), random.randrange(20)
    program = ROOT / "tests/run/cascades/ddp.py"
    code, out, err = box.run(TORCH.format(python=PYTHON, program=program, rank=rank, step=step), "-o", "json")
    summary = objects(out)[-1]
    assert code == 1
    assert (summary["firstFailed"], summary.get("rank")) == (f"node-0-{rank // 2}", rank), summary["verdict"]
    headline = summary["verdict"].splitlines()[0]
    assert headline.startswith(f"node-0-{rank // 2} (rank {rank}) failed first: ValueError: label 11 is out of range at step {step}")
    assert "stopped by trainyard" not in summary["verdict"] or "1 other was stopped" in summary["verdict"]
    assert headline in summary["message"], "the condition has the final summary, too"


RING = f"NODES=3 PORT=$PORT {PYTHON} {ROOT}/tests/run/cascades/ring.py"


def free_ports():
    """The first of three ports that nobody listens on, and that neither jobs nor control planes get meanwhile."""
    while True:
        base = random.randrange(29600, 32700)
        try:
            for s in [socket.create_server(("127.0.0.1", base + i)) for i in range(3)]:
                s.close()
            return base
        except OSError:
            continue


def test_the_victims_exit_first(box):
    code, out, err = box.run(job(RING.replace("$PORT", str(free_ports())) + " linger 1 7", nodes=3), "-o", "json")
    seen = objects(out)
    assert seen[-1]["firstFailed"] == "node-0-1"
    verdict = seen[-1]["verdict"].splitlines()
    assert verdict[0].startswith("node-0-1 failed first: LookupError: bucket of round 7 is empty")
    assert any(" lost its peer" in line for line in verdict)
    assert not any("2 others were stopped" in line for line in verdict)


def test_the_first_failure_is_announced_while_others_end(box):
    """node-0-0 fails; node-0-1 takes a second to end when it is told to."""
    command = 'if [ $JOB_COMPLETION_INDEX = 1 ]; then trap "sleep 1; exit 0" TERM; while :; do sleep 0.1; done; fi; sleep 0.5; exit 5'
    code, out, err = box.run(job(command, nodes=2), "-o", "json")
    events = [o for o in objects(out) if o["type"] == "event" and o["reason"] == "NodeFailed"]
    assert [e["message"].split(",")[0] for e in events] == ["node-0-0 failed: exit code 5"]
    assert events[0]["message"].endswith("(waiting for the others to end)")
    summary = objects(out)[-1]
    assert "1 other was stopped by trainyard because of it" in summary["verdict"]
    assert "still ran" not in summary["message"], "the condition's message is final"
    assert "1 other was stopped by trainyard because of it" in summary["message"]


def test_a_timeout_is_nobodys_fault(box):
    """Nodes that a timeout stops did not fail, and were not stopped because of a failure."""
    code, out, err = box.run(job("sleep 60", nodes=2), "-o", "json", "--timeout", "1")
    assert code == 124
    assert "verdict" not in objects(out)[-1] and "firstFailed" not in objects(out)[-1]


def test_an_error_before_the_timeout_is_named(box):
    """It raises, and does not end: the timeout stops everything, the summary says what was wrong."""
    program = box.path / "raise.py"
    program.write_text("import atexit, os, threading, time\natexit.register(time.sleep, 60)\n"
                       "if os.environ['JOB_COMPLETION_INDEX'] == '0': time.sleep(60)\n"  # the job's time
                       "raise ValueError('boom')\n")
    limit = box.limit(5, f"{PYTHON} -c 'import threading'", nodes=2)
    code, out, err = box.run(job(f"exec {PYTHON} {program}", nodes=2), "-o", "json", "--timeout", str(limit))
    summary = objects(out)[-1]
    assert code == 124 and summary["result"] == "Stopped"
    assert summary["firstFailed"] == "node-0-1" and summary["verdict"].startswith("node-0-1 failed: ValueError: boom, after ")
    assert "stopped by trainyard" not in summary["verdict"]


SIDECAR = """
                initContainers:
                - {name: side, image: none, restartPolicy: Always, command: [sh, -c, 'trap "exit 3" TERM; while :; do sleep 0.1; done']}
"""


def test_the_end_of_a_sidecar_is_not_its_nodes(box):
    code, out, err = box.run(job("sleep 0.3", nodes=2, pod=SIDECAR), "-o", "json")
    assert code == 0
    assert [n["result"] for n in objects(out)[-1]["nodes"]] == ["exit code 0"] * 2
