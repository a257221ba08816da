"""The program under test, asked about a cluster."""
import json
import os
import subprocess

from kit import wait_for
from manager import PROGRAM


class Said:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\n{self.out}\n{self.err}"


def ask(kubeconfig, *words, env=None):
    words = [str(w) for w in (PROGRAM, *words, *(("--kubeconfig", kubeconfig) if kubeconfig else ()))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240,
                          env=dict(os.environ, **(env or {})))
    assert "Sanitizer" not in done.stderr, done.stderr
    return Said(done)


def may(api, name, rule):
    """What the API server's authorizer says, which hears of roles a moment after they are stored."""
    return api.create({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {}, "spec": {
            "user": f"system:serviceaccount:default:{name}", "resourceAttributes": {
                "group": rule["apiGroups"][0], "resource": rule["resources"][0],
                "verb": rule["verbs"][0]}}})["status"]["allowed"]


def account(plane, name, rules):
    """A kubeconfig of a ServiceAccount that may do this and nothing else."""
    api, rbac = plane.client(), "rbac.authorization.k8s.io"
    api.install([
        {"apiVersion": "v1", "kind": "ServiceAccount",
         "metadata": {"name": name, "namespace": "default"}},
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": {"name": name},
         "rules": rules},
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
         "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": name},
         "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}]}])
    for rule in rules[-1:]:  # one is as good as all: they are read together
        wait_for(f"{name} has its rights", lambda r=rule: may(api, name, r))
    token = api.must("POST", f"/api/v1/namespaces/default/serviceaccounts/{name}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    config = json.loads(plane.kubeconfig().read_text())
    config["users"][0]["user"] = {"token": token["status"]["token"]}
    path = plane.folder / f"kubeconfig-{name}"
    path.write_text(json.dumps(config))
    return path
