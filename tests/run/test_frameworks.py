"""Real frameworks over several nodes of one machine; each is skipped where it is not installed."""
import pathlib
import re
import shutil
import subprocess
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

MPI = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt}
spec:
  mlPolicy: {mpi: {numProcPerNode: 2, runLauncherAsNode: true}}
  template:
    spec:
      network: {publishNotReadyAddresses: true}
      successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
      replicatedJobs:
      - name: node
        template:
          spec:
            template: {spec: {containers: [{name: node, image: none, command: [/usr/sbin/sshd, -De]}]}}
      - name: launcher
        dependsOn: [{name: node, status: Ready}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            backoffLimit: 0
            template:
              spec:
                restartPolicy: Never
                containers: [{name: node, image: none, command: [mpirun, ./sum]}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: add}
spec: {runtimeRef: {name: rt}, trainer: {numNodes: 3}}
"""


def has_torch():
    return subprocess.run(["/usr/bin/python3", "-c", "import torch.distributed"], capture_output=True).returncode == 0


@pytest.mark.skipif(not shutil.which("mpicc") or not shutil.which("mpirun"), reason="no MPI here")
def test_mpi_without_sshd(box):
    subprocess.run(["mpicc", "-o", str(box.path / "sum"), str(HERE / "sum.c")], check=True)
    code, out, err = box.run(MPI)
    assert code == 0, err
    ranks = sorted(re.findall(r"rank (\d) of 6 on (\S+) sum 15", out))
    assert [r for r, _ in ranks] == list("012345")
    assert {h for _, h in ranks} == {"add-node-0-0", "add-node-0-1", "add-launcher-0-0"}


@pytest.mark.skipif(not has_torch(), reason="python3-torch is not installed")
def test_two_ddp_jobs_at_once(box):
    """Both want port 29500, and neither gets it: each JobSet has a port of its own."""
    text = (ROOT / "examples/torch-ddp.yaml").read_text().replace("examples/ddp.py", "ddp.py")
    shutil.copy(ROOT / "examples/ddp.py", box.path)
    results = {}

    def go(name):
        file = box.path / f"{name}.yaml"
        file.write_text(text.replace("name: ddp", f"name: {name}"))
        done = subprocess.run([box.binary, "run", str(file)], cwd=box.path, env=box.env, text=True,
                              capture_output=True, timeout=240)
        results[name] = done

    threads = [threading.Thread(target=go, args=(n,)) for n in ("one", "two")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for name, done in results.items():
        assert done.returncode == 0, (name, done.stderr)
        losses = [float(x) for x in re.findall(r"loss ([0-9.]+)", done.stdout)]
        assert len(losses) == 10 and losses[-1] < losses[0], done.stdout
        assert sorted(re.findall(r"rank (\d) of 4 done", done.stdout)) == list("0123")
