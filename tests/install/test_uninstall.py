"""`trainyard uninstall` on a real control plane: in a namespace that others use, too, with TrainJobs that
run, with and without the CRDs, past a finalizer, and installed again."""
import json
import os
import pty
import re
import signal
import subprocess

import pytest

from client import path_of
from kit import API, JOBSET_API, runtime, trainjob, wait_for
from neighbours import END
from printed import PROGRAM, docs, install, key, program, said
from running import HOOKS, SECRET, Operator, apply, complete, create

NS = "kubeflow"
STRANGER = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "strangers", "namespace": NS}}
LEASE = ("coordination.k8s.io/v1", "Lease", NS, "trainer.kubeflow.org")
RBAC = "rbac.authorization.k8s.io/v1"
PEOPLE = [("ClusterRole", "", f"kubeflow-trainer-{name}")
          for name in ("admin", "edit", "view", "view-cluster-runtimes")] + [
    ("ClusterRoleBinding", "", "kubeflow-trainer-view-cluster-runtimes")]
CONFIG = "controller_manager_config.yaml"
FINALIZER = "trainer.kubeflow.org/resource-in-use"


class Cluster:
    def __init__(self, plane, folder):
        self.plane, self.api, self.folder = plane, plane.client(), folder
        self.env = dict(os.environ, KUBECONFIG=str(plane.kubeconfig()), HOME=str(folder))
        self.env["PATH"] = f"{program('kubectl').parent}:{self.env['PATH']}"

    def install(self):
        self.api.install(docs(said(PROGRAM, "crds")))
        apply(self.api, install("-n", NS))

    def protect_runtimes(self):
        """By a finalizer, as Kubeflow Trainer v2.0 to v2.2 did."""
        path = path_of("v1", "ConfigMap", NS, "kubeflow-trainer-config")
        text = self.api.must("GET", path)["data"][CONFIG]
        self.api.merge(path, {"data": {CONFIG: f"{text}\nruntimeProtection: finalizer\n"}})

    def operator(self, name):
        return Operator(self.plane, self.folder / name, namespace=NS).start()

    def uninstall(self, *words):
        return subprocess.run([PROGRAM, "uninstall", *words], env=self.env, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300)

    def ask(self, answer):
        """--crds with a terminal as its standard input, and this typed on it."""
        master, terminal = pty.openpty()
        os.write(master, answer.encode())
        try:
            return subprocess.run([PROGRAM, "uninstall", "--crds"], env=self.env, text=True, capture_output=True,
                                  stdin=terminal, timeout=300)
        finally:
            os.close(terminal)
            os.close(master)

    def delete(self, printed):
        """As the help says; it waits until all of it is gone, and must not wait for ever."""
        return said("kubectl", "delete", "--ignore-not-found", "-f", "-", env=self.env, input=printed)

    def uids(self, *jobs):
        return {(kind, ns, name): self.api.get(version, kind, ns, name)["metadata"]["uid"]
                for version, kind in ((API, "TrainJob"), (JOBSET_API, "JobSet")) for ns, name in jobs}

    def protected(self, ns):
        meta = self.api.get(API, "TrainingRuntime", ns, "long")["metadata"]
        return FINALIZER in (meta.get("finalizers") or [])

    def stranger_is_there(self):
        meta = self.api.get("v1", "Namespace", None, NS)["metadata"]
        return "deletionTimestamp" not in meta and self.api.get("v1", "ConfigMap", NS, "strangers")


