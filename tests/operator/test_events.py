"""Passes that fail: what is said, how often, and that the job goes on when the cause is gone."""
from kit import API, condition, runtime, trainjob, wait_for
from manager import UPSTREAM

FAILED = "TrainJobResourcesCreationFailed"
POLICY_API = "admissionregistration.k8s.io/v1"


def policy(api, name, namespace):
    """Nobody may write JobSets in that namespace."""
    api.apply({"apiVersion": POLICY_API, "kind": "ValidatingAdmissionPolicy",
               "metadata": {"name": name}, "spec": {
                   "failurePolicy": "Fail",
                   "matchConstraints": {"resourceRules": [{
                       "apiGroups": ["jobset.x-k8s.io"], "apiVersions": ["*"],
                       "operations": ["CREATE", "UPDATE"], "resources": ["jobsets"]}]},
                   "validations": [{"expression": "false", "message": "not today"}]}})
    api.apply({"apiVersion": POLICY_API, "kind": "ValidatingAdmissionPolicyBinding",
               "metadata": {"name": name}, "spec": {
                   "policyName": name, "validationActions": ["Deny"],
                   "matchResources": {"namespaceSelector": {"matchLabels": {
                       "kubernetes.io/metadata.name": namespace}}}}})


def in_force(space):
    code, answer = space.api.request(
        "POST", f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{space.name}/jobsets?dryRun=All", {
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "probe"}, "spec": {"replicatedJobs": []}})
    return code == 422 and "not today" in answer["message"]


def test_refused_jobset(manager, space, cluster):
    api = cluster.client()
    policy(api, "no-jobsets", space.name)
    try:
        wait_for("the policy is in force", lambda: in_force(space))
        space.create(runtime(), trainjob())
        said = wait_for("an event", space.events)
        assert said == [("Warning", FAILED, (
            "TrainJob resources reconciliation failed: jobsets.jobset.x-k8s.io \"job\" is "
            "forbidden: ValidatingAdmissionPolicy 'no-jobsets' with binding 'no-jobsets' denied "
            "request: not today"))]
        if UPSTREAM:
            assert "status" not in space.job()
        else:  # B35
            space.wait_condition("Failed", f"True {FAILED}: {said[0][2]}")
        assert not space.jobset()
    finally:
        for kind in ("ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"):
            api.delete(POLICY_API, kind, None, "no-jobsets")
    space.wait_jobset()
    wait_for("it has not failed", lambda: not condition(space.job(), "Failed"))
    assert space.events() == said
    # However often it was tried, the same thing is told in one Event.
    told = [e for e in api.list("events.k8s.io/v1", "Event", space.name) if e["reason"] == FAILED]
    assert len(told) == 1
    assert told[0]["action"] == "Reconciling"
    assert told[0]["regarding"]["uid"] == space.job()["metadata"]["uid"]


def test_foreign_snapshot(manager, space):
    space.create({"apiVersion": "v1", "kind": "ConfigMap",
                  "metadata": {"name": "job-runtime-snapshot"}, "data": {"runtime": "mine"}})
    space.create(runtime(), trainjob())
    assert wait_for("an event", space.events) == [("Warning", FAILED, (
        "TrainJob resources reconciliation failed: unable to get runtime snapshot: invalid runtime "
        "snapshot: a snapshot configmap exists but is owned by another object"))]
    assert not space.jobset()
    assert space.get("v1", "ConfigMap", "job-runtime-snapshot")["data"] == {"runtime": "mine"}
    space.api.delete("v1", "ConfigMap", space.name, "job-runtime-snapshot")
    space.wait_jobset()


def test_runtime_that_comes_late(make_manager, space):
    """Without webhooks a TrainJob may name a runtime that is not there yet."""
    make_manager(webhooks=False).start()
    space.create(trainjob())
    kind, reason, note = wait_for("an event", space.events)[0]
    assert (kind, reason) == ("Warning", FAILED)
    assert note.startswith("TrainJob resources reconciliation failed: ")
    assert 'TrainingRuntime.trainer.kubeflow.org "rt" not found' in note
    assert not space.jobset()
    space.create(runtime())
    space.wait_jobset()
    assert space.job()["apiVersion"] == API
