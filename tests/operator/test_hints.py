"""A refusal keeps v2.3.0's words; beside them a warning names the field and what to do. The API server passes
it on, and kubectl prints it."""
import json
import subprocess

import pytest

import binaries
from kit import API, runtime, trainjob, wait_for

pytestmark = pytest.mark.ours("v2.3.0 gives no hints")

QUANTITIES = 'admission webhook "defaulter.trainjob.trainer.kubeflow.org" denied the request: quantities must match'


def refused(space, doc):
    """(message, warnings) of a creation."""
    code, answer = space.api.request("POST", f"/apis/{API}/namespaces/{space.name}/trainjobs", doc)
    assert code >= 400, answer
    return answer["message"], [json.loads(w.split(" ", 2)[2]) for w in space.api.warnings]


def memory(text):
    return trainjob(trainer={"resourcesPerNode": {"requests": {"memory": text}}})


@pytest.mark.parametrize("given, hint", [("10GB", "use 10G or 10Gi"), ("512MB", "use 512M or 512Mi"),
                                         ("8 Gi", "use 8Gi")])
def test_quantities(manager, space, given, hint):
    space.create(runtime())
    message, said = refused(space, memory(given))
    assert message.startswith(QUANTITIES)
    assert said == [f'spec.trainer.resourcesPerNode.requests.memory: "{given}": {hint}']


def test_types(manager, space):
    space.create(runtime())
    message, said = refused(space, trainjob(trainer={"numNodes": "four", "env": [{"name": "A", "value": 1}]}))
    assert "json: cannot unmarshal" in message
    assert sorted(said) == ['spec.trainer.env[0].value: 1: write "1" in quotes',
                            'spec.trainer.numNodes: "four": write a number']


def test_runtimes(manager, space):
    """Those of the namespace and kind that the TrainJob names."""
    space.create(runtime("torch-of-ours"), runtime("other"))
    wait_for("the webhook knows both", lambda: all(space.api.request(
        "POST", f"/apis/{API}/namespaces/{space.name}/trainjobs?dryRun=All", trainjob(runtime=name))[0] == 201
        for name in ("torch-of-ours", "other")))

    def hints():
        message, said = refused(space, trainjob(runtime="torch-of-our"))
        assert 'TrainingRuntime.trainer.kubeflow.org "torch-of-our" not found: ' in message
        return said

    assert [sorted(text.partition("there are: ")[2].split(", ")) for text in hints()] == [["other", "torch-of-ours"]]
    assert hints()[0].startswith('spec.runtimeRef: did you mean "torch-of-ours"? there are: ')
    message, said = refused(space, trainjob(kind="Runtime"))
    assert message.endswith("denied the request: unsupported runtime: Runtime.trainer.kubeflow.org")
    assert said == ["spec.runtimeRef: use kind ClusterTrainingRuntime or TrainingRuntime, apiGroup trainer.kubeflow.org"]


def test_kubectl_prints_it(manager, space, cluster):
    space.create(runtime())
    done = subprocess.run([binaries.find("kubectl"), f"--kubeconfig={cluster.kubeconfig()}", "-n", space.name,
                           "create", "-f", "-"], input=json.dumps(memory("10GB")), text=True, capture_output=True,
                          check=False, timeout=240)
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first == 'Warning: spec.trainer.resourcesPerNode.requests.memory: "10GB": use 10G or 10Gi'
    assert QUANTITIES in second
