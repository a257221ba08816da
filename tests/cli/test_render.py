"""trainyard render: what comes out for whom, and how it is printed."""
import base64
import re

import pytest
import yaml
from program import JOB, ROOT, container, env, pod, rjob, run

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mine
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/from-runtime:1
"""
MY_JOB = JOB.replace("torch-distributed", "mine").replace("    image: registry.example/train:1\n", "")
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
CATALOG = sorted((ROOT / "catalog").glob("*.yaml"))


def test_torch(box):
    box.file("job.yaml", JOB)
    result = box.run("render", "-f", "job.yaml").ok()
    assert result.err == ""
    assert [d["kind"] for d in result.docs()] == ["ConfigMap", "JobSet"]
    jobset = result.kind("JobSet")
    assert rjob(jobset)["template"]["spec"]["parallelism"] == 2
    node = container(jobset)
    assert node["image"] == "registry.example/train:1"
    assert env(node)["PET_NNODES"] == "2"
    assert env(node)["PET_MASTER_ADDR"] == "train-node-0-0.train"


def test_owner_has_a_uid_only_when_the_input_has_one(box):
    box.file("a.yaml", JOB)
    box.file("b.yaml", JOB.replace("name: train", "name: train\n  uid: 1-2-3"))
    for d in box.run("render", "-f", "a.yaml").ok().docs():
        (owner,) = d["metadata"]["ownerReferences"]
        assert owner["kind"] == "TrainJob" and owner["name"] == "train" and "uid" not in owner
        assert "namespace" not in d["metadata"]
    for d in box.run("render", "-f", "b.yaml").ok().docs():
        assert d["metadata"]["ownerReferences"][0]["uid"] == "1-2-3"


def test_namespace(box):
    box.file("job.yaml", JOB)
    for d in box.run("render", "-f", "job.yaml", "-n", "team").ok().docs():
        assert d["metadata"]["namespace"] == "team"
    box.file("other.yaml", JOB.replace("name: train", "name: train\n  namespace: theirs"))
    result = box.run("render", "-f", "other.yaml", "-n", "team")
    assert result.code == 1
    assert 'in namespace "theirs", not in "team" of --namespace' in result.err


@pytest.mark.parametrize("how", ["same file", "two files", "stdin", "directory", "operand"])
def test_ways_in(box, how):
    both = RUNTIME + "---\n" + MY_JOB
    if how == "same file":
        box.file("all.yaml", MY_JOB + "---\n" + RUNTIME)  # order does not matter
        result = box.run("render", "-f", "all.yaml")
    elif how == "two files":
        box.file("job.yaml", MY_JOB)
        box.file("rt.yaml", RUNTIME)
        result = box.run("render", "-f", "job.yaml", "-f", "rt.yaml")
    elif how == "stdin":
        result = box.run("render", "-f", "-", stdin=both)
    elif how == "directory":
        box.file("d/job.yaml", MY_JOB)
        box.file("d/rt.yml", RUNTIME)
        box.file("d/README.md", "not yaml: [")
        result = box.run("render", "-f", "d")
    else:
        box.file("all.yaml", both)
        result = box.run("render", "all.yaml")
    assert container(result.ok().kind("JobSet"))["image"] == "registry.example/from-runtime:1"


def test_json_list_on_the_way_in_and_out(box):
    import json
    items = [yaml.safe_load(RUNTIME), yaml.safe_load(MY_JOB)]
    box.file("list.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    out = box.run("render", "-f", "list.json", "-o", "json").ok().json()
    assert out["kind"] == "List" and out["apiVersion"] == "v1"
    assert [i["kind"] for i in out["items"]] == ["ConfigMap", "JobSet"]
    assert out["items"] == box.run("render", "-f", "list.json").ok().docs()


def test_names(box):
    box.file("job.yaml", JOB)
    out = box.run("render", "-f", "job.yaml", "-o", "name").ok().out
    assert out == "configmap/train-runtime-snapshot\njobset.jobset.x-k8s.io/train\n"


def test_who_wins(box):
    """The input wins over --runtimes, which wins over the catalog."""
    library = RUNTIME.replace("name: mine", "name: torch-distributed")
    box.file("lib/rt.yaml", library)
    box.file("rt.yaml", library.replace("from-runtime", "from-input"))
    box.file("job.yaml", MY_JOB.replace("mine", "torch-distributed"))

    def image(*more):
        return container(box.run("render", "-f", "job.yaml", *more).ok().kind("JobSet"))["image"]

    assert image().startswith("pytorch/pytorch:")
    assert image("--runtimes", "lib") == "registry.example/from-runtime:1"
    assert image("--runtimes", "lib", "-f", "rt.yaml") == "registry.example/from-input:1"


def test_runtime_of_a_namespace(box):
    namespaced = RUNTIME.replace("ClusterTrainingRuntime", "TrainingRuntime")
    job = MY_JOB.replace("    name: mine", "    name: mine\n    kind: TrainingRuntime")
    in_ns = "name: train\n  namespace: a"
    box.file("job.yaml", job.replace("name: train", in_ns))
    box.file("none.yaml", namespaced)
    box.file("a.yaml", namespaced.replace("name: mine", "name: mine\n  namespace: a"))
    box.file("b.yaml", namespaced.replace("name: mine", "name: mine\n  namespace: b"))
    box.run("render", "-f", "job.yaml", "-f", "none.yaml").ok()
    box.run("render", "-f", "job.yaml", "-f", "a.yaml").ok()
    result = box.run("render", "-f", "job.yaml", "-f", "b.yaml")
    assert result.code == 1 and "spec.runtimeRef" in result.err


def test_a_broken_job_does_not_stop_the_others(box):
    box.file("jobs.yaml", JOB + "---\n" + JOB.replace("name: train", "name: other").replace("numNodes: 2", "numNodes: x"))
    result = box.run("render", "-f", "jobs.yaml")
    assert result.code == 1
    assert {d["metadata"]["name"] for d in result.docs()} == {"train", "train-runtime-snapshot"}
    assert result.err.startswith("jobs.yaml:20:15: spec.trainer.numNodes: ")


def test_a_broken_file_stops_all(box):
    box.file("job.yaml", JOB)
    box.file("bad.yaml", "a: [")
    result = box.run("render", "-f", "job.yaml", "-f", "bad.yaml")
    assert result.code == 1 and result.out == "" and result.err.startswith("bad.yaml:")


def test_a_broken_runtime_is_told_once(box):
    box.file("all.yaml", RUNTIME.replace("numNodes: 1", "numNodes: one") + "---\n" + MY_JOB)
    result = box.run("render", "-f", "all.yaml")
    assert result.code == 1 and result.out == ""
    lines = result.err.splitlines()
    assert lines[0].startswith("all.yaml:7:15: spec.mlPolicy.numNodes: Invalid value")
    assert lines[-1] == ('all.yaml:24: TrainJob train: not checked against its runtime "mine", '
                         "which is invalid (all.yaml:1)")


def test_nothing_to_render(box):
    box.file("rt.yaml", RUNTIME)
    result = box.run("render", "-f", "rt.yaml").ok()
    assert result.out == ""
    assert result.err == "note: no TrainJob in the input: nothing to render\n"
    box.file("job.yaml", JOB + "  managedBy: kueue.x-k8s.io/multikueue\n")
    result = box.run("render", "-f", "job.yaml").ok()
    assert result.out == ""
    assert "renders to nothing: it is managed by kueue.x-k8s.io/multikueue" in result.err


def test_other_documents_are_passed_over(box):
    box.file("job.yaml", JOB + "---\nx-step: delete\n---\napiVersion: v1\nkind: Node\nmetadata: {name: s}\n")
    result = box.run("render", "-f", "job.yaml").ok()
    assert result.err == ("note: job.yaml:12: a document without kind is passed over\n"
                          "note: job.yaml:14: v1 Node is passed over\n")


def test_cluster_state_is_seen(box):
    """A running JobSet is frozen; an existing key pair stays."""
    box.file("job.yaml", JOB)
    first = box.run("render", "-f", "job.yaml").ok()
    jobset = yaml.safe_dump(first.kind("JobSet"))
    again = box.run("render", "-f", "job.yaml", "-f", "-", stdin=jobset).ok()
    assert [d["kind"] for d in again.docs()] == ["ConfigMap"]


def test_origins(box):
    box.file("job.yaml", JOB)
    text = box.run("render", "-f", "job.yaml", "--origins").ok().out
    plain = box.run("render", "-f", "job.yaml").ok()
    assert list(yaml.safe_load_all(text)) == plain.docs()  # only comments were added

    def comment(line):
        found = [row for row in text.splitlines() if re.sub(r"\s+# .*", "", row).strip() == line]
        assert found, line
        return found[-1].partition(" # ")[2]

    assert "trainer" in comment("image: registry.example/train:1").lower()
    assert "Torch" in comment("- name: PET_NNODES")
    assert "torch-distributed" in comment("- name: node")


def test_keys(box):
    box.file("job.yaml", JOB.replace("torch-distributed", "mpi"))
    secrets = [box.run("render", "-f", "job.yaml").ok().kind("Secret") for _ in range(2)]
    keys = [base64.b64decode(s["data"]["ssh-privatekey"]) for s in secrets]
    assert all(k.startswith(b"-----BEGIN EC PRIVATE KEY-----") for k in keys)
    assert keys[0] != keys[1]
    hidden = box.run("render", "-f", "job.yaml", "--redact-secrets").ok()
    assert set(hidden.kind("Secret")["data"].values()) == {"<redacted>"}
    assert "PRIVATE" not in hidden.out


def test_feature_gate_and_configuration(box):
    box.file("job.yaml", JOB)
    box.file("config.yaml", "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"
             "featureGates: {TrainJobStatus: true}\nstatusServer: {port: 1111}\n"
             "certManagement: {webhookSecretName: certs}\n")
    box.file("secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: certs, namespace: kubeflow-system}\n"
             "data: {ca.crt: Y2E=}\n")
    box.file("cert.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: kubeflow-trainer-webhook-cert, "
             "namespace: kubeflow-system}\ndata: {ca.crt: Y2E=}\n")

    def url(*more):
        got = env(container(box.run("render", "-f", "job.yaml", *more).ok().kind("JobSet")))
        return got.get("KUBEFLOW_TRAINER_SERVER_URL")

    assert url() is None
    assert ":1111/" in url("--config", "config.yaml", "-f", "secret.yaml")
    assert ":10443/" in url("--feature-gates", "TrainJobStatus=true", "-f", "cert.yaml")
    assert url("--config", "config.yaml", "--feature-gates", "TrainJobStatus=false") is None


def test_disabled_plugin(box):
    box.file("job.yaml", JOB)
    head = "apiVersion: config.trainer.kubeflow.org/v1alpha1\nkind: Configuration\n"
    box.file("off.yaml", head + "plugins: {disabledPlugins: [torch]}\n")
    result = box.run("render", "-f", "job.yaml", "--config", "off.yaml")
    assert result.code == 1 and "needs plugin Torch" in result.err and result.out == ""
    box.file("core.yaml", head + "plugins: {disabledPlugins: [JobSet]}\n")
    result = box.run("render", "-f", "job.yaml", "--config", "core.yaml")
    assert result.code == 1 and "JobSet cannot be disabled" in result.err
    box.file("odd.yaml", head + "plugins: {disabledPlugins: [Torhc]}\n")
    result = box.run("render", "-f", "job.yaml", "--config", "odd.yaml")
    assert result.code == 1 and 'there is no plugin "Torhc"' in result.err


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples(path):
    checked = run("validate", "-f", path)
    assert checked.code == 0 and checked.out == "", checked.out
    docs = run("render", "-f", path).ok().docs()
    assert docs and docs[-1]["kind"] == "JobSet"


@pytest.mark.parametrize("path", CATALOG, ids=lambda p: p.stem)
def test_catalog(path, box):
    checked = run("validate", "-f", path)
    assert checked.code == 0 and checked.out == "", checked.out
    box.file("job.yaml", JOB.replace("torch-distributed", path.stem))
    jobset = box.run("render", "-f", "job.yaml").ok().kind("JobSet")
    assert any(c["image"] == "registry.example/train:1"
               for j in jobset["spec"]["replicatedJobs"]
               for c in j["template"]["spec"]["template"]["spec"]["containers"])


def test_example_elastic():
    got = env(container(run("render", "-f", ROOT / "examples/cluster/elastic-torch.yaml").ok().kind("JobSet")))
    assert got["PET_NNODES"] == "2:8" and got["PET_MAX_RESTARTS"] == "3"


def test_example_tensorflow():
    jobset = run("render", "-f", ROOT / "examples/cluster/tensorflow.yaml").ok().kind("JobSet")
    assert rjob(jobset, "worker")["template"]["spec"]["parallelism"] == 4
    for job in ("chief", "ps", "worker"):
        assert "TF_CONFIG" in env(container(jobset, job))


def test_example_older_overrides():
    jobset = run("render", "-f", ROOT / "examples/cluster/older-overrides.yaml").ok().kind("JobSet")
    assert pod(jobset)["spec"]["nodeSelector"] == {"accelerator": "h100"}
    assert pod(jobset)["metadata"]["labels"]["team"] == "speech"


def test_ten_thousand_jobs(box):
    n = 10000
    box.file("jobs.yaml", "---\n".join(JOB.replace("name: train", f"name: train-{i}") for i in range(n)))
    out = box.run("render", "-f", "jobs.yaml", "-o", "name").ok().out
    assert out.count("jobset.jobset.x-k8s.io/") == n
