#!/usr/bin/env python3
"""A real Kubernetes API server and etcd on loopback, for one test run.

usage: plane.py build         compile what is missing into the cache (minutes, once)
       plane.py up DIR        start in DIR and stay until interrupted; prints the server, its token
       plane.py up DIR full   with controller-manager, scheduler, JobSet controller and kwok

The programs: see binaries.py. Everything listens on 127.0.0.1 at free ports and dies with the process
that started it. DIR keeps log/: one file a program, and audit.log, the requests of the managers.
"""
import base64
import ctypes
import datetime
import http.client
import json
import os
import random
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import binaries  # noqa: E402
from client import Client  # noqa: E402
from waiting import wait_for  # noqa: E402

START_SECONDS = 180
STOP_SECONDS = 60
PR_SET_PDEATHSIG = 1
MANAGERS = 8  # users manager-0 ... of group managers: rights as the tests give them, audited
AUDITED = ["managers", "system:serviceaccounts:kubeflow-system"]

AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [
        {"level": "Request", "userGroups": AUDITED,
         "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
        {"level": "Metadata", "userGroups": AUDITED},
        {"level": "None"},
    ],
}


def answers(port):
    """Whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    except OSError:
        return False


def free_ports(n, given=set()):
    """Ports that nobody listens on, below those that `trainyard run` gives to its jobs (src/engine/net_port.c) and the
    kernel to outgoing connections: whoever gets one binds it some time later. None is given twice: whoever has one may
    be about to come back to it. Suites that run side by side (tools/test) get different ones."""
    worker, workers = map(int, os.environ.get("TRAINYARD_TEST_WORKER", "0/1").split("/"))
    ports = []
    while len(ports) < n:
        port = random.SystemRandom().randrange(10000 + worker, 20000, workers)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in given:
            given.add(port)
            ports.append(port)
    return ports


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def openssl(*words, **more):
    subprocess.run(["openssl", *words], check=True, capture_output=True, **more)


class Certificates:
    """A CA of the tests and what it signs, in `folder`."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out",
                "ca.crt", "-subj", "/CN=tests", "-days", "3650", cwd=folder)
        self.ca = folder / "ca.crt"

    def serving(self, name, names="IP:127.0.0.1,DNS:localhost"):
        """A folder with tls.crt and tls.key, as controllers want it for their webhooks. Made once for each name:
        a key takes as long as the start of a manager."""
        target = self.folder / name
        if (target / "tls.crt").exists():
            return target
        target.mkdir(parents=True, exist_ok=True)
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out", "tls.csr",
                "-subj", f"/CN={name}", cwd=target)
        (target / "extra").write_text(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", "tls.csr", "-CA", "../ca.crt", "-CAkey", "../ca.key",
                "-CAcreateserial", "-out", "tls.crt", "-days", "3650", "-extfile", "extra",
                cwd=target)
        return target


