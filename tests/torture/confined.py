"""The operator as it is shipped: with the memory limit and the probes of the Deployment, and a leader's Lease."""
import os
import re
import signal
from pathlib import Path

import yaml

from manager import SYSTEM, Manager
from plane import die_with_parent

ROOT = Path(__file__).resolve().parents[2]
ELECTION = {"leaderElect": True, "resourceName": "trainer.kubeflow.org", "resourceNamespace": SYSTEM,
            "leaseDuration": "15s", "renewDeadline": "10s", "retryPeriod": "2s"}
LEASE_SECONDS = 15
UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


class Shipped:
    """What manifests/base/manager/deployment.yaml says of the container."""

    def __init__(self):
        doc = yaml.safe_load((ROOT / "manifests/base/manager/deployment.yaml").read_text())
        manager = doc["spec"]["template"]["spec"]["containers"][0]
        number, unit = re.fullmatch(r"(\d+)(Ki|Mi|Gi)", manager["resources"]["limits"]["memory"]).groups()
        self.memory = int(number) * UNITS[unit]
        self.timeouts, self.bounds = {}, {}
        for name, probe in (("healthz", manager["livenessProbe"]), ("readyz", manager["readinessProbe"])):
            self.timeouts[name] = probe.get("timeoutSeconds", 1)
            self.bounds[name] = probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)


# ---- memory

class Cgroup:
    """A memory cgroup below our own, of either version; `why_not` where there can be none."""

    def __init__(self, limit):
        self.path, self.why_not = None, None
        try:
            self.path, self.v2 = self._make()
            (self.path / ("memory.max" if self.v2 else "memory.limit_in_bytes")).write_text(str(limit))
        except (OSError, LookupError) as e:
            self.why_not = str(e)
            self.remove()

    @staticmethod
    def _make():
        own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines())
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
        v1 = [m[1] for m in mounts if m[2] == "cgroup" and "memory" in m[3].split(",")]
        v2 = [m[1] for m in mounts if m[2] == "cgroup2"]
        if not v1 and not v2:
            raise LookupError("no cgroup is mounted")
        parent = Path(v1[0] + own["memory"]) if v1 else Path(v2[0] + own[""])
        path = parent / f"torture-{os.getpid()}"
        path.mkdir()
        if not v1 and not (path / "memory.max").exists():
            path.rmdir()
            raise LookupError(f"{parent} delegates no memory controller")
        return path, not v1

    def enter(self):
        """This process, and what it will start."""
        if self.path:
            (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def killed(self):
        """How many processes the kernel has killed for memory here."""
        if not self.path:
            return 0
        text = (self.path / ("memory.events" if self.v2 else "memory.oom_control")).read_text()
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))

    def remove(self):
        if self.path:
            try:
                self.path.rmdir()
            except OSError:
                pass
            self.path = None


def peak(pid):
    """The most that has been resident since forget_peak, in bytes; 0 if there is no such process."""
    try:
        return int(re.search(r"^VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1]) << 10
    except (OSError, TypeError):
        return 0


def forget_peak(pid):
    """Whether the kernel could."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        return True
    except OSError:
        return False


# ---- the process

class Operator(Manager):
    """In the cgroup, with the gate on and metrics as they are shipped. What has ended is started again, as a
    kubelet would, and its ends are counted."""

    def __init__(self, plane, folder, cgroup):
        super().__init__(plane, folder, settings={
            "featureGates": {"TrainJobStatus": True}, "leaderElection": ELECTION,
            "metrics": {"secureServing": True}, "clientConnection": {"qps": 0, "burst": 100}})
        self.cgroup, self.deaths = cgroup, []

    def configuration(self):
        config = super().configuration()
        del config["clientConnection"]  # as it is shipped: no limit
        return config

    def in_child(self):
        die_with_parent()
        self.cgroup.enter()

    def alive(self):
        return self.child is not None and self.child.poll() is None

    def how_it_ended(self):
        code = self.child.returncode
        why = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        killed = self.cgroup.killed()
        return f"{why}, killed for memory" if killed > len([d for d in self.deaths if "memory" in d]) else why

    def revive(self):
        """Starts it again; whether it stays."""
        self.deaths.append(self.how_it_ended())
        self.child = None
        try:
            self.start()
        except AssertionError:  # it never became ready, or ended before the API server had asked it
            return False
        return self.alive()
