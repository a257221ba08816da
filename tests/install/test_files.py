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


@pytest.mark.parametrize("overlay, namespace", [("operator", SYSTEM), ("platform/operator", "kubeflow")])
def test_kustomize_to_delete(overlay, namespace):
    """What `trainyard uninstall` prints, but for the Lease: no Namespace, no CRD."""
    built = docs(said(program("kubectl"), "kustomize", ROOT / "manifests/overlays" / overlay))
    printed = docs(said(PROGRAM, "uninstall", "-n", namespace, env={"HOME": "/nowhere"}))
    assert sorted(map(key, built)) == sorted(key(doc) for doc in printed if doc["kind"] != "Lease")
    assert not {"Namespace", "CustomResourceDefinition"} & {doc["kind"] for doc in built}


def test_kustomize_with_an_image_of_ones_own():
    """The example that docs/install.md shows."""
    built = docs(said(program("kubectl"), "kustomize", ROOT / "examples/kustomize"))
    ours = install("--image", "registry.example/trainyard:1.0", "--replicas", "3", "--no-runtimes")
    pod = next(doc for doc in ours if doc["kind"] == "Deployment")["spec"]["template"]["spec"]
    pod["containers"][0]["resources"]["limits"]["memory"] = "256Mi"
    same(ours, built)


def test_kustomize_edits_the_image(tmp_path):
    """By digest, too."""
    (tmp_path / "m").symlink_to(ROOT / "manifests")
    digest = "sha256:" + "0a" * 32
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": ["m/overlays/manager"],
        "images": [{"name": "trainyard", "newName": "registry.example/ty", "digest": digest}]}))
    built = docs(said(program("kubectl"), "kustomize", tmp_path, "--load-restrictor=LoadRestrictionsNone"))
    assert image(built) == f"registry.example/ty@{digest}"


def test_kustomize_monitor(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "m").symlink_to(ROOT / "manifests")
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "components": ["../m/components/monitor"]}))
    built = docs(said(program("kubectl"), "kustomize", folder))
    assert built == [doc for doc in install("--service-monitor") if doc["kind"] == "ServiceMonitor"]


def test_kustomize_failure_summary(tmp_path):
    """The component is what `install --failure-summary` prints: rights, and two lines of configuration."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "m").symlink_to(ROOT / "manifests")
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": ["../m/overlays/manager"], "components": ["../m/components/failure-summary"]}))
    built = docs(said(program("kubectl"), "kustomize", folder))
    same(install("--no-runtimes", "--failure-summary"), built)
    names = {doc["metadata"]["name"] for doc in built if doc["kind"] == "ClusterRole"}
    assert "kubeflow-trainer-failure-summary" in names


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

def template(*words, namespace=SYSTEM):
    return docs(said(program("helm"), "template", "trainer", ROOT / "charts/trainyard",
                     "--kube-version", binaries.K8S, "--namespace", namespace, *words))


def deployment(objects):
    return next(doc for doc in objects if doc["kind"] == "Deployment")


def manager(objects):
    return deployment(objects)["spec"]["template"]["spec"]["containers"][0]


def image(objects):
    return manager(objects)["image"]


FOR_TOOLS = ("helm.sh/", "argocd.argoproj.io/", "toolkit.fluxcd.io/", "crd-digest")


def plain(doc):
    """Without what only Helm and GitOps tools need; the configuration as what it says."""
    meta = doc["metadata"]
    for name in [n for n in meta.get("annotations") or {} if any(word in n for word in FOR_TOOLS)]:
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
                          "--replicas", "3", "--no-crds", "--service-monitor", "--failure-summary",
                          "--runtimes", "flux,torch-distributed-with-cache"),
                  "--set", "image.repository=r.example/ty,replicas=3,crds.enabled=false",
                  "--set-string", "image.tag=7",
                  "--set", "serviceMonitor.enabled=true,failureSummary.enabled=true",
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


def test_chart_for_gitops():
    """`helm template` has all of it, and what tells Argo CD the order, and Argo CD and Flux not to delete the
    CRDs: they would take every TrainJob with them."""
    built = template()
    notes = {key(doc): doc["metadata"].get("annotations") or {} for doc in built
             if doc["kind"] in ("CustomResourceDefinition", "ClusterTrainingRuntime")}
    waves = {kind: {int(notes[k]["argocd.argoproj.io/sync-wave"]) for k in notes if k[0] == kind}
             for kind in ("CustomResourceDefinition", "ClusterTrainingRuntime")}
    assert waves == {"CustomResourceDefinition": {-1}, "ClusterTrainingRuntime": {1}}
    for (kind, _, _), note in notes.items():
        options = note["argocd.argoproj.io/sync-options"].split(",")
        if kind == "CustomResourceDefinition":
            assert {"Prune=false", "Delete=false"} <= set(options)
            assert note["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
            assert note["helm.sh/resource-policy"] == "keep"
            assert "meta.helm.sh/release-name" not in note
        else:
            assert options == ["SkipDryRunOnMissingResource=true"]


def test_chart_has_the_crds_for_the_first_install():
    """crds/: the same as the templates', owned by the release that docs/install.md creates."""
    built = template("--include-crds", "--set", "crds.enabled=false")
    crds = [doc for doc in built if doc["kind"] == "CustomResourceDefinition"]
    same([plain(doc) for doc in docs(said(PROGRAM, "crds"))], [unlabelled(plain(doc)) for doc in crds])
    for doc in docs(said(PROGRAM, "crds")):
        assert (ROOT / f"charts/trainyard/crds/{doc['spec']['names']['plural']}.json").exists()


