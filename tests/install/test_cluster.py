"""What is printed, on a real API server: applied strictly, the operator under the installed
ServiceAccount with the installed configuration, upgraded, removed."""
import pytest

from client import Refused
from kit import API, JOBSET_API, runtime, trainjob, wait_for
from neighbours import END
from printed import install
from running import NAME, SYSTEM, Operator, apply, complete, create, remove


def assert_may_report(api, objects, job):
    """The NetworkPolicy finds the pods of that TrainJob by what is on them, and the operator's not."""
    rules = next(doc for doc in objects if doc["kind"] == "NetworkPolicy")["spec"]["ingress"]
    peer, = next(rule for rule in rules if rule["ports"][0]["port"] == "status-server")["from"]
    wanted, = peer["podSelector"]["matchExpressions"]
    assert peer["namespaceSelector"] == {} and wanted["operator"] == "Exists"
    pods = [pod["metadata"]["labels"] for pod in api.list("v1", "Pod", "default")]
    assert [pod for pod in pods if pod.get(wanted["key"]) == job], pods
    deployment = next(doc for doc in objects if doc["kind"] == "Deployment")
    assert wanted["key"] not in deployment["spec"]["template"]["metadata"]["labels"]


def test_from_install_to_uninstall(plane, tmp_path, nothing_denied):
    api, objects = plane.client(), install()
    apply(api, objects)
    operator = Operator(plane, tmp_path).start()
    assert all(operator.bundles())  # or nobody would have been asked
    create(api, runtime("rt", {END: "succeed"}))
    create(api, trainjob("one"))
    create(api, trainjob("torch", "torch-distributed", "ClusterTrainingRuntime",
                         trainer={"numNodes": 2}))
    wait_for("the TrainJob is complete", lambda: complete(api, "one"))
    assert_may_report(api, objects, "one")
    wait_for("the JobSet is there", lambda: api.get(JOBSET_API, "JobSet", "default", "torch"))
    with pytest.raises(Refused, match="must be created before"):
        api.create(trainjob("two", "no-such-runtime"), "default")

    secret = api.get("v1", "Secret", SYSTEM, "kubeflow-trainer-webhook-cert")["data"]
    bundles = operator.bundles()
    newer = install("--version", "9.9", "--replicas", "3")
    apply(api, [doc for doc in newer if doc["kind"] != "Service"])  # ours is a stand-in
    live = api.get("apps/v1", "Deployment", SYSTEM, NAME)
    assert live["spec"]["replicas"] == 3
    manager = live["spec"]["template"]["spec"]["containers"][0]
    assert manager["image"] == "trainyard:9.9"
    assert manager["lifecycle"] == {"preStop": {"sleep": {"seconds": 5}}}
    assert api.get("v1", "Secret", SYSTEM, "kubeflow-trainer-webhook-cert")["data"] == secret
    assert operator.bundles() == bundles
    assert api.get(API, "TrainJob", "default", "torch")
    operator.stop()
    remove(api, newer)


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
