"""`run --shrink`: jobs of a GPU cluster on this machine."""
import subprocess

import pytest

from runs import ROOT, finish

PYTHON = "/usr/bin/python3"  # the one that Debian installs torch for
FIRST = ROOT / "tests" / "first-examples"
SHOW = 'spec.trainer.command=[sh, -c, "echo $PET_NNODES nodes x $PET_NPROC_PER_NODE gpus [$CUDA_VISIBLE_DEVICES] cpu $ACCELERATE_USE_CPU"]'


def run(box, *args):
    return finish(subprocess.Popen([box.binary, "run", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=box.path, env=box.env))


@pytest.mark.parametrize("name, line, wants, size", [("overrides", 39, 64, "8 nodes x 8"), ("quickstart", 43, 32, "4 nodes x 8")])
def test_founding_examples(box, name, line, wants, size):
    """Refused as they are, with the field, the place and the option that helps; complete with it."""
    file = str(FIRST / f"{name}.yaml")
    code, out, err = run(box, file)
    assert code == 1
    assert (f"{file}:{line}: spec.trainer.resourcesPerNode.limits[nvidia.com/gpu]: wants {wants} nvidia.com/gpu at once, "
            "host has 0; --shrink runs it here with 2 nodes x 2") in err
    box.env["TRAINYARD_GPUS"] = "0,1"  # shrunk jobs see none, whatever the machine has
    code, out, err = run(box, file, "--shrink", "--set", SHOW)
    assert code == 0, err
    assert f": {size} → 2 x 2, no GPUs\n" in err
    assert sorted(out.splitlines()) == [f"[node-0-{i}] 2 nodes x 2 gpus [] cpu true" for i in (0, 1)]


def has_torch():
    return subprocess.run([PYTHON, "-c", "import torch.distributed"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_torch(), reason="python3-torch is not installed")
def test_torchrun_trains_and_nccl_is_explained(box):
    (box.path / "train.py").write_text(
        "import os, sys, torch, torch.distributed as dist\n"
        "dist.init_process_group(sys.argv[1])\n"
        "x = torch.ones(1)\n"
        "dist.all_reduce(x)\n"
        "print('sum', int(x.item()), flush=True)\n")
    text = (FIRST / "overrides.yaml").read_text()
    once = text.replace("              template:\n                spec:\n",
                        "              backoffLimit: 0\n              template:\n                spec:\n                  restartPolicy: Never\n")
    assert once != text
    (box.path / "job.yaml").write_text(once)

    def train(backend):  # examples/torch-ddp.yaml says why PET_REDIRECTS and PET_TEE
        command = f"spec.trainer.command=[{PYTHON}, -m, torch.distributed.run, train.py, {backend}]"
        return run(box, "job.yaml", "--shrink", "--set", command, "-e", "PET_REDIRECTS=1", "-e", "PET_TEE=1", "-e", "OMP_NUM_THREADS=1")
    code, out, err = train("gloo")
    assert code == 0, err
    assert out.count("sum 4") == 4
    code, out, err = train("nccl")
    assert code == 1, err
    assert 'hint: nccl needs GPUs: use backend gloo, for example init_process_group("gloo")' in err


def test_the_runtime_asks(box):
    """A request of the runtime is named there; placement does not matter to --shrink."""
    text = (FIRST / "overrides.yaml").read_text().replace("    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: 8\n", "")
    text = text.replace("        tolerations:", "        nodeSelector: {gpu: a100}\n        tolerations:")
    (box.path / "job.yaml").write_text(text)
    code, out, err = run(box, "job.yaml", "--set", SHOW)
    assert code == 1
    assert ("job.yaml:25: spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0].resources."
            "limits[nvidia.com/gpu]: wants 8 nvidia.com/gpu at once, host has 0; --shrink runs it here with 2 nodes") in err
    assert "no host label gpu=a100" in err
    code, out, err = run(box, "job.yaml", "--shrink", "--set", SHOW)
    assert code == 0, err
    assert "8 nodes → 2, no GPUs" in err
