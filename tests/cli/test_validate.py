"""trainyard validate: everything at once, each with its place."""
import yaml

from program import JOB, ROOT, run

MANY = JOB.replace("numNodes: 2", "numNode: 2") + """\
    env:
    - name: A
    - name: A
    - nme: B
    resourcesPerNode:
      limits:
        cpu: many
  suspnd: true
"""


def test_all_at_once(box):
    box.file("job.yaml", MANY)
    result = box.run("validate", "-f", "job.yaml")
    assert result.code == 1
    lines = result.out.splitlines()
    for want in [
        'job.yaml:9:14: spec.trainer.numNode: unknown field (did you mean spec.trainer.numNodes?)',
        'job.yaml:14:12: spec.trainer.env[2].nme: unknown field (did you mean spec.trainer.env[2].name?)',
        'job.yaml:18:11: spec.suspnd: unknown field (did you mean spec.suspend?)',
        "job.yaml:14:7: spec.trainer.env[2].name: Required value",
    ]:
        assert want in lines, result.out
    for start in ["job.yaml:13:7: spec.trainer.env[1]: Duplicate value: ",
                  "job.yaml:17:14: spec.trainer.resourcesPerNode.limits.cpu: Invalid value: "]:
        assert any(line.startswith(start) for line in lines), (start, result.out)
    assert len(lines) == 6
    assert result.err == "1 object, 1 invalid (some rules can be checked once this is corrected)\n"


def test_rules_and_webhook(box):
    """A rule of the schema and a check of the webhook, both at once."""
    box.file("job.yaml", JOB + "    env:\n    - {name: PET_NNODES, value: x}\n  managedBy: nobody\n")
    result = box.run("validate", "-f", "job.yaml")
    assert result.code == 1
    webhook, rule = result.out.splitlines()
    assert rule == ("job.yaml:13:14: spec.managedBy: Invalid value: \"nobody\": ManagedBy must be "
                    "trainer.kubeflow.org/trainjob-controller or kueue.x-k8s.io/multikueue if set")
    assert webhook.startswith("job.yaml:12:5: spec.trainer.env: Invalid value: ")
    assert webhook.endswith("must not have reserved envs, invalid envs configured: [PET_NNODES] "
                            "(remove them: the operator sets these variables)")


def test_summary(box):
    box.file("good.yaml", JOB)
    box.file("bad.yaml", JOB.replace("name: train", "name: other").replace("numNodes: 2", "numNodes: x"))
    box.file("broken.yaml", "[")
    result = box.run("validate", "-f", ".")
    assert result.code == 1
    assert result.err == "2 objects, 1 invalid; 1 could not be read (some rules can be checked once this is corrected)\n"
    assert box.run("validate", "-f", "good.yaml").ok().err == "1 object, 0 invalid\n"
    quiet = box.run("validate", "-q", "-f", "good.yaml").ok()
    assert quiet.out == quiet.err == ""


def test_json(box):
    box.file("job.yaml", JOB.replace("numNodes", "numNode"))
    result = box.run("validate", "-f", "job.yaml", "-o", "json")
    assert result.code == 1
    assert result.json() == [{
        "severity": "error", "file": "job.yaml", "line": 9, "column": 14, "kind": "TrainJob", "name": "train",
        "path": "spec.trainer.numNode", "type": "Unknown field", "hint": "did you mean spec.trainer.numNodes?",
    }]
    box.file("good.yaml", JOB)
    assert box.run("validate", "-f", "good.yaml", "-o", "json").ok().json() == []


def test_json_of_a_file_that_cannot_be_read(box):
    result = box.run("validate", "-f", "gone.yaml", "-o", "json")
    assert result.code == 1
    assert result.json() == [{"severity": "error", "file": "gone.yaml",
                              "detail": "cannot open: No such file or directory"}]


