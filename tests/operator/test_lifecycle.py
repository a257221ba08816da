"""A TrainJob from its creation to its end, with the real JobSet and Job controllers and pods that
only pretend to run."""
import pytest

from kit import (API, COSCHEDULING, condition, owner, replicated_job, runtime, stays, trainjob,
                 wait_for)
from manager import UPSTREAM
from neighbours import END, EXIT_CODE

SUCCEED, FAIL = {END: "succeed"}, {END: "fail", EXIT_CODE: "3"}


def phases(space):
    return sorted(pod["status"]["phase"] for pod in space.pods())


def wait_phases(space, *want):
    wait_for(f"pods are {want}", lambda: phases(space) == sorted(want))


def end_pods(space, how):
    """The pods that run now end so."""
    for pod in space.pods():
        space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"]),
                        {"metadata": {"annotations": {END: how}}})


def children(space):
    """What the TrainJob controls, by kind and name; pods and Jobs belong to the JobSet."""
    found = []
    for api, kind in (("v1", "ConfigMap"), ("v1", "Secret"), (COSCHEDULING, "PodGroup"),
                      ("jobset.x-k8s.io/v1alpha2", "JobSet")):
        for obj in space.api.list(api, kind, space.name):
            if owner(obj) == [("TrainJob", "job", True)]:
                found.append(f"{kind}/{obj['metadata']['name']}")
    return sorted(found)


def test_completes(manager, space, audit):
    space.create(runtime(annotations=SUCCEED), trainjob(trainer={"numNodes": 3}))
    job = space.wait_condition("Complete", "True AllJobsCompleted: jobset completed successfully")
    assert [c["type"] for c in job["status"]["conditions"]] == ["Complete"]
    wait_for("jobsStatus tells of the end", lambda: space.job()["status"].get("jobsStatus") == [
        {"name": "node", "ready": 0, "succeeded": 1, "failed": 0, "active": 0, "suspended": 0}])
    assert phases(space) == ["Succeeded"] * 3
    assert children(space) == ["ConfigMap/job-runtime-snapshot", "JobSet/job"]
    assert space.events() == []
    assert [w for w in audit.writes(space.name) if w.code >= 500] == []


def test_fails_with_its_reason(manager, space):
    space.create(runtime(annotations=FAIL), trainjob())
    job = space.wait_condition("Failed", "True FailedJobs: ")
    told = condition(job, "Failed")
    assert "jobset failed due to one or more job failures" in told and "job-node-0" in told
    assert condition(space.jobset(), "Failed") == told  # copied to the letter
    assert condition(job, "Complete") is None
    assert space.events() == []


def test_suspend_removes_the_pods_and_resume_brings_them_back(manager, space):
    space.create(runtime(), trainjob(trainer={"numNodes": 2}))
    wait_phases(space, "Running", "Running")
    assert condition(space.job(), "Suspended") is None
    first = {pod["metadata"]["uid"] for pod in space.pods()}
    space.suspend(True)
    space.wait_condition("Suspended", "True Suspended: TrainJob is suspended")
    wait_phases(space)
    assert space.jobset()["spec"]["suspend"] is True
    space.suspend(False)
    space.wait_condition("Suspended", "False Resumed: TrainJob is resumed")
    wait_phases(space, "Running", "Running")
    assert not first & {pod["metadata"]["uid"] for pod in space.pods()}
    end_pods(space, "succeed")
    job = space.wait_condition("Complete", "True")
    assert [c["type"] for c in job["status"]["conditions"]] == ["Suspended", "Complete"]
    assert space.events() == []


def test_created_suspended_starts_nothing(manager, space):
    space.create(runtime(annotations=SUCCEED), trainjob(suspend=True))
    space.wait_jobset(suspended=True)
    space.wait_condition("Suspended", "True")
    stays("no pod is there", lambda: not space.pods())
    space.suspend(False)
    space.wait_condition("Complete", "True")


def test_finished_job_is_left_alone_when_its_jobset_goes(manager, space):
    space.create(runtime(annotations=SUCCEED), trainjob())
    space.wait_condition("Complete", "True")
    space.api.delete("jobset.x-k8s.io/v1alpha2", "JobSet", space.name, "job")
    wait_for("the JobSet is gone", lambda: not space.jobset())
    space.patch_job({"metadata": {"labels": {"touched": "yes"}}})  # a pass is due
    stays("finished work does not start again", lambda: not space.jobset())
    assert condition(space.job(), "Complete").startswith("True")


def test_deleting_the_job_takes_everything(manager, space):
    space.create(runtime(), trainjob())
    wait_phases(space, "Running")
    space.api.delete(API, "TrainJob", space.name, "job")
    wait_for("nothing is left", lambda: not (
        space.jobset() or space.pods() or space.get("v1", "ConfigMap", "job-runtime-snapshot")))


def test_deadline(manager, space):
    space.create(runtime(), trainjob(activeDeadlineSeconds=2))
    wait_for("it runs, or has been late", lambda: phases(space) or condition(space.job(), "Failed"))
    space.wait_condition("Failed", "True DeadlineExceeded: TrainJob exceeded its active deadline")
    wait_for("JobSet and pods are gone", lambda: not space.jobset() and not space.pods())
    stays("nothing starts again", lambda: not space.jobset())
    if not UPSTREAM:
        wait_for("it is told", space.events)
    reasons = [(kind, reason) for kind, reason, _ in space.events()]
    assert reasons == ([] if UPSTREAM else [("Warning", "DeadlineExceeded")])


