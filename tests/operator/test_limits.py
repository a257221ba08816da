"""clientConnection.qps and burst: what the configuration asks for is kept, and costs nobody his Lease."""
import pytest

from between import Proxy
from kit import runtime, stays, trainjob, wait_for
from manager import SYSTEM
from test_leader import ELECTION, lease
from test_operator_ports import took_its_time

JOBS = 12


def make(space):
    space.create(runtime(), *[trainjob(f"job-{i}", suspend=True) for i in range(JOBS)])


def test_requests_are_spread(bare, bare_space, make_manager):
    """A bucket of `burst` requests that is filled at `qps`: never more than it holds, and all is done."""
    qps, burst = 20, 5
    make(bare_space)
    with Proxy(bare) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy, settings={
            "clientConnection": {"qps": qps, "burst": burst}}).start()
        for i in range(JOBS):
            bare_space.wait_condition("Suspended", "True", f"job-{i}")
        sent = [r.at for r in proxy.seen(lambda r: not r.watches)]
        one.stop()
    assert len(sent) > 3 * JOBS
    assert took_its_time(sent, qps, burst), sent


@pytest.mark.ours("upstream's Lease has a client of its own, too; its first list takes longer than a Lease here")
def test_the_lease_does_not_wait_in_line(bare, bare_space, make_manager):
    """One request a second, and much to do: the leader stays leader."""
    make(bare_space)
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    one = make_manager(plane=bare, webhooks=False, settings={
        **ELECTION, "clientConnection": {"qps": 1, "burst": 1}}).start()
    wait_for("somebody leads", lambda: lease(bare))
    stays("it leads on", lambda: "lost" not in one.log(), 15)
    assert lease(bare)["spec"]["leaseTransitions"] == 0 and "cannot renew" not in one.log()
    one.child.kill()
    one.child.wait()
    one.child = None
