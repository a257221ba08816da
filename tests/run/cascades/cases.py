"""The cascades to record: jobs that fail in a known way, and who is to blame for it."""
import base64
import dataclasses
import json
import pathlib

PYTHON = "/usr/bin/python3"
TORCH2 = "/opt/venv/bin/python"  # record.py replaces /opt/venv: --venv
ROOT = pathlib.Path(__file__).resolve().parents[3]
POLICIES = {"torch": "torch: {{numProcPerNode: {procs}}}", "plain": "", "jax": "jax: {{}}", "xgboost": "xgboost: {{}}"}

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: rt}}
spec:
  mlPolicy: {{numNodes: {nodes}, {policy}}}
  template:
    spec:
      replicatedJobs:
{before}
      - name: node
{depends}
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            backoffLimit: 0
            template:
              spec:
                restartPolicy: Never
                terminationGracePeriodSeconds: 10
                {pod}
                containers:
                - {{name: node, image: none{container}}}
                {sidecar}
---
"""
TRAINJOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: job}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer:
    numNodes: {nodes}
    {procs}
    command: {command}
    env: {env}
"""


@dataclasses.dataclass
class Case:
    name: str
    about: str
    command: list
    node: object = None      # who is to blame; a list: any of these
    error: str = ""          # its error contains this
    rank: object = None      # int, [int, …] if the log cannot tell which, None for none
    nodes: int = 2
    procs: int = 1
    policy: str = "torch"
    env: dict = dataclasses.field(default_factory=dict)
    runtime: str = None      # text, instead of RUNTIME
    before: str = ""
    depends: str = ""
    pod: str = ""
    container: str = ""
    sidecar: str = ""
    silent: str = None       # who hung, where nobody shows an error of its own
    victims: bool = True     # others with a traceback lost a peer; else they survived it
    forced: str = None       # why the engine itself ends the node

    def yaml(self):
        env = str([{"name": k, "value": v} for k, v in self.env.items()])
        policy = POLICIES.get(self.policy, "").format(procs=self.procs)
        head = self.runtime or RUNTIME.format(**{**vars(self), "policy": policy})
        procs = f"numProcPerNode: {self.procs}" if self.policy in ("torch", "mpi") else ""
        return head + TRAINJOB.format(runtime="mpi" if self.runtime else "rt", nodes=self.nodes, procs=procs, command=json.dumps(self.command), env=env)


def torch(name, about, failure, rank, step=6, nodes=2, procs=2, tee=2, python=PYTHON, error="", known=True, program="ddp.py", **more):
    """`known`: the log says which of the node's ranks it was."""
    env = {"OMP_NUM_THREADS": "1", **more.pop("env", {})}
    if python == PYTHON:
        env |= {"PET_REDIRECTS": str(tee), "PET_TEE": str(tee)}
    first = rank // procs * procs
    ranks = None if known is None else rank if known else list(range(first, first + procs))
    node = [f"node-0-{i}" for i in range(nodes)] if known is None else f"node-0-{rank // procs}"
    return Case(name, about, [python, "-m", "torch.distributed.run", program, failure, str(rank), str(step)], node, error,
                ranks, nodes, procs, env=env, **more)


def deepspeed(name, about, failure, rank, error, **more):
    """DeepSpeed's launcher of a node, without a mark on the lines of its processes."""
    case = torch(name, about, failure, rank, python=TORCH2, error=error, **more)
    world = base64.b64encode(b'{"node-0": [0, 1], "node-1": [0, 1]}').decode()
    case.command = ["sh", "-c", f"exec {TORCH2} -m deepspeed.launcher.launch --world_info={world} --no_local_rank --node_rank=$PET_NODE_RANK "
                    f"--master_addr=$PET_MASTER_ADDR --master_port=$PET_MASTER_PORT ddp.py {failure} {rank} 6"]
    return case


def plain(name, about, command, node, error, **more):
    return Case(name, about, command, node, error, policy="plain", **more)


def ring(name, about, failure, rank, at=7, error="", nodes=3, **more):
    env = {"NODES": str(nodes), "PORT": "45000", **more.pop("env", {})}
    return plain(name, about, [PYTHON, "ring.py", failure, str(rank), str(at)], f"node-0-{rank}", error, nodes=nodes, env=env, **more)


