"""Whose field is it: the manager applies what it wants, leaves alone what others want, takes away what
it no longer wants, and leaves a running job frozen."""
import pytest

from audit import Audit
from kit import (API, COSCHEDULING, JOBSET_API, at_rest, condition, runtime, stays, trainjob,
                 wait_for)

POOL = {"pool.example/name": "fast"}
GANG = {"podGroupPolicy": {"coscheduling": {}}}


def pod_spec(jobset):
    return jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]


def patch(manager="tests.dev/queue", **pod):
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [
        {"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]}}}}


def edit_by_another(space, pod=None, labels=None):
    """What an admission controller does to a suspended JobSet: labels, and where its pods may go."""
    def edited():
        live = space.jobset()
        pod_spec(live).update(pod or {})
        live["metadata"].setdefault("labels", {}).update(labels or {"queue.example/name": "team"})
        live["metadata"].setdefault("annotations", {})["queue.example/n"] = "1"
        path = space.path(JOBSET_API, "JobSet", "job") + "?fieldManager=queue"
        return space.api.request("PUT", path, live)[0] == 200  # 409: changed meanwhile

    wait_for("the edit is taken", edited)


def check_edits(jobset):
    assert pod_spec(jobset)["nodeSelector"] == POOL
    assert jobset["metadata"]["labels"]["queue.example/name"] == "team"
    assert jobset["metadata"]["annotations"]["queue.example/n"] == "1"


def test_edits_of_a_queue_survive(manager, space, cluster):
    """Labels and nodeSelector that another manager set on a suspended JobSet."""
    for node in cluster.client().list("v1", "Node"):
        space.api.merge(f"/api/v1/nodes/{node['metadata']['name']}", {"metadata": {"labels": POOL}})
    space.create(runtime(), trainjob(suspend=True))
    space.wait_jobset(suspended=True)
    space.wait_condition("Suspended", "True")
    edit_by_another(space, {"nodeSelector": POOL})
    space.patch_job({"metadata": {"labels": {"touched": "yes"}}})  # a pass over a suspended job
    # A change that must be applied, beside what the other one has set.
    space.patch_job({"spec": {"runtimePatches": [
        patch(tolerations=[{"key": "spot", "operator": "Exists"}])]}})
    wait_for("our own change arrived", lambda: pod_spec(space.jobset()).get("tolerations"))
    check_edits(space.jobset())
    space.suspend(False)
    wait_for("the pod runs", lambda: [p["status"]["phase"] for p in space.pods()] == ["Running"])
    check_edits(space.jobset())
    assert space.pods()[0]["spec"]["nodeSelector"] == POOL
    assert space.events() == []


def pod_metadata(space):
    live = space.jobset()["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    return live.get("metadata") or {}


@pytest.mark.ours("v2.3.0 applies metadata: {}, which the API server turns into null and refuses")
def test_the_last_field_of_a_map_goes(manager, space):
    """What a queue put into a suspended job's pods, and takes back: nothing is refused on the way."""
    label = [{"manager": "tests.dev/queue", "trainingRuntimeSpec": {"template": {"spec": {
        "replicatedJobs": [{"name": "node", "template": {"spec": {"template": {
            "metadata": {"labels": {"ours.example/podset": "node"}}}}}}]}}}}]
    space.create(runtime(), trainjob(suspend=True))
    space.wait_condition("Suspended", "True")
    assert "labels" not in pod_metadata(space)
    space.patch_job({"spec": {"runtimePatches": label}})
    wait_for("the label is there", lambda: "labels" in pod_metadata(space))
    space.patch_job({"spec": {"runtimePatches": None}})
    wait_for("the label is gone", lambda: "labels" not in pod_metadata(space))
    assert space.events() == []


def labels_of(space):
    return {k: v for k, v in ((space.jobset() or {}).get("metadata", {}).get("labels") or {}).items()
            if ".example/" in k}


def label_patch(**labels):
    return [{"manager": "tests.dev/labels", "trainingRuntimeSpec": {"template": {"metadata": {
        "labels": {f"ours.example/{k}": v for k, v in labels.items()}}}}}]


def test_fields_no_longer_wanted_go(manager, space):
    """And only those: the other manager's key in the same map stays."""
    space.create(runtime(), trainjob(suspend=True, runtimePatches=label_patch(a="1", b="2")))
    wait_for("both are there", lambda: labels_of(space) == {
        "ours.example/a": "1", "ours.example/b": "2"})
    space.wait_condition("Suspended", "True")
    edit_by_another(space, labels={"queue.example/name": "team"})
    space.patch_job({"spec": {"runtimePatches": label_patch(a="1")}})
    wait_for("one is gone", lambda: labels_of(space) == {
        "ours.example/a": "1", "queue.example/name": "team"})
    space.patch_job({"spec": {"runtimePatches": None}})
    wait_for("ours are gone", lambda: labels_of(space) == {"queue.example/name": "team"})
    owned = [m for m in space.jobset()["metadata"]["managedFields"] if m["manager"] == "trainer"]
    assert [m["operation"] for m in owned] == ["Apply"]
    assert ".example" not in str(owned)


def test_foreign_resume_is_reverted(manager, space):
    space.create(runtime(), trainjob(suspend=True))
    space.wait_condition("Suspended", "True")
    generation = space.wait_jobset(suspended=True)["metadata"]["generation"]
    space.api.merge(space.path(JOBSET_API, "JobSet", "job"), {"spec": {"suspend": False}})
    wait_for("it is suspended again", lambda: space.jobset()["spec"]["suspend"] is True
             and space.jobset()["metadata"]["generation"] > generation + 1)
    assert condition(space.job(), "Suspended").startswith("True")


def test_running_job_is_frozen(manager, space, audit):
    """No write of JobSet or PodGroup while the job runs, whatever happens to either."""
    space.create(runtime(**GANG), trainjob())
    wait_for("the JobSet runs", lambda: space.pods())
    space.wait_jobset(suspended=False)
    wait_for("the PodGroup is there", lambda: space.get(COSCHEDULING, "PodGroup", "job"))
    before = len(at_rest(lambda: list(map(repr, frozen(audit, space)))))
    assert before >= 2
    space.api.merge(space.path(JOBSET_API, "JobSet", "job"),
                    {"metadata": {"labels": {"foreign": "yes"}}})
    space.api.merge(space.path(COSCHEDULING, "PodGroup", "job"), {"spec": {"minMember": 9}})
    space.patch_job({"metadata": {"labels": {"touched": "yes"}}})
    space.create(trainjob("next"))
    space.wait_jobset("next")  # every pass that was due is over
    stays("no write", lambda: len(frozen(audit, space)) == before)
    assert space.get(COSCHEDULING, "PodGroup", "job")["spec"]["minMember"] == 9
    space.suspend(True)
    wait_for("it is applied again, once suspended",
             lambda: space.get(COSCHEDULING, "PodGroup", "job")["spec"]["minMember"] == 1)


def frozen(audit, space):
    return [w for w in audit.writes(space.name, name="job")
            if w.resource in ("jobsets", "podgroups")]


def test_patches_of_a_running_job_are_refused(manager, space):
    space.create(runtime(), trainjob())
    wait_for("it runs", space.pods)
    code, answer = space.api.request(
        "PATCH", space.path(API, "TrainJob", "job"),
        {"spec": {"runtimePatches": [patch(nodeSelector=POOL)]}}, "application/merge-patch+json")
    assert code == 403
    assert "can only be modified when the TrainJob is suspended" in answer["message"]


def test_deleted_children_come_back(manager, space):
    space.create(runtime(**GANG), trainjob(suspend=True))
    space.wait_condition("Suspended", "True")
    for api, kind in ((JOBSET_API, "JobSet"), (COSCHEDULING, "PodGroup")):
        space.comes_back(api, kind, "job")


def test_quick_changes_end_in_the_last(manager, space):
    """A write is seen by the next pass: nothing is built on a JobSet as it was before."""
    space.create(runtime(), trainjob(suspend=True))
    for i in range(12):
        space.patch_job({"spec": {"suspend": True,
                                  "runtimePatches": [patch(nodeSelector={"n": str(i)})]}})
    wait_for("the last one", lambda: pod_spec(space.jobset() or {
        "spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": {}}}}}]}}
    ).get("nodeSelector") == {"n": "11"})
    stays("and no older one after it",
          lambda: pod_spec(space.jobset())["nodeSelector"] == {"n": "11"})
    assert space.events() == []


