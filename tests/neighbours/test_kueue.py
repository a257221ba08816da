"""Kueue: a TrainJob with a queue's label waits suspended, is admitted with its node selector, runs to
its end and gives its quota back. Kueue 0.15 writes podTemplateOverrides, which v2.3.0's CRD drops."""
import pytest

from kit import condition, replicated_job, runtime, stays, trainjob, wait_for
from neighbours import END
from parts import POOL, pods_of

KUEUE = "kueue.x-k8s.io/v1beta2"
LABEL = "kueue.x-k8s.io/queue-name"


def queues(space):
    """A queue with room for two CPUs on the fast pool."""
    space.api.apply({"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "fast"},
                     "spec": {"nodeLabels": POOL}})
    space.api.apply({"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": space.name},
                     "spec": {"namespaceSelector": {}, "resourceGroups": [{
                         "coveredResources": ["cpu"], "flavors": [{
                             "name": "fast", "resources": [
                                 {"name": "cpu", "nominalQuota": "2"}]}]}]}})
    space.api.apply({"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": {"name": "team"},
                     "spec": {"clusterQueue": space.name}}, space.name)


def wait_used(space, cpus):
    """Until the queue's jobs take that many CPUs, as the API writes the number."""
    def status():
        return space.api.get(KUEUE, "ClusterQueue", None, space.name).get("status") or {}

    def used():
        return [r["total"] for f in status().get("flavorsUsage") or [] for r in f["resources"]]

    try:
        wait_for(f"{cpus} CPUs of the quota are used", lambda: used() == [cpus])
    except AssertionError as e:
        loads = [(w["metadata"]["name"], w["spec"].get("podSets"), w.get("status"))
                 for w in space.api.list(KUEUE, "Workload", space.name)]
        raise AssertionError(f"{e}; queue: {status()}; workloads: {loads}") from None


def told(space, name):
    """What Kueue says of the job's quota."""
    loads = [w for w in space.api.list(KUEUE, "Workload", space.name)
             if w["metadata"]["ownerReferences"][0]["name"] == name]
    return condition(loads[0], "QuotaReserved") or "" if loads else ""


def queued(name, **spec):
    job = trainjob(name, trainer={"numNodes": 2}, **spec)
    job["metadata"]["labels"] = {LABEL: "team"}
    return job


def one_cpu(pods=2):
    """A trainer job of pods with one CPU each. The template tells their number, too: Kueue 0.15.0
    counts pods there and does not look at numNodes (kubernetes-sigs/kueue#8101)."""
    job = replicated_job(parallelism=pods, completions=pods)
    pod = job["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    return job


def running(space, name):
    pods = pods_of(space, name)
    return len(pods) == 2 and all(p["status"]["phase"] == "Running" for p in pods) and pods


def finish(space, name):
    for pod in pods_of(space, name):
        space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"]),
                        {"metadata": {"annotations": {END: "succeed"}}})


@pytest.mark.ours("v2.3.0's CRD drops podTemplateOverrides, and the node selector with them")
def test_one_after_the_other(kueue, at):
    space = at(kueue)
    queues(space)
    space.create(runtime(jobs=[one_cpu()]), queued("first"))
    pods = wait_for("the first is admitted and runs", lambda: running(space, "first"))
    assert [p["spec"]["nodeSelector"] for p in pods] == [POOL, POOL]
    wait_used(space, "2")
    space.create(queued("second"))
    space.wait_condition("Suspended", "True", "second")
    wait_for("there is no room for the second", lambda: told(space, "second").startswith(
        "False Pending: couldn't assign flavors"))
    stays("the second waits", lambda: space.jobset("second")["spec"]["suspend"]
          and not pods_of(space, "second"))
    finish(space, "first")
    space.wait_condition("Complete", "True", "first")
    wait_for("the second runs", lambda: running(space, "second"))
    assert condition(space.job("second"), "Suspended").startswith("False Resumed")
    finish(space, "second")
    space.wait_condition("Complete", "True", "second")
    wait_used(space, "0")
    assert space.events() == []


@pytest.mark.ours("v2.3.0's CRD drops podTemplateOverrides")
def test_stopped_queue_evicts(kueue, at):
    """HoldAndDrain: the running job is suspended, what was injected is taken away, and it comes back."""
    space = at(kueue)
    queues(space)
    space.create(runtime(jobs=[one_cpu()]), queued("first"))
    wait_for("it runs", lambda: running(space, "first"))
    path = f"/apis/{KUEUE}/clusterqueues/{space.name}"
    space.api.merge(path, {"spec": {"stopPolicy": "HoldAndDrain"}})
    space.wait_condition("Suspended", "True", "first")
    wait_for("the pods are gone", lambda: not pods_of(space, "first"))
    wait_for("the overrides are gone", lambda: not any(
        o.get("spec", {}).get("nodeSelector")
        for o in space.job("first")["spec"].get("podTemplateOverrides") or []))
    space.api.merge(path, {"spec": {"stopPolicy": "None"}})
    pods = wait_for("it runs again", lambda: running(space, "first"))
    assert pods[0]["spec"]["nodeSelector"] == POOL
    finish(space, "first")
    space.wait_condition("Complete", "True", "first")
    wait_used(space, "0")
    assert space.events() == []  # nothing of this was refused


def test_job_without_a_queue_is_not_held(kueue, at):
    space = at(kueue)
    job = one_cpu()
    job["template"]["spec"]["template"]["metadata"]["annotations"] = {END: "succeed"}
    space.create(runtime(jobs=[job]), trainjob())
    space.wait_condition("Complete", "True")
