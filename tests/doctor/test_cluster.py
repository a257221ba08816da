"""`trainyard doctor --cluster` on a real API server with the real operator. One thing is broken at a
time; the line and the fix must be there, and all is well again when it is mended."""
import base64
import json
import subprocess
import time

import pytest
import yaml

from asked import account, ask
from client import path_of, path_of_doc
from fixtures import start_bare
from kit import API, runtime, wait_for
from manager import ADMISSION, CONFIGURATIONS, FOLDER, PROGRAM, SECRET, SERVICE, SYSTEM, Manager
from neighbours import docs_of
from plane import openssl

CRD_API, CRD = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
LEASE_API = "coordination.k8s.io/v1"


def deployment(name, namespace, labels, image="registry.example/x:1"):
    spec = {"containers": [{"name": "manager", "image": image}]}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": spec}}}


def available(api, namespace, name, replicas):
    """Nobody makes pods here: what the Deployment's controller would say of them."""
    api.merge(path_of("apps/v1", "Deployment", namespace, name, "status"), {
        "status": {"replicas": replicas, "availableReplicas": replicas, "readyReplicas": replicas,
                   "updatedReplicas": replicas}})


SLICE = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
         "metadata": {"name": "trainer", "namespace": SYSTEM,
                      "labels": {"kubernetes.io/service-name": SERVICE}},
         "addressType": "IPv4", "ports": [{"name": "webhook-server", "port": 9443}],
         "endpoints": [{"addresses": ["10.1.0.7"], "conditions": {"ready": True}}]}


@pytest.fixture(scope="module")
def plane():
    plane = start_bare("doctor")
    api = plane.client()
    said = subprocess.run([PROGRAM, "install"], check=True, stdout=subprocess.PIPE, text=True).stdout
    api.install([doc for doc in yaml.load_all(said, yaml.CSafeLoader) if doc])
    available(api, SYSTEM, SERVICE, 2)
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "jobset-system"}})
    api.create(deployment("jobset-controller-manager", "jobset-system",
                          {"app.kubernetes.io/part-of": "jobset"}))
    available(api, "jobset-system", "jobset-controller-manager", 1)
    api.create(SLICE)
    yield plane
    plane.stop()


@pytest.fixture
def api(plane):
    return plane.client()


def configurations(api):
    return [api.get(ADMISSION, f"{kind}WebhookConfiguration", None, name)
            for kind, name in CONFIGURATIONS.items()]


@pytest.fixture(scope="module")
def operator(plane):
    """It fills the Secret and the webhooks' caBundle, and takes the lease."""
    one = Manager(plane, FOLDER / "managers/doctor", certificates="managed", webhooks=False,
                  settings={"leaderElection": {"leaderElect": True, "resourceNamespace": SYSTEM}})
    one.start()
    api = plane.client()
    wait_for("all webhooks carry the CA", lambda: all(
        hook["clientConfig"].get("caBundle") for c in configurations(api) for hook in c["webhooks"]))
    wait_for("somebody leads", lambda: (api.get(LEASE_API, "Lease", SYSTEM, "trainer.kubeflow.org")
                                        or {"spec": {}})["spec"].get("holderIdentity"))
    yield one
    one.stop()


@pytest.fixture
def stopped(operator, plane):
    """Nobody repairs what is broken. The Lease is kept fresh by hand, so that one line is missing."""
    operator.stop()
    hold(plane.client(), SYSTEM)


def hold(api, namespace, ago=0, who="somebody", seconds=3600):
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() - ago))
    api.apply({"apiVersion": LEASE_API, "kind": "Lease",
               "metadata": {"name": "trainer.kubeflow.org", "namespace": namespace},
               "spec": {"holderIdentity": who, "renewTime": now, "leaseDurationSeconds": seconds}})


def doctor(plane, *words, user="admin"):
    return ask(plane.kubeconfig(user), "doctor", "--cluster", "-o", "json", *words)


def lines(said, level):
    return [c for c in said.json["checks"] if c["level"] == level]


