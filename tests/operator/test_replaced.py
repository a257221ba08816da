"""A TrainJob is deleted and made again under its name (kubectl replace --force) while the operator
still writes about the old one: nothing of that may reach the new one."""
import threading

from between import Fault, Proxy
from kit import API, JOBSET_API, condition, runtime, stays, trainjob, wait_for
from test_foreign import MARK, heard, jobset

DONE = {"type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "done",
        "lastTransitionTime": "2026-01-01T00:00:00Z"}


def finish(space, name="job"):
    """As the JobSet controller does when all its Jobs are done."""
    space.api.merge(space.path(JOBSET_API, "JobSet", name, "status"),
                    {"status": {"conditions": [DONE], "terminalState": "Completed"}})


def replace(space, job):
    """There is no garbage collector here: what it would delete is deleted first."""
    name = job["metadata"]["name"]
    for kind in ((JOBSET_API, "JobSet", name), ("v1", "ConfigMap", f"{name}-runtime-snapshot"),
                 (API, "TrainJob", name)):
        space.api.delete(kind[0], kind[1], space.name, kind[2])
    return space.create(job)


def test_status_of_the_one_before(bare, bare_space, make_manager):
    """The old job is complete; the new one has not begun, and must."""
    space, go = bare_space, threading.Event()

    def rule(request):
        late = request.method == "PATCH" and request.path.split("?")[0].endswith("/job/status")
        return Fault(until=go) if late else None

    space.create(runtime())
    with Proxy(bare, rule) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy).start()
        space.create(trainjob())
        space.wait_jobset()
        finish(space)
        wait_for("its status is on the way", proxy.faults)
        old = space.job()
        new = replace(space, trainjob())
        assert new["metadata"]["uid"] != old["metadata"]["uid"]
        for mark in (MARK, jobset("mark", True)):
            heard(one, space, mark)
        go.set()
        space.wait_jobset()
        stays("the new one is not what the old one was",
              lambda: condition(space.job(), "Complete") is None, 1.0)
        assert space.events() == []
        one.stop()
