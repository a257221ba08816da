"""`trainyard install`, manifests/ and charts/trainyard say the same."""
import json
import subprocess

import pytest
import yaml

import binaries
from printed import PROGRAM, ROOT, docs, install, key, program, said

SYSTEM = "kubeflow-system"


def by_key(objects):
    found = {key(doc): doc for doc in objects}
    assert len(found) == len(objects), "an object comes twice"
    return found


def same(ours, theirs):
    """Fails with the first object that differs, and where."""
    ours, theirs = by_key(ours), by_key(theirs)
    assert sorted(ours) == sorted(theirs)
    for name, doc in ours.items():
        assert doc == theirs[name], name


def test_what_is_generated_is_checked_in(tmp_path):
    """After a change: tools/manifests PROGRAM."""
    said(ROOT / "tools/manifests", PROGRAM, tmp_path)
    made = {p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert len(made) > 40
    for path, text in made.items():
        assert (ROOT / path).exists() and (ROOT / path).read_text() == text, path
    for folder in ("charts/trainyard", "manifests/base/crds", "manifests/base/runtimes"):
        for path in (ROOT / folder).rglob("*"):
            assert path.is_dir() or path.relative_to(ROOT) in made, f"{path} is of no use any more"


def test_kustomize_says_the_same():
    kubectl = program("kubectl")
    built = []
    for overlay in ("manager", "runtimes"):
        built += docs(said(kubectl, "kustomize", ROOT / "manifests/overlays" / overlay))
    same(install(), built)


def test_kustomize_for_a_platform():
    built = docs(said(program("kubectl"), "kustomize", ROOT / "manifests/overlays/platform"))
    same([doc for doc in install("-n", "kubeflow") if doc["kind"] != "Namespace"], built)


def test_kustomize_monitor(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "m").symlink_to(ROOT / "manifests")
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "components": ["../m/components/monitor"]}))
    built = docs(said(program("kubectl"), "kustomize", folder))
    assert built == [doc for doc in install("--service-monitor") if doc["kind"] == "ServiceMonitor"]


# ---- who may reach which port

def policy(objects):
    """{port: who may reach it, None for everybody}."""
    rules = [doc for doc in objects if doc["kind"] == "NetworkPolicy"][0]["spec"]["ingress"]
    ports = [rule["ports"][0]["port"] for rule in rules]
    assert all(len(rule["ports"]) == 1 for rule in rules) and len(set(ports)) == len(ports)
    return {port: rule.get("from") for port, rule in zip(ports, rules)}


def test_ports_are_for_those_who_ask():
    found = policy(install())
    assert found["webhook"] is None, "API servers run where no selector finds them"
    assert "health" not in found, "a pod's own node is always admitted"
    assert all("namespaceSelector" in peer for peer in found["metrics"])
    assert [sorted(peer) for peer in found["status-server"]] == [["namespaceSelector", "podSelector"]]
    deployment = next(doc for doc in install() if doc["kind"] == "Deployment")
    ports = [p["name"] for p in deployment["spec"]["template"]["spec"]["containers"][0]["ports"]]
    assert sorted([*found, "health"]) == sorted(ports), "every port was thought of"


# ---- Helm

KNOWN = ("--api-versions", "trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime")


def template(*words, namespace=SYSTEM, known=KNOWN):
    """As on a cluster that has the CRDs, if not told otherwise."""
    return docs(said(program("helm"), "template", "trainer", ROOT / "charts/trainyard",
                     "--kube-version", binaries.K8S, "--namespace", namespace, *known, *words))


def plain(doc):
    """Without what only Helm needs; the configuration as what it says."""
    meta = doc["metadata"]
    for name in [n for n in meta.get("annotations") or {} if "helm.sh/" in n]:
        del meta["annotations"][name]
    if "annotations" in meta and not meta["annotations"]:
        del meta["annotations"]
    (meta.get("labels") or {}).pop("app.kubernetes.io/managed-by", None)
    if doc["kind"] == "Deployment":
        pod = doc["spec"]["template"]
        pod["metadata"]["annotations"].pop("checksum/config", None)
        pod["spec"]["containers"][0].pop("imagePullPolicy", None)
    for name, text in (doc.get("data") or {}).items():
        if name.endswith(".yaml"):
            doc["data"][name] = yaml.safe_load(text)
    return doc


def same_as_chart(ours, *words, **more):
    same([plain(doc) for doc in ours if doc["kind"] != "Namespace"],
         [plain(doc) for doc in template(*words, **more)])


def test_chart_says_the_same():
    same_as_chart(install())


def test_chart_with_other_values():
    same_as_chart(install("-n", "elsewhere", "--image", "r.example/ty", "--version", "7",
                          "--replicas", "3", "--no-crds", "--service-monitor",
                          "--runtimes", "flux,torch-distributed-with-cache"),
                  "--set", "image.repository=r.example/ty,replicas=3,crds.enabled=false",
                  "--set-string", "image.tag=7",
                  "--set", "serviceMonitor.enabled=true",
                  "--set", "runtimes.only={flux,torch-distributed-with-cache}",
                  namespace="elsewhere")


