"""Parts of the operator on a real API server: leader election, events, certificates.
The program is tests/cluster/parts.c; every process ends in order, with its memory freed (ASan)."""
import base64
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
import yaml

from driver import PROGRAM
from waiting import wait_for

PARTS = PROGRAM.parent / "parts"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
PATIENCE = 120  # seconds; only a broken program needs them


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
    config = yaml.safe_load(Path(plane.kubeconfig()).read_text())
    config["users"][0]["user"]["as"] = user
    path = Path(plane.folder, f"kubeconfig-{user}")
    path.write_text(json.dumps(config))
    return path


# ---- leader election

LONG = (60000, 40000, 20000)  # what happens sooner did not wait for a turn or an end
SHORT = (12000, 10000, 500)


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
    freed, led = a.when("released the lease"), b.when("became leader")
    late = max(0, (led - freed).total_seconds())  # the answer to the release may come later
    print(f"take-over: {1000 * late:.0f} ms after the lease was free")


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
    assert any("cannot be watched" in line for line in b.log)


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

    def remade():
        code, live = api.request("GET", f"{LEASES}/t-force")
        return live if code == 200 and live["metadata"]["uid"] != was else None

    # Nobody was told of a loss.
    assert wait_for("the Lease is made anew", remade)["spec"]["holderIdentity"] == "a"
    a.silent("lost")
    while True:
        live = lease(api, "t-force")
        live["spec"]["holderIdentity"] = "somebody"
        if api.request("PUT", f"{LEASES}/t-force", live)[0] == 200:
            break
    assert a.wait("lost") == "leader election lost: somebody holds the lease now"
    a.end(None, code=1)


# ---- events

def events_of(api, name):
    return [e for e in api.list("events.k8s.io/v1", "Event", "default")
            if e["regarding"]["name"] == name]


def test_events(api, parts):
    part = parts("events", "default", "ev-many", "uid-1", 500)
    assert part.wait("idle") == "1 2 0 0"  # created, made a series, the last count
    part.end(None)
    (event,) = events_of(api, "ev-many")
    assert event["series"]["count"] == 500
    assert event["type"] == "Warning"
    assert event["reason"] == "TrainJobResourcesCreationFailed"
    assert event["action"] == "Reconciling"
    assert event["note"] == "TrainJob resources reconciliation failed: no such 100% thing"
    assert event["reportingController"] == "trainer-trainjob-controller"
    assert event["reportingInstance"] == "trainer-trainjob-controller-host"
    assert event["regarding"] == {
        "apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "name": "ev-many",
        "namespace": "default", "uid": "uid-1"}
    assert event["metadata"]["name"].startswith("ev-many.")


def test_event_that_is_refused(parts):
    part = parts("events", "no-such-namespace", "ev-lost", "uid-1", 1)
    assert part.wait("idle") == "0 0 0 1"
    part.end(None)
    assert any("could not be written" in line for line in part.log)


# ---- certificates

HOOKS = "/apis/admissionregistration.k8s.io/v1"


def make_hooks(api, name):
    """Both configurations; they are for objects that nobody makes."""
    for kind, plural in (("Validating", "validating"), ("Mutating", "mutating")):
        api.must("POST", f"{HOOKS}/{plural}webhookconfigurations", {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": f"{kind.lower()}-{name}", "labels": {"mine": "yes"}},
            "webhooks": [{
                "name": f"{n}.example.org", "sideEffects": "None", "failurePolicy": "Ignore",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {"service": {"name": "svc", "namespace": "default", "path": "/x"}},
                "rules": [{"apiGroups": ["nobody.example.org"], "apiVersions": ["v1"],
                           "operations": ["CREATE"], "resources": ["things"]}]}
                for n in ("one", "two")]})


def bundles(api, name):
    """The caBundles of all four webhooks, as a set of texts."""
    found = set()
    for kind in ("validating", "mutating"):
        live = api.must("GET", f"{HOOKS}/{kind}webhookconfigurations/{kind}-{name}")
        assert live["metadata"]["labels"] == {"mine": "yes"}
        found |= {w["clientConfig"].get("caBundle") or "" for w in live["webhooks"]}
    return {base64.b64decode(b).decode() for b in found}


def trusts(folder, ca, cert, name="svc.default.svc", days=0):
    """Does somebody who has this bundle accept this certificate? OpenSSL says."""
    (folder / "ca.pem").write_text(ca)
    (folder / "cert.pem").write_text(cert)
    when = int(time.time()) + days * 86400
    return subprocess.run(["openssl", "verify", "-attime", str(when), "-purpose", "sslserver",
                           "-verify_hostname", name, "-CAfile", "ca.pem", "cert.pem"], cwd=folder,
                          capture_output=True).returncode == 0


