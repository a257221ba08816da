"""Parts of the operator on a real API server: leader election, events, certificates.
The program is tests/cluster/parts.c; every process ends in order, with its memory freed (ASan)."""
import json
import os
import queue
import signal
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path

import pytest

from conftest import PROGRAM

PARTS = PROGRAM.parent / "parts"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
PATIENCE = 15  # seconds; only a broken program needs them


class Part:
    """A running driver; what it says can be waited for."""

    def __init__(self, *words):
        self.process = subprocess.Popen([PARTS, *map(str, words)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.said, self.log = queue.Queue(), []
        self.threads = [threading.Thread(target=self._read), threading.Thread(target=self._log)]
        for t in self.threads:
            t.start()

    def _read(self):
        for line in self.process.stdout:
            self.said.put(json.loads(line))

    def _log(self):
        self.log += self.process.stderr

    def wait(self, event):
        """The detail of the next such event; others are passed over."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                one = self.said.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {event!r} after {PATIENCE} s: {self.log}") from None
            if one["event"] == event:
                return one["detail"]

    def when(self, msg):
        """The time of a log line, once it has ended."""
        lines = [json.loads(line) for line in self.log if line.startswith("{")]
        text = next(line["ts"] for line in lines if line["msg"] == msg)
        return datetime.fromisoformat(text.split(".")[0] + "." + text[20:-1].ljust(6, "0")[:6])

    def silent(self, event):
        """It has not said this so far."""
        while not self.said.empty():
            assert self.said.get()["event"] != event

    def end(self, how=signal.SIGTERM, code=0):
        """Ends it with that signal, or with None waits until it ends by itself."""
        if how and self.process.poll() is None:
            self.process.send_signal(how)
        try:
            got = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            got = self.process.wait()
        for t in self.threads:
            t.join()
        assert code is None or got == code, (got, self.log)
        return self


@pytest.fixture
def parts(plane):
    """Starts drivers; ends what the test left."""
    started = []

    def start(what, *words, kubeconfig=None):
        started.append(Part(what, kubeconfig or plane.kubeconfig(), *words))
        return started[-1]
    yield start
    for part in started:
        if part.process.poll() is None:
            part.process.send_signal(signal.SIGCONT)
            part.end(code=None)
        part.process.stdout.close()
        part.process.stderr.close()


def limited(plane, api, name, rules):
    """A kubeconfig of somebody who may only do this."""
    user = f"limited-{name}"
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": user}, "rules": rules})
    api.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                "metadata": {"name": user},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": user},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                              "name": user}]})
    config = json.loads(Path(plane.kubeconfig()).read_text())
    config["users"][0]["user"]["as"] = user
    path = Path(plane.folder, f"kubeconfig-{user}")
    path.write_text(json.dumps(config))
    return path


# ---- leader election

LONG = (60000, 40000, 20000)  # what happens sooner did not wait for a turn or an end
SHORT = (3000, 2000, 400)


def lease(api, name):
    return api.must("GET", f"{LEASES}/{name}")


def test_lease_is_released_and_taken_over_at_once(api, parts):
    a = parts("lease", "default", "t-release", "a", *LONG)
    assert a.wait("leading") == "held"
    first = lease(api, "t-release")
    assert first["spec"]["holderIdentity"] == "a"
    assert first["spec"]["leaseDurationSeconds"] == 60
    assert first["spec"]["leaseTransitions"] == 0
    api.merge(f"{LEASES}/t-release", {"metadata": {"labels": {"team": "red"}}})
    b = parts("lease", "default", "t-release", "b", *LONG)
    assert b.wait("holder") == "a"
    a.end()
    assert b.wait("leading") == "held"
    second = lease(api, "t-release")
    assert second["spec"]["holderIdentity"] == "b"
    assert second["spec"]["leaseTransitions"] == 1
    assert second["spec"]["acquireTime"] > first["spec"]["acquireTime"]
    assert second["metadata"]["labels"] == {"team": "red"}  # not ours, and kept
    b.end()
    last = lease(api, "t-release")
    assert last["spec"]["holderIdentity"] == ""
    assert last["spec"]["leaseDurationSeconds"] == 1
    freed, led = a.when("gave the lease back"), b.when("became leader")
    print(f"take-over: {1000 * (led - freed).total_seconds():.0f} ms after the lease was free")


def test_lease_without_the_right_to_watch(plane, api, parts):
    """v2.3.0's role may get, list, create and update leases."""
    config = limited(plane, api, "lease", [{
        "apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
        "verbs": ["create", "get", "list", "update"]}])
    a = parts("lease", "default", "t-watchless", "a", *LONG, kubeconfig=config)
    a.wait("leading")
    b = parts("lease", "default", "t-watchless", "b", *LONG, kubeconfig=config)
    b.wait("holder")
    a.end()
    b.wait("leading")
    b.end()
    assert any("may not be watched" in line for line in b.log)


def test_lease_of_the_dead_ends(api, parts):
    a = parts("lease", "default", "t-killed", "a", *SHORT)
    a.wait("leading")
    b = parts("lease", "default", "t-killed", "b", *SHORT)
    b.wait("holder")
    a.end(signal.SIGKILL, code=-signal.SIGKILL)
    renewed = lease(api, "t-killed")["spec"]
    b.wait("leading")
    taken = lease(api, "t-killed")["spec"]
    assert (renewed["holderIdentity"], taken["holderIdentity"]) == ("a", "b")
    assert taken["leaseTransitions"] == renewed["leaseTransitions"] + 1
    assert taken["acquireTime"] > renewed["renewTime"]
    b.end()


def test_lease_lost_while_stopped(parts):
    a = parts("lease", "default", "t-stopped", "a", *SHORT)
    a.wait("leading")
    b = parts("lease", "default", "t-stopped", "b", *SHORT)
    b.wait("holder")
    os.kill(a.process.pid, signal.SIGSTOP)
    b.wait("leading")
    os.kill(a.process.pid, signal.SIGCONT)
    assert a.wait("lost").startswith("leader election lost: ")
    a.end(None, code=1)
    b.silent("lost")
    b.end()


def test_lease_taken_by_force_and_deleted(api, parts):
    a = parts("lease", "default", "t-force", "a", *SHORT)
    a.wait("leading")
    was = lease(api, "t-force")["metadata"]["uid"]
    api.delete("coordination.k8s.io/v1", "Lease", "default", "t-force")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:  # it is made anew, and nobody was told of a loss
        code, live = api.request("GET", f"{LEASES}/t-force")
        if code == 200 and live["metadata"]["uid"] != was:
            break
        time.sleep(0.02)
    assert live["spec"]["holderIdentity"] == "a"
    a.silent("lost")
    while True:
        live = lease(api, "t-force")
        live["spec"]["holderIdentity"] = "somebody"
        if api.request("PUT", f"{LEASES}/t-force", live)[0] == 200:
            break
    assert a.wait("lost") == "leader election lost: somebody holds the lease now"
    a.end(None, code=1)
