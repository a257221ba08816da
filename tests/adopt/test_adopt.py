"""`trainyard adopt` on a cluster whose TrainJobs were made by the released upstream manager."""
import json
import os
import pty
import select
import socket
import subprocess

import pytest

import manager
from asked import account, ask
from audit import Audit
from kit import (API, COSCHEDULING, JOBSET_API, WAIT_SECONDS, Space, at_rest, replicated_job, runtime,
                 stays, trainjob, wait_for)
from manager import FOLDER, PROGRAM, Manager
from neighbours import END

READS = [
    {"apiGroups": ["trainer.kubeflow.org"], "verbs": ["get", "list"],
     "resources": ["trainjobs", "trainingruntimes", "clustertrainingruntimes"]},
    {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": ["get", "list"]},
    {"apiGroups": ["scheduling.x-k8s.io"], "resources": ["podgroups"], "verbs": ["get", "list"]},
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
]
MPI = {"mlPolicy": {"numNodes": 1, "mpi": {"numProcPerNode": 2, "mpiImplementation": "OpenMPI"}}}


def mpi_jobs():
    return [replicated_job("launcher"), replicated_job("node", ancestor=None)]


@pytest.fixture(scope="module")
def upstream(cluster):
    one = Manager(cluster, FOLDER / "managers/upstream").start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def space(cluster, upstream):
    """Jobs of every state, as v2.3.0 leaves them."""
    space = Space(cluster.client(), "adopted")
    pooled = replicated_job()
    pooled["template"]["spec"]["template"]["spec"]["nodeSelector"] = {"pool": "fast"}
    torch = {"mlPolicy": {"numNodes": 2, "torch": {}}}
    space.create(
        runtime("plain", jobs=[pooled]), runtime("torch", **torch), runtime("mpi", jobs=mpi_jobs(), **MPI),
        runtime("gang", podGroupPolicy={"coscheduling": {"scheduleTimeoutSeconds": 100}}),
        runtime("quick", annotations={END: "succeed"}))
    trainer = {"numNodes": 2, "image": "registry.example/train:2", "command": ["torchrun", "a.py"],
               "env": [{"name": "LR", "value": "0.1"}],
               "resourcesPerNode": {"limits": {"cpu": "2", "nvidia.com/gpu": 1}}}
    for name in ("torch", "mpi", "gang"):
        space.create(trainjob(f"{name}-runs", name, trainer=trainer),
                     trainjob(f"{name}-waits", name, trainer=trainer, suspend=True))
    space.create(trainjob("plain-runs", "plain"), trainjob("plain-waits", "plain", suspend=True),
                 trainjob("done", "quick"))
    for name in ("torch", "mpi", "gang", "plain"):
        space.wait_jobset(f"{name}-waits", suspended=True)
        space.wait_condition("Suspended", "True", f"{name}-waits")
        wait_for(f"{name} runs", lambda n=name: space.jobset(f"{n}-runs"))
    space.wait_condition("Complete", "True", "done")
    wait_for("a pod runs", lambda: any(p["status"]["phase"] == "Running" for p in space.pods()))
    yield space
    space.clean()


def results(said):
    return {o["name"]: o["result"] for o in said.json["objects"]}


def of(said, name):
    return next(o for o in said.json["objects"] if o["name"] == name)


def test_what_upstream_made_is_safe(space, cluster):
    said = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "json")
    assert said.code == 0, said
    found = results(said)
    assert {n: found[n] for n in found if n.endswith("-runs")} == {
        f"{n}-runs": "running" for n in ("torch", "mpi", "gang", "plain")}
    assert {n: found[n] for n in found if n.endswith("-waits")} == {
        f"{n}-waits": "same" for n in ("torch", "mpi", "gang", "plain")}
    assert found["done"] == "finished" and found["plain"] == "same"
    assert said.json["safe"] is True and said.json["because"] == []
    assert said.json["summary"]["TrainJob"]["running"] == 4


