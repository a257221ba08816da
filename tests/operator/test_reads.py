"""What an administrator reads: the log, the columns of kubectl get, the metrics."""
import json
import os
import re
import subprocess
import urllib.request
from datetime import datetime

import pytest

from client import Refused
from kit import API, runtime, trainjob, wait_for
from manager import PROGRAM
from neighbours import END

pytestmark = pytest.mark.ours("v2.3.0 logs and counts otherwise")


def lines(one):
    return [json.loads(line) for line in one.log_path.read_text().splitlines()
            if line.startswith("{")]


def about(one, space, name="job"):
    """The lines about one TrainJob, as short texts in their order."""
    found = []
    for line in lines(one):
        if (line.get("namespace"), line.get("name")) != (space.name, name):
            continue
        more = {"admitted": "operation", "refused": "operation", "applied": "kind",
                "TrainJob state changed": "state"}.get(line["msg"])
        found.append(line["msg"] + (f" {line[more]}" if more else ""))
    return found


def end_pods(space, how):
    for pod in space.pods():
        space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"]),
                        {"metadata": {"annotations": {END: how}}})


def test_the_life_of_a_job(make_manager, space):
    one = make_manager().start()
    with pytest.raises(Refused):
        space.create(trainjob())
    space.create(runtime())
    space.create(trainjob(suspend=True, trainer={"env": [{"name": "TOKEN", "value": "hush-hush"}]}))
    space.wait_condition("Suspended", "True")
    space.suspend(False)
    wait_for("it says that it runs",
             lambda: "TrainJob state changed running" in about(one, space))
    end_pods(space, "fail")
    space.wait_condition("Failed", "True")
    wait_for("it says so", lambda: "TrainJob state changed failed" in about(one, space))
    space.api.delete(API, "TrainJob", space.name, "job")
    wait_for("it says that it is gone", lambda: "TrainJob deleted" in about(one, space))
    told = [t for t in about(one, space) if t != "wrote the status"]
    changes = [t for t in told if t.startswith("TrainJob")]
    assert told[:3] == ["refused CREATE", "admitted CREATE", "TrainJob created"]
    assert told.count("applied ConfigMap") == 1 and told.count("applied JobSet") == 2
    assert changes == ["TrainJob created", "TrainJob state changed pending",
                       "TrainJob state changed running", "TrainJob state changed failed",
                       "TrainJob deleted"]
    failed = [line for line in lines(one) if line.get("state") == "failed"
              and line["namespace"] == space.name][0]
    assert failed["reason"] == "FailedJobs" and failed["from"] in ("running", "pending")
    refused = [line for line in lines(one) if line["msg"] == "refused"
               and line["namespace"] == space.name][0]
    assert refused["user"] == "admin" and refused["code"] == 403
    assert refused["reason"].startswith("spec.runtimeRef: Invalid value: ")
    assert "hush-hush" not in one.log_path.read_text()
    assert "reconciled" not in {line["msg"] for line in lines(one)}
    for line in lines(one):
        assert line["ts"].endswith("Z") and datetime.fromisoformat(line["ts"][:19])


def test_devel_shows_each_reconcile(make_manager, space):
    one = make_manager(arguments=["--zap-devel"]).start()
    space.create(runtime(), trainjob(suspend=True))
    space.wait_condition("Suspended", "True")
    want = re.compile(r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\tDEBUG\t.*\treconciled\t.*'
                      rf'"namespace":"{space.name}", "name":"job", "outcome":"written"', re.M)
    wait_for("reconciles are shown", lambda: want.search(one.log_path.read_text()))


def states(one):
    with urllib.request.urlopen(f"http://127.0.0.1:{one.metrics}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return {state: int(float(n)) for state, n in
            re.findall(r'^trainyard_trainjobs\{state="(\w+)"\} (\S+)$', text, re.M)}


def test_states_are_counted(make_manager, space):
    """A job without its runtime is stuck, and not running."""
    one = make_manager(webhooks=False).start()
    before = states(one)
    space.create(runtime(), runtime("ends", annotations={END: "succeed"}))
    space.create(trainjob("stuck", runtime="missing"), trainjob("sleeps", suspend=True),
                 trainjob("runs"), trainjob("ended", runtime="ends"))

    def more():
        now = states(one)
        return {state: now[state] - before[state] for state in now if now[state] - before[state]}
    wait_for("each is counted", lambda: more() == {"pending": 1, "suspended": 1, "running": 1,
                                                   "complete": 1})


def test_columns(manager, space):
    space.create(runtime(), trainjob(trainer={"numNodes": 2}))
    path = space.path(API, "TrainJob", "job")

    def row():
        _, table = space.api.request("GET", path,
                                     accept="application/json;as=Table;v=v1;g=meta.k8s.io")
        return dict(zip([c["name"] for c in table["columnDefinitions"]], table["rows"][0]["cells"]))
    wait_for("it runs", lambda: row()["Active"] == "node")
    assert (row()["State"], row()["Runtime"], row()["Nodes"]) == (None, "rt", 2)
    space.suspend(True)
    wait_for("it is suspended", lambda: (row()["State"], row()["Active"]) == ("Suspended", None))
    space.suspend(False)
    wait_for("it runs again", lambda: (row()["State"], row()["Active"]) == (None, "node"))
    end_pods(space, "succeed")
    wait_for("it is complete", lambda: (row()["State"], row()["Active"]) == ("Complete", None))


def ask(plane, folder, *words):
    answer = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, text=True, timeout=120,
                            capture_output=True, check=False,
                            env=dict(os.environ, XDG_STATE_HOME=str(folder),
                                     KUBECONFIG=str(plane.kubeconfig())))
    assert answer.returncode == 1 and not answer.stdout
    return answer.stderr


@pytest.mark.parametrize("command", ["describe", "get", "logs", "events"])
def test_a_name_that_only_the_cluster_has(cluster, space, tmp_path, command):
    space.create(trainjob("ddp", suspend=True))
    said = ask(cluster, tmp_path, command, "ddp", "-n", space.name)
    assert said.splitlines() == [
        'error: trainjobs.trainer.kubeflow.org "ddp" not found',
        f'note: no run "ddp" on this machine; TrainJob "ddp" exists in namespace "{space.name}" of '
        f'the cluster of context "c": trainyard get ddp --cluster -n {space.name}']
    said = ask(cluster, tmp_path, command, "ghost", "-n", space.name)
    assert said.splitlines()[1].startswith(
        f'note: neither on this machine nor in namespace "{space.name}" of the cluster')
