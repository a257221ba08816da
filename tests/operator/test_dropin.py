"""What v2.3.0 takes is taken: ours warns where no good can come of it, and the TrainJob says so when the
API server refuses its JobSet. All but what is marked holds for both managers."""
import json
import subprocess

import pytest

import binaries
from kit import API, condition, replicated_job, runtime, trainjob, wait_for

LONG = "a-name-of-exactly-63-characters-is-as-long-as-a-name-can-be-123"
FAILED = "TrainJobResourcesCreationFailed"
TOO_LONG = (f'metadata.name: the longest name of its jobs and pods would be "{LONG}-node-0-0-abcde", '
            "78 characters of at most 63: shorten the name by 15")
NO_CONTAINER = ("spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers: must contain "
                "the required container for the ancestor: dataset-initializer")
INITIALIZER = "dataset-initializer"


def warnings(api):
    """Of the last request, as they were written: 299 - "text"."""
    return [json.loads(w.split(" ", 2)[2]) for w in api.warnings]


def told(space):
    return [e for e in space.api.list("events.k8s.io/v1", "Event", space.name) if e["reason"] == FAILED]


def staged(name="rt", kind="TrainingRuntime"):
    return runtime(name, kind=kind, jobs=[replicated_job(INITIALIZER, INITIALIZER), replicated_job()])


def without_container(doc):
    """The initializer's container has another name."""
    pod = doc["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["name"] = "other"
    return doc


# ---- a name of 63 characters (B25)

def test_name_of_63_characters(manager, space):
    assert len(LONG) == 63
    space.create(runtime(), trainjob(LONG))
    kind, reason, note = wait_for("an event", space.events)[0]
    assert (kind, reason) == ("Warning", FAILED)
    assert note.startswith("TrainJob resources reconciliation failed: admission webhook ")
    assert not space.jobset(LONG)
    # Whoever has such a job can change what may change, and be rid of it.
    space.patch_job({"metadata": {"labels": {"a": "b"}, "finalizers": ["tests.dev/hold"]}}, LONG)
    space.suspend(True, LONG)
    space.patch_job({"metadata": {"finalizers": None}}, LONG)


@pytest.mark.ours("v2.3.0 says nothing but the event, which it repeats")
def test_it_is_told_in_the_status(manager, space, cluster):
    space.create(runtime())
    space.create(trainjob(LONG))
    assert warnings(space.api) == [TOO_LONG]
    job = space.wait_condition("Failed", f"True {FAILED}: ", LONG)
    note = told(space)[0]["note"]
    assert condition(job, "Failed") == f"True {FAILED}: {note}"
    # Tried again, and nothing more is said: neither an event nor a change of the TrainJob.
    wait_for("five tries", lambda: manager.log().count(f"could not apply JobSet {LONG}") >= 5)
    assert len(told(space)) == 1 and "series" not in told(space)[0]
    assert space.job(LONG)["metadata"]["resourceVersion"] == job["metadata"]["resourceVersion"]


@pytest.mark.ours("v2.3.0 does not warn")
def test_kubectl_shows_it(manager, space, cluster):
    def kubectl(doc):
        return subprocess.run([binaries.find("kubectl"), f"--kubeconfig={cluster.kubeconfig()}", "-n",
                               space.name, "apply", "-f", "-"], input=json.dumps(doc), text=True,
                              capture_output=True, check=True, timeout=240)

    assert kubectl(staged()).stderr == ""
    wait_for("the webhook knows it", lambda: space.api.request(
        "POST", f"/apis/{API}/namespaces/{space.name}/trainjobs?dryRun=All", trainjob("probe"))[0] == 201)
    assert f"Warning: {TOO_LONG[:40]}" in kubectl(trainjob(LONG)).stderr
    said = kubectl(without_container(staged()))
    assert said.stderr.splitlines() == [f"Warning: {NO_CONTAINER}"]


# ---- runtimes (B20, B24)

def test_update_of_a_runtime(manager, space):
    space.create(staged())
    live = without_container(space.get(API, "TrainingRuntime", "rt"))
    space.api.must("PUT", space.path(API, "TrainingRuntime", "rt"), live)
    live = space.get(API, "TrainingRuntime", "rt")
    live["metadata"]["labels"] = {"a": "b"}
    space.api.must("PUT", space.path(API, "TrainingRuntime", "rt"), live)


def test_update_of_a_clusters_runtime(manager, space):
    space.create(staged("staged", "ClusterTrainingRuntime"))
    try:
        live = without_container(space.api.get(API, "ClusterTrainingRuntime", None, "staged"))
        code, said = space.api.request("PUT", f"/apis/{API}/clustertrainingruntimes/staged", live)
        assert code == 403
        assert said["message"].endswith(
            "must contain the required container for the ancestor: dataset-initializer")
    finally:
        space.api.delete(API, "ClusterTrainingRuntime", None, "staged")


@pytest.mark.ours("v2.3.0 does not warn")
def test_update_of_a_runtime_warns(manager, space):
    space.create(staged())
    live = without_container(space.get(API, "TrainingRuntime", "rt"))
    space.api.must("PUT", space.path(API, "TrainingRuntime", "rt"), live)
    assert warnings(space.api) == [NO_CONTAINER]


def test_no_mpi_implementation(manager, space):
    """The field's enum has "" in v2.3.0; what is made of it is another matter."""
    doc = runtime(mlPolicy={"numNodes": 1, "mpi": {"mpiImplementation": ""}},
                  jobs=[replicated_job("launcher"), replicated_job("node", None)])
    space.create(doc, trainjob())
    assert wait_for("an event", space.events)[0][:2] == ("Warning", FAILED)
    space.patch_job({"metadata": {"labels": {"a": "b"}}})
    space.api.merge(space.path(API, "TrainingRuntime", "rt"), {"metadata": {"labels": {"a": "b"}}})


# ---- patches for jobs and containers that are not there (B2)

def patched(job, pod):
    return [{"manager": "tests.dev/x", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
        {"name": job, "template": {"spec": {"template": {"spec": pod}}}}]}}}}]