def test_text_is_short_unless_asked(space, cluster):
    said = ask(cluster.kubeconfig(), "adopt", "-n", space.name)
    assert said.code == 0 and said.err == "", said
    lines = said.out.splitlines()
    assert lines[0].split() == ["KIND", "FOUND", "AS", "IT", "IS", "KEPT", "NEW", "DIFFERS", "REFUSED",
                                "FAILS", "UNKNOWN"]
    assert lines[-1] == "safe to switch: yes" and len(lines) == 6, said
    every = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-v")
    assert "running   TrainJob adopted/torch-runs: would not be touched while it runs" in every.out
    assert "same      TrainJob adopted/mpi-waits: " in every.out
    assert "\033" not in every.out
    yaml = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "yaml")
    assert yaml.out.startswith("safe: true\n")


def test_a_reader_is_enough(space, cluster):
    """A user who may get and list, and not even see Secrets."""
    reader = account(cluster, "reader", READS)
    said = ask(reader, "adopt", "-n", space.name, "-o", "json")
    assert said.code == 0, said
    assert results(said) == results(ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o",
                                        "json"))
    notes = [r["text"] for r in of(said, "mpi-waits")["reasons"] if r.get("note")]
    assert any("Secret mpi-waits-mpi-ssh-auth could not be seen" in n for n in notes), notes


def test_nothing_is_written(space, cluster):
    """By one who could: the API server's own audit log is asked."""
    if not cluster.audited:
        pytest.skip("a cluster of others shows no audit log")
    def versions():
        return {n: space.jobset(n)["metadata"]["resourceVersion"]
                for n in ("torch-runs", "torch-waits", "mpi-waits")}

    before = at_rest(versions)  # its own controller tells of pods that have just begun
    audit = Audit(cluster, [7])
    said = ask(cluster.kubeconfig("manager-7"), "adopt", "-A")
    assert said.code == 0, said
    entries = audit.entries()
    assert {e["verb"] for e in entries} == {"get", "list"}, [e["verb"] for e in entries]
    assert any(e["objectRef"]["resource"] == "jobsets" for e in entries)
    assert all(e["responseStatus"]["code"] in (200, 404) for e in entries), entries
    secrets = [e for e in entries if e["objectRef"]["resource"] == "secrets"]
    assert secrets, "mpi jobs have Secrets"
    assert before == versions()


def test_the_snapshot_counts(space, cluster):
    """A runtime that has changed since does not change the jobs that have begun with it."""
    live = space.get(API, "TrainingRuntime", "torch")
    pod = live["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["spec"]["tolerations"] = [{"key": "spot", "operator": "Exists"}]
    space.api.must("PUT", space.path(API, "TrainingRuntime", "torch"), live)
    said = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "json")
    assert said.code == 0 and results(said)["torch-waits"] == "same", said


CONTAINER = "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"


def test_a_difference_is_told(space, cluster):
    """B8 of docs/differences.md: without spec.trainer v2.3.0 sets no PET_ variables, we do. What runs
    stays as it is, what has never run is re-created."""
    space.create(trainjob("bare", "torch", suspend=True), trainjob("bare-runs", "torch"))
    space.wait_jobset("bare", suspended=True)
    space.wait_jobset("bare-runs", suspended=False)
    try:
        said = ask(cluster.kubeconfig(), "adopt", "-n", space.name)
        assert said.code == 0, said
        lines = said.out.splitlines()
        assert "replaced  TrainJob adopted/bare: rendered otherwise, and has never had pods: its JobSet " \
            "is re-created when the TrainJob is next changed or resumed" in lines, said
        at = lines.index("kept      TrainJob adopted/bare-runs: rendered otherwise: its JobSet stays as it is")
        assert lines[at + 1].strip().startswith(f"{CONTAINER}.env: stays unset; rendered today: [{{"), said
        assert lines[-1] == "safe to switch: yes", said
        row = next(line.split() for line in lines if line.startswith("TrainJob "))
        assert row[3:5] == ["1", "1"], said  # KEPT, NEW
    finally:
        for name in ("bare", "bare-runs"):
            space.api.delete(API, "TrainJob", space.name, name)


def warned_of(said, name):
    """What admission would only warn of."""
    assert said.code == 0 and said.json["safe"], said
    return [one["text"] for one in of(said, name)["reasons"] if one.get("note")]


