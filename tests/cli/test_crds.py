"""trainyard crds"""
import json

from program import run

NAMES = ["trainjobs", "trainingruntimes", "clustertrainingruntimes"]


def test_yaml():
    docs = run("crds").ok().docs()
    assert [d["metadata"]["name"] for d in docs] == [f"{n}.trainer.kubeflow.org" for n in NAMES]
    assert all(d["kind"] == "CustomResourceDefinition" for d in docs)


def test_json_is_compact_and_small():
    result = run("crds", "-o", "json").ok()
    listing = result.json()
    assert listing["kind"] == "List" and len(listing["items"]) == 3
    assert listing["items"] == run("crds").docs()
    assert sum(len(json.dumps(i, separators=(",", ":"))) for i in listing["items"]) < 300_000
    assert len(result.out) < 300_200 and result.out.count("\n") == 1


def test_names():
    assert run("crds", "-o", "name").ok().out == "".join(
        f"customresourcedefinition.apiextensions.k8s.io/{n}.trainer.kubeflow.org\n" for n in NAMES)
