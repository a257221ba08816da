"""Tokens that the API server no longer takes: the manager fetches new ones and goes on without a
restart; where there are none, it says so and leaves the server in peace."""
import json
import signal

import pytest

import rights
from client import Client, path_of
from kit import API, runtime, stays, trainjob, wait_for
from manager import SYSTEM, UPSTREAM
from test_bad_server import errors
from test_leader import ELECTION, holder, lease
from test_serving import ask, metric

PLUGIN = """#!/bin/sh
echo >> "$0.runs"
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",'
printf '"status":{"token":"%s"}}' "$(cat "$0.token")"
"""


class Tokens:
    """A ServiceAccount with the rights of a manager. Its token comes from a file, or from an exec
    plugin that never says when it ends. It is bound to a Secret, and dies with it."""

    def __init__(self, plane, folder, how):
        self.plane, self.how, self.name = plane, how, f"operator-{how}"
        self.plugin = folder / how
        self.file, self.runs = folder / f"{how}.token", folder / f"{how}.runs"
        self.plugin.write_text(PLUGIN)
        self.plugin.chmod(0o700)
        self.api = plane.client()
        self.api.apply({"apiVersion": "v1", "kind": "ServiceAccount",
                        "metadata": {"name": self.name, "namespace": SYSTEM}})
        for doc in rights.of_upstream() if UPSTREAM else rights.installed():
            if doc["kind"] in ("ClusterRoleBinding", "RoleBinding"):
                name = f"{doc['roleRef']['name']}-{how}"
                self.api.apply({**doc, "metadata": {**doc["metadata"], "name": name},
                                "subjects": [{"kind": "ServiceAccount", "name": self.name,
                                              "namespace": SYSTEM}]})

    def renew(self):
        """A new token, bound to a new Secret."""
        meta = self.api.must("POST", path_of("v1", "Secret", SYSTEM), {
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"generateName": f"{self.name}-"}})["metadata"]
        answer = self.api.must("POST", path_of("v1", "ServiceAccount", SYSTEM, self.name, "token"), {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 600, "boundObjectRef": {
                "apiVersion": "v1", "kind": "Secret", "name": meta["name"], "uid": meta["uid"]}}})
        self.secret, self.token = meta["name"], answer["status"]["token"]
        self.give(self.token)
        return self

    def give(self, token):
        part = self.file.with_suffix(".part")
        part.write_text(token)
        part.rename(self.file)

    def revoke(self):
        self.api.delete("v1", "Secret", SYSTEM, self.secret)

    def refused(self):
        """The server remembers for ten seconds that a token was good."""
        asker = Client(self.plane.url, self.plane.folder / "pki/apiserver.crt", self.token)
        return asker.request("GET", "/version", raw=True)[0] == 401

    def kubeconfig(self, user):
        path = self.plane.kubeconfig(user)
        config = json.loads(path.read_text())
        config["users"][0]["user"] = {"tokenFile": str(self.file)} if self.how == "file" else {
            "exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(self.plugin),
                     "interactiveMode": "Never"}}
        path.write_text(json.dumps(config))
        return path


def alone(one, other, space, name):
    """What `one` does while `other` can do nothing."""
    other.child.send_signal(signal.SIGSTOP)
    try:
        space.create(trainjob(name, suspend=True))
        space.wait_condition("Suspended", "True", name)
    finally:
        other.child.send_signal(signal.SIGCONT)


def test_revoked_token(bare, bare_space, make_manager, tmp_path):
    space = bare_space
    space.create(runtime())
    tokens = [Tokens(bare, tmp_path, how).renew() for how in ("exec", "file")]
    ones = [make_manager(i, plane=bare, webhooks=False, through=t).start()
            for i, t in enumerate(tokens)]
    space.create(trainjob("before"))
    space.wait_jobset("before")
    for t in tokens:
        t.revoke()
    wait_for("the tokens are refused", lambda: all(t.refused() for t in tokens))
    space.create(trainjob("meanwhile", suspend=True))
    for one in ones:
        wait_for("it says so", lambda: "Unauthorized" in one.log())
    assert space.jobset("meanwhile") is None
    ran = len(tokens[0].runs.read_text())
    assert 2 <= ran < 40, "the plugin is asked again, and not all the time"
    for t in tokens:
        t.renew()
    space.wait_condition("Suspended", "True", "meanwhile")
    alone(ones[0], ones[1], space, "by-exec")
    alone(ones[1], ones[0], space, "by-file")
    for one in ones:
        assert errors(one, "an event") == [], "told when it could be"


