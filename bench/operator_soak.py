#!/usr/bin/env python3
"""Does the operator's memory stay as it is? operator_soak.py PROGRAM; SOAK_SECONDS (1800)

TrainJobs are created, resumed, suspended, changed and deleted all the time, with all that is theirs
(there is no garbage collector on an API server alone: the churn plays it). After each round the
operator is left in peace for a moment and its memory is read. The first rounds fill its caches; from
then on its anonymous memory must not grow. Pages of its program and libraries, which RSS and PSS
count, too, come and go with the machine's needs.
"""
import os
import statistics
import sys
import time

from operator_many import PROGRAM, metric, settle, start
import binaries
import memory
from fixtures import start_bare
from kit import API, JOBSET_API, Space, runtime, trainjob

SECONDS = float(os.environ.get("SOAK_SECONDS", 1800))
JOBS, WARM, GROWTH = 100, 5, 256 << 10  # of memory: less than the noise of a heap of some MB


def growth(sizes):
    later = sizes[WARM:]
    half = max(len(later) // 2, 1)
    return statistics.median(later[half:] or later) - statistics.median(later[:half])


def churn(space, number):
    names = [f"job-{number}-{i}" for i in range(JOBS)]
    for name in names:
        space.create(trainjob(name, "soak", suspend=True, trainer={"numNodes": 2}))
    for name in names[::2]:
        space.wait_jobset(name)
        space.suspend(False, name)
    for name in names[1::2]:
        space.patch_job({"metadata": {"labels": {"round": str(number)}}}, name)
    for name in names[::2]:
        space.wait_jobset(name, suspended=False)
    for name in names:
        space.api.delete(API, "TrainJob", space.name, name)
        space.api.delete(JOBSET_API, "JobSet", space.name, name)
        space.api.delete("v1", "ConfigMap", space.name, f"{name}-runtime-snapshot")


def main():
    why = binaries.why_not(binaries.SERVER)
    if why:
        sys.exit(f"operator_soak: not run: {why}")
    binaries.build(binaries.SERVER, binaries.SUITE_MANIFESTS)
    plane, sizes = start_bare("soak"), []
    try:
        space = Space(plane.client(), "soak")
        space.create(runtime("soak"))
        one = start(plane, PROGRAM.parent / "bench-soak")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or len(sizes) < 2 * WARM:
            churn(space, len(sizes))
            settle(one)
            now = memory.read(one.child.pid)
            sizes.append(now.anonymous + now.swap)
            print(f"round {len(sizes)}: {memory.text(now)}, "
                  f"{metric(one, 'rest_client_requests_total'):.0f} requests", flush=True)
        one.stop()
    finally:
        plane.stop()
    grown = growth(sizes)
    print(f"{len(sizes)} rounds of {JOBS} TrainJobs: anonymous memory changed by {grown / 1024:.0f} kB "
          f"(at most {GROWTH >> 10})")
    sys.exit(0 if grown <= GROWTH else 1)


if __name__ == "__main__":
    main()
