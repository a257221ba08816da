#!/usr/bin/env python3
"""trainyard operator beside the released upstream manager: operators.py PROGRAM [JOBS]

Both run one after the other on the same API server (etcd and kube-apiserver of tests/cluster; no
JobSet controller, so that nobody else is busy) with JOBS suspended TrainJobs (500),
and the same questions are asked of both. The last column is what counts: this machine is not quiet,
the other manager in the same run is the measure. wrk measures the webhooks where it is installed.
"""
import json
import mmap
import os
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/trainyard").resolve()
JOBS = int(sys.argv[2]) if len(sys.argv) > 2 else 500
os.environ["TRAINYARD"] = str(PROGRAM)
sys.path[:0] = [str(ROOT / "tests/cluster"), str(ROOT / "tests/operator")]
import binaries  # noqa: E402
import manager as managers  # noqa: E402
import memory  # noqa: E402
from fixtures import start_bare  # noqa: E402
from kit import JOBSET_API, runtime, trainjob, wait_for  # noqa: E402

STARTS, SAMPLES, WRK_SECONDS, TICK = 9, 40, 5, os.sysconf("SC_CLK_TCK")
NEEDED = ("kube-apiserver", "etcd", "upstream-trainer")


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_mb(pid, when):
    m = memory.read(pid)
    return {f"{when}_{name}": getattr(m, name) / 2**20 for name in ("anonymous", "pss", "rss")}


def count(api, namespace):
    """JobSets of a namespace, without reading them."""
    path = f"/apis/{JOBSET_API}/namespaces/{namespace}/jobsets?limit=1"
    answer = api.must("GET", path)
    return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)


def fresh(api, name):
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


class Stamped(managers.Manager):
    """Knows when its program began: to fork this interpreter takes a third as long as ours takes to
    be ready, and is nobody's start."""

    def __init__(self, *more, **settings):
        super().__init__(*more, **settings)
        self.stamp = mmap.mmap(-1, 8)  # shared with the child

    def in_child(self):
        super().in_child()
        struct.pack_into("d", self.stamp, 0, time.monotonic())

    def since_exec_ms(self):
        return (time.monotonic() - struct.unpack_from("d", self.stamp)[0]) * 1000

    def ready(self):
        """Without urllib, which would take much of a processor that the manager needs."""
        try:
            with socket.create_connection(("127.0.0.1", self.health), 5) as s:
                s.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
                return s.makefile("rb").readline().split()[1:2] == [b"200"]
        except OSError:
            return False


def start(plane, folder, upstream):
    """A manager, and the milliseconds until it is ready."""
    one = Stamped(plane, folder, number=int(upstream), webhooks=False, upstream=upstream,
                  settings=None if upstream else {"clientConnection": {}})
    one.start(wait=False)
    wait_for("it is ready", one.ready, show=one.tail, child=one.child, poll=0.001)
    took = one.since_exec_ms()
    assert one.is_upstream() == upstream
    return one, took


def starts(plane, folder):
    """What both take to start, and their memory two seconds later; by turns, because the machine is
    busier at one time than at another."""
    found = {False: {"ready": []}, True: {"ready": []}}
    for _ in range(STARTS):
        for upstream, mine in found.items():
            one, took = start(plane, folder, upstream)
            time.sleep(2)
            mine["ready"].append(took)
            mine |= memory_mb(one.child.pid, "idle")
            one.stop()
    for mine in found.values():
        mine["ready"] = statistics.median(mine["ready"])
    return found


def backlog(api, plane, folder, upstream):
    """JOBS suspended TrainJobs wait; the manager starts: how fast, and what does it cost?"""
    space = fresh(api, f"backlog-{int(upstream)}")
    for i in range(JOBS):
        api.create(trainjob(f"job-{i}", "bench", "ClusterTrainingRuntime", suspend=True,
                            trainer={"numNodes": 4}), space)
    begin = time.monotonic()
    one, _ = start(plane, folder, upstream)
    wait_for(f"{JOBS} JobSets", lambda: count(api, space) >= JOBS, 3600, show=one.tail, child=one.child)
    took = time.monotonic() - begin
    time.sleep(2)  # statuses follow
    pid = one.child.pid
    found = {"jobs": JOBS / took, "cpu": cpu_seconds(pid) / JOBS * 1000}
    return one, found | memory_mb(pid, "after")


def latency(api, upstream):
    """One TrainJob after the other: from its creation to its JobSet, in ms."""
    space, times = fresh(api, f"latency-{int(upstream)}"), []
    for i in range(SAMPLES):
        api.create(trainjob(f"job-{i}", "bench", "ClusterTrainingRuntime", suspend=True), space)
        begin = time.monotonic()
        wait_for("its JobSet", lambda: api.get(JOBSET_API, "JobSet", space, f"job-{i}"), poll=0.0005)
        times.append((time.monotonic() - begin) * 1000)
    return statistics.median(times)


