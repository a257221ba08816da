#!/usr/bin/env python3
"""A restart over many TrainJobs: operator_many.py PROGRAM [JOBS [BYTES]]

Fills an API server with JOBS (10,000) suspended TrainJobs, each with BYTES (0) in its environment, lets the operator make their JobSets, and
starts it again: how much memory does a job take, and does the restart ask for more than lists,
watches and the writes that are needed (none)? Takes minutes; the API server is what is slow.
"""
import os
import sys
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/trainyard").resolve()
JOBS = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
BYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 0
os.environ["TRAINYARD"] = str(PROGRAM)
sys.path[:0] = [str(ROOT / "tests/cluster"), str(ROOT / "tests/operator")]
import binaries  # noqa: E402
import memory  # noqa: E402
from audit import Audit  # noqa: E402
from fixtures import start_bare  # noqa: E402
from kit import runtime, trainjob, wait_for  # noqa: E402
from manager import Manager  # noqa: E402

THREADS, PAGE, SETTLE_SECONDS = 8, 500, 4
TARGET = 4096  # of a job without BYTES


def metric(one, name):
    text = urllib.request.urlopen(f"http://127.0.0.1:{one.metrics}/metrics").read().decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith(name) and line[len(name)] in " {")


def fill(plane):
    more = {"trainer": {"env": [{"name": "TEXT", "value": "x" * BYTES}]}} if BYTES else {}

    def create(first):
        api = plane.client()
        for i in range(first, JOBS, THREADS):
            api.create(trainjob(f"job-{i}", "many", "ClusterTrainingRuntime", suspend=True, **more), "many")

    threads = [threading.Thread(target=create, args=(n,)) for n in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def settle(one):
    """Until it has been idle for a while, and memory was given back."""
    wait_for("it is idle", lambda: not metric(one, "workqueue_depth") and
             not metric(one, "controller_runtime_active_workers"), 3600, show=one.tail, child=one.child, poll=0.5)
    time.sleep(SETTLE_SECONDS)


def asked(audit):
    """Requests by what they were; a watch is told of when it begins and when it ends: once."""
    counts, seen = {}, set()
    for e in audit.entries():
        if e["auditID"] in seen:
            continue
        seen.add(e["auditID"])
        key = (e["verb"], e.get("objectRef", {}).get("resource", e["requestURI"]))
        counts[key] = counts.get(key, 0) + 1
    return counts


def start(plane, folder):
    return Manager(plane, folder, webhooks=False, settings={"clientConnection": {}}).start()


def main():
    why = binaries.why_not(("kube-apiserver", "etcd"))
    if why:
        sys.exit(f"operator_many: not measured: {why}")
    binaries.build(("kube-apiserver", "etcd"), binaries.SUITE_MANIFESTS)
    folder = PROGRAM.parent / "bench-many"
    plane = start_bare("many")
    good = True
    try:
        api = plane.client()
        api.create(runtime("many", kind="ClusterTrainingRuntime"))
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "many"}})
        one = start(plane, folder)
        settle(one)
        empty = memory.read(one.child.pid)
        begin = time.monotonic()
        fill(plane)
        settle(one)
        took = time.monotonic() - begin
        full, full_peak = memory.read(one.child.pid), memory.peak_rss(one.child.pid)
        print(f"{JOBS} TrainJobs created and their JobSets made in {took:.0f} s, "
              f"{metric(one, 'trainyard_writes_total'):.0f} writes")
        one.stop()
        audit = Audit(plane, (0,))
        one = start(plane, folder)
        settle(one)
        again, again_peak = memory.read(one.child.pid), memory.peak_rss(one.child.pid)
        writes = metric(one, "trainyard_writes_total")
        one.stop()
        counts = asked(audit)
        print(f"memory without TrainJobs: {memory.text(empty)}")
        for what, now, peak in (("while they came", full, full_peak), ("after a restart", again, again_peak)):
            each = (now.anonymous - empty.anonymous) / JOBS
            missed = not BYTES and each > TARGET
            good &= not missed
            print(f"memory a TrainJob, {what}: {each:.0f} bytes{'' if BYTES else f' (at most {TARGET})'}"
                  f"{'  MISSED' if missed else ''}; {memory.text(now)}, peak RSS {peak / 2**20:.2f}")
        print(f"restart: {sum(counts.values())} requests, {writes:.0f} writes (0 needed)")
        for (verb, resource), n in sorted(counts.items()):
            print(f"  {verb:7} {resource:40} {n}")
        pages = -(-JOBS // PAGE)
        for (verb, resource), n in counts.items():
            most = {"list": pages + 1, "watch": 2}.get(verb, 1 if verb == "get" else 0)
            if n > most:
                good = False
                print(f"  MISSED: {verb} {resource}: {n} times, at most {most} were needed")
    finally:
        plane.stop()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