def test_certificates_of_several_replicas(api, parts, tmp_path):
    make_hooks(api, "cm")
    words = ("default", "cm-certs", "svc", "validating-cm", "mutating-cm")
    replicas = [parts("certs", *words) for _ in range(3)]
    served = set()
    for r in replicas:
        ca, cert = r.wait("ca"), r.wait("cert")
        r.wait("ready")
        served.add((ca, cert))
    ((ca, cert),) = served  # all the same
    assert bundles(api, "cm") == {ca}
    assert trusts(tmp_path, ca, cert)
    assert not trusts(tmp_path, ca, cert, "other.default.svc")
    # a foreign hand is repaired
    path = f"{HOOKS}/validatingwebhookconfigurations/validating-cm"
    live = api.must("GET", path)
    live["webhooks"][1]["clientConfig"].pop("caBundle")
    api.must("PUT", path, live)
    wait_for("the CA is back", lambda: bundles(api, "cm") == {ca})
    # the Secret is emptied: all begin anew, and agree again
    api.delete("v1", "Secret", "default", "cm-certs")
    new = {(r.wait("ca"), r.wait("cert")) for r in replicas}
    assert len(new) == 1 and new != served
    wait_for("the new CA is there", lambda: bundles(api, "cm") == {ca for ca, _ in new})
    for r in replicas:
        r.end()


def upstream_certificates(folder):
    """As v2.3.0's manager makes them: RSA, serial numbers 0 and 1."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt",
            "-days", "3650", "-set_serial", "0", "-subj", "/O=kubeflow-trainer/CN=kubeflow-trainer-ca",
            "-addext", "subjectAltName=DNS:kubeflow-trainer-ca",
            "-addext", "keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out", "tls.csr",
            "-subj", "/CN=svc.default.svc")
    (folder / "ext").write_text("subjectAltName=DNS:svc.default.svc\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", "tls.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial",
            "1", "-days", "365", "-extfile", "ext", "-out", "tls.crt")
    return {n: (folder / n).read_text() for n in ("ca.crt", "ca.key", "tls.crt", "tls.key")}


def test_certificates_of_upstream_are_kept_and_renewed(api, parts, tmp_path):
    was = upstream_certificates(tmp_path)
    make_hooks(api, "cu")
    api.create({"apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": "cu-certs", "namespace": "default", "labels": {"a": "b"}},
                "data": {k: base64.b64encode(v.encode()).decode() for k, v in was.items()}})
    part = parts("certs", "default", "cu-certs", "svc", "validating-cu", "mutating-cu")
    assert (part.wait("ca"), part.wait("cert")) == (was["ca.crt"], was["tls.crt"])
    part.wait("ready")
    assert bundles(api, "cu") == {was["ca.crt"]}
    os.kill(part.process.pid, signal.SIGUSR1)
    ca, cert = part.wait("ca"), part.wait("cert")  # by the RSA key of their CA
    assert (ca.strip(), cert != was["tls.crt"]) == (was["ca.crt"].strip(), True)
    assert trusts(tmp_path, was["ca.crt"], cert, days=300)
    assert api.get("v1", "Secret", "default", "cu-certs")["metadata"]["labels"] == {"a": "b"}
    part.end()


def test_new_ca_without_a_gap(api, parts, tmp_path):
    make_hooks(api, "cr")
    words = ("default", "cr-certs", "svc", "validating-cr", "mutating-cr")
    part = parts("certs", *words)
    ca, cert = part.wait("ca"), part.wait("cert")
    part.wait("ready")
    part.end()
    api.merge("/api/v1/namespaces/default/secrets/cr-certs", {"data": {"ca.key": None}})
    part = parts("certs", *words)
    assert (part.wait("ca"), part.wait("cert")) == (ca, cert)  # good without the CA's key, too
    part.wait("ready")
    os.kill(part.process.pid, signal.SIGUSR1)  # 300 days pass: a new one is needed, by a new CA
    wait_for("both CAs", lambda: all(
        b.count("BEGIN") == 2 and b.endswith(ca.strip() + "\n") for b in bundles(api, "cr")))
    (both,) = bundles(api, "cr")
    assert trusts(tmp_path, both, cert, days=300)  # which is still served
    newest = part.wait("cert")  # once the API server has had both for a while
    assert newest != cert
    assert trusts(tmp_path, both, newest, days=300)
    assert not trusts(tmp_path, ca, newest, days=300)
    assert bundles(api, "cr") == {both}
    part.end()