def webhook(one, folder):
    """Requests a second and the 99th percentile (ms) of the validating webhook, by wrk -c8."""
    if not shutil.which("wrk"):
        return None
    job = trainjob("job", "bench", "ClusterTrainingRuntime")
    job["spec"]["runtimeRef"]["apiGroup"] = "trainer.kubeflow.org"
    job["metadata"].update(namespace="default", uid="1")
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1",
                             "kind": "TrainJob"},
        "resource": {"group": "trainer.kubeflow.org", "version": "v1alpha1",
                     "resource": "trainjobs"},
        "namespace": "default", "name": "job", "operation": "CREATE", "object": job,
        "userInfo": {"username": "bench"}}}
    script = Path(folder, "review.lua")
    script.write_text('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
                      f"wrk.body = [==[{json.dumps(review)}]==]\n")
    url = f"https://127.0.0.1:{one.port}/validate-trainer-kubeflow-org-v1alpha1-trainjob"
    said = subprocess.run(["wrk", "-t1", "-c8", f"-d{WRK_SECONDS}s", "--latency", "-s", script, url],
                          capture_output=True, text=True, check=True).stdout
    words = said.split()
    assert "Non-2xx" not in said, said
    p99 = words[words.index("99%") + 1]
    scale = {"us": 0.001, "ms": 1, "s": 1000}
    unit = "us" if p99.endswith("us") else "ms" if p99.endswith("ms") else "s"
    return float(words[words.index("Requests/sec:") + 1]), float(p99[:-len(unit)]) * scale[unit]


def measure(api, plane, folder, upstream):
    one, found = backlog(api, plane, folder, upstream)
    found["latency"] = latency(api, upstream)
    hooks = webhook(one, folder)
    if hooks:
        found["hooks"], found["p99"] = hooks
    one.stop()
    return found


ROWS = [  # (key, title, unit, target ratio ours/upstream or None, smaller is better)
    ("jobs", f"{JOBS} TrainJobs waiting: JobSets", "/s", 5, False),
    ("cpu", "  processor time a TrainJob", "ms", 1 / 15, True),
    ("after_anonymous", "  anonymous memory after that", "MB", 1 / 6, True),
    ("after_pss", "  PSS", "MB", None, True),
    ("after_rss", "  RSS", "MB", None, True),
    ("idle_anonymous", "anonymous memory, idle", "MB", 1 / 6, True),
    ("idle_pss", "  PSS", "MB", None, True),
    ("idle_rss", "  RSS", "MB", None, True),
    ("latency", "create to JobSet, median", "ms", 0.7, True),
    ("ready", f"start to ready, median of {STARTS}", "ms", 1 / 4, True),
    ("hooks", "validating webhook, wrk -c8", "/s", 3, False),
    ("p99", "  99th percentile", "ms", 1, True),
]


def report(ours, upstream):
    good = True
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    print(f"{'':36}{'trainyard':>12}{'v2.3.0':>12}{'ratio':>9}   target")
    for key, title, unit, target, smaller in ROWS:
        if key not in ours or key not in upstream:
            print(f"{title:36}{'not measured: no wrk':>24}")
            continue
        ratio = ours[key] / upstream[key]
        line = f"{title:36}{ours[key]:9.2f} {unit:2}{upstream[key]:9.2f} {unit:2}{ratio:8.3f}x"
        if target:
            met = ratio <= target if smaller else ratio >= target
            good &= met
            line += f"  {'at most' if smaller else 'at least'} {target:.3g}x{'' if met else '  MISSED'}"
        print(line)
    size = [os.path.getsize(p) / 1e6 for p in (PROGRAM, binaries.find("upstream-trainer"))]
    print(f"{'binary':36}{size[0]:9.2f} MB{size[1]:9.2f} MB{size[0] / size[1]:8.3f}x")
    return good


def main():
    why = binaries.why_not(NEEDED)
    if why:
        sys.exit(f"operator: not measured: {why}")
    binaries.build(NEEDED, binaries.SUITE_MANIFESTS)
    folder = PROGRAM.parent / "bench-operator"
    plane = start_bare("bench")
    try:
        api = plane.client()
        api.create(runtime("bench", kind="ClusterTrainingRuntime"))
        found = starts(plane, folder)
        ours = found[False] | measure(api, plane, folder, False)
        upstream = found[True] | measure(api, plane, folder, True)
    finally:
        plane.stop()
    report(ours, upstream)


if __name__ == "__main__":
    main()
