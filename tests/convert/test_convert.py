"""V1 jobs and Slurm scripts: each case's objects and warnings are recorded, accepted and rendered; some run for real.

`test_convert.py` run as a program records what the converter says now.
"""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRAINYARD = Path(os.environ.get("TRAINYARD", ROOT / "build-test" / "trainyard")).resolve()
CASES = sorted(p.name for p in (HERE / "cases").iterdir() if p.suffix in (".yaml", ".sbatch"))
REFUSED = [c for c in CASES if c.startswith("refused-")]  # recorded is why
GOOD = [c for c in CASES if c not in REFUSED]
PYTHON = "/usr/bin/python3"


def options(case):
    """What the first line of a fixture asks for: '# options: --gang volcano'."""
    first = (HERE / "cases" / case).read_text().split("\n", 1)[0]
    return first.removeprefix("# options:").split() if first.startswith("# options:") else []


def trainyard(*args, cwd=HERE / "cases", stdin="", env=None):
    done = subprocess.run([TRAINYARD, *args], cwd=cwd, input=stdin, text=True, capture_output=True, timeout=480,
                          env=dict(os.environ, NO_COLOR="1", **(env or {})))
    assert done.returncode >= 0 and "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    return done


@functools.cache
def convert(case):
    return trainyard("convert", *options(case), "-f", case)


@functools.cache
def rendered(case):
    """What `render` makes of a case's result: it admits it as `validate` does."""
    done = trainyard("render", "--redact-secrets", "-f", "-", stdin=convert(case).stdout)
    assert done.returncode == 0, done.stderr
    return done.stdout


def recorded(case):
    done = convert(case)
    assert done.returncode == int(case in REFUSED) and bool(done.stdout) == (case not in REFUSED), done.stderr
    return done.stdout + "".join(f"# {line}\n" for line in done.stderr.splitlines())


def want(case):
    return (HERE / "want" / f"{case}.txt").read_text()


@pytest.mark.parametrize("case", CASES)
def test_recorded(case):
    assert recorded(case) == want(case)


@pytest.mark.parametrize("case", GOOD)
def test_accepted_and_rendered(case):
    assert ("kind: JobSet" in rendered(case)) == (case != "multikueue.yaml")


@pytest.mark.parametrize("case", [c for c in GOOD if not options(c)])
def test_given_to_render_directly(case):
    direct = trainyard("render", "--redact-secrets", "-f", case)
    assert direct.returncode == 0 and direct.stdout == rendered(case)
    assert "is converted to a TrainJob" in direct.stderr


def test_no_recording_without_case():
    assert sorted(p.name for p in (HERE / "want").iterdir()) == [f"{case}.txt" for case in CASES]


def test_strict():
    assert trainyard("convert", "--strict", "-f", "jax.yaml").returncode == 0
    done = trainyard("convert", "--strict", "-f", "mpi-v1.yaml")
    assert done.returncode == 1 and done.stdout == ""


JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: x, command: [a]}]}}}
    Worker: {replicas: REPLICAS, template: {spec: {containers: [{name: CONTAINER, image: x, command: [COMMAND]}]}}}
