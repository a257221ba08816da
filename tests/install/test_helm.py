"""The chart, by Helm itself: installed, upgraded, removed and installed again, with the operator under
the installed ServiceAccount and a TrainJob that runs through it all.

No chart was released yet. The earlier one that is upgraded from is made of this one: a lower version, CRDs
without a field, and without one runtime and one object that came later."""
import json
import shutil
import subprocess

import pytest
import yaml

from client import path_of
from kit import API, JOBSET_API, at_rest, runtime, trainjob, wait_for
from neighbours import END
from printed import PROGRAM, ROOT, docs, install, program, said
from running import NAME, SECRET, SYSTEM, Operator, complete, create, remove, trainjobs

RELEASE, EARLIER = "trainyard", "0.0.9"
FIELD, LATER_RUNTIME, LATER_TEMPLATE = "ttlSecondsAfterFinished", "flux", "network"
CRDS = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
INSIDE = [  # kinds of the chart that live in its namespace, and the Lease
    ("apps/v1", "Deployment"), ("v1", "Service"), ("v1", "ConfigMap"), ("v1", "Secret"),
    ("v1", "ServiceAccount"), ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"), ("policy/v1", "PodDisruptionBudget"),
    ("networking.k8s.io/v1", "NetworkPolicy"), ("coordination.k8s.io/v1", "Lease")]
CLUSTER_WIDE = [("rbac.authorization.k8s.io/v1", "ClusterRole"),
                ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
                ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
                ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
                (API, "ClusterTrainingRuntime"), CRDS]
KUBERNETES_OWN = {"ServiceAccount/default", "ConfigMap/kube-root-ca.crt"}


