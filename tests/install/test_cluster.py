"""What is printed, on a real API server: applied strictly, the operator under the installed
ServiceAccount with the installed configuration, upgraded, removed; over v2.3.0 and back."""
import json
import signal
import subprocess
import urllib.request

import pytest
import yaml

import binaries
from client import APPLY, Refused, path_of, path_of_doc
from printed import PROGRAM, docs, install, key, program, said
from kit import API, JOBSET_API, WAIT_SECONDS, runtime, trainjob, wait_for
from neighbours import END, FullPlane
from plane import die_with_parent, free_ports

SYSTEM, NAME = "kubeflow-system", "kubeflow-trainer-controller-manager"
ACCOUNT = f"system:serviceaccount:{SYSTEM}:{NAME}"
ADMISSION = "admissionregistration.k8s.io/v1"
HOOKS = [("MutatingWebhookConfiguration", "defaulter.trainer.kubeflow.org"),
         ("ValidatingWebhookConfiguration", "validator.trainer.kubeflow.org")]
AUDITED = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
           "rules": [{"level": "Metadata", "users": [ACCOUNT]}, {"level": "None"}]}


class AuditedPlane(FullPlane):
    """Everybody who makes a JobSet run; the requests of the installed account are in the log."""

    def _apiserver(self, *words):
        (self.folder / "audit.yaml").write_text(json.dumps(AUDITED))
        return super()._apiserver(*words)

    def denied(self):
        """Requests of the operator for which it had no right."""
        lines = (self.folder / "log/audit.log").read_text().splitlines()
        return [f"{e['verb']} {e['requestURI']}" for e in map(json.loads, lines)
                if e.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid"]


@pytest.fixture(scope="module")
def plane():
    if binaries.why_not(binaries.FULL):
        pytest.skip(binaries.why_not(binaries.FULL))
    binaries.build(binaries.FULL, binaries.SUITE_MANIFESTS)
    crds = docs(said(PROGRAM, "crds"))
    running = AuditedPlane(PROGRAM.parent / "install/plane", crds).start()
    yield running
    running.stop()


def apply(api, objects, manager="kubectl"):
    for doc in objects:
        api.must("PATCH", f"{path_of_doc(doc)}?fieldManager={manager}&force=true&fieldValidation=Strict", doc,
                 APPLY)
        assert not api.warnings, api.warnings


class Operator:
    """The operator as the kubelet would start it, but for addresses: this machine has one."""

    def __init__(self, plane, folder):
        self.plane, self.folder = plane, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.api = plane.client()

    def account_kubeconfig(self):
        """Of the installed ServiceAccount, with a token as its pods get."""
        token = self.api.must("POST", f"/api/v1/namespaces/{SYSTEM}/serviceaccounts/{NAME}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {}})["status"]["token"]
        config = json.loads(self.plane.kubeconfig().read_text())
        config["users"][0]["user"] = {"token": token}
        path = self.folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return path

    def configuration(self):
        """The installed one, on free ports of 127.0.0.1."""
        live = self.api.get("v1", "ConfigMap", SYSTEM, "kubeflow-trainer-config")
        config = yaml.safe_load(live["data"]["controller_manager_config.yaml"])
        self.hook, self.health, metrics, status = free_ports(4)
        config["webhook"] = {"host": "127.0.0.1", "port": self.hook}
        config["health"] = {"healthProbeBindAddress": f"127.0.0.1:{self.health}"}
        config["metrics"] = {"bindAddress": f"127.0.0.1:{metrics}"}
        config["statusServer"] = {"port": status}
        path = self.folder / "config.yaml"
        path.write_text(yaml.safe_dump(config))
        return path

    def start(self, command=(PROGRAM, "operator")):
        words = [*command, f"--config={self.configuration()}",
                 f"--kubeconfig={self.account_kubeconfig()}", "--zap-log-level=2"]
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen([str(w) for w in words], stdout=log, stderr=log,
                                          preexec_fn=die_with_parent)
        wait_for("the operator is ready", self.ready)
        self.point_webhooks_here()
        return self

    def ready(self):
        assert self.child.poll() is None, (self.folder / "log").read_text()[-3000:]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=5) as r:
                return r.status == 200
        except OSError:
            return False

    def point_webhooks_here(self):
        """There is no Service network here: the API server goes to this machine instead."""
        self.api.delete("v1", "Service", SYSTEM, NAME)
        self.api.create({"apiVersion": "v1", "kind": "Service",
                         "metadata": {"name": NAME, "namespace": SYSTEM},
                         "spec": {"type": "ExternalName", "externalName": "localhost"}})
        for kind, name in HOOKS:
            path = path_of(ADMISSION, kind, None, name)
            live = self.api.must("GET", path)
            for hook in live["webhooks"]:
                hook["clientConfig"]["service"]["port"] = self.hook
            self.api.must("PUT", path, live)

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        assert self.child.wait(40) == 0, (self.folder / "log").read_text()[-3000:]

    def bundles(self):
        """The CAs that the operator has put into the webhooks."""
        return [hook["clientConfig"].get("caBundle") for kind, name in HOOKS
                for hook in self.api.get(ADMISSION, kind, None, name)["webhooks"]]


def create(api, doc):
    """As soon as the webhooks answer and know the runtime."""
    def look():
        try:
            return api.create(doc, "default")
        except Refused as e:
            assert e.code in (403, 500), e
            return None

    return wait_for(f"{doc['kind']} {doc['metadata']['name']} is taken", look)


def complete(api, name):
    job = api.get(API, "TrainJob", "default", name)
    return any(c["type"] == "Complete" and c["status"] == "True"
               for c in (job.get("status") or {}).get("conditions") or [])


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


def test_from_install_to_uninstall(plane, tmp_path):
    api, objects = plane.client(), install()
    apply(api, objects)
    operator = Operator(plane, tmp_path).start()
    assert all(operator.bundles())
    create(api, runtime("rt", {END: "succeed"}))
    create(api, trainjob("one"))
    create(api, trainjob("torch", "torch-distributed", "ClusterTrainingRuntime",
                         trainer={"numNodes": 2}))
    wait_for("the TrainJob is complete", lambda: complete(api, "one"))
    wait_for("the JobSet is there", lambda: api.get(JOBSET_API, "JobSet", "default", "torch"))
    with pytest.raises(Refused, match="must be created before"):
        api.create(trainjob("two", "no-such-runtime"), "default")
    assert plane.denied() == []

    secret = api.get("v1", "Secret", SYSTEM, "kubeflow-trainer-webhook-cert")["data"]
    bundles = operator.bundles()
    newer = install("--version", "9.9", "--replicas", "3")
    apply(api, [doc for doc in newer if doc["kind"] != "Service"])  # ours is a stand-in
    live = api.get("apps/v1", "Deployment", SYSTEM, NAME)
    assert live["spec"]["replicas"] == 3
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "trainyard:9.9"
    assert api.get("v1", "Secret", SYSTEM, "kubeflow-trainer-webhook-cert")["data"] == secret
    assert operator.bundles() == bundles
    assert api.get(API, "TrainJob", "default", "torch")
    operator.stop()
    assert plane.denied() == []
    remove(api, newer)


# ---- v2.3.0's objects

def upstream(folder):
    """As its overlay `manager` builds them, without JobSet, which it fetches."""
    go = binaries.find_go()
    if not go:
        pytest.skip("v2.3.0's manifests come from the Go registry, and there is no Go")
    work = folder / "go"
    work.mkdir()
    (work / "go.mod").write_text("module build\ngo 1.26.0\n")
    source = binaries.ask_go(go, work, "download", "-json", binaries.TRAINER)["Dir"]
    (folder / "m").symlink_to(f"{source}/manifests")
    overlay = folder / "overlay"
    overlay.mkdir()
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "namespace": SYSTEM,
        "resources": [f"../m/base/{part}" for part in ("crds", "manager", "rbac", "webhook")],
        "secretGenerator": [{"name": "kubeflow-trainer-webhook-cert",
                             "options": {"disableNameSuffixHash": True}}]}))
    return docs(said(program("kubectl"), "kustomize", "--load-restrictor=LoadRestrictionsNone",
                     overlay))