def boost(name, about, failure, rank, error, **more):
    return Case(name, about, [PYTHON, "boost.py", failure, str(rank), "4"], f"node-0-{rank}", error, rank, 3, policy="xgboost", **more)


def mpi(name, about, command, rank, error, **more):
    pod = "            template:\n              spec:\n"
    runtime = (ROOT / "catalog/mpi.yaml").read_text().replace(pod, "            backoffLimit: 0\n" + pod +
                                                              "                restartPolicy: Never\n") + "---\n"
    return Case(name, about, ["sh", "-c", command], "launcher-0-0", error, rank, 3, policy="mpi", runtime=runtime, **more)


def jax(name, about, failure, rank, error, step=5, **more):
    return Case(name, about, [TORCH2.replace("venv", "jax"), "pmap.py", failure, str(rank), str(step)], f"node-0-{rank}", error, rank, 3,
                policy="jax", env={"JAX_PLATFORMS": "cpu"}, **more)


LONE = "import os, sys, time, traceback\nif os.environ['JOB_COMPLETION_INDEX'] == '0':\n    time.sleep(20)\n"  # node 1 does the rest
CAUGHT = ("import logging, os, sys, time, traceback\nme = int(os.environ['JOB_COMPLETION_INDEX'])\ndef caught(key):\n    try:\n        {}[key]\n"
          "    except KeyError:\n        traceback.print_exc()\n")
BOOM = "ValueError: label 11 is out of range at step 6"
MPIRUN = "mpirun --allow-run-as-root --oversubscribe"

