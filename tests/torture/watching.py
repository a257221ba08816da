"""What is seen of the operator while it is tortured: probes of clients that behave, memory, the Lease."""
import json
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from confined import LEASE_SECONDS, peak
from manager import SYSTEM
from plane import die_with_parent
from waiting import poll_until

HERE = Path(__file__).resolve().parent
REVIEW_BOUND = 30  # seconds without a review: three times the 10 that an API server waits for one


class Probes:
    """The answers of probe.py, kept with their times."""

    def __init__(self, spec):
        self.seen, self.lock = [], threading.Lock()
        self.child = subprocess.Popen([sys.executable, HERE / "probe.py"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.child.stdin.write(json.dumps(spec))
        self.child.stdin.close()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            with self.lock:
                self.seen.append(json.loads(line))

    def between(self, begin, end, what):
        with self.lock:
            return [p for p in self.seen if p["what"] == what and p["end"] >= begin and p["begin"] <= end]

    def last(self, what):
        with self.lock:
            return next((p for p in reversed(self.seen) if p["what"] == what), None)

    def stop(self):
        self.child.terminate()
        self.child.wait()


def worst(probes):
    """Milliseconds of the slowest, whether it was answered or given up."""
    return max((1000 * (p["end"] - p["begin"]) for p in probes), default=0.0)


def stretch(probes):
    """(seconds, why): the longest time in which every one failed."""
    longest, why, since = 0.0, None, None
    for p in probes:
        since = None if p["why"] is None else since if since is not None else p["begin"]
        if since is not None and p["end"] - since > longest:
            longest, why = p["end"] - since, p["why"]
    return longest, why


class Sampler:
    """Reads memory ten times a second, and the Lease every second."""

    def __init__(self, plane, operator):
        self.plane, self.operator = plane, operator
        self.peak = 0
        self.leases = []  # (when seen, holder, transitions, when renewed)
        self.stopped = threading.Event()
        for job in (self._memory, self._lease):
            threading.Thread(target=job, daemon=True).start()

    def _memory(self):
        while not self.stopped.wait(0.1):
            child = self.operator.child
            if child:
                self.peak = max(self.peak, peak(child.pid))

    def _lease(self):
        api = self.plane.client()
        while not self.stopped.wait(1.0):
            try:
                doc = api.get("coordination.k8s.io/v1", "Lease", SYSTEM, "trainer.kubeflow.org")
            except (OSError, ValueError):
                continue  # the API server is busy; the next second tells
            spec = (doc or {}).get("spec") or {}
            if spec.get("renewTime"):
                self.leases.append((time.time(), spec.get("holderIdentity"), spec.get("leaseTransitions"),
                                    datetime.fromisoformat(spec["renewTime"]).timestamp()))

    def wait_for_leader(self):
        """Until a process that was started again leads: the Lease of the one before it must end first."""
        before = self.leases[-1][1] if self.leases else None
        poll_until(lambda: self.leases and self.leases[-1][1] != before, 4 * LEASE_SECONDS)

    def lease_troubles(self):
        """Sentences; none if one process has held it all the time and renewed it in its time."""
        if not self.leases:
            return ["no Lease was seen"]
        found = []
        holders = {(holder, transitions) for _, holder, transitions, _ in self.leases}
        if len(holders) > 1:
            found.append(f"{len(holders)} holders: {sorted(map(str, holders))}")
        oldest = max(seen - renewed for seen, _, _, renewed in self.leases)
        if oldest > LEASE_SECONDS:
            found.append(f"not renewed for {oldest:.0f} s of {LEASE_SECONDS}")
        return found

    def stop(self):
        self.stopped.set()
