"""The wall clock is set while the manager runs (libfaketime; the clock that only goes forward goes on).
Leases do not care, deadlines do, and nothing goes wild."""
from datetime import datetime, timezone
from pathlib import Path

import pytest

from kit import condition, runtime, stays, trainjob, wait_for
from manager import SYSTEM
from test_leader import ELECTION, holder, lease
from test_serving import ask, metric

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
HOUR = 3600
pytestmark = [
    pytest.mark.skipif(not LIBRARIES, reason="libfaketime is not installed"),
    pytest.mark.ours("a Go program reads the clock without the C library")]


class Clock:
    """Managers that are started with `environment` see the time this many seconds apart."""

    def __init__(self, folder):
        self.file = folder / "time"
        self.set(0)
        self.environment = {
            "LD_PRELOAD": str(LIBRARIES[0]), "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1",
            "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def set(self, seconds):
        part = self.file.with_suffix(".part")
        part.write_text(f"{seconds:+d}s\n")
        part.rename(self.file)


@pytest.fixture
def clock(tmp_path):
    return Clock(tmp_path)


def passes(one):
    return metric(ask(f"http://127.0.0.1:{one.metrics}/metrics")[1],
                  "controller_runtime_reconcile_total", controller="trainjob_controller") or 0


def renewed(plane):
    """When, by the holder's wall clock."""
    return datetime.fromisoformat(lease(plane)["spec"]["renewTime"].replace("Z", "+00:00"))


def jump(clock, plane, seconds):
    """Sets the clock, and waits until the Lease was renewed by it."""
    clock.set(seconds)

    def look():
        apart = (renewed(plane) - datetime.now(timezone.utc)).total_seconds()
        return abs(apart - seconds) < HOUR / 2

    wait_for("the Lease is renewed after the jump", look)


def test_clock_is_set(bare, bare_space, make_manager, clock):
    """An hour forward, two back, and right again."""
    space = bare_space
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    ones = [make_manager(i, plane=bare, webhooks=False, settings=ELECTION,
                         environment=clock.environment).start() for i in range(2)]
    first = wait_for("somebody leads", lambda: holder(bare))
    space.create(runtime(), trainjob("soon", activeDeadlineSeconds=HOUR // 2),
                 trainjob("far", activeDeadlineSeconds=2 ** 63 - 1))
    for name in ("soon", "far"):
        space.wait_jobset(name)
    jump(clock, bare, HOUR)
    space.wait_condition("Failed", "True DeadlineExceeded", "soon")
    wait_for("its JobSet goes after it", lambda: space.jobset("soon") is None)
    jump(clock, bare, -HOUR)
    space.create(trainjob("before-its-time", activeDeadlineSeconds=3))
    space.wait_jobset("before-its-time")
    stays("its deadline is in an hour", lambda: not condition(
        space.job("before-its-time"), "Failed"), 4.0)
    jump(clock, bare, 0)
    space.wait_condition("Failed", "True DeadlineExceeded", "before-its-time")
    assert condition(space.job("far"), "Failed") is None and space.jobset("far")
    assert (holder(bare), lease(bare)["spec"]["leaseTransitions"]) == (first, 0)
    assert all(one.ready() and "the clock was set" in one.log() for one in ones)
    assert sum(passes(one) for one in ones) < 100, "it looks again and again"