def only(said, level, name):
    """The one line of that level, and nothing worse beside it."""
    found = lines(said, level)
    assert [c["name"] for c in found] == [name], said
    assert level == "fail" or not lines(said, "fail"), said
    assert said.code == (1 if level == "fail" else 0), said
    return found[0]


def put(api, doc):
    """Writes it back whole, as the newest version of it."""
    live = api.must("GET", path_of_doc(doc))
    doc["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"]
    return api.must("PUT", path_of_doc(doc), doc)


def test_all_is_well(operator, plane):
    said = doctor(plane)
    assert said.code == 0 and not lines(said, "warn") and not lines(said, "fail"), said
    names = [c["name"] for c in lines(said, "ok")]
    assert names == ["server", "crds", "jobset", "jobset", "webhooks", "endpoints", "certificate",
                     "operator", "lease", "runtimes"]
    assert "fix" not in lines(said, "ok")[0]
    text = ask(plane.kubeconfig(), "doctor", "--cluster")
    assert text.out.splitlines()[0] == "cluster"
    assert text.out.splitlines()[1].startswith("ok    Kubernetes v")
    assert text.out.splitlines()[-1] == "10 ok, 0 warnings, 0 failed" and "\033" not in text.out


def test_one_who_may_read_nothing(operator, plane):
    """No line pretends to know; nothing fails that was not seen."""
    said = ask(account(plane, "stranger", []), "doctor", "--cluster", "-o", "json")
    assert said.code == 0 and not lines(said, "fail"), said
    assert {"crds", "webhooks", "operator", "lease"} <= {c["name"] for c in lines(said, "warn")}
    assert all(c["fix"] for c in lines(said, "warn"))


def test_the_webhooks_are_missing(operator, plane, api):
    was = configurations(api)[1]
    api.delete(ADMISSION, was["kind"], None, was["metadata"]["name"])
    try:
        line = only(doctor(plane), "fail", "webhooks")
        assert "ValidatingWebhookConfiguration validator.trainer.kubeflow.org is missing" in line["what"]
        assert line["fix"].startswith("trainyard install -n kubeflow-system --image ")
    finally:
        del was["metadata"]["resourceVersion"], was["metadata"]["uid"]
        api.create(was)
        wait_for("the operator has seen it", lambda: all(
            h["clientConfig"].get("caBundle") for h in configurations(api)[1]["webhooks"]))


def test_no_endpoints(operator, plane, api):
    api.merge(path_of_doc(SLICE), {"endpoints": [
        {"addresses": ["10.1.0.7"], "conditions": {"ready": False}}]})
    try:
        line = only(doctor(plane), "fail", "endpoints")
        assert f"Service {SYSTEM}/{SERVICE} has no endpoints" in line["what"]
        assert "kubectl -n kubeflow-system get pods" in line["fix"]
    finally:
        api.merge(path_of_doc(SLICE), {"endpoints": SLICE["endpoints"]})


def without(schema, *path):
    for key in path[:-1]:
        schema = schema["properties"][key]
    return schema["properties"].pop(path[-1])