def unlabelled(doc):
    if not doc["metadata"].get("labels", True):
        del doc["metadata"]["labels"]
    return doc


def ports(objects):
    return {port["name"]: port["containerPort"] for port in manager(objects)["ports"]}


def test_chart_ports_follow_the_configuration():
    usual = {"health": 8081, "metrics": 8443, "webhook": 9443, "status-server": 10443}
    assert ports(template()) == usual
    built = template("--set", "config.webhook.port=9444,config.statusServer.port=10444",
                     "--set", r"config.metrics.bindAddress=\:8444",
                     "--set", r"config.health.healthProbeBindAddress=[\:\:]:8082",
                     "--set", "config.health.livenessEndpointName=alive")
    assert ports(built) == {"health": 8082, "metrics": 8444, "webhook": 9444, "status-server": 10444}
    assert manager(built)["livenessProbe"]["httpGet"] == {"path": "/alive", "port": "health"}
    assert manager(built)["readinessProbe"]["httpGet"]["path"] == "/readyz"
    notes = deployment(built)["spec"]["template"]["metadata"]["annotations"]
    assert notes["traffic.sidecar.istio.io/excludeInboundPorts"] == "8444,9444,10444"
    service = {p["name"]: (p["port"], p["targetPort"]) for doc in built if doc["kind"] == "Service"
               for p in doc["spec"]["ports"]}
    # The API server and Prometheus go by name; the operator tells pods the number of its status server.
    assert service == {"webhook-server": (443, "webhook"), "monitoring-port": (8443, "metrics"),
                       "status-server": (10444, "status-server")}
    assert set(policy(built)) == {"webhook", "metrics", "status-server"}  # by name, too
    config = next(doc for doc in built if doc["metadata"]["name"] == "kubeflow-trainer-config")["data"]
    assert yaml.safe_load(config["controller_manager_config.yaml"])["webhook"] == {"port": 9444}


def test_chart_ports_that_are_off():
    built = template("--set-string", "config.metrics.bindAddress=0,config.health.healthProbeBindAddress=0",
                     "--set", "serviceMonitor.enabled=true")
    assert not [doc for doc in built if doc["kind"] == "ServiceMonitor"]  # it would find no port of that name
    assert [doc for doc in template("--set", "serviceMonitor.enabled=true") if doc["kind"] == "ServiceMonitor"]
    assert set(ports(built)) == {"webhook", "status-server"}
    assert not {"livenessProbe", "readinessProbe"} & set(manager(built))
    assert set(policy(built)) == {"webhook", "status-server"}
    service = next(doc for doc in built if doc["kind"] == "Service")
    assert [p["name"] for p in service["spec"]["ports"]] == ["webhook-server", "status-server"]


DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize("values, image_, version", [
    ({"digest": DIGEST}, f"r.example:5000/ty@{DIGEST}", None),
    ({"digest": DIGEST, "tag": "7"}, f"r.example:5000/ty:7@{DIGEST}", "7"),
    ({"tag": f"7@{DIGEST}"}, f"r.example:5000/ty:7@{DIGEST}", "7"),
    ({"tag": DIGEST}, f"r.example:5000/ty@{DIGEST}", None),
    ({"tag": "x" * 70}, "r.example:5000/ty:" + "x" * 70, "x" * 63),
    ({}, None, None)])
def test_chart_image(values, image_, version):
    built = template(*[w for k, v in values.items() for w in ("--set-string", f"image.{k}={v}")],
                     "--set", "image.repository=r.example:5000/ty")
    own = deployment(install())["metadata"]["labels"]["app.kubernetes.io/version"]
    assert image(built) == (image_ or f"r.example:5000/ty:{own}")
    for meta in (deployment(built)["metadata"], deployment(built)["spec"]["template"]["metadata"]):
        assert meta["labels"]["app.kubernetes.io/version"] == (version or own)


def test_chart_adds_what_it_is_told(tmp_path):
    volume, mount = {"name": "ca", "configMap": {"name": "ca"}}, {"name": "ca", "mountPath": "/ca"}
    env = {"name": "HTTPS_PROXY", "value": "http://proxy.example:3128"}
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    marks = {"annotations": {"a": "1"}, "labels": {"l": "2"}}
    values = {"extraVolumes": [volume], "extraVolumeMounts": [mount], "extraEnv": [env],
              "extraArgs": ["--zap-time-encoding=epoch"], "logLevel": "debug", "logEncoder": "console",
              "topologySpreadConstraints": [spread], "podAnnotations": marks["annotations"],
              "podLabels": marks["labels"], "deployment": marks, "service": marks, "serviceAccount": marks,
              "nodeSelector": {"pool": "x"}, "tolerations": [{"operator": "Exists"}], "priorityClassName": "high",
              "imagePullSecrets": [{"name": "pull"}],
              "serviceMonitor": {"enabled": True, "labels": {"release": "prom"}}}
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    built = template("-f", tmp_path / "values.yaml")
    pod = deployment(built)["spec"]["template"]["spec"]
    assert pod["volumes"][-1] == volume and manager(built)["volumeMounts"][-1] == mount
    assert manager(built)["env"] == [env]
    assert manager(built)["args"][1:] == ["--zap-log-level=debug", "--zap-encoder=console",
                                          "--zap-time-encoding=epoch"]
    for name in ("topologySpreadConstraints", "nodeSelector", "tolerations", "priorityClassName",
                 "imagePullSecrets"):
        assert pod[name] == values[name]
    metas = [doc["metadata"] for doc in built if doc["kind"] in ("Deployment", "Service", "ServiceAccount")]
    for meta in [*metas, deployment(built)["spec"]["template"]["metadata"]]:
        assert meta["annotations"]["a"] == "1" and meta["labels"]["l"] == "2"
    assert len(metas) == 3
    monitor = next(doc for doc in built if doc["kind"] == "ServiceMonitor")
    assert monitor["metadata"]["labels"]["release"] == "prom"
    usual = deployment(install())["metadata"]["labels"].items()
    assert usual <= deployment(built)["metadata"]["labels"].items()


def test_chart_lints():
    said(program("helm"), "lint", "--strict", ROOT / "charts/trainyard")


@pytest.mark.parametrize("value, said_", [
    ("replicas=0", "replicas"), ("image.pullPolicy=Sometimes", "pullPolicy"),
    ("runtime.enabled=true", "runtime"), ("runtimes.only={torch}", 'there is no runtime "torch"'),
    ("featureGates=yes", "featureGates"), ("drainSeconds=-1", "drainSeconds"),
    ("networkPolicy.metrics.from=monitoring", "from"), ("networkPolicy.health.from={}", "health"),
    ("drainSeconds=301", "drainSeconds"), ("drainSeconds=5s", "drainSeconds"),
    ("image.digest=7", "digest"), ("logLevel=loud", "logLevel"), ("logEncoder=xml", "logEncoder"),
    ("crds.keep=false", "keep"), ("extraArgs=--a", "extraArgs"), ("podLabels.a.b=c", "podLabels")])
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