"""


def job(name="j", replicas="2", container="pytorch", command="a"):
    return (JOB.replace("NAME", name).replace("REPLICAS", replicas).replace("CONTAINER", container)
            .replace("COMMAND", command))


BAD = {
    "differs": (job(command="b"), "command[0]: differs from the Master's"),
    "replicas": (job(replicas="many"), "Worker.replicas: must be a whole number from 0 to 10000"),
    "negative": (job(replicas="-1"), "Worker.replicas: must be a whole number from 0 to 10000"),
    "container": (job(container="other"), "trains in the container named pytorch: there is none"),
    "capital": (job(name="Big"), "metadata.name: a TrainJob's name begins with a letter"),
    "long": (job(name="n" * 60), "metadata.name: too long"),
    "twice": (((HERE / "cases/jax.yaml").read_text() + "---\n") * 2, "is given a second time"),
    "no spec": ("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: a}\n", "spec: must be an object"),
    "no pods": ("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {Worker: {}}}\n",
                "Worker.template: a pod template is needed"),
    "role": ("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: a}\nspec: {tfReplicaSpecs: {Boss: {}}}\n",
             "a TFJob has no such role"),
    "types": (job().replace("image: x", "image: [x]"), "containers[0].image"),
    "list": (job().replace("  pytorchReplicaSpecs:", "  runPolicy: [1]\n  pytorchReplicaSpecs:"),
             "spec.runPolicy: must be an object"),
    "managed": (job().replace("  pytorchReplicaSpecs:", "  runPolicy: {managedBy: me}\n  pytorchReplicaSpecs:"),
                "spec.runPolicy.managedBy: only"),
    "time": ("#!/bin/sh\n#SBATCH -t soon\nsrun a\n", '"soon" is no time'),
    "empty script": ("#!/bin/sh\n#SBATCH -N 2\n", "the script has no command"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_sentence(name):
    text, sentence = BAD[name]
    done = trainyard("convert", "-f", "-", stdin=text)
    errors = [line for line in done.stderr.splitlines() if "warning:" not in line]
    assert done.returncode == 1 and done.stdout == "" and len(errors) == 1 and sentence in errors[0], done.stderr


def test_thousand_replicas():
    text = (HERE / "cases/tf.yaml").read_text().replace("replicas: 3", "replicas: 1000")
    out = trainyard("convert", "-f", "-", stdin=text).stdout
    assert "mnist-worker-0-999.mnist:2222" in out
    assert trainyard("validate", "-f", "-", stdin=out).returncode == 0


def test_split_script():
    done = trainyard("convert", "--split-script", "-f", "-", stdin=job(command="b"))
    assert done.returncode == 0 and """if [ "$TY_INDEX" = 0 ]; then exec 'a'; fi; exec 'b'""" in done.stdout, done.stderr


def test_gang():
    for gang in ("volcano", "coscheduling"):
        out = trainyard("convert", "--gang", gang, "-f", "jax.yaml").stdout
        assert f"podGroupPolicy:\n    {gang}: {{}}" in out


# ---- for real ----

def need_torch():
    if subprocess.run([PYTHON, "-c", "import torch.distributed"], capture_output=True).returncode:
        pytest.skip("python3-torch is not installed")


def run_here(folder, text, name="job.yaml"):
    (folder / name).write_text(text)
    done = trainyard("run", name, cwd=folder, env={"XDG_STATE_HOME": str(folder / "state")})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


TF = '''\
import json, os, random, socket, time

config = json.loads(os.environ["TF_CONFIG"])
kind, index = config["task"]["type"], config["task"]["index"]


def place(kind, index):
    host, port = config["cluster"][kind][index].rsplit(":", 1)
    return host, int(port)


def ask(kind, index, message):
    for _ in range(600):
        try:
            peer = socket.create_connection(place(kind, index))
            break
        except OSError:
            time.sleep(0.1)  # the other one is not there yet
    with peer, peer.makefile("rw") as f:
        f.write(json.dumps(message) + "\\n")
        f.flush()
        return json.loads(f.readline())


def serve(answer):
    server = socket.create_server(place(kind, index))
    while True:
        peer, _ = server.accept()
        with peer, peer.makefile("rw") as f:
            f.write(json.dumps(answer(json.loads(f.readline()))) + "\\n")


parameter, trainers = 0.0, set()


def learn(message):  # a parameter server: adds what a trainer sends
    global parameter
    parameter += message["add"]
    trainers.add(message["from"])
    return parameter, sorted(trainers)


if kind == "ps":
    serve(learn)
if kind == "evaluator":
    serve(lambda message: max(abs(message[0] - 3), abs(message[1] + 2)))

me, rng, known = f"{kind} {index}", random.Random(index), []
step = 0
while step < 100 or len(known) < 3:  # the chief ends the job: not before all have learned
    slope, known = ask("ps", 0, {"from": me, "add": 0})
    offset, _ = ask("ps", 1, {"from": me, "add": 0})
    x = rng.uniform(-1, 1)
    error = slope * x + offset - (3 * x - 2)
    ask("ps", 0, {"from": me, "add": -0.2 * error * x})
    ask("ps", 1, {"from": me, "add": -0.2 * error})
    step += 1
if kind == "chief":
    print("learned by", ", ".join(known), flush=True)
    print("the evaluator finds", "little" if ask("evaluator", 0, [slope, offset]) < 0.5 else "much", "error", flush=True)
else:
    time.sleep(600)  # the chief decides
'''


def test_tfjob_runs(tmp_path):
    """The roles of tf.yaml find each other by TF_CONFIG: two parameter servers learn a line from chief and workers."""
    (tmp_path / "train.py").write_text(TF)
    out = run_here(tmp_path, changed("tf.yaml", ("command: [python, train.py]", f"command: [{PYTHON}, train.py]"),
                                     ("replicas: 3", "replicas: 2"), ("    ttlSecondsAfterFinished: 60\n", "")))
    assert "learned by chief 0, worker 0, worker 1" in out and "the evaluator finds little error" in out, out


def test_pytorchjob_runs(tmp_path):
    need_torch()
    shutil.copy(ROOT / "examples/ddp.py", tmp_path)
    pod = ("{spec: {containers: [{name: pytorch, image: x, command: [%s, ddp.py], "
           "env: [{name: OMP_NUM_THREADS, value: '1'}, {name: STEPS, value: '40'}]}]}}" % PYTHON)
    out = run_here(tmp_path, "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: ddp}\nspec:\n"
                   "  pytorchReplicaSpecs:\n"
                   f"    Master: {{replicas: 1, template: {pod}}}\n    Worker: {{replicas: 1, template: {pod}}}\n")
    assert "rank 0 of 2 done" in out


def compile_sum(folder):
    if not shutil.which("mpicc.openmpi") or not shutil.which("mpirun.openmpi"):
        pytest.skip("Open MPI is not installed")
    subprocess.run(["mpicc.openmpi", "-o", folder / "sum", ROOT / "tests/run/sum.c"], check=True)


def changed(case, *changes):
    text = (HERE / "cases" / case).read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def ranks(out):
    """{rank: (pod, sum of all ranks)}"""
    return {int(r): (pod, int(n)) for r, pod, n in re.findall(r"rank (\d+) of \d+ on ([\w-]+)\S* sum (\d+) ", out)}


def test_mpijob_runs(tmp_path):
    compile_sum(tmp_path)
    out = run_here(tmp_path, changed("mpi-v1.yaml", ("mpirun, python, train.py", "mpirun.openmpi, ./sum"),
                                     ("slotsPerWorker: 1", "slotsPerWorker: 2"), ("  cleanPodPolicy: All\n", "")))
    assert ranks(out) == {i: (f"horovod-node-0-{i // 2}", 6) for i in range(4)}, out


def test_mpijob_v2beta1_runs(tmp_path):
    """The launcher works, too: six ranks on three pods."""
    compile_sum(tmp_path)
    program = "/".join(("", "home", "mpiuser", "pi"))  # of the image
    out = run_here(tmp_path, changed("mpi-v2beta1.yaml", ("command: [mpirun]", "command: [mpirun.openmpi]"),
                                     (program, "./sum"), ("securityContext: {runAsUser: 1000}", "tty: false")))
    assert sorted(ranks(out).values()) == sorted(2 * [("pi-launcher-0-0", 15), ("pi-node-0-0", 15), ("pi-node-0-1", 15)]), out


def test_slurm_mpi_runs(tmp_path):
    compile_sum(tmp_path)
    out = run_here(tmp_path, changed("mpi.sbatch", ("mpirun ./pi", "mpirun.openmpi ./sum"), ("-n 8", "-n 4")), "mpi.sbatch")
    assert len(ranks(out)) == 4 and {n for _, n in ranks(out).values()} == {6}, out
    assert len({pod for pod, _ in ranks(out).values()}) == 2, out


@pytest.mark.parametrize("case", [c for c in GOOD if c.endswith(".sbatch")])
def test_scripts_are_sound(case):
    """bash reads what a container gets (where Kubernetes has made one dollar of two), and the user's lines are all in it."""
    job, = json.loads(trainyard("convert", "-o", "json", "-f", case).stdout)["items"]
    script = job["spec"]["trainer"]["args"][0].replace("$$", "$")
    assert subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True).stderr == ""
    lines = (HERE / "cases" / case).read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("#SBATCH"))
    assert script.endswith("\n".join(lines[last + 1:]).lstrip("\n") + "\n")