def test_a_runtime_that_does_not_validate(space, cluster):
    """B20: v2.3.0 does not look at updates of a TrainingRuntime, and ours only warns."""
    doc = runtime("broken")
    space.create(doc)
    live = space.get(API, "TrainingRuntime", "broken")
    pod = live["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["spec"]["containers"][0]["name"] = "main"
    space.api.must("PUT", space.path(API, "TrainingRuntime", "broken"), live)
    try:
        said = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "json")
        assert warned_of(said, "broken") == [
            "spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers: must contain the "
            "required container for the ancestor: trainer"]
    finally:
        space.api.delete(API, "TrainingRuntime", space.name, "broken")


def test_a_patch_for_nobody(space, cluster):
    """B2: accepted by v2.3.0 and by ours, and then nothing comes of it."""
    patch = {"manager": "tests.dev/x", "trainingRuntimeSpec": {"template": {"spec": {
        "replicatedJobs": [{"name": "nobody", "template": {"spec": {"template": {
            "metadata": {"labels": {"a": "b"}}}}}}]}}}}
    space.create(trainjob("patched", "plain", suspend=True, runtimePatches=[patch]))
    try:
        said = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "json")
        assert warned_of(said, "patched")[0].startswith("spec.runtimePatches[0]")
    finally:
        space.api.delete(API, "TrainJob", space.name, "patched")


def installed_config(api, text):
    api.apply({"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"name": "kubeflow-trainer-config", "namespace": manager.SYSTEM},
               "data": {"controller_manager_config.yaml":
                        "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n" + text}})


def test_the_installed_configuration_counts(space, cluster):
    """What the operator would find when it starts there."""
    try:
        installed_config(space.api, "plugins: {disabledPlugins: [coscheduling]}\n")
        said = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "-o", "json")
        assert said.code == 1 and results(said)["gang-waits"] in ("refused", "fails"), said
        assert results(said)["torch-waits"] == "same"
        installed_config(space.api, "webhook: {port: 0}\n")
        said = ask(cluster.kubeconfig(), "adopt", "-n", space.name)
        assert said.code == 2 and "ConfigMap kubeflow-trainer-config" in said.err, said
        elsewhere = ask(cluster.kubeconfig(), "adopt", "-n", space.name, "--operator-namespace", "x")
        assert elsewhere.code == 0, elsewhere
    finally:
        space.api.delete("v1", "ConfigMap", manager.SYSTEM, "kubeflow-trainer-config")


def test_rights_that_are_missing(space, cluster):
    blind = account(cluster, "blind", [r for r in READS if r["apiGroups"] != ["jobset.x-k8s.io"]])
    said = ask(blind, "adopt", "-n", space.name)
    assert said.code == 1 and "jobsets cannot be listed: " in said.out.splitlines()[-1], said
    nobody = account(cluster, "nobody", [])
    said = ask(nobody, "adopt")
    assert said.code == 2 and said.out == "", said
    assert "TrainJobs cannot be listed: " in said.err and "forbidden" in said.err


@pytest.fixture(scope="module")
def stopped(space, upstream):
    """Nobody puts back what the last tests change."""
    upstream.stop()
    return space