def test_over_upstream_and_back(plane, tmp_path):
    """TrainJobs stay as they are, and every object of either side is accepted over the other's."""
    api, theirs, ours = plane.client(), upstream(tmp_path), install()
    api.install([doc for doc in ours if doc["kind"] == "Namespace"])
    api.install([doc for doc in theirs if doc["kind"] == "CustomResourceDefinition"])
    apply(api, theirs)
    assert {key(doc) for doc in theirs if "optimization" not in key(doc)[2]} <= set(map(key, ours))
    apply(api, ours)
    operator = Operator(plane, tmp_path / "operator").start()
    create(api, runtime("mine"))
    create(api, trainjob("stays", "mine"))
    before = wait_for("the JobSet is there",
                      lambda: api.get(JOBSET_API, "JobSet", "default", "stays"))
    operator.stop()
    for objects in (theirs, ours):
        remove(api, [{"apiVersion": "v1", "kind": "Service",
                      "metadata": {"name": NAME, "namespace": SYSTEM}}])
        apply(api, objects)
        live = api.get("apps/v1", "Deployment", SYSTEM, NAME)
        wanted = next(doc for doc in objects if doc["kind"] == "Deployment")
        assert live["spec"]["template"]["spec"]["containers"][0]["image"] == \
            wanted["spec"]["template"]["spec"]["containers"][0]["image"]
    operator = Operator(plane, tmp_path / "operator").start()
    create(api, trainjob("next", "mine"))
    wait_for("the JobSet is there", lambda: api.get(JOBSET_API, "JobSet", "default", "next"))
    after = api.get(JOBSET_API, "JobSet", "default", "stays")
    for field in ("uid", "generation"):
        assert after["metadata"][field] == before["metadata"][field]
    assert plane.denied() == []
    operator.stop()
    for name in ("stays", "next"):
        api.delete(API, "TrainJob", "default", name)
    remove(api, ours + [doc for doc in theirs if "optimization" in key(doc)[2]])


def test_pods_keep_the_restricted_standard(plane):
    """The Deployment's pods are taken by a namespace that enforces `restricted`."""
    api = plane.client()
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {
        "name": "strict", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    template = next(d for d in install() if d["kind"] == "Deployment")["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"},
           "spec": template["spec"]}
    api.create(pod, "strict")
    with pytest.raises(Refused, match="violates PodSecurity"):  # the check is on
        del pod["spec"]["containers"][0]["securityContext"]["capabilities"]
        api.create(dict(pod, metadata={"name": "loose"}), "strict")
