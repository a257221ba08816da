"""Installed over Kubeflow Trainer v2.3.0 and back, as docs/install.md says, with both managers run in turn
under the installed ServiceAccount: what runs runs on, untouched."""
import os
import subprocess

import pytest
import yaml

import binaries
import rights
from audit import Audit
from kit import API, JOBSET_API, at_rest, condition, runtime, stays, trainjob, wait_for
from manager import in_pod_of, mount_secret
from neighbours import END
from plane import die_with_parent
from printed import docs, install, program, said
from running import NAME, SECRET, SYSTEM, Operator, complete, create, remove, trainjobs

ONLY_OURS = ["poddisruptionbudget", "networkpolicy", "role", "rolebinding"]
SHORT = {"leaderElection": {"resourceNamespace": SYSTEM, "leaseDuration": "10s",
                            "renewDeadline": "8s", "retryPeriod": "1s"}}


def upstream(folder):
    """v2.3.0's objects as its overlay `manager` builds them, without JobSet, which it fetches."""
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
        "secretGenerator": [{"name": SECRET, "options": {"disableNameSuffixHash": True}}]}))
    return docs(said(program("kubectl"), "kustomize", "--load-restrictor=LoadRestrictionsNone",
                     overlay))


class Upstream(Operator):
    """The released manager. It reads its certificate from where a kubelet mounts the Secret."""

    def spawn(self, command=()):
        words = [binaries.find("upstream-trainer"), f"--config={self.configuration()}",
                 f"--kubeconfig={self.account_kubeconfig()}", "--zap-log-level=2"]
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen(
                [str(w) for w in in_pod_of(self.folder, words)], stdout=log, stderr=log, preexec_fn=die_with_parent,
                env=dict(os.environ, TMPDIR=str(self.folder)))
        mount_secret(self.plane, self.folder / "k8s-webhook-server/serving-certs", self.child)
        return self


class Cluster:
    """What an administrator does, and what it must not do to the jobs."""

    def __init__(self, plane):
        self.plane, self.api = plane, plane.client()

    def kubectl(self, *words, **more):
        return said(program("kubectl"), f"--kubeconfig={self.plane.kubeconfig()}", *words, **more)

    def apply(self, objects):
        """CRDs first: kubectl looks kinds up before it applies any."""
        crds = [doc for doc in objects if doc["kind"] in ("CustomResourceDefinition", "Namespace")]
        remove(self.api, [{"apiVersion": "v1", "kind": "Service",  # the stand-in of the tests
                           "metadata": {"name": NAME, "namespace": SYSTEM}}])
        for part in (crds, objects):
            self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-",
                         input=yaml.safe_dump_all(part))

    def state(self):
        """Everything of the jobs, by what changes with each write."""
        found = {}
        for version, kind in ((API, "TrainJob"), (JOBSET_API, "JobSet"), ("batch/v1", "Job"),
                              ("v1", "Pod"), ("v1", "ConfigMap")):
            for doc in self.api.list(version, kind, "default"):
                meta = doc["metadata"]
                found[kind, meta["name"]] = (meta["uid"], meta["resourceVersion"])
        return found

    def of(self, *jobs):
        return {k: v for k, v in self.state().items()
                if any(k[1] == job or k[1].startswith(f"{job}-") for job in jobs)}

    def runs(self, name, nodes):
        pods = self.api.list("v1", "Pod", "default",
                             f"?labelSelector=jobset.sigs.k8s.io/jobset-name%3D{name}")
        job = self.api.get(API, "TrainJob", "default", name)
        counts = (job.get("status") or {}).get("jobsStatus") or [{}]
        return [p["status"]["phase"] for p in pods] == ["Running"] * nodes and \
            counts[0].get("ready") == 1

    def end(self, name):
        """Its pods succeed, and the manager tells of it."""
        for pod in self.api.list("v1", "Pod", "default",
                                 f"?labelSelector=jobset.sigs.k8s.io/jobset-name%3D{name}"):
            self.api.merge(f"/api/v1/namespaces/default/pods/{pod['metadata']['name']}",
                           {"metadata": {"annotations": {END: "succeed"}}})
        wait_for(f"{name} is complete", lambda: complete(self.api, name))

    def new_job_works(self, name, **spec):
        create(self.api, trainjob(name, "quick", **spec))
        wait_for(f"{name} is complete", lambda: complete(self.api, name))


@pytest.fixture
def cluster(plane, tmp_path):
    """v2.3.0, installed and at work on four jobs: two run, one waits, one is over."""
    one = Cluster(plane)
    one.theirs, one.ours = upstream(tmp_path), install("--no-runtimes")
    remove(one.api, one.ours)
    namespace = [doc for doc in one.ours if doc["kind"] == "Namespace"]
    one.apply(namespace + one.theirs)
    one.manager = Upstream(plane, tmp_path / "upstream", SHORT).start()
    create(one.api, runtime("long"))
    create(one.api, runtime("quick", {END: "succeed"}))
    for name in ("first", "second"):
        create(one.api, trainjob(name, "long", trainer={"numNodes": 2}))
    create(one.api, trainjob("waits", "long", suspend=True))
    one.new_job_works("over")
    for name in ("first", "second"):
        wait_for(f"{name} runs", lambda n=name: one.runs(n, 2))
    wait_for("one waits", lambda: condition(
        one.api.get(API, "TrainJob", "default", "waits"), "Suspended"))
    yield one
    remove(one.api, trainjobs(one.api))


def change_to(cluster, objects, manager):
    """The other one's objects, then the other one; what runs is as it was."""
    before = at_rest(cluster.state)
    cluster.manager.stop()
    cluster.apply(objects)
    cluster.manager = manager.start()
    cluster.new_job_works(f"new-{len(before)}")  # so it has looked at all the others
    names = {name for _, name in before}
    stays("nothing was touched", lambda: {
        k: v for k, v in cluster.state().items() if k[1] in names} == before)


def test_over_upstream_and_back(cluster, plane, tmp_path):
    audit = Audit(plane)
    change_to(cluster, cluster.ours, Operator(plane, tmp_path / "ours", SHORT))
    cluster.end("first")
    cluster.api.merge(f"/apis/{API}/namespaces/default/trainjobs/waits", {"spec": {"suspend": False}})
    wait_for("what waited runs", lambda: cluster.runs("waits", 1))
    create(cluster.api, trainjob("ours", "long", ttlSecondsAfterFinished=3600))
    wait_for("a job of ours runs", lambda: cluster.runs("ours", 1))
    assert rights.denied(audit.entries(), plane) == []

    change_to(cluster, cluster.theirs, Upstream(plane, tmp_path / "again", SHORT))
    for kind in ONLY_OURS:
        named = "kubeflow-trainer-leader" if "role" in kind else NAME
        cluster.kubectl("delete", "-n", SYSTEM, kind, named)
    for name in ("second", "waits", "ours"):
        cluster.end(name)
    job = cluster.api.get(API, "TrainJob", "default", "ours")
    assert "ttlSecondsAfterFinished" not in job["spec"]  # v2.3.0's CRD does not have it
    assert condition(job, "Complete")
    cluster.manager.stop()