@pytest.mark.ours("v2.3.0 applies a JobSet again before its cache has the first one")
def test_each_object_is_written_once(bare, bare_space, make_manager):
    """No JobSet controller here, whose news would be told in the status."""
    space, audit = bare_space, Audit(bare)
    make_manager(plane=bare).start()
    space.create(runtime(**GANG))
    names = [f"job-{i}" for i in range(20)]
    for name in names:
        space.create(trainjob(name, suspend=True))
    for name in names:
        space.wait_condition("Suspended", "True", name)
    space.create(trainjob("last"))
    space.wait_jobset("last")
    # The log tells of a request a moment after its answer was sent.
    writes = wait_for("the last one is in the log", lambda: (
        audit.writes(space.name) if audit.writes(space.name, "jobsets", "last") else None))
    for name in names:
        own = [w for w in writes if w.name in (name, f"{name}-runtime-snapshot")]
        assert sorted(w.resource for w in own) == [
            "configmaps", "jobsets", "podgroups", "trainjobs"], (name, own)
        assert [w.applied for w in own if w.resource != "trainjobs"] == [True] * 3


@pytest.mark.ours("v2.3.0 writes again what is already so")
def test_restart_writes_nothing(make_manager, space, audit):
    first = make_manager().start()
    space.create(runtime(**GANG), trainjob(suspend=True), trainjob("runs"))
    space.wait_condition("Suspended", "True")
    wait_for("the other runs, and its status says so", lambda: any(
        j["ready"] for j in space.job("runs").get("status", {}).get("jobsStatus", [])))
    first.stop()
    before = len(audit.writes(space.name))
    second = make_manager(1).start()
    space.create(trainjob("next"))
    space.wait_jobset("next")
    written = [w for w in audit.writes(space.name)[before:]
               if not (w.name or "next").startswith("next")]
    assert written == []
    second.stop()