def test_patch_for_no_job(manager, space):
    """Created, changed, and put right: its JobSet was refused until then."""
    space.create(runtime(), trainjob(suspend=True, runtimePatches=patched("worker", {"nodeSelector": {"a": "b"}})))
    assert wait_for("an event", space.events)[0][:2] == ("Warning", FAILED)
    space.patch_job({"metadata": {"labels": {"a": "b"}, "finalizers": ["tests.dev/hold"]}})
    space.patch_job({"metadata": {"finalizers": None}})
    space.patch_job({"spec": {"runtimePatches": patched("node", {"nodeSelector": {"a": "b"}})}})
    jobs = space.wait_jobset()["spec"]["replicatedJobs"]
    assert [(j["name"], j["template"]["spec"]["template"]["spec"]["nodeSelector"]) for j in jobs] == \
        [("node", {"a": "b"})]
    wait_for("nothing stays of it", lambda: not condition(space.job(), "Failed"))


def test_patch_for_no_container(manager, space):
    """The container is added, without an image: no Job can be made of that JobSet."""
    space.create(runtime(), trainjob(suspend=True, runtimePatches=patched(
        "node", {"containers": [{"name": "side", "volumeMounts": []}]})))
    pod = space.wait_jobset()["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert sorted(c["name"] for c in pod["containers"]) == ["node", "side"]
    space.patch_job({"metadata": {"labels": {"a": "b"}, "finalizers": ["tests.dev/hold"]}})
    space.patch_job({"metadata": {"finalizers": None}})


# ---- a job that was stored before ours came

def test_stored_without_webhooks(make_manager, space):
    """Nobody has checked it: it can be updated all the same."""
    off = make_manager(webhooks=False).start()
    space.create(runtime(), trainjob(LONG), trainjob("patched", runtimePatches=patched(
        "worker", {"nodeSelector": {"a": "b"}})))
    off.stop()
    make_manager(number=1).start()
    for name in (LONG, "patched"):
        space.patch_job({"metadata": {"labels": {"a": "b"}, "finalizers": ["tests.dev/hold"]}}, name)
        space.suspend(True, name)
        space.suspend(False, name)
        space.patch_job({"metadata": {"finalizers": None}}, name)