def test_a_changed_jobset_is_told(stopped, cluster):
    """Somebody has edited what the manager owns: it would be put back. What it does not own is
    nobody's business."""
    live = stopped.jobset("plain-waits")
    live["metadata"].setdefault("labels", {})["queue.example/name"] = "team"
    pod = live["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    pod["spec"]["nodeSelector"] = {"pool": "slow", "zone": "a"}
    stopped.api.must("PUT", stopped.path(JOBSET_API, "JobSet", "plain-waits") + "?fieldManager=me", live)
    said = ask(cluster.kubeconfig(), "adopt", "-n", stopped.name, "-o", "json")
    entry = of(said, "plain-waits")
    assert said.code == 1 and entry["result"] == "differs", said
    assert entry["reasons"] == [{
        "path": "spec.replicatedJobs[node].template.spec.template.spec.nodeSelector",
        "text": '{"pool":"slow","zone":"a"} would become {"pool":"fast"}'}]


def test_a_child_that_is_gone_would_be_made(stopped, cluster):
    """That is what v2.3.0 would do, too: no reason against a switch."""
    stopped.api.delete(COSCHEDULING, "PodGroup", stopped.name, "gang-waits")
    stopped.api.delete("v1", "Secret", stopped.name, "mpi-waits-mpi-ssh-auth")
    wait_for("both are gone", lambda: not stopped.get(COSCHEDULING, "PodGroup", "gang-waits") and
             not stopped.get("v1", "Secret", "mpi-waits-mpi-ssh-auth"))
    said = ask(cluster.kubeconfig(), "adopt", "-n", stopped.name, "-o", "json")
    for name, child in (("gang-waits", "PodGroup gang-waits"),
                        ("mpi-waits", "Secret mpi-waits-mpi-ssh-auth")):
        assert of(said, name)["result"] == "new", of(said, name)
        assert {"text": f"{child} would be made", "note": True} in of(said, name)["reasons"]
    assert said.json["because"] == ["1 TrainJob would be changed"]  # of the test before


def predicted(said):
    """(kind, name) of everything that adopt says would be written beside statuses."""
    for entry in said.json["objects"]:
        if entry["result"] == "differs":
            yield "JobSet", entry["name"]
        for reason in entry.get("reasons", ()):
            words = reason["text"].split()
            if words[2:] == ["would", "be", "made"]:
                yield words[0], words[1]


def children(space):
    """What there is below TrainJobs, by (kind, name), as far as a manager writes it."""
    kinds = ((JOBSET_API, "JobSet"), (COSCHEDULING, "PodGroup"), ("v1", "Secret"), ("v1", "ConfigMap"))
    found = {(kind, o["metadata"]["name"]): o for version, kind in kinds
             for o in space.api.list(version, kind, space.name)}
    for obj in found.values():
        for key in ("resourceVersion", "managedFields"):  # statuses are not our question
            obj["metadata"].pop(key)
        obj.pop("status", None)
    return found


def test_what_was_said_is_what_happens(stopped, cluster):
    """Our operator takes over, and changes what adopt has said and nothing else."""
    said = set(predicted(ask(cluster.kubeconfig(), "adopt", "-n", stopped.name, "-o", "json")))
    assert {kind for kind, _ in said} == {"JobSet", "PodGroup", "Secret"}  # the tests before
    before = children(stopped)
    ours = Manager(cluster, FOLDER / "managers/ours", 1, webhooks=False, upstream=False).start()
    assert not ours.is_upstream()

    def changed():
        now = children(stopped)
        return {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}

    wait_for(f"{said} is written", lambda: said <= changed())
    stays("nothing else is", lambda: changed() == said)
    ours.stop()
    after = ask(cluster.kubeconfig(), "adopt", "-n", stopped.name, "-o", "json")
    assert after.code == 0 and not set(predicted(after)), after


def test_a_line_while_it_takes_long(tmp_path):
    """On a terminal only; here somebody listens and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = tmp_path / "config"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": f"https://127.0.0.1:{silent.getsockname()[1]}"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c"}}]}))
        us, them = pty.openpty()
        child = subprocess.Popen([PROGRAM, "adopt", "--kubeconfig", config], stderr=them,
                                 stdout=subprocess.DEVNULL)
        try:
            said = b""
            while b"reading the cluster: 0 of " not in said:
                assert select.select([us], [], [], WAIT_SECONDS)[0], said
                said += os.read(us, 4096)
        finally:
            child.kill()
            child.wait()
            os.close(them)
            os.close(us)


def test_no_cluster(tmp_path):
    said = ask(None, "adopt", env={"KUBECONFIG": "", "HOME": str(tmp_path)})
    assert said.code == 2 and "no kubeconfig: " in said.err, said
    said = ask(tmp_path / "gone", "adopt")
    assert said.code == 2 and "gone" in said.err, said
    assert ask(None, "adopt", "-n", "x", "-A").code == 2
    assert ask(None, "adopt", "job").code == 2