def test_warning(box):
    runtime = (ROOT / "catalog/torch-distributed.yaml").read_text().replace(
        "  labels:\n    trainer", "  labels:\n    trainer.kubeflow.org/support: deprecated\n    trainer", 1)
    box.file("rt.yaml", runtime)
    box.file("job.yaml", JOB)
    result = box.run("validate", "-f", "rt.yaml", "-f", "job.yaml").ok()
    assert "job.yaml:1: warning: TrainJob train: Referenced ClusterTrainingRuntime \"torch-distributed\" is deprecated" \
        in result.out
    assert result.err == "2 objects, 0 invalid, 2 warnings\n"


def test_patch_of_an_unknown_container(box):
    box.file("job.yaml", JOB + """\
  runtimePatches:
  - manager: example.org/me
    trainingRuntimeSpec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: trainer
                      volumeMounts:
                      - {name: x, mountPath: /x}
""")
    result = box.run("validate", "-f", "job.yaml")
    assert result.code == 1
    (line,) = result.out.splitlines()
    assert line.startswith("job.yaml:23:29: spec.runtimePatches[0].")
    assert line.endswith('containers[0].name: Invalid value: "trainer": '
                         'job "node" of runtime "torch-distributed" has no container "trainer"; it has: node')


def test_runtime_from_the_library(box):
    box.file("lib/rt.yaml", (ROOT / "catalog/torch-distributed.yaml").read_text().replace(
        "name: torch-distributed", "name: ours").replace("    torch: {}", "    torch: {nope: 1}"))
    box.file("job.yaml", JOB.replace("torch-distributed", "ours"))
    result = box.run("validate", "-f", "job.yaml", "--runtimes", "lib")
    assert result.code == 1
    first, second = result.out.splitlines()
    assert first.startswith("lib/rt.yaml:11:19: spec.mlPolicy.torch.nope: unknown field")
    assert 'not checked against its runtime "ours"' in second
    assert result.err == "1 object, 1 invalid\n"


def test_own_crds_kinds_only(box):
    """Cluster state is carried, not judged."""
    box.file("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nnonsense: 1\n")
    assert box.run("validate", "-f", "s.yaml").ok().out == ""


def test_generated_name(box):
    box.file("job.yaml", JOB.replace("name: train", "generateName: train-"))
    box.run("validate", "-f", "job.yaml").ok()
    assert box.run("render", "-f", "job.yaml").ok().kind("JobSet")["metadata"]["name"] == "train-xxxxx"


def test_colour_only_on_a_terminal(box):
    box.file("job.yaml", JOB.replace("numNodes", "numNode"))
    assert "\033" not in run("validate", "-f", box.path / "job.yaml").out


# ---- jobs that cannot run (B36, B37): on a cluster a warning

def finding(box, job, *files):
    """The only line about job.yaml, which is an error."""
    box.file("job.yaml", job)
    result = box.run("validate", *[word for name in (*files, "job.yaml") for word in ("-f", name)])
    assert result.code == 1, result.out
    (line,) = [line for line in result.out.splitlines() if line.startswith("job.yaml:")]
    return line


def test_numbers_of_nodes(box):
    """Too few, too many, and more than the field can hold: one line with the bound."""
    for nodes, why in [("0", 'job "node" gets no pods: numNodes is 0: it is over at once, without a pod; use 1 or more'),
                       ("-3", 'job "node" gets no pods: numNodes is -3: a Job cannot have fewer than 0 pods; use 1 or more'),
                       ("2147483647", 'job "node" has too many pods: numNodes is 2147483647: an indexed Job can have '
                                      'at most 100000 pods'),
                       ("2147483648", "must be a whole number of at most 2147483647"),
                       ("-2147483649", "must be a whole number of at least -2147483648"),
                       ("1e+300", "must be a whole number of at most 2147483647"),
                       ("1.5", "must be a whole number of at most 2147483647")]:
        assert finding(box, JOB.replace("numNodes: 2", f"numNodes: {nodes}")) == (
            f"job.yaml:9:15: spec.trainer.numNodes: Invalid value: {nodes}: {why}")


def test_number_too_large_beside_other_errors(box):
    """The API server reports it without a field, and such errors are left out beside others."""
    box.file("job.yaml", JOB.replace("numNodes: 2", "numNodes: 2147483648") + "  managedBy: nobody\n")
    lines = box.run("validate", "-q", "-f", "job.yaml").out.splitlines()
    assert len(lines) == 2, lines
    assert lines[0].startswith("job.yaml:9:15: spec.trainer.numNodes: Invalid value: 2147483648: must be")


