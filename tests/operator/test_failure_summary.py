"""Failure summaries and phases (failureSummary.enable) on a real control plane. kwok's nodes serve the logs of
their pods: all of them have the text of one file."""
import json
import subprocess

import pytest
import yaml

import rights
from fixtures import FOLDER, GIVEN, folder_of, need, running, space_on, trainer_crds
import binaries
from kit import API, condition, replicated_job, runtime, stays, trainjob, wait_for
from manager import UPSTREAM, Manager
from neighbours import END, EXIT_CODE, FullPlane, stages
from plane import MANAGERS, free_ports

pytestmark = [pytest.mark.ours("v2.3.0 has no failure summary"),
              pytest.mark.skipif(bool(GIVEN), reason="needs kwok with logs")]
FAIL = {END: "fail", EXIT_CODE: "3"}
ROLE = "kubeflow-trainer-failure-summary"
ON = {"failureSummary": {"enable": True}}
WORDS = "jobset failed due to one or more job failures"
LOG = """epoch 1
Traceback (most recent call last):
  File "/app/train.py", line 12, in <module>
    main()
ValueError: boom, token=hf_abcdefghijklmnopqrstuvwxyz0123
"""


class LoggingPlane(FullPlane):
    """kwok also answers as a kubelet: the log of every container is the file `log`."""

    def start_nodes(self):
        (self.kubelet,) = free_ports(1)
        serving = self.certificates.serving("kwok")
        (self.folder / "pod.log").write_text("".join(
            f"2026-01-02T03:04:05.000000000Z stdout F {line}\n" for line in LOG.splitlines()))
        logs = {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "all"},
                "spec": {"logs": [{"containers": ["node"], "logsFile": str(self.folder / "pod.log")}]}}
        config = self.folder / "kwok.yaml"
        config.write_text("\n---\n".join(json.dumps(doc) for doc in [*stages(), logs]))
        self.spawn("kwok", [f"--kubeconfig={self.kubeconfig()}", "--manage-all-nodes",
                            f"--server-address=127.0.0.1:{self.kubelet}",
                            f"--tls-cert-file={serving}/tls.crt", f"--tls-private-key-file={serving}/tls.key",
                            f"--config={config}"])
        for name in self.nodes:
            self.add_node(name)

    def add_node(self, name):
        self.client().create({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": self.room, "capacity": self.room,
                       "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                       "daemonEndpoints": {"kubeletEndpoint": {"Port": self.kubelet}}}})


def summary_rights():
    said = subprocess.run([rights.PROGRAM, "install", "--no-crds", "--no-runtimes", "--failure-summary"],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    docs = [doc for doc in yaml.load_all(said, yaml.CSafeLoader)
            if doc and doc["metadata"]["name"] == ROLE]
    assert [doc["kind"] for doc in docs] == ["ClusterRole", "ClusterRoleBinding"]
    return docs


@pytest.fixture(scope="module")
def cluster():
    if UPSTREAM:
        pytest.skip("ours")
    need(binaries.FULL)
    plane = running(LoggingPlane(FOLDER / "failures", trainer_crds()))
    plane.client().install(summary_rights())
    yield plane
    plane.stop()


@pytest.fixture
def space(request, cluster):
    yield from space_on(cluster, request)


@pytest.fixture
def manager(make_manager):
    return make_manager(settings=ON).start()


def reasons(space):
    return {reason for _, reason, _ in space.events()}


def failed_with_note(space):
    return wait_for("Failed has a summary",
                    lambda: (condition(space.job(), "Failed") or "").partition("; first failure: ")[2],
                    show=lambda: (space.job() or {}).get("status"))


def test_summary(manager, space):
    """The error of the log is behind JobSet's words and in one event, and nothing is written after that."""
    space.create(runtime(annotations=FAIL), trainjob())
    note = failed_with_note(space)
    assert note.startswith("node-0-0") and "ValueError: boom" in note and "exit code 3" in note
    assert "hf_abc" not in note
    job = space.job()
    assert WORDS in condition(job, "Failed").partition("; first failure: ")[0]
    told = wait_for("an event", lambda: [note for kind, reason, note in space.events()
                                         if (kind, reason) == ("Warning", "FirstFailure")])
    assert len(told) == 1 and "ValueError: boom" in told[0] and "hf_abc" not in told[0]
    version = job["metadata"]["resourceVersion"]
    stays("as it is", lambda: space.job()["metadata"]["resourceVersion"] == version, 3)
    # Another process finds it in the status, and neither collects nor writes.
    manager.stop()
    manager.start()
    space.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}})
    stays("as it is", lambda: space.job()["metadata"]["resourceVersion"] == version, 5)
    assert len([1 for _, reason, _ in space.events() if reason == "FirstFailure"]) == 1


def first_failures(space):
    return [e["metadata"]["name"] for e in space.api.list("events.k8s.io/v1", "Event", space.name)
            if e["reason"] == "FirstFailure"]


def test_next_leader(make_manager, space):
    """A pod has failed and the job goes on, so the status has no summary: the next leader makes one of its own,
    and the event is still there once."""
    first = make_manager(settings=ON).start()
    space.create(runtime(jobs=[replicated_job(annotations=FAIL, backoffLimit=6)]), trainjob())
    before = wait_for("an event", lambda: first_failures(space))
    first.stop()
    second = make_manager(settings=ON, number=1).start()
    wait_for("a summary", lambda: '"msg":"failure summary"' in second.log())
    stays("one event", lambda: first_failures(space) == before and len(before) == 1, 3)


