#!/usr/bin/python3
"""usage: frameworks.py [--network host,pod] [CASE...]

Trains with real frameworks over several nodes of this machine, and prints a table for docs/frameworks.md.
Packages come from PyPI, pinned in venvs.toml, into ~/.cache/trainyard/frameworks (XDG_CACHE_HOME), or from
Debian. Every rank that is done prints FRAMEWORK OK; a case is good if the run ends with 0 and all ranks did.
A log of each run is left in the cache folder. `make test-frameworks` builds trainyard first."""
import argparse
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
JOBS = "tests/frameworks/jobs"
BINARY = os.environ.get("TRAINYARD", str(ROOT / "build/trainyard"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "trainyard/frameworks"
VENVS = tomllib.loads((HERE / "venvs.toml").read_text())
TIMEOUT = 300

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer: {{numNodes: {nodes}, {more}command: {command}, env: [{env}]}}
"""
PS = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: tensorflow-ps}
spec:
  mlPolicy: {numNodes: 2, tensorflow: {}}
  template:
    spec:
      successPolicy: {operator: All, targetReplicatedJobs: [chief]}
      replicatedJobs:
      - {name: chief, template: {spec: {template: {spec: {containers: [CONTAINER]}}}}}
      - {name: ps, template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [CONTAINER]}}}}}
      - name: worker
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [CONTAINER]}}}
---
"""
MPI = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpich-distributed}
spec:
  mlPolicy: {numNodes: 1, mpi: {numProcPerNode: 1, mpiImplementation: MPICH, runLauncherAsNode: true}}
  template:
    spec:
      network: {publishNotReadyAddresses: true}
      successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
      replicatedJobs:
      - name: node
        template:
          spec: {template: {spec: {containers: [{name: node, image: none, command: [/usr/sbin/sshd, -De]}]}}}
      - name: launcher
        dependsOn: [{name: node, status: Ready}]
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: none}]}}}
---
"""


@dataclasses.dataclass
class Case:
    shows: str
    package: str  # the one whose version is printed; debian:NAME of Debian
    venv: str  # of venvs.toml; "" none
    runtime: str
    nodes: int
    command: list  # {bin}: of the venv
    ranks: int  # that print FRAMEWORK OK
    env: dict = dataclasses.field(default_factory=dict)
    procs: int = 0  # per node
    before: str = ""  # a runtime of its own
    pods: int = 0  # if not one for each node


def torchrun(*words):
    return [*words, f"{JOBS}/torch_ddp.py"]


RANKS4 = {"WANT_RANKS": "4", "OMP_NUM_THREADS": "1"}
SUM = '{folder}/sum 6'
CASES = {
    "tf-workers": Case("MultiWorkerMirroredStrategy", "tensorflow-cpu", "tensorflow", "tensorflow-distributed", 3,
                       ["{bin}/python", f"{JOBS}/tf_workers.py"], 3, {"WANT_NODES": "3"}),
    "tf-ps": Case("ParameterServerStrategy: chief, 2 workers, 2 ps", "tensorflow-cpu", "tensorflow", "tensorflow-ps",
                  2, ["{bin}/python", f"{JOBS}/tf_ps.py"], 1, {"WANT_WORKERS": "2"}, before=PS, pods=5),
    "jax": Case("jax.distributed, gradients over a mesh", "jax", "jax", "jax-distributed", 3,
                ["{bin}/python", f"{JOBS}/jax_psum.py"], 3, {"WANT_NODES": "3"}),
    "xgboost": Case("collective training, tracker on node 0", "xgboost-cpu", "xgboost", "xgboost-distributed", 3,
                    ["{bin}/python", f"{JOBS}/xgboost_rows.py"], 3, {"WANT_NODES": "3"}),
    "torchrun": Case("torchrun, DDP with gloo", "torch", "torch", "torch-distributed", 2,
                     torchrun("{bin}/torchrun"), 4, RANKS4, 2),
    "torch-run": Case("python -m torch.distributed.run", "torch", "torch", "torch-distributed", 2,
                      torchrun("{bin}/python", "-m", "torch.distributed.run"), 4, RANKS4, 2),
    "torch-launch": Case("python -m torch.distributed.launch", "torch", "torch", "torch-distributed", 2,
                         torchrun("{bin}/python", "-m", "torch.distributed.launch"), 4, RANKS4, 2),
    "torch-debian": Case("python -m torch.distributed.run", "debian:python3-torch", "", "torch-distributed", 2,
                         torchrun("/usr/bin/python3", "-m", "torch.distributed.run"), 4,
                         RANKS4 | {"PET_REDIRECTS": "1", "PET_TEE": "1"}, 2),
    "lightning": Case("Trainer(strategy=\"ddp\") under torchrun", "lightning", "torch", "torch-distributed", 2,
                      ["{bin}/torchrun", f"{JOBS}/lightning_fit.py"], 4, RANKS4, 2),
    "transformers": Case("Trainer under torchrun", "transformers", "torch", "torch-distributed", 2,
                         ["{bin}/torchrun", f"{JOBS}/hf_trainer.py"], 4, RANKS4 | {"ACCELERATE_USE_CPU": "true"}, 2),
    "accelerate": Case("Accelerator under torchrun", "accelerate", "torch", "torch-distributed", 2,
                       ["{bin}/torchrun", f"{JOBS}/accelerate_loop.py"], 4, RANKS4, 2),
    "openmpi-debian": Case("mpirun, 3 x 2 ranks", "debian:openmpi-bin", "", "mpi", 3,
                           ["sh", "-c", f"mpicc.openmpi -o {{folder}}/sum {JOBS}/mpi_sum.c && mpirun.openmpi {SUM}"],
                           6, procs=2),
    "openmpi": Case("mpirun, 3 x 2 ranks", "openmpi", "openmpi", "mpi", 3,
                    ["sh", "-c", f"{{bin}}/mpicc -o {{folder}}/sum {JOBS}/mpi_sum.c && {{bin}}/mpirun --hostfile \"$OMPI_MCA_orte_default_hostfile\" {SUM}"],
                    6, procs=2),
    "mpich": Case("mpiexec (Hydra), 3 x 2 ranks", "mpich", "mpich", "mpich-distributed", 3,
                  ["sh", "-c", f"{{bin}}/mpicc -o {{folder}}/sum {JOBS}/mpi_sum.c && {{bin}}/mpiexec {SUM}"],
                  6, procs=2, before=MPI),
    "deepspeed": Case("mpirun, ZeRO 1 on CPUs with gloo", "deepspeed", "deepspeed", "deepspeed-distributed", 3,
                      # a folder of its own: in the user's a run that is killed leaves a lock, for which others wait
                      ["sh", "-c", 'mpirun.openmpi -x DS_ACCELERATOR=cpu -x TORCH_EXTENSIONS_DIR="$TMPDIR/extensions" '
                       f"{{bin}}/python {JOBS}/deepspeed_zero.py 3"], 3, procs=1),
    "mlx": Case("mpirun, MLX's MPI backend", "mlx", "mlx", "mlx-distributed", 3,
                ["sh", "-c", f"mpirun.openmpi {{bin}}/python {JOBS}/mlx_sum.py 3"], 3, procs=1),
}


def venv(name):
    """Its bin folder; made when the pinned versions changed."""
    first, pins = VENVS[name].get("first", []), VENVS[name]["packages"]
    stamp = hashlib.sha256("\n".join(first + pins).encode()).hexdigest()
    path = CACHE / name
    if not (path / stamp).exists():
        print(f"frameworks: pip install {' '.join(pins)}", file=sys.stderr, flush=True)
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run(["/usr/bin/python3", "-m", "venv", path], check=True)
        install = [path / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        if first:
            subprocess.run([*install, *first], check=True)
        subprocess.run([*install, *(["--no-build-isolation"] if first else []), *pins], check=True)
        (path / stamp).touch()
    return path / "bin"


def version(case, bin):
    if case.package.startswith("debian:"):
        name = case.package.removeprefix("debian:")
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
        return f"{name} {done.stdout.split('-')[0]} (Debian)" if done.returncode == 0 else None
    ask = f"import importlib.metadata as m; print(m.version({case.package!r}))"
    return f"{case.package} {subprocess.check_output([bin / 'python', '-c', ask], text=True).strip()}"


def yaml(name, case, bin, folder):
    """{folder} is seen by all nodes; TMPDIR is each pod's own."""
    command = [word.replace("{bin}", str(bin)).replace("{folder}", str(folder)) for word in case.command]
    container = "{name: node, image: none, command: [" + ", ".join(map(repr, command)) + "], env: [ENV]}"
    env = ", ".join(f"{{name: {k}, value: {v!r}}}" for k, v in case.env.items())
    before = case.before.replace("CONTAINER", container).replace("ENV", env)
    return before + JOB.format(name=name, runtime=case.runtime, nodes=case.nodes, command=command, env=env,
                               more=f"numProcPerNode: {case.procs}, " if case.procs else "")


