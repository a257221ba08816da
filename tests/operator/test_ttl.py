"""spec.ttlSecondsAfterFinished, which v2.3.0 does not have: a finished TrainJob goes with all of it."""
from datetime import datetime, timedelta, timezone

import pytest

from kit import API, condition, runtime, stays, trainjob, wait_for
from neighbours import END

pytestmark = pytest.mark.ours("spec.ttlSecondsAfterFinished is ours")


def left(space):
    return [space.job(), space.jobset(), space.get("v1", "ConfigMap", "job-runtime-snapshot"),
            *space.pods()]


@pytest.mark.parametrize("end", ["succeed", "fail"])
def test_goes_after_its_end(manager, space, end):
    space.create(runtime(annotations={END: end}), trainjob(ttlSecondsAfterFinished=2))
    space.wait_condition("Complete" if end == "succeed" else "Failed", "True")
    wait_for("all of it is gone", lambda: not any(left(space)))


def test_at_once(manager, space):
    space.create(runtime(annotations={END: "succeed"}), trainjob(ttlSecondsAfterFinished=0))
    wait_for("all of it is gone", lambda: not any(left(space)))


def test_counts_from_the_end_not_from_the_start(manager, space):
    space.create(runtime(), trainjob(ttlSecondsAfterFinished=1))
    wait_for("it runs", lambda: [p["status"]["phase"] for p in space.pods()] == ["Running"])
    stays("it runs on", lambda: space.job() and space.pods(), 3)


def test_survives_a_restart_of_the_manager(make_manager, space):
    """The end that counts is written down: here an hour ago, but for two seconds."""
    one = make_manager().start()
    space.create(runtime(annotations={END: "succeed"}), trainjob(ttlSecondsAfterFinished=3600))
    status = space.wait_condition("Complete", "True")["status"]
    one.stop()
    ended = datetime.now(timezone.utc) - timedelta(seconds=3598)
    for one in status["conditions"]:
        one["lastTransitionTime"] = ended.strftime("%Y-%m-%dT%H:%M:%SZ")
    space.api.merge(space.path(API, "TrainJob", "job", "status"), {"status": status})
    assert condition(space.job(), "Complete").startswith("True")
    make_manager(1).start()
    wait_for("all of it is gone", lambda: not any(left(space)))


def test_without_it_a_finished_job_stays(manager, space):
    space.create(runtime(annotations={END: "succeed"}), trainjob(),
                 trainjob("short", ttlSecondsAfterFinished=0))
    space.wait_condition("Complete", "True")
    wait_for("the other one is gone", lambda: not space.job("short"))
    assert space.job()
