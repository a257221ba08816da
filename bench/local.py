#!/usr/bin/env python3
"""What `trainyard run` itself costs: local.py PROGRAM [four|thousand|ends|restarts|alive ...].

Four and a thousand pods of `true`, beside bench/bare.c (the same namespaces without an engine), mpirun
and torchrun where they are installed; the time from the last exit to the summary, and from a failure
to the first line of the restarted job; and the memory of a thousand pods that live. What is compared
runs in turns, so that the load of the machine meets all of them. Times are wall clock, medians; memory is the peak
of RSS, PSS and anonymous memory of the program's own process, and apart from it what zygote and shims
have written to for themselves alone.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import memory

ROUNDS, FEW, MANY = 15, 3, 1000
TARGET_FOUR, TARGET_MANY, TARGET_MB = 4, 2, 12  # times the bare loop; MB of anonymous memory
TEMPLATE = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain}
spec:
  mlPolicy: {numNodes: NODES}
  template:
    spec:
      POLICY
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            backoffLimit: 0
            template: {spec: {restartPolicy: Never, containers: [{name: node, image: none, command: COMMAND}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bench}
spec: {runtimeRef: {name: plain}, trainer: {}}
"""


def verdict(value, target):
    return "met" if value <= target else "MISSED"


def job(folder, nodes, command, policy=""):
    path = os.path.join(folder, "job.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(TEMPLATE.replace("NODES", str(nodes)).replace("COMMAND", command).replace("POLICY", policy))
    return path


def apart(folder):
    """A new directory in it, on ext4 in a block group of its own, by its random name. Where ext4 has no journal, a
    new file costs a look at each that was deleted in the group in the last minutes: by others, and by earlier rounds."""
    if shutil.which("chattr"):
        subprocess.run(["chattr", "+T", folder], stderr=subprocess.DEVNULL, check=False)  # not ext4: no matter
    return tempfile.mkdtemp(dir=folder)


def start(argv, folder):
    env = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
    return subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sample(pid):
    """RSS (its peak so far), PSS and anonymous memory, in MB."""
    now = memory.read(pid)
    return [size / 2**20 for size in (memory.peak_rss(pid), now.pss, now.anonymous)]


def end(process, most=(0, 0, 0)):
    """Waits; gives the largest sample, not less than `most`."""
    while process.poll() is None:
        most = list(map(max, most, sample(process.pid)))
        time.sleep(0.005)
    if process.returncode != 0:
        sys.exit(f"{process.args[0]} ended with {process.returncode}")
    return most


def sizes(most):
    rss, pss, anonymous = most
    return (f"engine's peak {anonymous:.1f} MB anonymous (target {TARGET_MB}: {verdict(anonymous, TARGET_MB)}),"
            f" {pss:.1f} PSS, {rss:.1f} RSS")


def timed_ms(argv, folder):
    begin = time.monotonic()
    if start(argv, folder).wait() != 0:
        sys.exit(f"{argv[0]} failed")
    return (time.monotonic() - begin) * 1000


def in_turns(rows, rounds, folder, fresh=False):
    """rows: name to argv. Gives name to median of milliseconds. fresh: each round has its own state directory."""
    times = {name: [] for name in rows}
    for _ in range(rounds):
        place = apart(folder) if fresh else folder
        for name, argv in rows.items():
            times[name].append(timed_ms(argv, place))
    return {name: statistics.median(values) for name, values in times.items()}


def print_ratios(title, figures, target):
    ratio = figures["trainyard"] / figures["bare loop"]
    print(f"{title}: {ratio:.1f} times the bare loop (target {target}: {verdict(ratio, target)})")
    for name, ms in figures.items():
        print(f"  {name:<10} {ms:8.1f} ms  {ms / figures['bare loop']:6.1f}", flush=True)


def bare_loop(program, pods):
    return [os.path.join(os.path.dirname(program), "bench-bare"), str(pods)]


def four(program, folder):
    path = job(folder, 4, '["true"]')
    rows = {"bare loop": bare_loop(program, 4), "trainyard": [program, "run", "--quiet", path]}
    if shutil.which("mpirun"):
        rows["mpirun"] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", "true"]
    figures = in_turns(rows, ROUNDS, folder)
    if shutil.which("torchrun"):  # takes seconds
        argv = ["torchrun", "--nproc_per_node=4", "--redirects=1", "--tee=1",  # as examples/torch-ddp.yaml
                f"--log_dir={folder}/torchrun", "--no_python", "true"]
        figures.update(in_turns({"torchrun": argv}, FEW, folder))
    print_ratios("4 nodes of true", figures, TARGET_FOUR)


def thousand(program, folder):
    path = job(folder, MANY, '["true"]')
    rows = {"bare loop": bare_loop(program, MANY), "trainyard": [program, "run", "--quiet", path]}
    print_ratios(f"{MANY} pods of true", in_turns(rows, FEW, folder, fresh=True), TARGET_MANY)
    print("  " + sizes(end(start(rows["trainyard"], apart(folder)))), flush=True)


def objects(program, path, folder):
    """The objects of `run -o json` with the time when each arrived."""
    env = dict(os.environ, XDG_STATE_HOME=os.path.join(folder, "state"))
    with subprocess.Popen([program, "run", "-o", "json", path], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            yield time.time(), json.loads(line)
    if process.returncode != 0:
        sys.exit(f"{path} ended with {process.returncode}")


def ends(program, folder):
    """Four nodes end at the same time; each says when, as its last act."""
    path = job(folder, 4, "[sh, -c, 'sleep 0.3; exec date +%s.%N']")
    times = []
    for _ in range(ROUNDS):
        last = 0
        for now, o in objects(program, path, folder):
            if o["type"] == "line":
                last = max(last, float(o["text"]))
            if o["type"] == "summary":
                times.append((now - last) * 1000)
    print(f"last exit to summary, 4 nodes: {statistics.median(times):.1f} ms", flush=True)


def restarts(program, folder):
    """One of four nodes fails and says when; the JobSet is restarted, and its nodes say when they began."""
    mark = os.path.join(folder, "failed")
    script = (f"test -e {mark} && exec date +%s.%N; test $JOB_COMPLETION_INDEX = 1 || exec sleep 60;"
              f" sleep 0.3; date +%s.%N > {mark}; exit 1")
    path = job(folder, 4, f"[sh, -c, '{script}']", "failurePolicy: {maxRestarts: 1}")
    times = []
    for _ in range(ROUNDS):
        lines = [now for now, o in objects(program, path, folder) if o["type"] == "line"]
        with open(mark, encoding="ascii") as f:
            times.append((min(lines) - float(f.read())) * 1000)
        os.unlink(mark)
    print(f"failure to first line of the restarted job, 4 nodes: {statistics.median(times):.1f} ms", flush=True)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def helpers(pid):
    """The zygote and its shims; not what runs in the pods."""
    zygotes = children(pid)
    return zygotes + [k for z in zygotes for k in children(z)]


def alive(program, folder):
    """The pods sleep until all of them are there and were measured."""
    go = os.path.join(folder, "go")
    command = f"[sh, -c, 'until test -e {go}; do sleep 1; done']"
    process = start([program, "run", "--quiet", job(folder, MANY, command)], folder)
    most, patience = [], time.monotonic() + 120
    while process.poll() is None and len(most) <= MANY and time.monotonic() < patience:
        now = helpers(process.pid)
        most = now if len(now) > len(most) else most
        time.sleep(0.05)
    now_most = sample(process.pid)
    aside = sum(memory.read(pid).private for pid in most) / 2**20
    with open(go, "w", encoding="ascii"):
        pass
    now_most = end(process, now_most)
    idle = end(start([program, "run", "--quiet", job(folder, 1, '["sleep", "0.2"]')], folder))
    count = max(len(most) - 1, 0)
    print(
        f"{count} pods alive: {sizes(now_most)}; with one pod {idle[0]:.1f} MB RSS, {idle[2]:.1f} anonymous;"
        f" zygote and {count} shims {aside:.1f} MB for themselves"
    )


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bench-", dir=os.path.dirname(program)) as folder:
        for part in (four, thousand, ends, restarts, alive):
            if part.__name__ in sys.argv[2:] or len(sys.argv) == 2:
                part(program, apart(folder))


main()
