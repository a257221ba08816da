"""A leader that loses the lease while its writes are on their way: not one of them arrives afterwards."""
import os
import signal
import urllib.request
from datetime import datetime, timezone

import pytest

from audit import Audit
from kit import runtime, stays, trainjob, wait_for
from manager import SYSTEM
from partition import Partition
from test_leader import ELECTION, holder, lease

JOBS = [f"job-{i}" for i in range(12)]
UNFENCED = {"leases", "events"}  # see docs/design.md
ACTIVE = 'controller_runtime_active_workers{controller="trainjob_controller"} '

pytestmark = pytest.mark.ours("v2.3.0 asks before a request is made, not when its bytes are sent")


def active(one):
    """TrainJobs that it is writing at this moment."""
    with urllib.request.urlopen(f"http://127.0.0.1:{one.metrics}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return next(int(float(line[len(ACTIVE):])) for line in lines if line.startswith(ACTIVE))


def late_writes(audit, plane):
    """Of the old leader, since the Lease has been another's."""
    since = lease(plane)["spec"]["acquireTime"]
    return [w for w in audit.writes() if w.user == "manager-0" and w.resource not in UNFENCED
            and w.at > since]


@pytest.fixture
def leader(bare, bare_space, make_manager):
    """Makes the leader, behind a partition that has not begun, one that stands by, and twelve TrainJobs at
    rest; gives the leader and its identity."""
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    bare_space.create(runtime(), *[trainjob(name, suspend=True) for name in JOBS])

    def make(**settings):
        one = make_manager(0, plane=bare, webhooks=False, settings=ELECTION, **settings).start()
        for name in JOBS:
            bare_space.wait_condition("Suspended", "True", name)
        wait_for("it rests", lambda: active(one) == 0)
        first = holder(bare)
        make_manager(1, plane=bare, webhooks=False, settings=ELECTION).start()  # stands by
        return one, first

    yield make
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")


def change_all(space, one):
    """Every TrainJob is resumed; its leader has heard of it and is writing."""
    for name in JOBS:
        space.suspend(False, name)
    wait_for("twelve writes are on their way", lambda: active(one) >= len(JOBS))


def old_enough(plane, seconds=5):
    """The Lease was not renewed for a while: a connection that is begun now is still being made when it
    expires."""
    def look():
        renewed = datetime.fromisoformat(lease(plane)["spec"]["renewTime"])
        return (datetime.now(timezone.utc) - renewed).total_seconds() > seconds

    wait_for("the lease is not renewed", look)


def another_leads(plane, first):
    wait_for("another one leads", lambda: holder(plane) not in (None, "", first))


def check(space, plane, one, audit):
    """The new leader does the work, the old one ends, and nothing of its own came late."""
    for name in JOBS:
        space.wait_jobset(name, suspended=False)
    assert one.child.wait(120) == 1, one.tail()
    one.child = None
    stays("it wrote nothing after the lease was lost", lambda: not late_writes(audit, plane))
    assert late_writes(audit, plane) == []
    assert "lease lost, canceling writes" in one.log()


@pytest.mark.parametrize("waits", ["sent", "handshake"])
@pytest.mark.parametrize("way", ["h2", "proxy"])
def test_partition_heals(bare, bare_space, leader, way, waits):
    """sent: the writes are in the kernel's buffer. handshake: they wait for a new connection."""
    audit = Audit(bare)
    with Partition(bare, connect=way == "proxy") as partition:
        one, first = leader(through=partition)
        partition.begin()
        change_all(bare_space, one)
        if waits == "handshake":
            old_enough(bare)
            partition.cut()  # it makes new connections, and their handshakes wait
        another_leads(bare, first)
        partition.heal()
        check(bare_space, bare, one, audit)
    assert '"pending":12' in one.log()


def test_frozen_leader_wakes(bare, bare_space, leader):
    """It is stopped while its writes wait for a handshake. When it goes on, the lease is another's, and all
    that the handshake waited for is there."""
    audit = Audit(bare)
    with Partition(bare) as partition:
        one, first = leader(through=partition)
        partition.begin()
        change_all(bare_space, one)
        old_enough(bare)
        made = partition.made
        partition.cut()  # it makes new connections, and their handshakes wait
        wait_for("it connects again", lambda: partition.made >= made + 2)
        os.kill(one.child.pid, signal.SIGSTOP)
        try:
            another_leads(bare, first)
            partition.heal()
            wait_for("its handshakes are answered", lambda: len(partition.unread()) >= 2, show=partition.unread)
        finally:
            os.kill(one.child.pid, signal.SIGCONT)
        check(bare_space, bare, one, audit)