CASES = [
    torch("ddp-raise-rank3", "rank 3 of 2x2 raises", "raise", 3, error=BOOM),
    torch("ddp-raise-rank0", "rank 0 of 2x2 raises: it has the store, too", "raise", 0, error=BOOM),
    torch("ddp-raise-rank2", "rank 2 of 2x2 raises", "raise", 2, error=BOOM),
    torch("ddp-raise-unmarked", "rank 3 of 2x2 raises; torchrun marks no line of stderr", "raise", 3, tee=1, known=False, error=BOOM),
    torch("ddp-raise-first-step", "rank 1 raises at step 0", "raise", 1, 0, error="ValueError: label 11 is out of range at step 0"),
    torch("ddp-raise-lingers", "rank 3 raises, and exits 4 s later: its victims exit first", "raise", 3, error=BOOM, env={"LINGER": "4"}),
    torch("ddp-raise-lingers-rank0", "the same with rank 0", "raise", 0, error=BOOM, env={"LINGER": "4"}),
    torch("ddp-raise-record", "rank 2 raises under @record: torchrun's table has its traceback", "raise", 2, error=BOOM,
          env={"RECORD": "1"}),
    torch("ddp-raise-1x4", "one node, rank 2 of 4 raises", "raise", 2, nodes=1, procs=4, error=BOOM),
    torch("ddp-raise-4x1", "four nodes, rank 2 raises", "raise", 2, nodes=4, procs=1, error=BOOM),
    torch("ddp-raise-4x1-lingers", "four nodes, rank 1 raises and exits last", "raise", 1, nodes=4, procs=1, error=BOOM,
          env={"LINGER": "4"}),
    torch("ddp-before-init", "rank 3 raises before it joins; the others wait for it", "before-init", 3,
          error="FileNotFoundError: no such checkpoint: /data/last.pt", env={"DDP_TIMEOUT": "15"}),
    torch("ddp-before-init-rank0", "rank 0 raises before it opens the store", "before-init", 0,
          error="FileNotFoundError: no such checkpoint: /data/last.pt", env={"DDP_TIMEOUT": "15"}),
    torch("ddp-data-loader", "a data loader worker of rank 1 raises", "data-loader", 1,
          error="IndexError: sample 24 is not in the shard"),
    torch("ddp-unpicklable", "rank 2 cannot pickle its data loader worker", "pickle", 2, error="pickle"),
    torch("ddp-assert", "an assertion of rank 1 fails", "assert", 1, error="AssertionError: loss diverged at step 6"),
    torch("ddp-shape", "rank 3 multiplies wrong shapes", "shape", 3, error="RuntimeError: mat1 and mat2 shapes cannot be multiplied"),
    torch("ddp-backward", "rank 2 raises in backward", "backward", 2, error="ArithmeticError: loss is NaN in backward"),
    torch("ddp-memory", "rank 0 is out of memory", "memory", 0, error="MemoryError: cannot allocate a tensor of 1.5 TiB"),
    torch("ddp-chained", "rank 3 raises from a KeyError", "chained", 3, error="KeyError: 'learning_rate'"),
    torch("ddp-handled", "rank 1 fails while it handles a ValueError", "handled", 1, error="ValueError: invalid literal for int()"),
    torch("ddp-keyboard", "rank 2 gets a KeyboardInterrupt of its own", "keyboard", 2, error="KeyboardInterrupt"),
    torch("ddp-exit3", "rank 3 calls sys.exit(3)", "exit3", 3, error="exit code 3"),
    torch("ddp-exit-message", "rank 1 calls sys.exit with a message", "exit-message", 1, error="no labels found"),
    torch("ddp-keyboard-unmarked", "rank 1 gets a KeyboardInterrupt; torchrun marks no line of stderr, but names the signal", "keyboard", 1, tee=1,
          error="KeyboardInterrupt"),
    torch("ddp-exit-message-unmarked", "rank 3 calls sys.exit with a message; torchrun marks no line of stderr", "exit-message", 3, tee=1,
          known=False, error="no labels found"),
    torch("ddp-survived-unmarked", "rank 3 prints a traceback that it survives, and then raises; torchrun marks no line of stderr", "survived", 3,
          tee=1, known=False, error=BOOM),
    torch("ddp-exit1-unmarked", "rank 1 prints an error and exits with 1; torchrun marks no line of stderr", "exit1", 1, tee=1, known=False,
          error="ERROR: the loss is NaN"),
    torch("ddp-os-exit", "rank 0 calls os._exit(7)", "os-exit", 0, error="exit code 7"),
    torch("ddp-kill9", "rank 3 is killed, as the kernel does it for memory", "kill9", 3, error="SIGKILL"),
    torch("ddp-kill9-rank0", "rank 0 is killed", "kill9", 0, error="SIGKILL"),
    torch("ddp-segv", "rank 1 has a segmentation fault", "segv", 1, error="SIGSEGV"),
    torch("ddp-segv-faulthandler", "the same, with Python's fault handler", "segv", 1, error="Segmentation fault",
          env={"PYTHONFAULTHANDLER": "1"}),
    torch("ddp-abort", "rank 2 aborts", "abort", 2, error="SIGABRT"),
    torch("ddp-hang", "rank 3 hangs; the others run into their timeout: nobody has an error of his own", "hang", 3,
          error="Timed out waiting 8000ms for recv operation", env={"DDP_TIMEOUT": "8"}, silent="node-0-1 (rank 3) hung"),
    torch("ddp-kill9-4x1", "four nodes, rank 3 is killed", "kill9", 3, nodes=4, procs=1, error="SIGKILL"),
    torch("ddp-typo-everywhere", "the program cannot be imported anywhere", "raise", 0, program="typo.py", known=None,
          error="ModuleNotFoundError: No module named 'torhc'"),
    ring("ring-raise", "plain sockets: node 1 of 3 raises", "raise", 1, error="ValueError: checksum of round 7 is wrong"),
    ring("ring-typo", "node 2 of 3 has a typo", "typo", 2, error="NameError: name 'undefined_name' is not defined"),
    ring("ring-exit4", "node 0 exits with 4 and says nothing", "exit4", 0, error="exit code 4"),
    ring("ring-message", "node 2 exits with a message", "message", 2, error="ring.py: error: the vocabulary has 0 entries"),
    ring("ring-kill9", "node 1 is killed", "kill9", 1, error="SIGKILL"),
    ring("ring-term", "node 1 gets SIGTERM from somebody else", "term", 1, error="SIGTERM"),
    ring("ring-lingers", "node 1 closes its sockets before it exits: its victims exit first", "linger", 1,
         error="LookupError: bucket of round 7 is empty"),
    ring("ring-benign", "node 1 raises; the others printed a traceback before that they survived", "raise", 1,
         error="ValueError: checksum of round 7 is wrong", env={"SAY": "benign"}),
    ring("ring-hang", "node 1 hangs, the others time out", "hang", 1,
         env={"RING_TIMEOUT": "4"}, silent="node-0-1 hung"),
    plain("two-own-errors", "two nodes fail by themselves, one a second after the other",
          [PYTHON, "-c", "import os, time\nme = int(os.environ['JOB_COMPLETION_INDEX'])\ntime.sleep([1.0, 0.2][me])\n"
                         "raise KeyError(['late', 'early'][me])"], "node-0-1", "KeyError: 'early'"),
    plain("two-own-errors-late", "the second of two nodes that fail by themselves does so after it was told to end",
          [PYTHON, "-c", "import os, signal, time\nme = int(os.environ['JOB_COMPLETION_INDEX'])\n"
                         "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep([1.0, 0.3][me])\n"
                         "raise KeyError(['late', 'early'][me])"], "node-0-1", "KeyError: 'early'"),
    plain("survived-raise", "node 1 prints a traceback that it survives, and then dies of another",
          [PYTHON, "-c", LONE + "try:\n    raise KeyError('survived')\nexcept KeyError:\n    traceback.print_exc()\n"
                         "raise AssertionError('the real one')"], "node-0-1", "AssertionError: the real one"),
    plain("survived-logging", "node 1 logs an exception with its traceback, and then dies of another",
          [PYTHON, "-c", LONE + "import logging\ntry:\n    int('x')\nexcept ValueError:\n    logging.exception('bad row skipped')\n"
                         "raise RuntimeError('the real one')"], "node-0-1", "RuntimeError: the real one"),
    plain("survived-exit3", "node 1 survives three tracebacks, and then exits with 3",
          [PYTHON, "-c", LONE + "for i in range(3):\n    try:\n        open(f'/no/shard-{i}')\n    except OSError:\n        traceback.print_exc()\n"
                         "print('retrying worked')\nsys.exit(3)"], "node-0-1", "failed first: exit code 3"),
    plain("survived-stopped-raise", "both nodes survive a traceback; node 1 raises later, node 0 is stopped",
          [PYTHON, "-c", CAUGHT + "caught('survived')\nprint('going on')\ntime.sleep(0.5)\nif me == 1:\n    raise ValueError('the real one')\ntime.sleep(20)"],
          "node-0-1", "ValueError: the real one", victims=False),
    plain("survived-stopped-asleep", "node 0 survives a traceback and sleeps without a word; node 1 raises later",
          [PYTHON, "-c", CAUGHT + "if me == 0:\n    caught('survived')\n    time.sleep(20)\ntime.sleep(0.5)\nraise ValueError('the real one')"],
          "node-0-1", "ValueError: the real one", victims=False),
    plain("survived-stopped-exit1", "node 0 survives a traceback; node 1 says why and exits with 1",
          [PYTHON, "-c", CAUGHT + "if me == 0:\n    caught('survived')\nprint('going on')\ntime.sleep(0.5)\nif me == 1:\n"
                         "    print('no labels found')\n    print('bye')\n    sys.exit(1)\ntime.sleep(20)"], "node-0-1", "exit code 1", victims=False),
    plain("survived-stopped-segv", "node 0 survives a traceback; node 1 has a segmentation fault",
          [PYTHON, "-c", CAUGHT + "if me == 0:\n    caught('survived')\n    print('recovered')\n    time.sleep(20)\ntime.sleep(0.5)\n"
                         "os.kill(os.getpid(), 11)"], "node-0-1", "SIGSEGV", victims=False),
    plain("survived-stopped-steps", "node 0 survives a traceback and writes 40 lines; node 1 raises later",
          [PYTHON, "-c", CAUGHT + "if me == 0:\n    caught('survived')\n    time.sleep(0.4)\n    for i in range(40):\n        print('step', i)\n"
                         "    time.sleep(20)\ntime.sleep(1)\nraise ValueError('the real one')"], "node-0-1", "ValueError: the real one", victims=False),
    plain("survived-stopped-logging", "node 0 logs an exception and sleeps; node 1 says why and exits with 1",
          [PYTHON, "-c", CAUGHT + "if me == 0:\n    try:\n        {}['x']\n    except KeyError:\n        logging.exception('cache miss, harmless')\n"
                         "    time.sleep(20)\nif me == 1:\n    time.sleep(0.4)\n    print('fatal: dataset is empty', file=sys.stderr)\n    sys.exit(1)\n"
                         "time.sleep(20)"], "node-0-1", "fatal: dataset is empty", nodes=3, victims=False),
    plain("survived-exit1", "one process survives a traceback, takes five steps, says why and exits with 1",
          [PYTHON, "-c", CAUGHT + "caught('survived')\nfor i in range(5):\n    print('step', i)\nprint('no disk space for checkpoints')\nsys.exit(1)"],
          "node-0-0", "failed: exit code 1", nodes=1),
    plain("refused-outside", "node 2 cannot reach a server outside of the job, and the others are healthy",
          [PYTHON, "-c", CAUGHT + "if me == 2:\n    raise ConnectionRefusedError('[Errno 111] Connection refused: http://license-server')\n"
                         "time.sleep(20)"], "node-0-2", "ConnectionRefusedError: [Errno 111] Connection refused: http://license-server", nodes=3),
    Case("survived-torchrun-unmarked", "torchrun, rank 0 survives a traceback, rank 1 raises; torchrun marks no line of stderr",
         [PYTHON, "-m", "torch.distributed.run", "lives.py"], "node-0-0", "ValueError: the real one", 1, 1, 2,
         env={"OMP_NUM_THREADS": "1", "PET_REDIRECTS": "1", "PET_TEE": "1"}),
    Case("ddp-victim-ended-unmarked", "rank 1 raises; rank 0 says that it lost it, and is ended by torchrun; no line of stderr has a mark",
         [PYTHON, "-m", "torch.distributed.run", "victim_late.py"], "node-0-0", "ValueError: label 11 is out of range", [0, 1], 1, 2,
         env={"OMP_NUM_THREADS": "1", "PET_REDIRECTS": "1", "PET_TEE": "1"}),
    plain("not-found", "the shell of node 1 does not find a command",
          ["sh", "-c", "if test $JOB_COMPLETION_INDEX = 1; then trainer-cli --epochs 3; exit $?; fi; sleep 30"], "node-0-1", "not found", container=""),
    plain("no-such-program", "the command does not exist", ["no-such-program"], ["node-0-0", "node-0-1"], "no-such-program"),
    plain("sidecar", "a sidecar ends with an error after node 1 failed",
          ["sh", "-c", "echo loading; sleep 1; test $JOB_COMPLETION_INDEX = 1 && exit 9; sleep 30"], "node-0-1", "exit code 9",
          pod="initContainers: [{name: side, image: none, restartPolicy: Always, command: [sh, -c, "
              "'trap \"echo side: RuntimeError: flush failed >&2; exit 3\" TERM; while :; do sleep 0.1; done']}]"),
    plain("second-container", "a second container of node 0 fails",
          ["sh", "-c", "sleep 20"], "node-0-0", "tracker: cannot bind port 80",
          sidecar="- {name: tracker, image: none, command: [sh, -c, "
                  "'sleep 0.5; test $JOB_COMPLETION_INDEX = 1 && sleep 20; echo tracker: cannot bind port 80 >&2; exit 1']}"),
    plain("liveness", "the liveness probe of node 0 fails", ["sh", "-c", "sleep 20"], "node-0-0", "probe failed",
          container=", livenessProbe: {exec: {command: [sh, -c, 'test $JOB_COMPLETION_INDEX = 1']}, initialDelaySeconds: 1,"
                    " periodSeconds: 1, failureThreshold: 1}",
          forced="its liveness or startup probe failed"),
    plain("dataset-initializer", "the dataset cannot be found", ["true"], "dataset-initializer-0-0", "No such file",
          before="      - {name: dataset-initializer, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: "
                 "dataset-initializer}}, spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: "
                 "dataset-initializer, image: 'ghcr.io/kubeflow/trainer/dataset-initializer:v2.3.0', env: [{name: STORAGE_URI, "
                 "value: 'file:///data/imagenet'}]}]}}}}}",
          depends="        dependsOn: [{name: dataset-initializer, status: Complete}]"),
    plain("cxx-terminate", "a C++ program throws in node 1", ["sh", "-c", "test $JOB_COMPLETION_INDEX = 0 && sleep 20; ./throws"],
          "node-0-1", "shard 3 is truncated"),
    boost("xgboost-raise", "worker 1 of 3 raises", "raise", 1, "ValueError: feature 7 is constant in round 4"),
    boost("xgboost-tracker-dies", "node 0, which has the tracker, is killed", "kill9", 0, "SIGKILL"),
    boost("xgboost-kill9", "worker 2 is killed", "kill9", 2, "SIGKILL"),
    boost("xgboost-exit", "worker 1 exits with 5", "exit", 1, "exit code 5"),
    boost("xgboost-label", "worker 2 has labels of the wrong length", "label", 2, "labels"),
    mpi("mpi-abort", "rank 1 of 3 calls MPI_Abort", f"{MPIRUN} ./ranks abort 1", 1, "MPI_ABORT was invoked on rank 1"),
    mpi("mpi-segv", "rank 2 of 3 has a segmentation fault", f"{MPIRUN} ./ranks segv 2", 2, "Segmentation fault"),
    mpi("mpi-kill9", "rank 1 of 3 is killed", f"{MPIRUN} ./ranks kill9 1", 1, "Killed"),
    mpi("mpi-assert", "an assertion of rank 1 of 3 fails", f"{MPIRUN} ./ranks assert 1", 1, "Assertion `cells > 0' failed"),
    mpi("mpi-error", "rank 2 of 3 sends to a rank that is not there", f"{MPIRUN} ./ranks error 2", 2, "MPI_ERR_RANK"),
    mpi("mpi-exit", "rank 0 of 3 exits without MPI_Finalize", f"{MPIRUN} ./ranks exit 0", 0, "exit"),
    mpi("mpi4py-raise", "rank 1 of 3 raises in mpi4py, and hangs in MPI_Finalize until the run is stopped", f"{MPIRUN} /opt/jax/bin/python ranks.py 1", None,
        "ValueError: cell 10 has a negative volume"),
    mpi("mpi4py-module", "the same under python -m mpi4py, which calls MPI_Abort",
        f"{MPIRUN} /opt/jax/bin/python -m mpi4py ranks.py 2", 2, "ValueError: cell 10 has a negative volume"),
    jax("jax-raise", "process 1 of 3 raises", "raise", 1, "ValueError: batch 5 has no tokens"),
    jax("jax-raise-coordinator", "process 0, which is the coordinator, raises", "raise", 0, "ValueError: batch 5 has no tokens"),
    jax("jax-before-init", "process 2 raises before it joins", "before-init", 2, "FileNotFoundError: no such tokenizer"),
    jax("jax-kill9", "process 2 is killed", "kill9", 2, "SIGKILL"),
    jax("jax-exit", "process 1 calls os._exit(8)", "exit", 1, "exit code 8"),
    torch("torch2-raise-rank3", "a newer torch: rank 3 of 2x2 raises", "raise", 3, python=TORCH2, error=BOOM),
    torch("torch2-raise-rank0", "a newer torch: rank 0 of 2x2 raises", "raise", 0, python=TORCH2, error=BOOM),
    torch("torch2-lingers", "a newer torch: rank 2 raises and exits last", "raise", 2, python=TORCH2, error=BOOM, env={"LINGER": "3"}),
    torch("torch2-kill9", "a newer torch: rank 1 is killed", "kill9", 1, python=TORCH2, error="SIGKILL"),
    torch("torch2-exit3", "a newer torch: rank 2 exits with 3", "exit3", 2, python=TORCH2, error="exit code 3"),
    torch("torch2-fsdp-raise", "FSDP over gloo: rank 3 raises", "raise", 3, python=TORCH2, error=BOOM, env={"WRAP": "fsdp"}),
    torch("torch2-fsdp-shape", "FSDP over gloo: rank 0 multiplies wrong shapes", "shape", 0, python=TORCH2,
          error="mat1 and mat2 shapes cannot be multiplied", env={"WRAP": "fsdp"}),
    deepspeed("deepspeed-raise-rank3", "DeepSpeed's launcher, 2x2: rank 3 raises", "raise", 3, BOOM),
    deepspeed("deepspeed-raise-rank0", "DeepSpeed's launcher, 2x2: rank 0 raises", "raise", 0, BOOM),
    deepspeed("deepspeed-kill9", "DeepSpeed's launcher, 2x2: rank 2 is killed", "kill9", 2, "SIGKILL"),
]
