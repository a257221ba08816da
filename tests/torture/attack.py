#!/usr/bin/env python3
"""One attacker: a process of its own, told on stdin what to do (JSON), telling on stdout what became of it."""
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Callable, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), *[str(HERE.parent / name) for name in ("cluster", "operator", "neighbours")]]

EVERY, TLS = ("health", "webhook", "status", "metrics"), ("webhook", "status", "metrics")


class Family(NamedTuple):
    about: str
    run: Callable
    ports: tuple = EVERY
    rate: float = 40  # attempts a second, of each attacker
    holds: bool = False  # it needs time: what it takes away must be missed


def families():
    """{name: Family}, in the order in which they come."""
    import holding
    import payloads
    import spoken
    return {
        "bytes": Family("random bytes", spoken.random_bytes),
        "tls": Family("old versions, garbage, client certificates, plain HTTP", spoken.wrong_tls),
        "http": Family("lengths, chunks, lines, headers, Expect, pipelines", spoken.wrong_http),
        "reset": Family("connections broken off anywhere", holding.resets),
        "large": Family("bodies up to and over the limits", spoken.large, rate=4),
        "scrape": Family("metrics and health, all the time", spoken.scrapes, ("health", "metrics")),
        "reviews": Family("random admission reviews", payloads.reviews, ("webhook",)),
        "patches": Family("updates of n by n runtimePatches", payloads.patches, ("webhook",), rate=3),
        "shapes": Family("deep, wide and long JSON", payloads.shapes, ("webhook",), rate=5),
        "reports": Family("status reports, bogus tokens", payloads.reports, ("status",), rate=20),
        "objects": Family("TrainJobs of 1.4 MB, by the API server", payloads.objects, ("webhook",), rate=1),
        "slow": Family("headers and bodies byte by byte", holding.slow, holds=True),
        "hoard": Family("bodies of 8 MB that lack a byte", holding.hoard, TLS, holds=True),
        "handshakes": Family("half of a TLS handshake", holding.handshakes, TLS, holds=True),
        "idle": Family("1,024 idle connections on each port", holding.idle, holds=True),
    }


def main():
    from wire import Ground
    spec = json.load(sys.stdin)
    family = families()[spec["family"]]
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.nice(10)  # the operator and its API server are not to wait for Python
    spec["targets"] = [row for name in family.ports for row in spec["targets"] if row[0] == name]
    ground = Ground(spec, family.rate)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # the operator is gone: what was done is told all the same
    try:
        family.run(ground)
    finally:
        json.dump(ground.tally.as_json(), sys.stdout)


if __name__ == "__main__":
    main()
