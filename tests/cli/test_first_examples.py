"""The two manifests that the project's founding notes show work as their authors meant."""
from program import ROOT, container, env, pod, rjob, run

FOLDER = ROOT / "tests" / "first-examples"


def test_quickstart():
    checked = run("validate", "-f", FOLDER / "quickstart.yaml")
    assert checked.code == 0
    assert "warning" in checked.out and "trainjob-ancestor-step" in checked.out
    result = run("render", "-f", FOLDER / "quickstart.yaml").ok()
    assert [d["kind"] for d in result.docs()] == ["ConfigMap", "PodGroup", "JobSet"]
    jobset, group = result.kind("JobSet"), result.kind("PodGroup")
    assert rjob(jobset)["template"]["spec"]["parallelism"] == 4
    assert rjob(jobset)["template"]["spec"]["completions"] == 4
    node = container(jobset)
    assert node["image"] == "pytorch/pytorch:2.0.0"
    assert node["command"] == ["torchrun"]
    assert node["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    got = env(node)
    assert got["PET_NNODES"] == "4"
    assert got["PET_NPROC_PER_NODE"] == "auto"
    assert got["PET_MASTER_ADDR"] == "pytorch-distributed-node-0-0.pytorch-distributed"
    assert node["ports"] == [{"containerPort": 29500}]
    assert pod(jobset)["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == "pytorch-distributed"
    assert group["spec"]["minMember"] == 4
    assert group["spec"]["scheduleTimeoutSeconds"] == 300
    assert group["spec"]["minResources"] == {"nvidia.com/gpu": "32"}


def test_overrides():
    assert run("validate", "-f", FOLDER / "overrides.yaml").code == 0
    result = run("render", "-f", FOLDER / "overrides.yaml").ok()
    jobset = result.kind("JobSet")
    assert rjob(jobset)["template"]["spec"]["parallelism"] == 8
    node = container(jobset)
    assert node["image"] == "pytorch/pytorch:2.0.0"
    assert node["resources"]["limits"] == {"nvidia.com/gpu": "8"}
    assert env(node)["PET_NNODES"] == "8"
    assert env(node)["PET_NPROC_PER_NODE"] == "auto"
    assert pod(jobset)["spec"]["tolerations"] == [{"key": "gpu", "operator": "Exists"}]
