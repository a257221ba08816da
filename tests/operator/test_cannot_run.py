"""TrainJobs that v2.3.0 takes although no pod can come of them (B36), or pods of other making (B37): ours
takes them too, and says it in a warning and in the status."""
import json
import subprocess

import pytest

import binaries
from kit import API, ANCESTOR, condition, replicated_job, runtime, stays, trainjob, wait_for

pytestmark = pytest.mark.ours("v2.3.0 says nothing")

NODES = 'spec.trainer.numNodes: job "node" gets no pods: numNodes is '
REQUESTS = "spec.trainer.resourcesPerNode.requests."
CASES = {
    "negative": ({"numNodes": -3}, "InvalidNumNodes",
                 NODES + "-3: a Job cannot have fewer than 0 pods; use 1 or more"),
    "huge": ({"numNodes": 2147483647}, "InvalidNumNodes",
             NODES.replace("gets no", "has too many") + "2147483647: an indexed Job can have at most 100000 pods"),
    "above-own-limit": (
        {"resourcesPerNode": {"requests": {"cpu": 8}, "limits": {"cpu": 4}}}, "InvalidResources",
        REQUESTS + 'cpu: job "node" gets no pods: cpu request 8 of container "node" is above the limit 4; '
        "set resourcesPerNode.limits.cpu to 8 or more, or lower the request"),
    "above-limit-of-runtime": (
        {"resourcesPerNode": {"requests": {"memory": "2Gi"}}}, "InvalidResources",
        REQUESTS + 'memory: job "node" gets no pods: memory request 2Gi of container "node" is above the limit '
        "1Gi; set resourcesPerNode.limits.memory to 2Gi or more, or lower the request"),
    "device-without-limit": (
        {"resourcesPerNode": {"requests": {"nvidia.com/gpu": 1}}}, "InvalidResources",
        REQUESTS + 'nvidia.com/gpu: job "node" gets no pods: nvidia.com/gpu request 1 of container "node" needs '
        "an equal limit, there is none; set resourcesPerNode.limits.nvidia.com/gpu to 1"),
}


def warnings(api):
    """Of the last request, as they were written: 299 - "text"."""
    return [json.loads(w.split(" ", 2)[2]) for w in api.warnings]


def limited():
    """A runtime whose container may use 1Gi."""
    job = replicated_job()
    job["template"]["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"memory": "1Gi"}}
    return runtime(jobs=[job])


def no_job(space):
    """JobSet's controller could not create the Job."""
    seen = space.api.list("events.k8s.io/v1", "Event", space.name)
    return [e for e in seen if e["regarding"]["kind"] == "JobSet" and e["type"] == "Warning"]


@pytest.mark.parametrize("case", CASES)
def test_it_says_why(manager, space, case):
    trainer, reason, text = CASES[case]
    space.create(limited())
    space.create(trainjob(trainer=trainer))
    assert warnings(space.api) == [text]
    job = space.wait_condition("Stalled", f"True {reason}: ")
    assert condition(job, "Stalled") == f"True {reason}: {text}"
    # The API server is of the same opinion, and nothing more is written then.
    wait_for("the Job is refused", lambda: no_job(space))
    job = space.job()
    assert not space.pods()
    space.patch_job({"metadata": {"labels": {"a": "b"}}})
    assert warnings(space.api) == [text]
    stays("it is said once", lambda: space.job()["status"] == job["status"])


def test_no_nodes(manager, space):
    """The Job is complete as soon as it is there; why stays to be read beside that."""
    text = NODES + "0: it is over at once, without a pod; use 1 or more"
    space.create(runtime())
    space.create(trainjob(trainer={"numNodes": 0}))
    assert warnings(space.api) == [text]
    job = space.wait_condition("Complete", "True ")
    assert condition(job, "Stalled") == f"True InvalidNumNodes: {text}"
    assert not space.pods()
    stays("it is said once", lambda: space.job()["status"] == job["status"])


def test_a_suspended_job(manager, space):
    trainer, reason, text = CASES["above-own-limit"]
    space.create(runtime())
    space.create(trainjob(trainer=trainer, suspend=True))
    assert warnings(space.api) == [text]
    assert condition(space.wait_condition("Suspended", "True "), "Stalled") is None
    space.suspend(False)
    space.wait_condition("Stalled", f"True {reason}: ")
    space.suspend(True)
    wait_for("only the suspension counts", lambda: not condition(space.job(), "Stalled"))


def test_nobody_takes_the_trainer(manager, space):
    """Four nodes of one image are asked for; one of another runs, and says so."""
    label = f'label {ANCESTOR}: trainer'
    space.create(runtime(jobs=[replicated_job("worker", None)]))
    assert warnings(space.api) == [
        f"spec.template.spec.replicatedJobs: no job has {label}, so TrainJobs' spec.trainer will be ignored; "
        'add it to template.metadata.labels of job "worker"']
    space.create(trainjob(trainer={"numNodes": 4, "image": "registry.example/mine:1"}))
    text = (f'spec.trainer: ignored: no job of runtime "rt" has {label}; add it to template.metadata.labels of '
            'job "worker"')
    assert warnings(space.api) == [text]
    assert wait_for("an event", space.events) == [("Warning", "TrainerIgnored", text)]
    pods = wait_for("its pod", space.pods)
    assert [p["spec"]["containers"][0]["image"] for p in pods] == ["registry.example/train:1"]
    assert condition(space.job(), "Stalled") is None


def test_a_good_job(manager, space):
    space.create(limited())
    assert not warnings(space.api)
    space.create(trainjob(trainer={"numNodes": 2, "resourcesPerNode": {
        "requests": {"memory": "1Gi", "nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 1}}}))
    assert not warnings(space.api)
    wait_for("its pods", lambda: len(space.pods()) == 2)
    stays("nothing is said", lambda: not condition(space.job(), "Stalled") and not space.events())


def test_kubectl_shows_why_it_stalls(manager, space, cluster):
    trainer, _, text = CASES["above-own-limit"]

    def kubectl(*words, doc=None):
        return subprocess.run([binaries.find("kubectl"), f"--kubeconfig={cluster.kubeconfig()}", "-n", space.name,
                               *words], input=json.dumps(doc), text=True, capture_output=True, check=True, timeout=240)

    space.create(runtime())
    wait_for("the webhook knows it", lambda: space.api.request(
        "POST", f"/apis/{API}/namespaces/{space.name}/trainjobs?dryRun=All", trainjob("probe"))[0] == 201)
    assert kubectl("create", "-f", "-", doc=trainjob(trainer=trainer)).stderr.splitlines() == [f"Warning: {text}"]
    space.wait_condition("Stalled", "True ")
    assert text in kubectl("describe", "trainjob", "job").stdout
