"""A cluster in which what is printed is installed, and the operator as its pod would run."""
import json
import signal
import subprocess
import urllib.request

import pytest
import yaml

import binaries
import rights
from client import APPLY, Refused, path_of, path_of_doc
from kit import API, WAIT_SECONDS, wait_for
from manager import probes
from neighbours import FullPlane
from plane import die_with_parent, free_ports
from printed import PROGRAM, key

SUMMARY = pytest.StashKey()  # a line for the end of the run
SYSTEM, NAME = rights.SYSTEM, rights.ACCOUNT
ADMISSION = "admissionregistration.k8s.io/v1"
NAMED = "kube-apiserver-named"
SECRET = "kubeflow-trainer-webhook-cert"
HOOKS = [("MutatingWebhookConfiguration", "defaulter.trainer.kubeflow.org"),
         ("ValidatingWebhookConfiguration", "validator.trainer.kubeflow.org")]


class AuditedPlane(FullPlane):
    """Everybody who makes a JobSet run; the requests of the installed account are in the log. Who blocks
    the deletion of an owner must have the right to: OpenShift is that strict, too."""

    admission = ("OwnerReferencesPermissionEnforcement",)
    apiserver = NAMED if binaries.find(NAMED) else "kube-apiserver"  # Helm asks for its version


class Operator:
    """The operator as the kubelet would start it, but for addresses: this machine has one."""

    user = "account"  # as the audit log is read

    def __init__(self, plane, folder, settings=None, namespace=SYSTEM):
        self.plane, self.folder, self.settings = plane, folder, settings or {}
        self.namespace = namespace
        folder.mkdir(parents=True, exist_ok=True)
        self.api, self.child = plane.client(), None
        self.hook, self.health, self.metrics, self.status = free_ports(4)

    def account_kubeconfig(self):
        """Of the installed ServiceAccount, with a token as its pods get."""
        self.plane.become(self.user, self.namespace, NAME)
        config = json.loads(self.plane.kubeconfig().read_text())
        config["users"][0]["user"] = {"token": self.plane.tokens[self.user]}
        path = self.folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return path

    def configuration(self):
        """The installed one, on free ports of 127.0.0.1."""
        live = self.api.get("v1", "ConfigMap", self.namespace, "kubeflow-trainer-config")
        config = yaml.safe_load(live["data"]["controller_manager_config.yaml"])
        config["webhook"] = {"host": "127.0.0.1", "port": self.hook}
        config["health"] = {"healthProbeBindAddress": f"127.0.0.1:{self.health}"}
        config["metrics"] = {"bindAddress": f"127.0.0.1:{self.metrics}"}
        config["statusServer"] = {"port": self.status}
        for name, value in self.settings.items():
            config.setdefault(name, {}).update(value)
        path = self.folder / "config.yaml"
        path.write_text(yaml.safe_dump(config))
        return path

    def in_pod(self, command):
        """A pod's view of its own namespace: the file that Kubernetes mounts, for this process only."""
        if self.namespace == SYSTEM:
            return command  # what the operator takes where there is no such file
        script = ('mount -t tmpfs tmpfs /run && mkdir -p "${1%/*}" && printf %s "$0" > "$1" && shift && '
                  'exec "$@"')
        return ("unshare", "-rm", "sh", "-c", script, self.namespace,
                "/run/secrets/kubernetes.io/serviceaccount/namespace", *command)

    def spawn(self, command=(PROGRAM, "operator")):
        words = [*self.in_pod(command), f"--config={self.configuration()}",
                 f"--kubeconfig={self.account_kubeconfig()}", "--zap-log-level=2"]
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen([str(w) for w in words], stdout=log, stderr=log,
                                          preexec_fn=die_with_parent)
        return self

    def start(self, command=(PROGRAM, "operator")):
        self.spawn(command)
        wait_for("the operator is ready", self.ready)
        self.point_webhooks_here()
        return self

    def log(self):
        return (self.folder / "log").read_text(errors="replace")

    def ready(self):
        assert self.child.poll() is None, self.log()[-3000:]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=60) as r:
                return r.status == 200
        except OSError:
            return False

    def point_webhooks_here(self):
        """There is no Service network here: the API server goes to this machine instead."""
        self.api.delete("v1", "Service", self.namespace, NAME)
        self.api.create({"apiVersion": "v1", "kind": "Service",
                         "metadata": {"name": NAME, "namespace": self.namespace},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}})
        for kind, name in HOOKS:
            wait_for("the port is taken over", lambda k=kind, n=name: self.point(k, n))
        wait_for("the API server asks this one", lambda: all(ours for _, ours in probes(self.api)))

    def point(self, kind, name):
        path = path_of(ADMISSION, kind, None, name)
        live = self.api.must("GET", path)
        for hook in live["webhooks"]:
            hook["clientConfig"]["service"]["port"] = self.hook
        return self.api.request("PUT", path, live)[0] == 200  # 409: a CA came meanwhile

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(90) == 0, self.log()[-3000:]

    def bundles(self):
        """The CAs that the operator has put into the webhooks."""
        return [hook["clientConfig"].get("caBundle") for kind, name in HOOKS
                for hook in self.api.get(ADMISSION, kind, None, name)["webhooks"]]


def apply(api, objects, manager="kubectl"):
    for doc in objects:
        api.must("PATCH", f"{path_of_doc(doc)}?fieldManager={manager}&force=true&fieldValidation=Strict", doc,
                 APPLY)
        assert not api.warnings, api.warnings


def create(api, doc, namespace="default"):
    """As soon as the webhooks answer and know the runtime."""
    def look():
        try:
            return api.create(doc, namespace)
        except Refused as e:
            assert e.code in (403, 500), e
            return None

    return wait_for(f"{doc['kind']} {doc['metadata']['name']} is taken", look)


def complete(api, name):
    job = api.get(API, "TrainJob", "default", name)
    return any(c["type"] == "Complete" and c["status"] == "True"
               for c in (job.get("status") or {}).get("conditions") or [])


def trainjobs(api):
    """All of the namespace `default`, to be removed: a later operator shall not work on them."""
    return [{"apiVersion": API, "kind": "TrainJob",
             "metadata": {"name": job["metadata"]["name"], "namespace": "default"}}
            for job in api.list(API, "TrainJob", "default")]


def remove(api, objects):
    for doc in reversed(objects):
        api.delete(doc["apiVersion"], doc["kind"], doc["metadata"].get("namespace"),
                   doc["metadata"]["name"])

    def left():
        return [key(doc) for doc in objects
                if api.request("GET", path_of_doc(doc), raw=True)[0] != 404]

    try:
        wait_for("all of it is gone", lambda: not left(), 2 * WAIT_SECONDS)
    except AssertionError as e:
        raise AssertionError(f"{e}; left: {left()}") from None