SLURM = '''\
import os, socket, time
def say(line):  # whole: python's print writes word by word where it does not buffer, and two tasks share their node's output
    os.write(1, f"{line}\\n".encode())
rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
address = (os.environ["MASTER_ADDR"], 29600)
if rank == 0:  # adds up what the others send
    server = socket.create_server(address)
    total = sum(int(server.accept()[0].recv(100)) for _ in range(size - 1))
    say(f"sum of ranks is {total}")
else:
    for _ in range(600):
        try:
            peer = socket.create_connection(address)
            break
        except OSError:
            time.sleep(0.1)  # the other one is not there yet
    peer.sendall(str(rank).encode())
say(f"rank {rank} local {os.environ['SLURM_LOCALID']} node {os.environ['SLURM_NODEID']}")
'''


def test_slurm_tasks_run(tmp_path):
    """The script of tasks.sbatch: two tasks on each of two nodes meet at the first of scontrol's hosts."""
    (tmp_path / "train.py").write_text(SLURM)
    out = run_here(tmp_path, changed("tasks.sbatch", ("--gpus-per-task=1", ""), ("python ", PYTHON + " ")), "tasks.sbatch")
    assert "sum of ranks is 6" in out
    assert all(f"rank {i} local {i % 2} node {i // 2}" in out for i in range(4)), out
    assert "finished on 0" in out and "finished on 1" in out


