#!/usr/bin/env python3
"""usage: torture.py PROGRAM [--seconds N] [--seed N] [--only FAMILY] [--list]

Hostile clients on every port of a running operator, while 200 TrainJobs are created and finished on a real API
server. The operator runs in a memory cgroup of the shipped limit where one can be had. Families come one after
the other; TORTURE_SECONDS (600) and TORTURE_SEED (1) are for all of them. Only loopback is spoken to.

It fails if the operator ended, was over its limit, was not ready for so long that a kubelet would have acted,
lost its Lease, or if a TrainJob is not as it should be. Latency is printed and judged by nobody.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ATTACKERS = 2
SETTLE_SECONDS = 60


def words():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2],
                                     epilog="TORTURE_SECONDS and TORTURE_SEED are the defaults' defaults")
    parser.add_argument("program", type=Path)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("TORTURE_SECONDS") or 600))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TORTURE_SEED") or 1))
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


GIVEN = words()
os.environ["TRAINYARD"] = str(GIVEN.program.resolve())
sys.path[:0] = [str(HERE), *[str(HERE.parent / name) for name in ("cluster", "operator", "neighbours")]]
import binaries  # noqa: E402
import gated  # noqa: E402
from attack import families  # noqa: E402
from confined import Cgroup, Operator, Shipped, forget_peak  # noqa: E402
from fixtures import running, trainer_crds  # noqa: E402
from jobs import COUNT, Jobs, prepare  # noqa: E402
from neighbours import FullPlane  # noqa: E402
from plane import die_with_parent  # noqa: E402
from report import HEAD, MIB, Row, added, details, line, write_results  # noqa: E402
from waiting import poll_until  # noqa: E402
from watching import REVIEW_BOUND, Probes, Sampler, stretch, worst  # noqa: E402

FOLDER = GIVEN.program.resolve().parent / "torture"
RESULTS = FOLDER / "results.tsv"
HOOK = "/validate-trainer-kubeflow-org-v1alpha1-trainjob"
GONE = "started again, it did not stay"
ASKED = ("healthz", "readyz", "review")
STATUS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/torture/trainjobs/reporter/status"


def shares(chosen, seconds):
    """{family: seconds}. What holds connections needs longer than a kubelet's patience, if there is time."""
    hold = min(65.0, max(20.0, seconds / 9))
    holding = [name for name, family in chosen.items() if family.holds]
    others = max(1, len(chosen) - len(holding))
    rest = max(3.0, (seconds - hold * len(holding)) / others)
    return {name: hold if family.holds else rest for name, family in chosen.items()}


class Torture:
    def __init__(self, plane, operator, shipped):
        self.plane, self.operator, self.shipped = plane, operator, shipped
        api = plane.client()
        hooks = plane.certificates.folder / operator.user
        self.spec = {
            "seed": GIVEN.seed, "api": plane.url, "ca": str(plane.folder / "pki/apiserver.crt"),
            "user_token": plane.tokens["alice"], "health": operator.health, "timeouts": shipped.timeouts,
            "certificate": [str(hooks / "tls.crt"), str(hooks / "tls.key")],
            "token": gated.token(api, "torture", gated.audience_of("torture", "reporter"), seconds=6 * 3600),
            "targets": [["health", operator.health, False, "/healthz"], ["webhook", operator.port, True, HOOK],
                        ["status", operator.status, True, STATUS], ["metrics", operator.metrics, True, "/metrics"]]}
        self.probes, self.sampler = Probes(self.spec), Sampler(plane, operator)
        self.rows = []

    # -- one family

    def attackers(self, family, seconds):
        found = []
        for number in range(ATTACKERS):
            spec = {**self.spec, "family": family, "seconds": seconds, "number": number}
            child = subprocess.Popen([sys.executable, HERE / "attack.py"], stdin=subprocess.PIPE, text=True,
                                     stdout=subprocess.PIPE, preexec_fn=die_with_parent)
            child.stdin.write(json.dumps(spec))
            child.stdin.close()
            found.append(child)
        return found

    def run(self, family, seconds):
        """Attacks, waits until all is well again, and judges."""
        begin, children = time.monotonic(), self.attackers(family, seconds)
        self.sampler.peak = 0
        forget_peak(self.operator.child.pid)
        poll_until(lambda: all(child.poll() is not None for child in children) or not self.operator.alive(),
                   seconds + SETTLE_SECONDS)
        dead = not self.operator.alive()
        tallies, troubles = self.collect(children, dead)
        troubles += [self.obituary()] if dead else []
        peak, end = self.sampler.peak, time.monotonic()  # of those who were attacked
        troubles += self.recover()
        seen = {what: self.probes.between(begin, end if dead else time.monotonic(), what) for what in ASKED}
        troubles += self.judge(seen, peak, dead)
        row = Row(family, added(tallies), {what: worst(probes) for what, probes in seen.items()}, peak, troubles)
        self.rows.append(row)
        print(line(row), *details(row), sep="\n", flush=True)

    def obituary(self):
        how = self.operator.how_it_ended()
        said = "" if "memory" in how else "; it said: " + " ".join(self.operator.log().splitlines()[-2:])[-600:]
        return f"the operator ended: {how}, last seen with {self.sampler.peak / MIB:.1f} MiB{said}"

    def collect(self, children, dead):
        """([tally], [trouble]) of the attackers; those of a dead operator are ended, and tell what they did."""
        tallies, troubles = [], []
        for child in children:
            if dead or child.poll() is None:
                child.terminate()
            text = child.stdout.read()
            code = child.wait()
            if text:
                tallies.append(json.loads(text))
            elif not dead:
                troubles.append(f"an attacker ended with {code} and told nothing")
        if not dead and not sum(tally["tried"] for tally in tallies):
            troubles.append("nothing was tried")
        return tallies, troubles

    def recover(self):
        """Waits until it is ready, by a question that was asked later; one that has ended is started again, and
        leads before the next attack."""
        if not self.operator.alive():
            return self.revive()
        since = time.monotonic()

        def ready():
            last = self.probes.last("readyz")
            return last and last["begin"] > since and last["why"] is None

        over = poll_until(lambda: ready() or not self.operator.alive(), SETTLE_SECONDS)
        if not self.operator.alive():
            return [self.obituary()] + self.revive()
        return [] if over else [f"not ready {SETTLE_SECONDS} s after the last attack"]

    def revive(self):
        if not self.operator.revive():
            return [GONE]
        self.sampler.wait_for_leader()
        return []

    def judge(self, seen, peak, dead):
        """A cgroup decides by itself what is too much: pages of files do not count, they can be dropped."""
        troubles, bounds = [], {**self.shipped.bounds, "review": REVIEW_BOUND}
        if peak > self.shipped.memory and not self.operator.cgroup.path:
            troubles.append(f"{peak / MIB:.1f} MiB, of {self.shipped.memory / MIB:.0f}")
        for what, probes in seen.items():
            seconds, why = stretch(probes)
            if seconds >= bounds[what]:
                troubles.append(f"{what} failed for {seconds:.0f} s ({bounds[what]} are allowed): {why}")
            elif not probes and not dead:
                troubles.append(f"{what} was not asked")
        return troubles


