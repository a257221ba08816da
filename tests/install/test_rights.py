"""Every right that `trainyard install` gives the operator is needed: it is taken away, alone, and then
something fails, visibly; given back, it works. Which right is for what: BUILDDIR/rights.txt."""
import contextlib
import copy
import json
from typing import NamedTuple

import pytest

import rights
from audit import Audit
from kit import Space, wait_for
from printed import PROGRAM, install
from running import SUMMARY, SYSTEM, Operator, apply, remove
from scenes import SCENES

TABLE = PROGRAM.parent / "rights.txt"
RBAC = "rbac.authorization.k8s.io/v1"
ROLES = ("ClusterRole", "Role")
ELECTION = {"leaderElect": True, "leaseDuration": "10s", "renewDeadline": "8s", "retryPeriod": "500ms"}
NOT_AWAITED = ("limitranges", "runtimeclasses", "priorityclasses", "mutatingwebhookconfigurations",
               "validatingwebhookconfigurations")  # without them it works, less well
FOR_EVERYBODY = "kubeflow-trainer-view-cluster-runtimes"
SECONDS = 240  # what failed is tried again, ever less often


class Right(NamedTuple):
    role: str
    group: str
    resource: str  # with its subresource
    verb: str
    names: tuple  # of objects; empty: all

    def __str__(self):
        return f"{self.verb} {self.resource}" + (f".{self.group}" if self.group else "")

    def rule(self):
        named = {"resourceNames": list(self.names)} if self.names else {}
        return {"apiGroups": [self.group], "resources": [self.resource], "verbs": [self.verb],
                **named}

    def denied(self, entry):
        """Whether this audit entry is of a request that lacked this right."""
        if not rights.lacking(entry):
            return False
        said = (entry.get("responseStatus") or {}).get("message")
        ref = entry["objectRef"]
        sub = f"/{ref['subresource']}" if "subresource" in ref else ""
        asked = (ref.get("apiGroup", ""), ref["resource"] + sub)
        if said:
            return self.sentence() in said
        # Only metadata was asked for: the log has no sentence then. The operator's own log has it.
        return self.on_the_way() and entry["verb"] == "patch" or \
            asked == (self.group, self.resource) and entry["verb"] in (self.verb, "patch")

    def on_the_way(self):
        """Asked for by an admission plugin while something else is written."""
        return self.resource.endswith("/finalizers")

    def sentence(self):
        """The API server's."""
        if self.on_the_way():
            return "you can't set finalizers on"
        return f'cannot {self.verb} resource "{self.resource}" in API group "{self.group}"'


def rights_of(role):
    return [Right(role["kind"], group, resource, verb, tuple(rule.get("resourceNames", ())))
            for rule in role["rules"] for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]]


GIVEN = {doc["kind"]: doc for doc in rights.installed() if doc["kind"] in ROLES}
ALL = [right for role in GIVEN.values() for right in rights_of(role)]


def starting(right):
    return right.verb in ("list", "watch") or right.resource == "leases"


def without(right):
    """The roles with every right but this one."""
    return [dict(copy.deepcopy(role), rules=[other.rule() for other in rights_of(role)
                                             if other != right]) for role in GIVEN.values()]


# ---- the operator, and what it says

class Told(Operator):
    def lines(self):
        """Its log; the last line may be half written."""
        return [json.loads(line) for line in self.log().split("\n")[:-1] if line.startswith("{")]

    def errors(self):
        return [line for line in self.lines() if "error" in line]

    def says(self, right):
        """In its own words, of the line that has the API server's."""
        return next((line["msg"] for line in self.errors()
                     if right.sentence() in line["error"]), None)

    def leads(self):
        return any(line["msg"] == "became leader" for line in self.lines())


@pytest.fixture(scope="module")
def table(pytestconfig):
    """right: (test, what the operator says without it)."""
    shown = {}
    yield shown
    width = max(len(str(right)) for right in ALL)
    TABLE.write_text("".join(
        f"{'ok    ' if right in shown else 'FAILED'}  {right.role:11}  {str(right):{width}}  "
        f"{': '.join(shown.get(right, ['nothing shows that it is needed']))}\n" for right in ALL))
    pytestconfig.stash[SUMMARY] = (f"rights: {len(shown)} of {len(ALL)} shown to be needed, "
                                   f"each by taking it away; {TABLE.name}")