def test_slurm_step_fails(tmp_path):
    """The first task that fails ends its node's others; the script goes on with srun's exit code, as in Slurm."""
    out = run_here(tmp_path, "#!/bin/bash\n#SBATCH --ntasks-per-node=2\n"
                   "srun sh -c '[ $SLURM_LOCALID = 0 ] && exit 3; sleep 600'\necho srun gave $?\n", "fails.sbatch")
    assert "srun gave 3" in out


def test_slurm_shell_runs(tmp_path):
    """Here-documents, the shell's own number and commands in brackets mean what they meant."""
    out = run_here(tmp_path, "#!/bin/bash -e\n#SBATCH -J shell\ncat > f-$$ <<EOF\n  host $(hostname)\nEOF\ncat f-$$\n"
                   "[ $(ls f-[0-9]* | wc -l) = 1 ] && echo one file\n", "shell.sbatch")
    assert "  host shell-node-0-0" in out and "one file" in out, out


def test_slurm_rendezvous_runs(tmp_path):
    """The script of rendezvous.sbatch with real torchruns: they meet where scontrol and hostname say, by one id."""
    need_torch()
    shutil.copy(ROOT / "examples/ddp.py", tmp_path / "train.py")
    settings = "export STEPS=40 OMP_NUM_THREADS=1 PET_REDIRECTS=1 PET_TEE=1\n"
    out = run_here(tmp_path, changed(
        "rendezvous.sbatch", ("#SBATCH --gres=gpu:h100:4\n", ""), ("#SBATCH --cpus-per-task=4\n", settings),
        ("torchrun", PYTHON + " -m torch.distributed.run"), ("nproc_per_node 4", "nproc_per_node 1")), "rendezvous.sbatch")
    assert "rank 0 of 2 done" in out, out


if __name__ == "__main__":
    texts = {f"{name}.txt": recorded(name) for name in CASES}
    for old in (HERE / "want").iterdir():
        old.unlink()
    for name, text in texts.items():
        (HERE / "want" / name).write_text(text)
    sys.exit(0)
