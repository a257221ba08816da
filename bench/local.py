#!/usr/bin/env python3
"""What `trainyard run` itself costs: local.py PROGRAM.

Four pods of `true` over the same four processes alone; a thousand pods of `true`; and the memory of a
thousand pods that live. Times are wall clock, medians where there are several; memory is the peak
of RSS, PSS and anonymous memory of the program's own process, and apart from it what zygote and shims
have written to for themselves alone. mpirun is measured beside it where there is one.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import memory

ROUNDS, MANY = 15, 1000
TARGET_MS, TARGET_S, TARGET_MB = 25, 3, 12  # MB: of anonymous memory
TEMPLATE = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain}
spec:
  mlPolicy: {numNodes: NODES}
  template:
    spec:
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


def job(folder, nodes, command):
    path = os.path.join(folder, "job.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(TEMPLATE.replace("NODES", str(nodes)).replace("COMMAND", command))
    return path


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


def median_ms(argv, folder):
    times = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        if start(argv, folder).wait() != 0:
            sys.exit(f"{argv[0]} failed")
        times.append((time.monotonic() - begin) * 1000)
    return statistics.median(times)


def four(program, folder):
    ours = median_ms([program, "run", "--quiet", job(folder, 4, '["true"]')], folder)
    bare = median_ms(["sh", "-c", "/bin/true & /bin/true & /bin/true & /bin/true & wait"], folder)
    over = ours - bare
    line = f"4 pods of true: {ours:.1f} ms; by sh alone {bare:.1f}; over it {over:.1f} ms"
    line += f" (target {TARGET_MS}: {verdict(over, TARGET_MS)})"
    mpirun = shutil.which("mpirun")
    if mpirun:
        argv = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "4", "true"]
        line += f"; mpirun -n 4 true {median_ms(argv, folder):.0f} ms"
    print(line, flush=True)


def thousand(program, folder):
    begin = time.monotonic()
    most = end(start([program, "run", "--quiet", job(folder, MANY, '["true"]')], folder))
    took = time.monotonic() - begin
    print(
        f"{MANY} pods of true: {took:.2f} s (target {TARGET_S}: {verdict(took, TARGET_S)}),"
        f" {took * 1e6 / MANY:.0f} us each; {sizes(most)}",
        flush=True,
    )


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
    with tempfile.TemporaryDirectory(prefix="trainyard-bench-") as folder:
        four(program, folder)
        thousand(program, folder)
        alive(program, folder)


main()
