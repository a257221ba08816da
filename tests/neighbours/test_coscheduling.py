"""The coscheduling scheduler: the pods of a gang start together or not at all. The node has room for
three pods; a plain scheduler would start three of the four."""
from kit import COSCHEDULING, replicated_job, runtime, stays, trainjob, wait_for


def one_cpu():
    job = replicated_job()
    pod = job["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    return job


def bound(space):
    return [p["metadata"]["name"] for p in space.pods() if p["spec"].get("nodeName")]


def test_together_or_not_at_all(gangs, at):
    space = at(gangs)
    space.create(runtime(jobs=[one_cpu()],
                         podGroupPolicy={"coscheduling": {"scheduleTimeoutSeconds": 10}}),
                 trainjob(trainer={"numNodes": 4}))
    wait_for("four pods wait", lambda: len(space.pods()) == 4)
    group = space.get(COSCHEDULING, "PodGroup", "job")["spec"]
    assert group["minMember"] == 4 and group["minResources"]["cpu"] == "4"
    stays("none is bound", lambda: not bound(space), 8)
    gangs.add_node("small-1")
    wait_for("all four run", lambda: len(bound(space)) == 4 and all(
        p["status"]["phase"] == "Running" for p in space.pods()))


def test_without_a_gang_some_start(gangs, at):
    """The same without podGroupPolicy, so the test above does not pass by accident."""
    space = at(gangs)
    space.create(runtime(jobs=[one_cpu()]), trainjob(trainer={"numNodes": 40}))
    wait_for("some are bound and some are not", lambda: len(space.pods()) == 40
             and 0 < len(bound(space)) < 40)