def test_deadline_waits_while_suspended_and_counts_from_the_resume(manager, space):
    space.create(runtime(), trainjob(suspend=True, activeDeadlineSeconds=1))
    space.wait_condition("Suspended", "True")
    stays("not failed", lambda: condition(space.job(), "Failed") is None, 3)
    space.suspend(False)
    space.wait_condition("Failed", "True DeadlineExceeded")


def test_managed_by_another(manager, space, audit):
    space.create(runtime(), trainjob(managedBy="kueue.x-k8s.io/multikueue"), trainjob("mine"))
    space.wait_jobset("mine")  # the other one's turn has passed
    space.patch_job({"metadata": {"labels": {"touched": "yes"}}})
    stays("nothing was made of it", lambda: not space.jobset("job"), 1)
    assert "status" not in space.job()
    assert [w for w in audit.writes(space.name) if w.name and w.name.startswith("job")] == []


def test_runtime_deleted_while_used(manager, space):
    space.create(runtime(), trainjob())
    wait_phases(space, "Running")
    space.api.delete(API, "TrainingRuntime", space.name, "rt")
    wait_for("it is gone at once", lambda: not space.get(API, "TrainingRuntime", "rt"))
    end_pods(space, "succeed")
    space.wait_condition("Complete", "True")
    assert space.events() == []


@pytest.mark.ours("v2.3.0 refuses every update of a job whose runtime is gone (B12)")
def test_suspend_and_resume_after_the_runtime_was_deleted(manager, space):
    space.create(runtime(), trainjob())
    wait_phases(space, "Running")
    before = space.jobset()["spec"]
    space.api.delete(API, "TrainingRuntime", space.name, "rt")
    space.suspend(True)
    space.wait_condition("Suspended", "True")
    wait_phases(space)
    space.suspend(False)
    wait_phases(space, "Running")
    assert space.jobset()["spec"] == before
    assert space.events() == []


def test_runtime_changed_later_does_not_change_the_job(manager, space):
    space.create(runtime(), trainjob(suspend=True))
    space.wait_condition("Suspended", "True")
    before = space.jobset()["spec"]
    space.api.merge(space.path(API, "TrainingRuntime", "rt"),
                    {"spec": {"mlPolicy": {"numNodes": 7}}})
    space.suspend(False)
    wait_phases(space, "Running")
    assert space.jobset()["spec"] == dict(before, suspend=False)


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
def test_finalizer_of_older_versions_is_taken_off(manager, space, kind):
    doc = runtime(f"old-{kind.lower()}", kind=kind)
    doc["metadata"]["finalizers"] = ["trainer.kubeflow.org/resource-in-use", "tests.dev/stays"]
    space.create(doc)
    path = space.path(API, kind, doc["metadata"]["name"])
    wait_for("only the other finalizer stays", lambda: space.api.must("GET", path)[
        "metadata"].get("finalizers") == ["tests.dev/stays"])
    space.api.merge(path, {"metadata": {"finalizers": None}})
    space.api.must("DELETE", path)


@pytest.mark.ours("v2.3.0 panics in each pass (B3)")
def test_unknown_kind_of_runtime(make_manager, space):
    make_manager(webhooks=False).start()
    space.create(trainjob(kind="Recipe"))
    space.wait_condition("Failed", "True TrainingRuntimeNotSupported: unsupported runtime: ")
    assert not space.jobset()


def test_initializer_runs_before_the_trainer(manager, space):
    """dependsOn is the JobSet controller's business; ours is to leave it whole."""
    first = replicated_job("dataset-initializer", "dataset-initializer", annotations=SUCCEED)
    node = replicated_job(annotations=SUCCEED)
    node["dependsOn"] = [{"name": "dataset-initializer", "status": "Complete"}]
    space.create(runtime(jobs=[first, node]), trainjob())
    space.wait_condition("Complete", "True")
    wait_for("jobsStatus tells of the end of both", lambda: {
        s["name"]: s["succeeded"] for s in space.job()["status"]["jobsStatus"]} == {
            "dataset-initializer": 1, "node": 1})
    started = {j["metadata"]["name"]: j["metadata"]["creationTimestamp"]
               for j in space.api.list("batch/v1", "Job", space.name)}
    assert started["job-dataset-initializer-0"] <= started["job-node-0"]


@pytest.fixture
def held(manager, space):
    """A TrainJob that runs, is deleted, and is held by a finalizer of somebody else's."""
    job = trainjob()
    job["metadata"]["finalizers"] = ["example.com/hold"]
    space.create(runtime(), job)
    wait_phases(space, "Running")
    space.api.delete(API, "TrainJob", space.name, "job")
    assert space.job()["metadata"]["deletionTimestamp"]
    yield space
    space.patch_job({"metadata": {"finalizers": None}})
    wait_for("the TrainJob is gone", lambda: space.job() is None)


def test_the_end_of_a_job_that_is_held_is_told(held):
    """Whoever holds it may wait for that."""
    end_pods(held, "succeed")
    held.wait_condition("Complete", "True AllJobsCompleted")


@pytest.mark.ours("v2.3.0 makes children again while their TrainJob is being deleted (B33)")
def test_what_goes_with_a_job_that_is_held_stays_away(held):
    held.api.delete("jobset.x-k8s.io/v1alpha2", "JobSet", held.name, "job")
    wait_for("the JobSet is gone", lambda: held.jobset() is None)
    stays("it is not made again", lambda: held.jobset() is None)
    assert held.events() == []