def earlier_chart(folder):
    chart = folder / "earlier"
    shutil.copytree(ROOT / "charts/trainyard", chart)
    about = yaml.safe_load((chart / "Chart.yaml").read_text())
    about["version"] = about["appVersion"] = EARLIER
    (chart / "Chart.yaml").write_text(yaml.safe_dump(about))
    crd = json.loads((chart / "crds/trainjobs.json").read_text())
    crd["metadata"]["annotations"]["trainer.kubeflow.org/crd-digest"] = EARLIER
    for version in crd["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        del spec["properties"][FIELD]
        spec["x-kubernetes-validations"] = [rule for rule in spec.get("x-kubernetes-validations", [])
                                            if FIELD not in json.dumps(rule)]
    (chart / "crds/trainjobs.json").write_text(json.dumps(crd))
    (chart / f"files/runtimes/{LATER_RUNTIME}.yaml").unlink()
    (chart / f"templates/{LATER_TEMPLATE}.yaml").unlink()
    return chart


class Helm:
    def __init__(self, plane):
        self.plane, self.api, self.namespace = plane, plane.client(), SYSTEM

    def words(self, *words):
        return [program("helm"), *words, "-n", self.namespace, "--kubeconfig", self.plane.kubeconfig()]

    def __call__(self, *words):
        return said(*self.words(*words))

    def refused(self, *words):
        """What Helm says when it does not do it."""
        done = subprocess.run(self.words(*words), text=True, capture_output=True, timeout=300)
        assert done.returncode != 0, done.stdout
        return done.stderr

    def has_field(self):
        return f'"{FIELD}"' in json.dumps(self.api.get(*CRDS, None, "trainjobs.trainer.kubeflow.org"))

    def crds(self):
        """{name: (uid, digest of the chart's)}: the same objects, or made anew?"""
        return {doc["metadata"]["name"]: (doc["metadata"]["uid"],
                                          doc["metadata"]["annotations"]["trainer.kubeflow.org/crd-digest"])
                for doc in self.api.list(*CRDS) if doc["spec"]["group"] == API.split("/")[0]}

    def left(self):
        """Names of all that is there of the chart's kinds, Kubernetes' own aside."""
        found = {f"{kind}/{doc['metadata']['name']}" for version, kind in INSIDE
                 for doc in self.api.list(version, kind, SYSTEM)}
        for version, kind in CLUSTER_WIDE:
            found |= {f"{kind}/{doc['metadata']['name']}" for doc in self.api.list(version, kind)
                      if "trainer" in json.dumps(doc["metadata"])}
        return found - KUBERNETES_OWN

    def runtimes(self):
        return {doc["metadata"]["name"] for doc in self.api.list(API, "ClusterTrainingRuntime")}

    def state(self, *names):
        return {(kind, name): self.api.get(version, kind, "default", name)["metadata"]["resourceVersion"]
                for version, kind in ((API, "TrainJob"), (JOBSET_API, "JobSet")) for name in names}

    def takes(self, doc):
        """Whether the API server knows all of its fields."""
        path = f"/apis/{API}/namespaces/default/trainjobs?dryRun=All&fieldValidation=Strict"
        code, answer = self.api.request("POST", path, doc)
        assert code == 201 or FIELD in answer["message"], answer
        return code == 201


def ours():
    return [doc for doc in install() if doc["kind"] != "Namespace"]


def crds_of(objects):
    return {f"{doc['kind']}/{doc['metadata']['name']}" for doc in objects
            if doc["kind"] == "CustomResourceDefinition"}


@pytest.fixture
def helm(plane):
    """On a cluster that has never seen a trainer."""
    one = Helm(plane)
    version = one.api.must("GET", "/version")["gitVersion"]
    if not version.startswith("v1."):
        pytest.skip(f"this kube-apiserver says that it is {version}, and Helm believes it: build "
                    "kube-apiserver-named, or remove the old kube-apiserver from the cache")
    remove(one.api, install("--no-runtimes"))  # they go with their CRD
    yield one
    one.api.install(docs(said(PROGRAM, "crds")))
    remove(one.api, trainjobs(one.api))


def runtimes_of_the_catalog():
    return {d["metadata"]["name"] for d in ours() if d["kind"] == "ClusterTrainingRuntime"}


def test_first_install_is_one_command(helm):
    """On a cluster that has never seen the CRDs; nothing is waited for afterwards."""
    assert helm.api.request("GET", path_of(API, "ClusterTrainingRuntime"), raw=True)[0] == 404
    said_ = helm("install", RELEASE, ROOT / "charts/trainyard", "--create-namespace")
    listed = said(program("kubectl"), "get", "clustertrainingruntimes", "-o", "name",
                  "--kubeconfig", helm.plane.kubeconfig()).split()
    assert {name.split("/")[1] for name in listed} == runtimes_of_the_catalog()
    assert "kubectl get clustertrainingruntimes" in said_ and "--take-ownership" not in said_
    helm("uninstall", RELEASE)


def test_from_install_to_uninstall(helm, plane, tmp_path, nothing_denied):
    chart, names = ROOT / "charts/trainyard", runtimes_of_the_catalog()
    earlier = earlier_chart(tmp_path)
    helm("install", RELEASE, earlier, "--create-namespace")
    assert helm.runtimes() == names - {LATER_RUNTIME}
    operator = Operator(plane, tmp_path / "operator").start()
    create(helm.api, runtime("long"))
    create(helm.api, runtime("quick", {END: "succeed"}))
    create(helm.api, trainjob("runs", "long"))
    wait_for("its JobSet is there", lambda: helm.api.get(JOBSET_API, "JobSet", "default", "runs"))
    create(helm.api, trainjob("one", "quick"))
    wait_for("a TrainJob is complete", lambda: complete(helm.api, "one"))
    assert not helm.takes(trainjob("new", "quick", **{FIELD: 0}))

    # Upgraded: the CRDs, too.
    before, bundles = at_rest(lambda: helm.state("runs", "one")), operator.bundles()
    secret = helm.api.get("v1", "Secret", SYSTEM, SECRET)["data"]
    assert all(bundles) and len(secret) == 4
    helm("upgrade", RELEASE, chart, "--set", "replicas=3")
    wait_for("the new field is known", lambda: helm.takes(trainjob("new", "quick", **{FIELD: 0})))
    assert helm.runtimes() == names
    assert helm.api.get("networking.k8s.io/v1", "NetworkPolicy", SYSTEM, NAME)
    live = helm.api.get("apps/v1", "Deployment", SYSTEM, NAME)["spec"]
    assert live["replicas"] == 3
    assert not live["template"]["spec"]["containers"][0]["image"].endswith(EARLIER)
    assert helm.api.get("v1", "Secret", SYSTEM, SECRET)["data"] == secret
    assert operator.bundles() == bundles
    create(helm.api, trainjob("two", "quick"))
    wait_for("the next one is complete", lambda: complete(helm.api, "two"))
    assert helm.state("runs", "one") == before

    # Rolled back, CRDs and all, and forward again: TrainJobs go on.
    upgraded = helm.crds()
    helm("rollback", RELEASE, "1")
    wait_for("the field is unknown again", lambda: not helm.takes(trainjob("new", "quick", **{FIELD: 0})))
    assert helm.runtimes() == names - {LATER_RUNTIME}
    live = helm.api.get("apps/v1", "Deployment", SYSTEM, NAME)["spec"]
    assert live["replicas"] != 3 and live["template"]["spec"]["containers"][0]["image"].endswith(EARLIER)
    assert {name: uid for name, (uid, _) in helm.crds().items()} == {
        name: uid for name, (uid, _) in upgraded.items()}
    create(helm.api, trainjob("back", "quick"))
    wait_for("one is complete after the rollback", lambda: complete(helm.api, "back"))
    helm("rollback", RELEASE, "2")
    wait_for("the new field is known", lambda: helm.takes(trainjob("new", "quick", **{FIELD: 0})))
    assert helm.crds() == upgraded and helm.runtimes() == names
    assert helm.state("runs", "one") == before
    operator.stop()

    # Gone, but for what is meant to stay: the CRDs, with them the TrainJobs, and the Lease.
    helm("uninstall", RELEASE)
    stay = crds_of(ours()) | {"Lease/trainer.kubeflow.org"}
    wait_for("no more than that is left", lambda: helm.left() == stay)
    assert helm.state("runs", "one") == before

    # And again, over what stayed.
    helm("install", RELEASE, chart)
    assert helm.runtimes() == names  # the kind is known already
    operator = Operator(plane, tmp_path / "again").start()
    create(helm.api, trainjob("three", "quick"))
    wait_for("the next one is complete", lambda: complete(helm.api, "three"))
    assert helm.state("runs", "one") == before
    operator.stop()
    helm("uninstall", RELEASE)
    wait_for("no more than that is left", lambda: helm.left() == stay)


def test_release_of_another_name(helm, tmp_path):
    """Its CRDs come from crds/, too, and belong to no release: Helm upgrades them once it is told to take them,
    and until then says what is in the way and does nothing."""
    chart, names, earlier = ROOT / "charts/trainyard", runtimes_of_the_catalog(), earlier_chart(tmp_path)
    helm.namespace = "ml"
    assert "--take-ownership" in helm("install", "mine", earlier, "--create-namespace")
    assert helm.runtimes() == names - {LATER_RUNTIME} and not helm.has_field()
    before = helm.crds()
    helm("upgrade", "mine", earlier, "--set", "replicas=3")  # as long as they do not change
    assert "invalid ownership metadata" in helm.refused("upgrade", "mine", chart)
    assert helm.crds() == before and helm.runtimes() == names - {LATER_RUNTIME}
    assert "--take-ownership" not in helm("upgrade", "mine", chart, "--take-ownership")
    assert helm.has_field() and helm.runtimes() == names
    upgraded = helm.crds()
    helm("upgrade", "mine", chart)  # from now on as any
    helm("rollback", "mine", "1")   # whose manifest has no CRDs: they stay, and so would TrainJobs
    assert {name: uid for name, (uid, _) in helm.crds().items()} == {
        name: uid for name, (uid, _) in before.items()}
    assert helm.crds() == upgraded
    helm("uninstall", "mine")
    assert helm.crds() == upgraded
    helm.api.delete("v1", "Namespace", None, "ml")


def test_crds_of_others_are_not_taken_silently(helm):
    """kubectl's, kustomize's or v2.3.0's: they may lack fields, so Helm has to be told."""
    helm.api.install(docs(said(PROGRAM, "crds")))
    chart = ROOT / "charts/trainyard"
    assert "invalid ownership metadata" in helm.refused("install", RELEASE, chart, "--create-namespace")
    helm("install", RELEASE, chart, "--create-namespace", "--take-ownership")
    assert helm.runtimes() == runtimes_of_the_catalog()
    helm("uninstall", RELEASE)