def available(one):
    """(readyz, its line about the API server, the same as a number)"""
    health = f"http://127.0.0.1:{one.health}/readyz"
    numbers = ask(f"http://127.0.0.1:{one.metrics}/metrics")[1]
    return (ask(health)[0], ask(f"{health}/api-server")[0],
            metric(numbers, "trainyard_api_server_available"))


@pytest.mark.ours("v2.3.0 has no line, check or number for it")
def test_what_is_seen_of_a_revoked_token(bare, bare_space, make_manager, tmp_path):
    """Webhooks are answered as ever, so it stays ready; a check of its own, a number and a line of the
    log tell what is wrong, and that it is over."""
    space, refused = bare_space, "TrainJobs wait: the API server refuses our credentials"
    tokens = Tokens(bare, tmp_path, "file").renew()
    one = make_manager(plane=bare, through=tokens).start()
    space.create(runtime())
    assert available(one) == (200, 200, 1)
    tokens.revoke()
    wait_for("the token is refused", tokens.refused)
    space.create(trainjob("meanwhile", suspend=True))  # its webhooks are asked
    said = wait_for("it says so", lambda: errors(one, refused))
    assert said[0]["error"].endswith(f"does not take the token in file {tokens.file}")
    assert available(one) == (200, 500, 0)
    verbose = ask(f"http://127.0.0.1:{one.health}/readyz?verbose")[1]
    assert "[-]api-server failed, does not decide: reason withheld\n" in verbose
    assert str(tokens.file) not in verbose
    space.create(trainjob("still", suspend=True))
    code, answer = bare.client().request("POST", space.path(API, "TrainJob", None),
                                         trainjob("wrong", "no-such-runtime"))
    assert code == 500 and answer["reason"] == "InternalError", "neither waved through nor called wrong"
    assert 'TrainingRuntime "no-such-runtime" cannot be read: Unauthorized' in answer["message"]
    tokens.renew()
    wait_for("it is over", lambda: available(one) == (200, 200, 1))
    for name in ("meanwhile", "still"):
        space.wait_condition("Suspended", "True", name)
    assert "the API server takes our credentials again" in one.log()
    assert len(errors(one, refused)) == 1
    numbers = ask(f"http://127.0.0.1:{one.metrics}/metrics")[1]
    assert metric(numbers, "rest_client_requests_total", code="401", host=f"127.0.0.1:{bare.port}") > 0
    assert metric(numbers, "rest_client_requests_total", code="200", method="PATCH") > 0


def test_a_leader_whose_token_is_revoked_ends(bare, make_manager, tmp_path):
    """It cannot renew its Lease, so another one may lead by now. One that stands by has nothing to lose."""
    bare.client().delete("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
    tokens = [Tokens(bare, tmp_path, how).renew() for how in ("exec", "file")]
    one, two = (make_manager(i, plane=bare, webhooks=False, through=t, settings=ELECTION)
                for i, t in enumerate(tokens))
    one.start()
    wait_for("it leads", lambda: holder(bare))
    two.start()
    for t in tokens:
        t.revoke()
    assert one.child.wait(120) == 1
    one.child = None
    assert "lost" in one.log() and "Unauthorized" in one.log()
    assert two.ready() and two.child.poll() is None
    tokens[1].renew()
    wait_for("the other one leads", lambda: lease(bare)["spec"]["leaseTransitions"] == 1)


@pytest.mark.ours("v2.3.0 ends when it cannot list what the API server serves")
def test_bad_token_from_the_start(bare, bare_space, make_manager, tmp_path):
    """Not ready, alive, and clear about it; ready as soon as the token is good."""
    space = bare_space
    tokens = Tokens(bare, tmp_path, "file")
    tokens.give("not-a-token")
    one = make_manager(plane=bare, webhooks=False, through=tokens).start(wait=False)
    why = f"Unauthorized: the API server does not take the token in file {tokens.file}"

    def said():
        return [x for x in errors(one, "cannot watch") if x["error"] == why]

    wait_for("it says so", said)
    stays("it is alive and not ready", lambda: not one.ready() and one.child.poll() is None, 1.0)
    assert ask(f"http://127.0.0.1:{one.health}/healthz")[0] == 200
    assert len(said()) == 1, "eleven watches, one reason"
    assert errors(one, "cannot watch") == said(), "and no other, though the server hangs up as well"
    tokens.renew()
    one.wait_ready()
    space.create(runtime(), trainjob())
    space.wait_jobset()
