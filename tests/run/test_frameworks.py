"""Real frameworks over several nodes of one machine; one that is not installed is skipped, and says so."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import pytest

from runs import BINARY, needs_mounts

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

MPI = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt}
spec:
  mlPolicy: {mpi: {numProcPerNode: 2, mpiImplementation: FLAVOUR, runLauncherAsNode: true}}
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
                containers: [{name: node, image: none, command: [sh, -c, COMMAND]}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: add}
spec: {runtimeRef: {name: rt}, trainer: {numNodes: 3}}
"""
FLAVOURS = {
    "OpenMPI": ("mpicc.openmpi", "mpirun.openmpi", "mpirun.openmpi ./sum"),
    # Over TCP the UCX 1.13 of Debian 12 may wait for ever in MPI_Finalize, without trainyard, too
    # (openucx/ucx issue 8738): that the sum is there is what counts.
    "MPICH": ("mpicc.mpich", "mpiexec.mpich", "timeout 60 mpiexec.mpich ./sum || [ $? = 124 ]"),
}
OTHER_UID = 1234


def has_torch():
    return subprocess.run(["/usr/bin/python3", "-c", "import torch.distributed"], capture_output=True).returncode == 0


@pytest.fixture
def folder():
    """Of this test, and open to other users, as pytest's own folders are not."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def run_mpi(folder, flavour, prefix=()):
    compiler, launcher, command = FLAVOURS[flavour]
    if not shutil.which(compiler) or not shutil.which(launcher):
        pytest.skip(f"no {launcher} here: tools/deps test installs it on Debian 12")
    subprocess.run([compiler, "-o", str(folder / "sum"), str(HERE / "sum.c")], check=True)
    shutil.copy(BINARY, folder / "trainyard")  # the build folder may be closed to others
    (folder / "job.yaml").write_text(MPI.replace("FLAVOUR", flavour).replace("COMMAND", repr(command)))
    env = dict(os.environ, XDG_STATE_HOME=str(folder / "state"), HOME=str(folder), NO_COLOR="1",
               ASAN_OPTIONS="detect_leaks=1")
    done = subprocess.run([*prefix, "./trainyard", "run", "job.yaml"], cwd=folder, env=env, text=True,
                          capture_output=True, timeout=480)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_ranks(out, uid, namespaces):
    found = re.findall(r"rank (\d) of 6 on (\S+) sum 15 pod \S+ pids (\S+) uid (\d+)", out)
    assert sorted(rank for rank, *_ in found) == list("012345"), out
    homes = {host: {pids for _, h, pids, _ in found if h == host} for _, host, *_ in found}
    assert set(homes) == {"add-node-0-0", "add-node-0-1", "add-launcher-0-0"}
    assert {int(u) for *_, u in found} == {uid}
    if namespaces:  # every rank is a descendant of its own pod: two share its pids, no others do
        assert all(len(pids) == 1 for pids in homes.values()), homes
        assert len({min(pids) for pids in homes.values()} | {os.readlink("/proc/self/ns/pid")}) == 4


@needs_mounts
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_mpi_without_sshd(folder, flavour):
    out = run_mpi(folder, flavour)
    check_ranks(out, os.getuid(), subprocess.run(["unshare", "-rpf", "true"]).returncode == 0)


@pytest.mark.skipif(os.getuid() != 0, reason="the test above is that of an ordinary user")
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_mpi_for_an_ordinary_user(folder, flavour):
    become = ["setpriv", f"--reuid={OTHER_UID}", f"--regid={OTHER_UID}", "--clear-groups"]
    os.chown(folder, OTHER_UID, OTHER_UID)
    out = run_mpi(folder, flavour, become)
    check_ranks(out, OTHER_UID, subprocess.run([*become, "unshare", "-rpf", "true"]).returncode == 0)
    assert (folder / "state").stat().st_uid == OTHER_UID


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
                              capture_output=True, timeout=480)
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