def run(name, case, network):
    """(package and version, result, seconds)"""
    bin = venv(case.venv) if case.venv else None
    package = version(case, bin)
    if not package:
        return case.package, "not installed", 0
    folder = CACHE / "runs" / f"{name}-{network}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "job.yaml").write_text(yaml(name, case, bin, folder))
    options = ["--network", network] if network != "host" else []
    env = dict(os.environ, XDG_STATE_HOME=str(folder / "state"), NO_COLOR="1")
    began = time.monotonic()
    with open(folder / "output", "w") as out:
        done = subprocess.run([BINARY, "run", folder / "job.yaml", f"--timeout={TIMEOUT}", *options], cwd=ROOT, env=env,
                              stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    ranks = len(re.findall("FRAMEWORK OK", (folder / "output").read_text(errors="replace")))
    if done.returncode == 0 and ranks == case.ranks:
        return package, "good", time.monotonic() - began
    return package, f"exit code {done.returncode}, {ranks} of {case.ranks} ranks", time.monotonic() - began


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--network", default="host,pod", help="modes, separated by commas")
    p.add_argument("case", nargs="*", metavar="CASE", help=", ".join(CASES))
    args = p.parse_args()
    bad = 0
    print("| package | shows | nodes | network | result |\n|---|---|---|---|---|")
    for name in args.case or CASES:
        case = CASES[name]
        for network in args.network.split(","):
            package, result, seconds = run(name, case, network)
            bad += result != "good"
            print(f"| {package} | {case.shows} | {case.pods or case.nodes} | {network} | {result}, {seconds:.0f} s |",
                  flush=True)
    print(f"logs: {CACHE / 'runs'}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