def test_requests_above_limits(box):
    assert finding(box, JOB + "    resourcesPerNode:\n      requests: {memory: 8Gi}\n      limits: {memory: 4Gi}\n") == (
        'job.yaml:12:26: spec.trainer.resourcesPerNode.requests.memory: Invalid value: "8Gi": job "node" gets no '
        'pods: memory request 8Gi of container "node" is above the limit 4Gi; set resourcesPerNode.limits.memory '
        'to 8Gi or more, or lower the request')


def torch_runtime(change):
    """The shipped runtime, after `change` was done to its only job."""
    doc = yaml.safe_load((ROOT / "catalog/torch-distributed.yaml").read_text())
    (job,) = doc["spec"]["template"]["spec"]["replicatedJobs"]
    change(job)
    return yaml.safe_dump(doc)


def test_requests_above_limits_of_the_runtime(box):
    box.file("rt.yaml", torch_runtime(lambda job: job["template"]["spec"]["template"]["spec"]["containers"][0].update(
        resources={"limits": {"cpu": 1}})))
    line = finding(box, JOB + "    resourcesPerNode:\n      requests: {cpu: 2}\n", "rt.yaml")
    assert line.startswith("job.yaml:12:23: spec.trainer.resourcesPerNode.requests.cpu: Invalid value: 2: ")
    assert "cpu request 2 of container \"node\" is above the limit 1" in line


def test_nobody_takes_the_trainer(box):
    """The runtime may be meant so, which is a warning; a TrainJob that says something to nobody is not."""
    def rename(job):
        job["name"] = "worker"
        del job["template"]["metadata"]

    box.file("rt.yaml", torch_runtime(rename))
    assert finding(box, JOB, "rt.yaml") == (
        'job.yaml:9:5: spec.trainer: Invalid value: ignored: no job of runtime "torch-distributed" has label '
        'trainer.kubeflow.org/trainjob-ancestor-step: trainer; add it to template.metadata.labels of job "worker"')
    alone = box.run("validate", "-f", "rt.yaml").ok()
    assert "spec.trainer will be ignored" in alone.out
    assert alone.err == "1 object, 0 invalid, 1 warning\n"


def test_labels_that_the_api_server_refuses(box):
    """Metadata is refused at once, a template's labels when the JobSet or the Job is created."""
    box.file("job.yaml", """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: train
  labels:
    team a: x
    owner: Jane Doe
  annotations:
    a/b/c: x
spec:
  labels:
    -x: z
  runtimeRef: {name: torch-distributed}
""")
    result = box.run("validate", "-q", "-f", "job.yaml")
    assert result.code == 1
    starts = ['job.yaml:6:13: metadata.labels: Invalid value: "team a": name part must consist of alphanumeric',
              'job.yaml:7:12: metadata.labels: Invalid value: "Jane Doe": a valid label must be an empty string or',
              'job.yaml:9:12: metadata.annotations: Invalid value: "a/b/c": a valid label key must consist of',
              'job.yaml:12:9: spec.labels: Invalid value: "-x": name part must consist of alphanumeric']
    lines = result.out.splitlines()
    assert len(lines) == len(starts), result.out
    for line, start in zip(lines, starts):
        assert line.startswith(start), result.out
    assert box.run("render", "-f", "job.yaml").code == 1


def test_labels_of_a_runtime(box):
    """Also those of its pods' template, at their own line."""
    runtime = torch_runtime(lambda job: job["template"]["spec"]["template"].update(
        metadata={"labels": {"role": "the trainer"}}))
    lines = runtime.splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "role: the trainer" in text)
    box.file("runtime.yaml", runtime)
    result = box.run("validate", "-q", "-f", "runtime.yaml")
    assert result.code == 1
    assert result.out.startswith(f"runtime.yaml:{line}:"), result.out
    assert ('spec.template.spec.replicatedJobs[0].template.spec.template.metadata.labels: Invalid value: '
            '"the trainer": a valid label must be') in result.out
