"""Before the first pass: what the manager finds missing, and what comes later."""
import subprocess

import pytest

import manager as managers
from kit import COSCHEDULING, Space, runtime, trainjob, wait_for
from manager import UPSTREAM
from neighbours import docs_of

GANG = {"podGroupPolicy": {"coscheduling": {}}}


def test_crds_missing_at_start(empty, make_manager, crds):
    """v2.3.0 gives up; ours waits, says for what, and goes on when they are there."""
    one = make_manager(plane=empty).start(wait=False)
    if UPSTREAM:
        assert one.child.wait(120) != 0
        one.child = None
        return
    wait_for("it says so", lambda: "trainjobs.trainer.kubeflow.org" in one.log()
             or "TrainJob" in one.log())
    empty.client().install(crds + docs_of("jobset-crds"))
    one.wait_ready()  # of a process that has not ended
    one.register()
    space = Space(empty.client(), "late")
    space.create(runtime(), trainjob())
    space.wait_jobset()


@pytest.mark.ours("v2.3.0 does not start without the CRD of PodGroups")
def test_podgroup_crd_comes_later(empty, make_manager, crds):
    empty.client().install(crds + docs_of("jobset-crds"))
    make_manager(plane=empty).start()
    space = Space(empty.client(), "gang")
    space.create(runtime(), trainjob("plain"))
    space.wait_jobset("plain")
    space.create(runtime("gang", **GANG), trainjob("gang", "gang"))
    note = wait_for("it says what is missing", space.events)[0][2]
    assert "podgroup" in note.lower()
    empty.client().install(docs_of("podgroup-crd"))
    wait_for("the PodGroup is made", lambda: space.get(COSCHEDULING, "PodGroup", "gang"))
    space.wait_jobset("gang")
    # It is watched, too: one that goes comes back.
    space.api.delete(COSCHEDULING, "PodGroup", space.name, "gang")
    wait_for("it comes back", lambda: space.get(COSCHEDULING, "PodGroup", "gang"))


def remove(api, crd):
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd['metadata']['name']}"
    api.must("DELETE", path)
    wait_for("it is gone", lambda: api.request("GET", path)[0] == 404)


@pytest.mark.ours("v2.3.0 does not recover from the loss of a CRD")
def test_crds_go_and_come_back(empty, make_manager, crds):
    """First that of a neighbour, then our own, and with them all that was stored."""
    jobset, api = docs_of("jobset-crds"), empty.client()
    api.install(crds + jobset + docs_of("podgroup-crd"))
    one = make_manager(plane=empty).start()
    space = Space(api, "lost")
    space.create(runtime(), trainjob())
    space.wait_jobset()
    remove(api, jobset[0])
    api.install(jobset)
    wait_for("the JobSet is made again", space.jobset)
    one.unregister()
    remove(api, next(crd for crd in crds if crd["spec"]["names"]["kind"] == "TrainJob"))
    wait_for("it says so", lambda: "install the CRDs" in one.log())
    assert one.child.poll() is None
    api.install(crds)
    one.wait_ready()
    one.register()
    space.create(trainjob("next"))
    space.wait_jobset("next")
    assert one.child.poll() is None


# ---- configuration files

WRONG = {
    "unknown field": ({"webhok": {"port": 1}}, "webhok"),
    "wrong kind": ({"kind": "Config"}, "Config"),
    "wrong version": ({"apiVersion": "config.trainer.kubeflow.org/v9"}, "v9"),
    "port": ({"webhook": {"port": 99999}}, "must be between 1 and 65535"),
    "qps": ({"clientConnection": {"qps": -10}}, "must be greater than or equal to 0"),
    "unknown gate": ({"featureGates": {"NoSuchGate": True}}, "NoSuchGate"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_configuration(make_manager, bare, name):
    settings, word = WRONG[name]
    one = make_manager(plane=bare, settings=settings).start(wait=False)
    assert one.child.wait(120) == 1
    one.child = None
    assert word in one.log()


def test_no_such_configuration_file(bare, make_manager, tmp_path):
    one = make_manager(plane=bare)
    words = [str(w) for w in one.command()]
    words[words.index("--config") + 1] = str(tmp_path / "nothing")
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert str(tmp_path / "nothing") in done.stdout + done.stderr


def test_shipped_configuration_is_accepted(bare, bare_space, make_manager):
    """Every field that upstream's own file has, with its values."""
    make_manager(plane=bare, settings={
        "controller": {"groupKindConcurrency": {
            "TrainJob.trainer.kubeflow.org": 5, "TrainingRuntime.trainer.kubeflow.org": 1,
            "ClusterTrainingRuntime.trainer.kubeflow.org": 1}},
        "leaderElection": {
            "leaderElect": True, "resourceName": "trainer.kubeflow.org",
            "resourceNamespace": managers.SYSTEM, "leaseDuration": "15s", "renewDeadline": "10s",
            "retryPeriod": "2s"},
        "health": {"readinessEndpointName": "readyz", "livenessEndpointName": "healthz"},
        "featureGates": {"TrainJobStatus": False}, "tls": {"minVersion": "1.2"}}).start()
    space = bare_space
    space.create(runtime(), trainjob())
    space.wait_jobset()
