"""Two managers and one Lease: only the holder writes, and there is always a next one."""
import pytest

from audit import Audit
from between import Fault, Proxy
from kit import API, condition, runtime, stays, trainjob, wait_for
from manager import SYSTEM, UPSTREAM
from test_bad_server import child, errors
from test_faults import mpi_runtime, secrets

ELECTION = {"leaderElection": {
    "leaderElect": True, "resourceName": "trainer.kubeflow.org", "resourceNamespace": SYSTEM,
    "resourceLock": "leases", "leaseDuration": "10s", "renewDeadline": "8s", "retryPeriod": "1s"}}


def lease(cluster):
    return cluster.client().get("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")


def holder(cluster):
    return ((lease(cluster) or {}).get("spec") or {}).get("holderIdentity")


def acts(audit, number):
    """What that manager wrote, its Lease aside."""
    return [w for w in audit.writes() if w.user == f"manager-{number}" and w.resource != "leases"]


@pytest.fixture
def pair(make_manager, cluster):
    """A leader and one that stands by."""
    cluster.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    one = make_manager(0, settings=ELECTION).start()
    wait_for("somebody leads", lambda: holder(cluster))
    two = make_manager(1, settings=ELECTION, webhooks=False).start()
    return one, two


@pytest.fixture
def audit(cluster):
    if not cluster.audited:
        pytest.skip("a cluster of others shows no audit log")
    return Audit(cluster)


def test_only_the_leader_writes(pair, space, cluster, audit):
    space.create(runtime(), *[trainjob(f"job-{i}") for i in range(5)])
    for i in range(5):
        space.wait_jobset(f"job-{i}")
    wait_for("the log tells of it", lambda: acts(audit, 0))
    stays("the other one writes nothing", lambda: not acts(audit, 1))
    assert pair[1].ready()  # it serves webhooks all the same
    spec = lease(cluster)["spec"]
    assert (spec["leaseDurationSeconds"], spec["leaseTransitions"]) == (10, 0)


def test_hand_over_on_sigterm(pair, space, cluster, audit):
    one, two = pair
    first = holder(cluster)
    space.create(runtime(), trainjob())
    space.wait_jobset()
    one.stop()
    if not UPSTREAM:
        assert holder(cluster) != first, "the Lease was not given back"
    space.create(trainjob("later"))
    space.wait_jobset("later")
    assert holder(cluster) not in (None, "", first)
    wait_for("the log tells of it", lambda: [w for w in acts(audit, 1) if w.name == "later" and w.ok])
    assert [w for w in acts(audit, 0) if w.name == "later"] == []
    two.stop()


def test_fail_over_after_kill(pair, space, cluster, audit):
    """The Lease runs out; what came meanwhile is done then."""
    one, two = pair
    first = holder(cluster)
    space.create(runtime(), trainjob())
    space.wait_jobset()
    one.unregister()
    one.kill()
    space.create(trainjob("orphan", suspend=True))
    space.wait_jobset("orphan")
    space.wait_condition("Suspended", "True", "orphan")
    assert holder(cluster) not in (None, "", first)
    assert condition(space.job(), "Suspended") is None
    wait_for("the log tells of it", lambda: audit.writes(space.name, "jobsets", "orphan"))
    assert {w.user for w in audit.writes(space.name, "jobsets", "orphan")} == {"manager-1"}
    two.stop()


def take_away(cluster):
    """Somebody else holds the Lease, for a long time."""
    for _ in range(20):  # against its renewals
        doc = lease(cluster)
        doc["spec"].update(holderIdentity="somebody-else", leaseDurationSeconds=600,
                           renewTime="2099-01-01T00:00:00.000000Z")
        code, _answer = cluster.client().request(
            "PUT", f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/trainer.kubeflow.org",
            doc)
        if code == 200:
            return