def running_pod(space, besides=None):
    return wait_for("a pod runs", lambda: next((pod["metadata"]["name"] for pod in space.pods() if pod["status"].get(
        "phase") == "Running" and pod["metadata"]["name"] != besides), None))


def logs_read(audit, space):
    """The pods whose logs were asked for; a request may be retried."""
    return {ref["name"] for ref in (e.get("objectRef", {}) for e in audit.entries())
            if ref.get("subresource") == "log" and ref.get("namespace") == space.name}


def test_pod_of_the_deleted_trainjob(manager, space, audit):
    """A pod terminates for long after its TrainJob: its log is not one of the next TrainJob of that name."""
    space.create(runtime(), trainjob())
    left = running_pod(space)
    held = space.path("v1", "Pod", left)
    space.api.merge(held, {"metadata": {"finalizers": ["tests.trainyard.dev/held"]}})
    try:
        space.api.delete(API, "TrainJob", space.name, "job")
        wait_for("the JobSet is gone", lambda: not space.jobset())
        wait_for("its pod terminates", lambda: "deletionTimestamp" in space.get("v1", "Pod", left)["metadata"])
        space.create(trainjob())
        pod = running_pod(space, besides=left)
        space.api.merge(held, {"metadata": {"annotations": {"tests.trainyard.dev/seen": "again"}}})
        space.api.merge(space.path("v1", "Pod", pod), {"metadata": {"annotations": FAIL}})
        failed_with_note(space)
        assert space.get("v1", "Pod", left)["status"]["phase"] == "Running"
        assert wait_for("a log request", lambda: logs_read(audit, space)) == {pod}
    finally:
        space.api.merge(held, {"metadata": {"finalizers": None}})


def test_off(make_manager, space):
    make_manager().start()
    space.create(runtime(annotations=FAIL), trainjob())
    space.wait_condition("Failed", "True FailedJobs: " + WORDS)
    stays("without summary", lambda: "first failure" not in condition(space.job(), "Failed"), 5)
    assert space.events() == []


def test_switched_off_later(make_manager, space):
    """A summary that is stored stays; nothing is rewritten, whoever leads."""
    first = make_manager(settings=ON).start()
    space.create(runtime(annotations=FAIL), trainjob())
    note = failed_with_note(space)
    first.stop()
    make_manager(number=1).start()
    stays("the same", lambda: condition(space.job(), "Failed").endswith(note), 5)


def test_back_to_upstream_and_forth(make_manager, request, space, cluster):
    """v2.3.0 derives Failed anew, without the summary, once; nobody writes in a loop."""
    reason = binaries.why_not(("upstream-trainer",))
    if reason:
        pytest.skip(reason)
    ours = make_manager(settings=ON).start()
    space.create(runtime(annotations=FAIL), trainjob())
    note = failed_with_note(space)
    ours.stop()
    cluster.client().install(rights.of_upstream())
    theirs = Manager(cluster, folder_of(request), number=MANAGERS - 1, upstream=True).start()
    try:
        wait_for("v2.3.0's message", lambda: "first failure" not in condition(space.job(), "Failed"))
        version = space.job()["metadata"]["resourceVersion"]
        stays("as it is", lambda: space.job()["metadata"]["resourceVersion"] == version, 3)
    finally:
        theirs.stop()
    make_manager(settings=ON).start()
    assert failed_with_note(space) == note
    version = space.job()["metadata"]["resourceVersion"]
    stays("as it is", lambda: space.job()["metadata"]["resourceVersion"] == version, 3)


def test_unschedulable(manager, space):
    job = replicated_job()
    job["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"no": "where"}
    space.create(runtime(jobs=[job]), trainjob())
    told = wait_for("an event", lambda: [(kind, note) for kind, reason, note in space.events()
                                         if reason == "Unschedulable"], 60)
    assert len(told) == 1 and told[0][0] == "Warning"
    assert told[0][1].startswith("node-0-0 cannot be scheduled: 0/2 nodes are available")
    assert not condition(space.job(), "Failed")


def test_phases(manager, space):
    space.create(runtime(), trainjob(suspend=True))
    wait_for("suspended", lambda: "Suspended" in reasons(space))
    space.suspend(False)
    wait_for("running", lambda: {"Resumed", "Running"} <= reasons(space), show=lambda: space.events())
    before = space.events()
    manager.stop()
    manager.start()
    stays("nothing is told again", lambda: space.events() == before, 5)


def test_without_the_rights(request, space, cluster):
    """Everything else goes on, and a line says what is missing. (Not by make_manager, whose managers are never
    denied anything.)"""
    api = cluster.client()
    api.delete(f"{rights.RBAC}/v1", "ClusterRoleBinding", None, ROLE)
    one = Manager(cluster, folder_of(request), settings=ON).start()
    try:
        space.create(runtime(annotations=FAIL), trainjob())
        space.wait_condition("Failed", "True FailedJobs: " + WORDS)
        wait_for("a line", lambda: "may not list and watch pods" in one.log())
        assert "first failure" not in condition(space.job(), "Failed")
        api.install(summary_rights())
        failed_with_note(space)
    finally:
        api.install(summary_rights())
        one.stop()