def test_an_old_jobset(operator, plane, api):
    was = api.get(CRD_API, CRD, None, "jobsets.jobset.x-k8s.io")
    old = json.loads(json.dumps(was))
    without(old["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "spec", "volumeClaimPolicies")
    put(api, old)
    try:
        line = only(doctor(plane), "fail", "jobset")
        assert "does not know spec.volumeClaimPolicies" in line["what"]
        assert line["fix"].startswith("install JobSet 0.12")
    finally:
        put(api, was)


def test_no_jobset(operator, plane, api):
    api.delete(CRD_API, CRD, None, "jobsets.jobset.x-k8s.io")
    wait_for("it is gone", lambda: not api.get(CRD_API, CRD, None, "jobsets.jobset.x-k8s.io"))
    try:
        line = only(doctor(plane), "fail", "jobset")
        assert line["what"] == "the CRD jobsets.jobset.x-k8s.io is missing"
        assert line["fix"].startswith("install JobSet 0.12")
    finally:
        api.install(docs_of("jobset-crds"))


def test_the_jobset_controller_is_down(operator, plane, api):
    available(api, "jobset-system", "jobset-controller-manager", 0)
    try:
        line = only(doctor(plane), "fail", "jobset")
        assert "jobset-system/jobset-controller-manager is not available" in line["what"]
    finally:
        available(api, "jobset-system", "jobset-controller-manager", 1)


def test_crds_of_the_released_trainer(operator, plane, api):
    """They drop what this program adds."""
    theirs = docs_of("trainer-crds")
    ours = [api.get(CRD_API, CRD, None, doc["metadata"]["name"]) for doc in theirs]
    for doc in theirs:
        put(api, doc)
    try:
        line = only(doctor(plane), "warn", "crds")
        assert line["what"].startswith("CRDs of Kubeflow Trainer v2.3.0: fields that only trainyard "
                                       "has are dropped (trainjobs: spec.")
        assert "trainyard crds | kubectl apply --server-side" in line["fix"]
    finally:
        for doc in ours:
            put(api, doc)


def unchecked(doc):
    """The webhooks' Service leads nowhere here."""
    doc["metadata"]["labels"] = {"trainer.kubeflow.org/webhook-validation": "disabled"}
    return doc


def test_a_gang_without_its_scheduler(operator, plane, api):
    api.create(unchecked(runtime("ganged", podGroupPolicy={"coscheduling": {}})), "default")
    crd = docs_of("podgroup-crd")
    api.delete(CRD_API, CRD, None, crd[0]["metadata"]["name"])
    wait_for("it is gone", lambda: not api.get(CRD_API, CRD, None, crd[0]["metadata"]["name"]))
    try:
        line = only(doctor(plane), "fail", "gangs")
        assert "podGroupPolicy.coscheduling of default/ganged: the cluster has no CRD " \
               "podgroups.scheduling.x-k8s.io" in line["what"]
        assert "Coscheduling" in line["fix"]
    finally:
        api.delete(API, "TrainingRuntime", "default", "ganged")
        api.install(crd)


def test_a_deprecated_runtime(operator, plane, api):
    doc = unchecked(runtime("old"))
    doc["metadata"]["labels"]["trainer.kubeflow.org/support"] = "deprecated"
    api.create(doc, "default")
    try:
        assert only(doctor(plane), "warn", "runtimes")["what"] == "deprecated: default/old"
    finally:
        api.delete(API, "TrainingRuntime", "default", "old")


def test_the_operator_is_down(operator, plane, api):
    available(api, SYSTEM, SERVICE, 0)
    try:
        line = only(doctor(plane), "fail", "operator")
        assert "is not available: 0 of 2 ready" in line["what"]
        assert line["fix"] == f"kubectl -n {SYSTEM} describe deployment {SERVICE}"
    finally:
        available(api, SYSTEM, SERVICE, 2)
    elsewhere = doctor(plane, "-n", "elsewhere")
    line = only(elsewhere, "warn", "operator")
    assert line["what"] == "it was looked for in elsewhere"
    assert line["fix"] == f"trainyard doctor -n {SYSTEM}"


def test_there_is_no_operator(operator, plane, api):
    was = api.get("apps/v1", "Deployment", SYSTEM, SERVICE)
    api.delete("apps/v1", "Deployment", SYSTEM, SERVICE)
    try:
        line = only(doctor(plane), "fail", "operator")
        assert f"no Deployment {SYSTEM}/{SERVICE}: nobody looks after TrainJobs" in line["what"]
        assert line["fix"].startswith("trainyard install | kubectl apply")
    finally:
        for key in ("resourceVersion", "uid", "creationTimestamp"):
            del was["metadata"][key]
        api.create(was)
        available(api, SYSTEM, SERVICE, 2)


def test_helm_would_take_the_crds_away(operator, plane, api):
    """As v2.3.0's chart marks them; `helm uninstall` would delete every TrainJob."""
    path = path_of(CRD_API, CRD, None, "trainjobs.trainer.kubeflow.org")
    marks = {"meta.helm.sh/release-name": "kf", "meta.helm.sh/release-namespace": "kf-sys"}
    api.merge(path, {"metadata": {"annotations": marks}})
    try:
        line = only(doctor(plane), "warn", "crds")
        assert "belongs to the Helm release kf-sys/kf" in line["what"]
        assert "kubectl -n kf-sys delete secret -l owner=helm,name=kf" in line["fix"]
    finally:
        api.merge(path, {"metadata": {"annotations": {k: None for k in marks}}})


def test_two_managers(operator, plane, api):
    """The released one was left running in another namespace."""
    labels = {"app.kubernetes.io/name": "trainer", "app.kubernetes.io/component": "manager",
              "app.kubernetes.io/part-of": "kubeflow"}
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kubeflow"}})
    api.create(deployment(SERVICE, "kubeflow", labels))
    hold(api, "kubeflow", who="the-other")
    try:
        found = lines(doctor(plane), "fail")
        assert [c["name"] for c in found] == ["alone", "alone"], found
        assert f"kubeflow/{SERVICE}" in found[0]["what"] and "the-other" in found[1]["what"]
        hold(api, "kubeflow", ago=600, seconds=15)  # it has gone, but for its Deployment
        only(doctor(plane), "fail", "alone")
    finally:
        api.delete("apps/v1", "Deployment", "kubeflow", SERVICE)
        api.delete(LEASE_API, "Lease", "kubeflow", "trainer.kubeflow.org")


def test_all_is_well_again(operator, plane):
    assert doctor(plane).code == 0


# ---- what the operator would repair: from here on it is stopped

def test_nobody_leads(stopped, plane, api):
    hold(api, SYSTEM, ago=100, seconds=15)
    line = only(doctor(plane), "fail", "lease")
    assert "is stale: somebody last renewed it 1" in line["what"]
    hold(api, SYSTEM, who="")
    assert "nobody holds Lease" in only(doctor(plane), "fail", "lease")["what"]


def secret_of(folder, days, names=f"DNS:{SERVICE}.{SYSTEM}.svc"):
    """A CA and a certificate that ends in so many days, as the Secret has them."""
    folder.mkdir()
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt",
            "-subj", "/CN=ca", "-days", "3650", cwd=folder)
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out", "tls.csr",
            "-subj", "/CN=x", cwd=folder)
    (folder / "extra").write_text(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", "tls.crt", "-days", str(days), "-extfile", "extra", cwd=folder)
    return {name: base64.b64encode((folder / name).read_bytes()).decode()
            for name in ("ca.crt", "ca.key", "tls.crt", "tls.key")}


def believe(api, bundle):
    for configuration in configurations(api):
        for hook in configuration["webhooks"]:
            hook["clientConfig"]["caBundle"] = bundle
        put(api, configuration)


def test_certificates(stopped, plane, api, tmp_path):
    path = path_of("v1", "Secret", SYSTEM, SECRET)
    was = api.must("GET", path)["data"]
    soon = secret_of(tmp_path / "soon", 5)
    line = None
    try:
        believe(api, soon["ca.crt"])  # the Secret has another CA's certificate
        line = only(doctor(plane), "fail", "certificate")
        assert "its caBundle does not match the certificate in Secret" in line["what"]
        assert f"kubectl -n {SYSTEM} logs deploy/{SERVICE}" in line["fix"]
        api.merge(path, {"data": soon})
        line = only(doctor(plane), "warn", "certificate")
        assert "ends in 4 days" in line["what"] or "ends in 5 days" in line["what"], line
        wrong = secret_of(tmp_path / "wrong", 365, "DNS:elsewhere.svc")
        api.merge(path, {"data": wrong})
        believe(api, wrong["ca.crt"])
        assert "does not match" in only(doctor(plane), "fail", "certificate")["what"]
        believe(api, "")
        line = [c for c in lines(doctor(plane), "fail") if c["name"] == "webhooks"]
        assert "has no caBundle" in line[0]["what"], line
    finally:
        api.merge(path, {"data": was})
        believe(api, was["ca.crt"])
    assert doctor(plane).code == 0
