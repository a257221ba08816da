"""trainyard explain"""
import pytest
from program import run


def test_field():
    text = run("explain", "trainjob.spec.trainer").ok().out
    assert "KIND:" in text and "TrainJob" in text
    assert "VERSION:" in text and "v1alpha1" in text
    for field in ("numNodes", "numProcPerNode", "resourcesPerNode", "image", "command", "env"):
        assert f"  {field}\t" in text or f"  {field} " in text


def test_ours_is_described():
    text = run("explain", "trainingruntime.spec.mlPolicy.torch.elasticPolicy").ok().out
    assert "minNodes" in text and "maxNodes" in text and "maxRestarts" in text


def test_recursive_is_deeper():
    flat = run("explain", "trainjob.spec").ok().out
    deep = run("explain", "trainjob.spec", "--recursive").ok().out
    assert "storageUri" not in flat and "storageUri" in deep
    assert "tolerations" in deep


def test_lists_may_have_places():
    assert run("explain", "trainjob.spec.trainer.env[0].name").ok().out == \
        run("explain", "trainjob.spec.trainer.env.name").ok().out


@pytest.mark.parametrize("path, near", [("trainjob.spec.trainr", "trainer"), ("trainjobb", "trainjob")])
def test_unknown(path, near):
    result = run("explain", path)
    assert result.code == 1 and result.out == ""
    assert result.err.startswith("error: ") and result.err.count("\n") == 1
    assert near in result.err


def test_usage():
    assert run("explain").code == 2
    assert run("explain", "trainjob", "jobset").code == 2
