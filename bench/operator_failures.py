#!/usr/bin/env python3
"""What failure summaries cost: operator_failures.py PROGRAM [JOBS]

The operator on a whole control plane (tests/operator: JobSet controller, scheduler, kwok, whose nodes also
serve logs), with failureSummary off and on: JOBS TrainJobs of two pods each (100) that run, then a TrainJob of
64 pods of which one fails.
"""
import os
import shutil
import sys
import time
import urllib.request
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/trainyard").resolve()
JOBS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
NODES, TICK = 64, os.sysconf("SC_CLK_TCK")
os.environ["TRAINYARD"] = str(PROGRAM)
sys.path[:0] = [str(ROOT / "tests/cluster"), str(ROOT / "tests/operator")]
import memory  # noqa: E402
from fixtures import FOLDER, running, trainer_crds  # noqa: E402
from kit import Space, condition, runtime, trainjob, wait_for  # noqa: E402
from manager import Manager  # noqa: E402
from neighbours import END  # noqa: E402
from test_failure_summary import ON, LoggingPlane, summary_rights  # noqa: E402


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def metrics(one):
    """{name: sum over its labels}."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{one.metrics}/metrics").read().decode()
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name = line.split("{")[0].split(" ")[0]
            found[name] = found.get(name, 0) + float(line.rsplit(" ", 1)[1])
    return found


def ready(space):
    return sum(pod["status"].get("phase") == "Running" for pod in space.pods())


def many(space, one):
    """JOBS that run: CPU for each, and memory when all of them do."""
    before = cpu_seconds(one.child.pid)
    for i in range(JOBS):
        space.create(trainjob(f"job-{i}", trainer={"numNodes": 2}))
    wait_for("all pods run", lambda: ready(space) == 2 * JOBS, 300)
    time.sleep(3)  # the last status writes, and the return of free memory
    return {"CPU of a TrainJob, ms": (cpu_seconds(one.child.pid) - before) / JOBS * 1000,
            "anonymous memory, MiB": memory.read(one.child.pid).anonymous / 2**20}


def failure(space, one):
    """One of 64 pods fails: until the condition says so, and until it says why."""
    space.create(trainjob("wide", trainer={"numNodes": NODES}))
    named = {"jobset.sigs.k8s.io/jobset-name": "wide"}.items()
    pods = wait_for("64 pods run", lambda: [
        pod for pod in space.pods() if named <= pod["metadata"]["labels"].items()
        and pod["status"].get("phase") == "Running"][NODES - 1:] and [
        pod["metadata"]["name"] for pod in space.pods() if named <= pod["metadata"]["labels"].items()], 120)
    before, begin = metrics(one), time.monotonic()
    space.api.merge(space.path("v1", "Pod", pods[NODES // 2]), {"metadata": {"annotations": {END: "fail"}}})
    wait_for("Failed", lambda: condition(space.job("wide"), "Failed"), 60)
    row = {"failure to Failed, s": time.monotonic() - begin}
    if one.settings:
        wait_for("summary", lambda: "first failure" in condition(space.job("wide"), "Failed"), 60)
        row["failure to summary, s"] = time.monotonic() - begin
    time.sleep(1)
    after = metrics(one)
    row["API requests for it"] = sum(after.get(n, 0) - before.get(n, 0) for n in ("rest_client_requests_total",))
    for name in ("trainyard_failure_log_requests_total", "trainyard_failure_pods"):
        if name in after:
            row[name] = after[name]
    if after.get("trainyard_failure_pods"):
        row["bytes kept of a pod"] = after["trainyard_failure_pod_bytes"] / after["trainyard_failure_pods"]
    return row


def measure(plane, name, settings, number):
    one = Manager(plane, FOLDER / "bench", number, settings=settings).start()
    space = Space(plane.client(), f"bench-{name}")
    space.create(runtime())
    try:
        return {**many(space, one), **failure(space, one)}
    finally:
        space.clean()
        one.stop()


def main():
    plane = running(LoggingPlane(FOLDER / "bench-plane", trainer_crds()))
    plane.client().install(summary_rights())
    try:
        off = measure(plane, "off", {}, 0)
        on = measure(plane, "on", ON, 1)
    finally:
        plane.stop()
        shutil.rmtree(FOLDER / "bench-plane", ignore_errors=True)
    print(f"{date.today()}, {JOBS} TrainJobs of 2 pods, then one of {NODES} of which one fails")
    print(f"{'':40}{'off':>10}{'on':>10}")
    for name in on:
        print(f"{name:40}{off.get(name, float('nan')):>10.2f}{on[name]:>10.2f}")


if __name__ == "__main__":
    main()
