"""Runtimes that the manager has no right to read: nobody is told that they do not exist."""
import json

import pytest

import rights
from client import path_of
from kit import API, runtime, stays, trainjob, wait_for
from manager import FOLDER, SYSTEM, Manager

BLIND = "blind-operator"
RUNTIMES = {"clustertrainingruntimes", "trainingruntimes"}


class Blind:
    """The installed account, which sees no runtimes until its role is made whole."""

    def __init__(self, plane):
        self.plane, self.api = plane, plane.client()
        docs = rights.installed()
        self.role = next(doc for doc in docs if doc["kind"] == "ClusterRole")
        self.meta = {"name": BLIND, "namespace": SYSTEM}
        self.api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": self.meta})
        self.give([rule for rule in self.role["rules"] if not RUNTIMES & set(rule["resources"])])
        for doc in docs:
            if doc["kind"] not in ("ClusterRoleBinding", "RoleBinding"):
                continue
            ref = dict(doc["roleRef"])
            if ref["name"] == self.role["metadata"]["name"]:
                ref["name"] = BLIND
            self.api.apply({**doc, "metadata": {**doc["metadata"], "name": BLIND}, "roleRef": ref,
                            "subjects": [{"kind": "ServiceAccount", **self.meta}]})

    def give(self, rules):
        self.api.apply({**self.role, "metadata": {"name": BLIND}, "rules": rules})

    def see(self):
        self.give(self.role["rules"])

    def kubeconfig(self, user):
        answer = self.api.must("POST", path_of("v1", "ServiceAccount", SYSTEM, BLIND, "token"), {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 600}})
        path = self.plane.kubeconfig(user)
        config = json.loads(path.read_text())
        config["users"][0]["user"] = {"token": answer["status"]["token"]}
        path.write_text(json.dumps(config))
        return path


@pytest.fixture
def blind(bare):
    """Not by make_manager, whose managers ask for nothing that they have no right to."""
    one = Manager(bare, FOLDER / "managers/blind", through=Blind(bare)).start(wait=False)
    yield one
    one.stop()


@pytest.mark.ours("v2.3.0 says that the runtime must be created first, whatever the reason")
def test_unread_is_not_missing(bare_space, blind):
    space, one = bare_space, blind
    space.create(runtime())
    wait_for("it says what is wrong", lambda: "trainingruntimes.trainer.kubeflow.org is forbidden" in one.log())
    one.register()
    code, answer = space.api.request("POST", space.path(API, "TrainJob", None), trainjob())
    assert (code, answer["reason"]) == (500, "InternalError"), answer
    assert answer["message"].startswith(
        'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: the TrainJob '
        'cannot be checked: TrainingRuntime "rt" cannot be read: '), answer
    assert 'trainingruntimes.trainer.kubeflow.org "rt" is forbidden' in answer["message"]

    # One that was taken before by somebody who could see is left alone, without a false word.
    one.unregister()
    space.create(trainjob("early"))
    stays("nobody writes", lambda: not space.job("early").get("status") and not space.events())
    one.through.see()
    one.wait_ready()
    one.register()
    space.create(trainjob("late"))
    for name in ("early", "late"):
        space.wait_jobset(name)
    assert space.events() == []