def play(plane, operator, shipped, chosen):
    """{row of the results: troubles}."""
    operator.start()
    prepare(plane)
    first = operator.child.pid
    torture = Torture(plane, operator, shipped)
    seconds = shares(chosen, GIVEN.seconds)
    jobs = Jobs(plane, operator, sum(seconds.values()))
    jobs.start()
    print(HEAD, flush=True)
    for name in chosen:
        if operator.alive() or operator.revive():
            torture.run(name, seconds[name])
    found = {name: ["not run: the operator does not stay up"] for name in chosen}
    found.update({row.family: row.troubles for row in torture.rows})
    wrong = jobs.finish()
    found["trainjobs"] = [f"{name}: {why}" for name, why in sorted(wrong.items())]
    found["lease"] = torture.sampler.lease_troubles()
    torture.sampler.stop()
    torture.probes.stop()
    if operator.alive() and operator.child.pid == first:
        found["process"] = []
    else:
        found["process"] = [f"it was started {len(operator.deaths) + 1} times: {operator.deaths}"]
    tell(torture, jobs, operator)
    try:
        operator.stop()
    except AssertionError as e:
        found["process"].append(str(e))
    return found


def tell(torture, jobs, operator):
    rows, shipped = torture.rows, torture.shipped
    total = added(row.tally for row in rows)
    worsts = {what: max((row.latency[what] for row in rows), default=0) for what in ASKED}
    print(line(Row("all", total, worsts, max((row.peak for row in rows), default=0), [])).rsplit("  ", 1)[0])
    print(f"limit {shipped.memory / MIB:.0f} MiB; {jobs.created} of {COUNT} TrainJobs created; {len(torture.sampler.leases)} looks "
          f"at the Lease; log {operator.log_path} ({operator.log_path.stat().st_size >> 10} KiB)")
    for why, n in sorted(jobs.refused.items(), key=lambda item: -item[1])[:5]:
        print(f"    tried again {n} times: {why}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # nothing is left behind
    table = families()
    if GIVEN.list:
        print("\n".join(f"{name:11} {family.about}" for name, family in table.items()))
        return 0
    unknown = [name for name in GIVEN.only if name not in table]
    if unknown:
        sys.exit(f"torture: no family is called {unknown[0]}; there are: {' '.join(table)}")
    why = binaries.why_not(binaries.FULL)
    if why:
        print(f"torture: SKIPPED: {why}")
        write_results(RESULTS, {}, skipped=len(table))
        return 0
    binaries.build(binaries.FULL, binaries.SUITE_MANIFESTS)
    shipped, chosen = Shipped(), {n: f for n, f in table.items() if not GIVEN.only or n in GIVEN.only}
    cgroup, plane = Cgroup(shipped.memory), FullPlane(FOLDER / "plane", trainer_crds())
    print(f"torture: seed {GIVEN.seed}, {GIVEN.seconds:.0f} s, {ATTACKERS} attackers; memory limit "
          f"{shipped.memory / MIB:.0f} MiB, " + (f"not enforced ({cgroup.why_not}), judged by VmHWM" if cgroup.why_not
                                                 else "enforced by a cgroup"), flush=True)
    operator = None
    try:
        operator = Operator(running(plane), FOLDER, cgroup)
        found = play(plane, operator, shipped, chosen)
    finally:
        if operator and operator.child:
            operator.kill()
        plane.stop()
        cgroup.remove()
    write_results(RESULTS, {name: bool(troubles) for name, troubles in found.items()})
    bad = {name: troubles for name, troubles in found.items() if troubles}
    for name, troubles in bad.items():
        again = f" (again: --seed {GIVEN.seed} --only {name})" if name in table else ""
        print(f"FAILED: {name}{again}: " + "; ".join(troubles[:3]) + (f"; {len(troubles)} in all" if troubles[3:] else ""))
    print(f"torture: {len(found) - len(bad)} passed, {len(bad)} failed, seed {GIVEN.seed}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