def test_chart_switches_off():
    left = template("--set", "userRoles.enabled=false,podDisruptionBudget.enabled=false",
                    "--set", "networkPolicy.enabled=false,runtimes.enabled=false")
    kinds = {doc["kind"] for doc in left}
    assert not kinds & {"PodDisruptionBudget", "NetworkPolicy", "ClusterTrainingRuntime"}
    assert [doc["metadata"]["name"] for doc in left if doc["kind"] == "ClusterRole"] == [
        "kubeflow-trainer-controller-manager"]


def test_chart_admits_whom_it_is_told():
    """A list replaces the default; an empty one admits everybody, as in a NetworkPolicy; the others stay."""
    usual = policy(template())
    assert usual == policy(install())
    hosts, pods = [{"ipBlock": {"cidr": "10.1.0.0/16"}}], [{"podSelector": {"matchLabels": {"a": "b"}}}]
    found = policy(template("--set-json", f"networkPolicy.webhook.from={json.dumps(hosts)}",
                            "--set-json", f"networkPolicy.metrics.from={json.dumps(pods)}"))
    assert found == {**usual, "webhook": hosts, "metrics": pods}
    found = policy(template("--set-json", "networkPolicy.status.from=[]"))
    assert found == {**usual, "status-server": None}


@pytest.mark.parametrize("seconds", [0, 5, 60, 300])
def test_chart_drains(seconds):
    """The API server refuses a pod that would sleep longer than it is given to end; the operator's own end
    takes ten seconds at the most."""
    pod = next(doc for doc in template("--set", f"drainSeconds={seconds}")
               if doc["kind"] == "Deployment")["spec"]["template"]["spec"]
    sleep = {"preStop": {"sleep": {"seconds": seconds}}} if seconds else None
    assert pod["containers"][0].get("lifecycle") == sleep
    assert pod["terminationGracePeriodSeconds"] == seconds + 25


def test_chart_for_a_cluster_without_the_crds():
    """Helm cannot create objects of a kind that the same release brings."""
    left = template(known=())
    assert not [doc for doc in left if doc["kind"] == "ClusterTrainingRuntime"]
    same([doc for doc in template() if doc["kind"] != "ClusterTrainingRuntime"], left)
    same(template(), template("--is-upgrade", known=()))


def test_chart_lints():
    said(program("helm"), "lint", "--strict", ROOT / "charts/trainyard")


@pytest.mark.parametrize("value, said_", [
    ("replicas=0", "replicas"), ("image.pullPolicy=Sometimes", "pullPolicy"),
    ("runtime.enabled=true", "runtime"), ("runtimes.only={torch}", 'there is no runtime "torch"'),
    ("featureGates=yes", "featureGates"), ("drainSeconds=-1", "drainSeconds"),
    ("networkPolicy.metrics.from=monitoring", "from"), ("networkPolicy.health.from={}", "health"),
    ("drainSeconds=301", "drainSeconds"), ("drainSeconds=5s", "drainSeconds")])
def test_chart_refuses(value, said_):
    done = subprocess.run([program("helm"), "template", "x", ROOT / "charts/trainyard",
                           "--kube-version", binaries.K8S, "--set", value], capture_output=True, text=True)
    assert done.returncode != 0 and said_ in done.stderr


# ---- the catalog

RUNTIMES = ["deepspeed-distributed", "flux", "jax-distributed", "mlx-distributed",
            "mpi", "mpi-distributed", "tensorflow-distributed", "torch-distributed",
            "torch-distributed-with-cache", "torchtune-llama3.2-1b", "torchtune-llama3.2-3b",
            "torchtune-qwen2.5-1.5b", "xgboost-distributed"]
STEP = "trainer.kubeflow.org/trainjob-ancestor-step"


def test_catalog_is_whole():
    names = [doc["metadata"]["name"] for doc in docs(said(PROGRAM, "runtimes", "-o", "yaml"))]
    assert sorted(names) == RUNTIMES


@pytest.mark.parametrize("name", RUNTIMES)
def test_runtime_as_the_sdk_wants_it(name, tmp_path):
    """spec.mlPolicy, a framework label, a trainer step with a container `node` that has an image; and
    it is valid, and renders with a trainer and with the initializers that it has."""
    runtime = docs(said(PROGRAM, "runtimes", name))[0]
    assert runtime["metadata"]["labels"]["trainer.kubeflow.org/framework"]
    assert runtime["spec"]["mlPolicy"]["numNodes"] == 1
    jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    steps = {job["template"].get("metadata", {}).get("labels", {}).get(STEP): job for job in jobs}
    node = [c for c in steps["trainer"]["template"]["spec"]["template"]["spec"]["containers"]
            if c["name"] == "node"]
    assert node and node[0]["image"] and ":" in node[0]["image"]
    initializers = {kind: {"storageUri": "hf://who/what"} for kind in ("dataset", "model")
                    if f"{kind}-initializer" in steps}
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
           "metadata": {"name": "job"}, "spec": {"runtimeRef": {"name": name}}}
    if initializers:
        job["spec"]["initializer"] = initializers
    if "torchtune" not in name:
        job["spec"]["trainer"] = {"numNodes": 2, "command": ["python", "train.py"]}
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job))
    (tmp_path / "runtime.yaml").write_text(yaml.safe_dump(runtime))
    said(PROGRAM, "validate", "-f", tmp_path)
    kinds = [doc["kind"] for doc in docs(said(PROGRAM, "render", "-f", tmp_path / "job.yaml"))]
    assert "JobSet" in kinds
