"""The chart, by Helm itself: installed, upgraded, removed and installed again, with the operator under
the installed ServiceAccount and a TrainJob that runs through it all.

No chart was released yet. The earlier one that is upgraded from is made of this one: a lower version, CRDs
without a field, and without one runtime and one object that came later."""
import json
import shutil

import pytest
import yaml

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
    crd = json.loads((chart / "files/crds/trainjobs.json").read_text())
    for version in crd["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        del spec["properties"][FIELD]
        spec["x-kubernetes-validations"] = [rule for rule in spec.get("x-kubernetes-validations", [])
                                            if FIELD not in json.dumps(rule)]
    (chart / "files/crds/trainjobs.json").write_text(json.dumps(crd))
    (chart / f"files/runtimes/{LATER_RUNTIME}.yaml").unlink()
    (chart / f"templates/{LATER_TEMPLATE}.yaml").unlink()
    return chart


class Helm:
    def __init__(self, plane):
        self.plane, self.api = plane, plane.client()

    def __call__(self, *words):
        return said(program("helm"), *words, "-n", SYSTEM, "--kubeconfig",
                    self.plane.kubeconfig())

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


def test_from_install_to_uninstall(helm, plane, tmp_path, nothing_denied):
    chart, names = ROOT / "charts/trainyard", {d["metadata"]["name"] for d in ours()
                                               if d["kind"] == "ClusterTrainingRuntime"}
    earlier = earlier_chart(tmp_path)
    assert "The runtimes are NOT installed yet" in helm("install", RELEASE, earlier,
                                                        "--create-namespace")
    crds = docs(said(PROGRAM, "crds"))
    wait_for("the CRDs are served", lambda: all(map(helm.api.served, crds)))
    assert helm.runtimes() == set()
    assert "NOT installed" not in helm("upgrade", RELEASE, earlier)
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