@pytest.fixture(scope="module")
def installed(plane):
    """Without what lets everybody see the ClusterTrainingRuntimes: the operator must not live on it,
    because the chart can do without (userRoles.enabled)."""
    api, objects = plane.client(), install("--no-runtimes")
    api.install([doc for doc in objects if doc["kind"] == "CustomResourceDefinition"])
    apply(api, objects)
    remove(api, [doc for doc in objects if doc["metadata"]["name"] == FOR_EVERYBODY])


@pytest.fixture(scope="module")
def operator(plane, installed, tmp_path_factory):
    one = Told(plane, tmp_path_factory.mktemp("operator"), {
        "leaderElection": {"leaderElect": False}, "metrics": {"auth": {"enabled": True}}}).start()
    yield one
    one.stop()


@pytest.fixture
def space(plane, request):
    one = Space(plane.client(), f"right-{request.node.callspec.indices['right']}")
    yield one
    one.clean()


# ---- taking a right away

def may(api, right):
    """What the API server's authorizer says."""
    resource, _, sub = right.resource.partition("/")
    asked = {"verb": right.verb, "group": right.group, "resource": resource, "subresource": sub,
             "name": "".join(right.names[:1]), "namespace": SYSTEM if right.role == "Role" else ""}
    user = f"system:serviceaccount:{SYSTEM}:{rights.ACCOUNT}"
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{SYSTEM}", "system:authenticated"]
    return api.create({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
        "spec": {"user": user, "groups": groups, "resourceAttributes": asked}})["status"]["allowed"]


@contextlib.contextmanager
def taken(api, right):
    """Then no other rule gives it."""
    assert may(api, right)
    apply(api, without(right), "tests")
    try:
        wait_for(f"the right to {right} is gone", lambda: not may(api, right))
        yield
    finally:
        apply(api, GIVEN.values(), "tests")
        wait_for("it is back", lambda: may(api, right))


def see_it_missed(right, operator, audit):
    """Until the API server has denied it and the operator has said so; gives what it said."""
    def denied():
        return any(right.denied(e) for e in audit.entries()
                   if e["user"]["username"] == operator.user)

    wait_for(f"denied: {right}", denied)
    return wait_for("the operator says so", lambda: operator.says(right))


# ---- rights that a running operator uses

@pytest.mark.parametrize("right", [r for r in ALL if not starting(r)], ids=str)
def test_works_only_with(right, plane, operator, space, table):
    assert (right.resource, right.verb) in SCENES, f"the operator never needs to {right}"
    scene = SCENES[right.resource, right.verb](right, space, operator)
    audit = Audit(plane)
    scene.prepare()
    if scene.restart:
        operator.stop()
    with taken(operator.api, right):
        if scene.restart:
            operator.start()
        scene.act()
        said = see_it_missed(right, operator, audit)
        assert not scene.works()
    scene.again()
    wait_for("with it all is well", scene.works, SECONDS)
    table[right] = ("test_works_only_with", said)


# ---- rights that it uses when it starts

@pytest.mark.parametrize("right", [r for r in ALL if starting(r) and r.role == "ClusterRole"],
                         ids=str)
def test_starts_only_with(right, plane, operator, tmp_path, table):
    """What it cannot list it waits for. What it cannot watch it says at once, and then again and again:
    it would act on what was."""
    audit = Audit(plane)
    other = Told(plane, tmp_path, {"leaderElection": {"leaderElect": False}})
    other.user = "account:another"
    with taken(other.api, right):
        other.spawn()
        said = see_it_missed(right, other, audit)
        if right.verb == "list" and right.resource not in NOT_AWAITED:
            assert not other.ready()
    wait_for("with it the operator is ready", other.ready, SECONDS)
    other.stop()
    table[right] = ("test_starts_only_with", said)


@pytest.mark.parametrize("right", [r for r in ALL if r.resource == "leases"], ids=str)
def test_leads_only_with(right, plane, operator, tmp_path, table):
    """The one that could not renew must end; the one that could not watch is slower to take over."""
    api, audit = operator.api, Audit(plane)
    api.delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    other = Told(plane, tmp_path, {"leaderElection": ELECTION})
    other.user = "account:another"
    with taken(api, right):
        other.spawn()
        said = see_it_missed(right, other, audit)
        if right.verb == "update":
            assert other.child.wait(120) == 1
            other.spawn()
        assert right.verb == "watch" or not other.leads()
    if right.verb == "watch":  # not tried again for a while
        other.stop()
        other.spawn()
    wait_for("with it somebody leads", other.leads, SECONDS)
    other.stop()
    table[right] = ("test_leads_only_with", said)