@pytest.fixture
def cluster(plane, tmp_path):
    one = Cluster(plane, tmp_path)
    one.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}})
    one.api.apply(STRANGER)
    yield one
    for doc in docs(one.uninstall("--crds", "--yes", "-n", NS).stdout):
        one.api.delete(doc["apiVersion"], doc["kind"], doc["metadata"].get("namespace"),
                       doc["metadata"]["name"])
    wait_for("the CRDs are gone", lambda: not any(
        c["spec"]["group"] == API.split("/")[0]
        for c in one.api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")))
    one.api.install(docs(said(PROGRAM, "crds")))
    one.api.delete("v1", "Namespace", None, NS)
    wait_for("the namespace is gone", lambda: not one.api.get("v1", "Namespace", None, NS))


def end(operator):
    """As the kubelet ends the pods of a Deployment that is gone; by now it has no rights any more."""
    operator.child.send_signal(signal.SIGTERM)
    operator.child.wait(90)


def test_jobs_and_strangers_survive_until_the_crds_go(cluster):
    api = cluster.api
    cluster.install()
    cluster.protect_runtimes()
    operator = cluster.operator("first")
    jobs = [("default", "runs"), (NS, "here"), (NS, "brief")]
    for ns in ("default", NS):
        create(api, runtime("long"), ns)
    for ns, name in jobs:
        create(api, trainjob(name, "long"), ns)
        wait_for("its JobSet is there", lambda n=ns, m=name: api.get(JOBSET_API, "JobSet", n, m))
    assert api.get(*LEASE) and api.get("v1", "Secret", NS, SECRET)["data"]
    before = cluster.uids(*jobs)

    # Not where it is not, and no CRDs unasked.
    wrong = cluster.uninstall("-n", "kubeflow-system")
    assert (wrong.returncode, wrong.stdout) == (1, "") and f"use -n {NS}" in wrong.stderr
    wait_for("the runtimes in use are protected", lambda: all(map(cluster.protected, ("default", NS))))
    early = cluster.uninstall("--crds", "--yes")
    assert (early.returncode, early.stdout) == (1, "") and "Remove the operator first" in early.stderr
    unasked = cluster.uninstall("--crds")
    assert (unasked.returncode, unasked.stdout) == (2, "") and "--yes" in unasked.stderr

    # The operator goes, and nothing else: the namespace is found by the webhooks.
    done = cluster.uninstall()
    assert done.returncode == 0 and "3 TrainJobs in 2 namespaces" in done.stderr
    gone = docs(done.stdout)
    assert not {"Namespace", "CustomResourceDefinition", "ClusterTrainingRuntime", "TrainJob"} & {
        doc["kind"] for doc in gone}
    cluster.delete(done.stdout)
    end(operator)
    ours = {key(doc) for doc in install("-n", NS, "--no-crds", "--no-runtimes")
            if doc["kind"] != "Namespace" and key(doc) not in PEOPLE}
    assert ours == {key(doc) for doc in gone} - {("Lease", NS, LEASE[3])}
    for doc in gone:
        assert api.get(doc["apiVersion"], doc["kind"], doc["metadata"].get("namespace"),
                       doc["metadata"]["name"]) is None, key(doc)
    assert cluster.stranger_is_there()
    assert cluster.uids(*jobs) == before
    assert api.get(API, "ClusterTrainingRuntime", None, "torch-distributed")
    cluster.delete(cluster.uninstall("-n", NS).stdout)  # once more changes nothing

    # Nobody blocks: TrainJobs can be written and deleted, by their teams, and take their JobSets with them.
    assert all(api.get(RBAC, kind, None, name) for kind, _, name in PEOPLE)
    assert all(api.get("admissionregistration.k8s.io/v1", kind, None, name) is None for kind, name in HOOKS)
    api.merge(path_of(API, "TrainJob", NS, "here"), {"metadata": {"labels": {"a": "b"}}})
    api.delete(API, "TrainJob", NS, "brief")
    wait_for("its JobSet is gone", lambda: not api.get(JOBSET_API, "JobSet", NS, "brief"))

    # The CRDs, and with them the TrainJobs. A finalizer that nobody removes any more is found first.
    assert all(map(cluster.protected, ("default", NS)))
    api.merge(path_of(API, "TrainingRuntime", NS, "long"),
              {"metadata": {"finalizers": ["example.org/other", FINALIZER]}})
    held = cluster.uninstall("--crds", "--yes")
    assert (held.returncode, held.stdout) == (1, "") and "2 runtimes have" in held.stderr
    assert "Remove the operator first" not in held.stderr
    for command in re.findall(r"^  (kubectl patch .*)$", held.stderr, re.M):
        subprocess.run(["sh", "-ec", command], env=cluster.env, check=True, timeout=300)
    assert api.get(API, "TrainingRuntime", NS, "long")["metadata"]["finalizers"] == ["example.org/other"]
    api.merge(path_of(API, "TrainingRuntime", NS, "long"), {"metadata": {"finalizers": None}})  # its owner
    all_ = cluster.uninstall("--crds", "--yes")
    assert all_.returncode == 0 and "the CRDs with all runtimes and 2 TrainJobs in 2 namespaces\n" in all_.stderr
    cluster.delete(all_.stdout)
    assert not any(api.get(RBAC, kind, None, name) for kind, _, name in PEOPLE)
    assert api.request("GET", path_of(API, "TrainJob", NS), raw=True)[0] == 404
    for ns, name in jobs:
        wait_for("its JobSet is gone", lambda n=ns, m=name: not api.get(JOBSET_API, "JobSet", n, m))
    assert cluster.stranger_is_there()
    cluster.delete(cluster.uninstall("--crds", "--yes").stdout)  # of a cluster without any of it

    # And again.
    cluster.install()
    operator = cluster.operator("again")
    create(api, runtime("quick", {END: "succeed"}), "default")
    create(api, trainjob("one", "quick"), "default")
    wait_for("a TrainJob is complete", lambda: complete(api, "one"))
    operator.stop()


def test_runtimes_go_when_asked_for(cluster):
    """Those of the catalog, and not a team's own."""
    api = cluster.api
    cluster.install()
    api.apply({**runtime("own", kind="ClusterTrainingRuntime"), "metadata": {
        "name": "own", "labels": {"trainer.kubeflow.org/webhook-validation": "disabled"}}})
    done = cluster.uninstall("--runtimes")
    assert done.returncode == 0
    cluster.delete(done.stdout)
    assert [r["metadata"]["name"] for r in api.list(API, "ClusterTrainingRuntime")] == ["own"]
    assert cluster.stranger_is_there()


def test_no_crds_of_another_cluster(cluster):
    """kubectl reads the stream with a kubeconfig of its own: what is not checked is not printed."""
    for words in (["--context", "nope"], ["--kubeconfig", "/nonexistent"]):
        done = cluster.uninstall(*words, "--crds", "--yes")
        assert (done.returncode, done.stdout) == (2, "") and words[1] in done.stderr
    cluster.env["KUBECONFIG"] = "/nonexistent"
    done = cluster.uninstall("--crds", "--yes")
    assert (done.returncode, done.stdout) == (1, "") and "cannot be checked" in done.stderr
    cluster.env["KUBECONFIG"] = str(cluster.plane.kubeconfig())
    config = json.loads(cluster.plane.kubeconfig().read_text())
    config["users"][0]["user"] = {}
    nobody = cluster.folder / "nobody"
    nobody.write_text(json.dumps(config))
    done = cluster.uninstall("--kubeconfig", str(nobody), "--crds", "--yes")
    assert (done.returncode, done.stdout) == (1, "") and "as a user who may list TrainJobs" in done.stderr
    done = cluster.uninstall("--context", config["current-context"], "--crds", "--yes")
    assert done.returncode == 0 and f"kubectl --context {config['current-context']} delete namespace" in done.stderr


@pytest.mark.parametrize("answer,code", [("yes\n", 0), ("y\n", 1), ("\n", 1), ("yes, but not today\n", 1)])
def test_asks_on_a_terminal(cluster, answer, code):
    done = cluster.ask(answer)
    assert "0 TrainJobs in 0 namespaces are deleted with the CRDs, and what runs of them; type 'yes': " in done.stderr
    assert done.returncode == code and bool(done.stdout) == (code == 0)


def test_again_after_an_interruption(cluster):
    """The webhooks go first; the second run finds the namespace without them, then without the Deployment."""
    cluster.install()
    for gone in (("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), ("Deployment",)):
        for doc in docs(cluster.uninstall("-n", NS).stdout):
            if doc["kind"] in gone:
                cluster.api.delete(doc["apiVersion"], doc["kind"], doc["metadata"].get("namespace"),
                                   doc["metadata"]["name"])
                wait_for("it is gone", lambda d=doc: not cluster.api.get(
                    d["apiVersion"], d["kind"], d["metadata"].get("namespace"), d["metadata"]["name"]))
        if gone == ("Deployment",):
            cluster.api.apply({"apiVersion": LEASE[0], "kind": "Lease", "metadata": {"namespace": NS, "name": LEASE[3]}})
        done = cluster.uninstall()
        assert done.returncode == 0 and f"the operator in namespace {NS}," in done.stderr
    cluster.delete(done.stdout)


def test_kubeflow_trainers_own_manager_is_left_alone(cluster):
    """Whoever has switched back has v2.3.0 under the names of ours."""
    cluster.install()
    path = path_of("apps/v1", "Deployment", NS, "kubeflow-trainer-controller-manager")

    def run_image(image):
        containers = cluster.api.must("GET", path)["spec"]["template"]["spec"]["containers"]
        containers[0]["image"] = image
        cluster.api.merge(path, {"spec": {"template": {"spec": {"containers": containers}}}})

    run_image("registry.example/trainer/trainer-controller-manager:v2.3.0")
    for words in ((), ("--crds", "--yes"), ("-n", NS, "--runtimes")):
        refused = cluster.uninstall(*words)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "runs Kubeflow Trainer's own manager" in refused.stderr
    run_image("registry.example/trainyard:0.2.0")
    assert cluster.uninstall().returncode == 0
