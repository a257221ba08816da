"""The coscheduling scheduler: the pods of a gang start together or not at all. Four nodes have room for
one pod each, and fillers take some of it."""
import pytest

from kit import API, COSCHEDULING, replicated_job, runtime, stays, trainjob, wait_for
from parts import pods_of

GANG = {"podGroupPolicy": {"coscheduling": {"scheduleTimeoutSeconds": 10}}}
RETRY_SECONDS = 180  # the scheduler looks for leftovers every half minute


def one_cpu():
    job = replicated_job()
    pod = job["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    return job


def bound(space, name="job"):
    return [p["metadata"]["name"] for p in pods_of(space, name) if p["spec"].get("nodeName")]


def refused(space, name="job"):
    """Pods for which the scheduler has looked for a node, and has said that there is none."""
    return [p["metadata"]["name"] for p in pods_of(space, name)
            for c in p["status"].get("conditions") or []
            if c["type"] == "PodScheduled" and c["status"] == "False"
            and c["reason"] == "Unschedulable"]


def fill(space, pods):
    """That many nodes are full from now on."""
    space.create(runtime("filler", jobs=[one_cpu()]),
                 trainjob("filler", "filler", trainer={"numNodes": pods}))
    wait_for("the fillers run", lambda: len(bound(space, "filler")) == pods, RETRY_SECONDS)


@pytest.mark.parametrize("fillers", [
    pytest.param(3, id="too-few-cpus"),  # the group's minResources are not there
    pytest.param(1, id="cpus-in-small-parts"),  # they are, but one pod finds no node
])
def test_together_or_not_at_all(gangs, at, fillers):
    space = at(gangs)
    fill(space, fillers)
    space.create(runtime(jobs=[one_cpu()], **GANG), trainjob(trainer={"numNodes": 4}))
    wait_for("all four are refused", lambda: len(refused(space)) == 4, RETRY_SECONDS)
    group = space.get(COSCHEDULING, "PodGroup", "job")["spec"]
    assert group["minMember"] == 4 and group["minResources"]["cpu"] == "4"
    stays("none is bound", lambda: not bound(space))
    space.api.delete(API, "TrainJob", space.name, "filler")
    wait_for("all four run", lambda: len(bound(space)) == 4 and all(
        p["status"]["phase"] == "Running" for p in pods_of(space, "job")), RETRY_SECONDS)


def test_without_a_gang_some_start(gangs, at):
    """The same without podGroupPolicy, so the test above does not pass by accident."""
    space = at(gangs)
    fill(space, 1)
    space.create(runtime(jobs=[one_cpu()]), trainjob(trainer={"numNodes": 4}))
    wait_for("three are bound and one is refused", lambda: len(bound(space)) == 3
             and len(refused(space)) == 1, RETRY_SECONDS)