class Plane:
    """Starts in `folder`, which keeps log/; stop() ends every process and removes the data."""

    restartable = audited = True
    admission = ()  # plugins beside those that are on by default

    def __init__(self, folder, apiserver="kube-apiserver"):
        self.folder = Path(folder).resolve()
        self.programs = {"kube-apiserver": binaries.find(apiserver)}
        self.children = {}
        users = ["admin"] + [f"manager-{i}" for i in range(MANAGERS)]
        self.tokens = {user: secrets.token_hex(16) for user in users}
        self.credentials = {}  # of ServiceAccounts' tokens, as the audit log names them: user
        self.away = []  # [from, to]: when the API server was not ready, as the audit log writes times
        self.port = self.etcd_port = self.certificates = None

    # -- life

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "log").mkdir(parents=True)
        self.certificates = Certificates(self.folder / "ca")
        openssl("genrsa", "-out", "sa.key", "2048", cwd=self.folder)
        (self.folder / "tokens.csv").write_text("".join(
            f'{token},{user},{user},"{"system:masters" if user == "admin" else "managers"}"\n'
            for user, token in self.tokens.items()))
        (self.folder / "audit.yaml").write_text(json.dumps(AUDIT_POLICY))
        try:
            self.port, self.etcd_port, peer = free_ports(3)
            self.spawn("etcd", self._etcd(self.etcd_port, peer))
            self.start_apiserver = lambda: self.spawn("kube-apiserver",
                                                      self._apiserver(self.etcd_port))
            self.start_apiserver()
            self.wait_ready()
            self.start_more()
        except BaseException:
            self.stop()
            raise
        return self

    def start_more(self):
        """What a fuller plane starts beside the API server."""

    def stop(self):
        for name in reversed(list(self.children)):
            self.end(name)
        for name in ("etcd", "pki", "ca", "sa.key", "tokens.csv"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def end(self, name, kill=False):
        """Ends one program, at once or in its own way."""
        child = self.children.pop(name)
        if name == "kube-apiserver":
            self.away.append([utc_now(), "9999"])
        child.kill() if kill else child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def spawn(self, name, args, env=None):
        """Starts a program by its name in binaries.py; its log is log/NAME.log."""
        program = self.programs.get(name) or binaries.find(name)
        with open(self.folder / f"log/{name}.log", "ab") as log:
            self.children[name] = subprocess.Popen(
                [program, *args], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent,
                env=dict(os.environ, **env) if env else None)

    def restart_apiserver(self, seconds_down=0.0):
        """The same server with the same data and port; watches break, nobody answers meanwhile."""
        self.end("kube-apiserver", kill=True)
        time.sleep(seconds_down)  # the outage
        self.start_apiserver()
        self.wait_ready()

    def compact(self):
        """Makes etcd forget all that is past."""
        def post(path, body):
            c = http.client.HTTPConnection("127.0.0.1", self.etcd_port, timeout=120)
            c.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(c.getresponse().read())
        now = post("/v3/kv/range", {"key": base64.b64encode(b"/none").decode()})
        post("/v3/kv/compaction", {"revision": now["header"]["revision"], "physical": True})

    def _etcd(self, client, peer):
        at, peers = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        return ["--data-dir", "etcd", "--unsafe-no-fsync", "--log-level", "warn",
                "--listen-client-urls", at, "--advertise-client-urls", at,
                "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                "--initial-cluster", f"default={peers}"]

    def _apiserver(self, etcd_port):
        return [f"--etcd-servers=http://127.0.0.1:{etcd_port}", f"--secure-port={self.port}",
                "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--cert-dir=pki",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=sa.key", "--service-account-signing-key-file=sa.key",
                "--token-auth-file=tokens.csv", "--authorization-mode=RBAC",
                "--service-cluster-ip-range=10.96.0.0/16",
                "--kubelet-preferred-address-types=InternalIP",  # for logs; no DNS knows the nodes
                "--disable-admission-plugins=ServiceAccount",
                f"--enable-admission-plugins={','.join(self.admission)}",
                "--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000",
                "--audit-policy-file=audit.yaml", "--audit-log-path=log/audit.log",
                "--audit-log-mode=blocking"]

    def wait_ready(self):
        def ready():
            self.check_alive()
            try:
                return self.client().request("GET", "/readyz", raw=True)[0] == 200
            except (OSError, ssl.SSLError, http.client.HTTPException):
                return False

        self.wait("the API server is ready", ready)
        for period in self.away[-1:]:
            period[1] = min(period[1], utc_now())

    def wait(self, what, done, seconds=START_SECONDS):
        wait_for(what, done, seconds, show=self.tail)

    def check_alive(self):
        for name, child in self.children.items():
            if child.poll() is not None:
                raise RuntimeError(f"{name} ended with {child.returncode}: {self.tail()}")

    def tail(self):
        logs = sorted((self.folder / "log").glob("*.log"))
        ends = [f"-- {p.name}\n" + "\n".join(p.read_text(errors="replace").splitlines()[-5:])
                for p in logs if p.name != "audit.log"]
        return f"logs in {self.folder}/log\n" + "\n".join(ends)

    # -- use

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def client(self, user="admin"):
        return Client(self.url, self.folder / "pki/apiserver.crt", token=self.tokens[user])

    def become(self, user, namespace, account):
        """From now on `user` is that ServiceAccount, with a token as its pods get."""
        token = self.client().must("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 6 * 3600}})["status"]["token"]
        claims = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        self.credentials[f"JTI={claims['jti']}"] = user
        self.tokens[user] = token

    def kubeconfig(self, user="admin", url=None, ca=None):
        """Writes and names a kubeconfig for that user; nobody ever reads half of it. `url` and `ca`
        are those of what stands before the API server."""
        path = self.folder / f"kubeconfig-{user}"
        part = path.with_name(f".{path.name}")
        part.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": url or self.url,
                "certificate-authority": str(ca or self.folder / "pki/apiserver.crt")}}],
            "users": [{"name": "u", "user": {"token": self.tokens[user]}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}, indent=1))
        part.rename(path)
        return path


def main(argv):
    if argv[1:] == ["build"]:
        return binaries.main(argv)
    if argv[1:2] == ["up"] and len(argv) in (3, 4) and argv[3:] in ([], ["full"]):
        from neighbours import FullPlane
        kind, names = (FullPlane, binaries.FULL) if argv[3:] else (Plane, binaries.SERVER)
        if not binaries.build(names):
            sys.exit(binaries.why_not(names))
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        plane = kind(argv[2]).start()
        print(f"{plane.url} token {plane.tokens['admin']}\n{plane.kubeconfig()}", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
        plane.stop()
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