@pytest.mark.ours("v2.3.0 does not wait for as long as it is asked to")
def test_nothing_that_waits_is_written_after_the_lease_is_lost(make_manager, bare, bare_space):
    """The server says later to every child; before later comes, somebody else leads."""
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    bare_space.create(runtime(), *[trainjob(f"job-{i}", suspend=True) for i in range(4)])
    with Proxy(bare, lambda r: Fault(code=429, retry_after=6) if child(r) else None) as proxy:
        one = make_manager(plane=bare, webhooks=False, settings=ELECTION, through=proxy).start()
        wait_for("all are told to come later", lambda: len(proxy.seen(child)) == 4)
        take_away(bare)
        assert one.child.wait(120) == 1
        one.child = None
        assert len(proxy.seen(child)) == 4
    assert "somebody-else holds the lease now" in one.log()
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")


class Admin:
    def __init__(self, plane):
        self.plane = plane

    def kubeconfig(self, _user):
        return self.plane.kubeconfig("admin")


@pytest.mark.ours("v2.3.0 logs it, too, in other words")
def test_the_namespace_of_the_lease_comes_later(make_manager, bare, bare_space):
    """Without it nobody can lead: that is said, and over as soon as it is there. By somebody who may do
    anything; the installed manager is told that it may not look there."""
    ns = f"{bare_space.name}-leases"
    one = make_manager(plane=bare, webhooks=False, through=Admin(bare), settings={
        "leaderElection": {**ELECTION["leaderElection"], "resourceNamespace": ns}}).start()
    said = wait_for("it says so", lambda: errors(one, "cannot take the lease"))
    assert said[0]["error"] == f'namespaces "{ns}" not found' and said[0]["namespace"] == ns
    bare.client().create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    bare_space.create(runtime(), trainjob(suspend=True))
    bare_space.wait_condition("Suspended", "True")


def test_lost_lease_ends_the_leader(pair, space, cluster):
    """Somebody else holds the Lease: the old leader must not write on, and says why it ends."""
    one, two = pair
    two.stop()
    take_away(cluster)
    one.unregister()
    assert one.child.wait(120) != 0
    assert "leader" in one.log().lower()
    one.child = None
    space.create(runtime(), trainjob())
    stays("nobody does anything", lambda: not space.jobset())
    cluster.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")


def children(space):
    """What must stay as the first leader has made it."""
    snapshots = {c["metadata"]["name"]: c["data"]
                 for c in space.api.list("v1", "ConfigMap", space.name)}
    return {**snapshots, **secrets(space)}


@pytest.mark.parametrize("kind", ["secrets", "configmaps"])
@pytest.mark.ours("v2.3.0 looks at what it happens to know")
def test_one_that_has_not_heard_of_it_does_not_guess(make_manager, bare, bare_space, kind):
    """The standby's watch is broken when it comes to lead: it must not make again what the leader before
    it has made, an SSH key, or a snapshot of a runtime that was changed since."""
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    deaf = []
    with Proxy(bare, lambda r: Fault(code=500) if deaf and r.watches and f"/{kind}" in r.path
               else None) as proxy:
        one = make_manager(0, plane=bare, webhooks=False, settings=ELECTION).start()
        wait_for("somebody leads", lambda: holder(bare))
        two = make_manager(1, plane=bare, webhooks=False, settings=ELECTION, through=proxy).start()
        deaf.append(True)
        proxy.cut_all()
        wait_for("it cannot watch", proxy.faults)
        bare_space.create(mpi_runtime(), trainjob("job", "mpi", suspend=True))
        bare_space.wait_condition("Suspended", "True")
        bare_space.api.merge(bare_space.path(API, "TrainingRuntime", "mpi"),
                             {"spec": {"mlPolicy": {"numNodes": 7}}})
        made = children(bare_space)
        one.kill()
        bare_space.create(trainjob("later", "mpi", suspend=True))
        bare_space.wait_condition("Suspended", "True", "later")
        now = children(bare_space)
        assert len(now) == 2 * len(made) and {**now, **made} == now, two.tail()
        assert bare_space.events() == []
        two.stop()
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
