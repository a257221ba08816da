"""What the tests of the Kubernetes client use: the driver program (kubeclient.c), a server with a sibling, and a
relay that plays dead."""
import http.client
import json
import os
import queue
import select
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

from plane import Plane, free_ports, openssl

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard")).parent / "kubeclient"
WAIT_SECONDS = 120


class Driver:
    """Runs kubeclient: commands go in, events come out, by their id."""

    def __init__(self, *args, env=None):
        self.child = subprocess.Popen(
            [PROGRAM, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, **env) if env else None)
        self.events, self.kept, self.ids = queue.Queue(), [], 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.events.put(json.loads(line))
        self.events.put(None)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.child.stdin.close()
        code = self.child.wait(WAIT_SECONDS)
        if kind is None:
            assert code == 0, "kubeclient failed: what it said is above"

    def do(self, what, **more):
        """Starts something; returns its id."""
        return self.do_all([{"do": what, **more}])[0]

    def do_all(self, commands):
        """Starts all of these at once; returns their ids."""
        commands = list(commands)
        for command in commands:
            self.ids += 1
            command.setdefault("id", f"{command['do']}-{self.ids}")
        self.child.stdin.write("".join(json.dumps(c) + "\n" for c in commands))
        self.child.stdin.flush()
        return [c["id"] for c in commands]

    def ask_all(self, asks):
        """The answers to requests that are under way together."""
        return [self.next(one) for one in self.do_all([{"do": "ask", **ask} for ask in asks])]

    def next(self, which, *events, seconds=WAIT_SECONDS):
        """The next event of this id, or the next that is one of `events`. Others are kept."""
        end = time.monotonic() + seconds
        at = 0
        while True:
            while at < len(self.kept):
                event = self.kept[at]
                if event["id"] == which and (not events or event["event"] in events):
                    return self.kept.pop(at)
                at += 1
            try:
                event = self.events.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{which}: no {events or 'event'}; kept: {self.kept[-9:]}") from None
            assert event is not None, "kubeclient ended"
            self.kept.append(event)

    def ask(self, verb, kind=None, ns="default", name="", **more):
        """One request and its answer."""
        return self.next(self.do("ask", verb=verb, kind=kind or "", ns=ns, name=name, **more))

    def until(self, which, event, name):
        """All events of this id up to the one about `name`."""
        seen = []
        while True:
            seen.append(self.next(which))
            if seen[-1]["event"] == event and seen[-1].get("name") == name:
                return seen

    def quiet(self, which):
        """That nothing more has come for this id, now that a request has gone there and back."""
        self.ask("GET", path="/version")
        return [e for e in self.kept if e["id"] == which]


class ClientPlane(Plane):
    """Knows client certificates, and has a second server for the same data: no watch cache, hence
    410 as soon as etcd has compacted, one request at a time, hence 429, and every fiftieth, by chance,
    is asked to go to another server (GOAWAY)."""

    def _apiserver(self, etcd_port):
        return super()._apiserver(etcd_port) + ["--client-ca-file=ca/ca.crt"]

    def start_more(self):
        self.client().request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "managers"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "cluster-admin"},
            "subjects": [{"kind": "Group", "name": "managers",
                          "apiGroup": "rbac.authorization.k8s.io"}]})
        self.odd_port = free_ports(1)[0]
        args = [a for a in self._apiserver(self.etcd_port)
                if not a.startswith(("--secure-port", "--max-", "--audit-"))]
        self.programs["odd-apiserver"] = self.programs["kube-apiserver"]
        self.spawn("odd-apiserver", args + [
            f"--secure-port={self.odd_port}", "--watch-cache=false", "--max-requests-inflight=1",
            "--max-mutating-requests-inflight=1", "--enable-priority-and-fairness=false",
            "--goaway-chance=0.02"])

        def ready():
            self.check_alive()
            there = http.client.HTTPSConnection("127.0.0.1", self.odd_port, timeout=10,
                                                context=ssl._create_unverified_context())
            try:
                there.request("GET", "/readyz", headers={
                    "Authorization": f"Bearer {self.tokens['admin']}"})
                return there.getresponse().status == 200
            except (OSError, http.client.HTTPException):
                return False
            finally:
                there.close()
        self.wait("the second API server is ready", ready)

    def client_certificate(self, user, group):
        """Paths of certificate and key."""
        folder = self.certificates.folder / user
        folder.mkdir()
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out", "tls.csr",
                "-subj", f"/O={group}/CN={user}", cwd=folder)
        openssl("x509", "-req", "-in", "tls.csr", "-CA", "../ca.crt", "-CAkey", "../ca.key",
                "-CAcreateserial", "-out", "tls.crt", "-days", "3650", cwd=folder)
        return folder / "tls.crt", folder / "tls.key"

    def config(self, path, user, port=None, **cluster):
        """Writes a kubeconfig with this user."""
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": f"https://127.0.0.1:{port or self.port}",
                "certificate-authority": str(self.folder / "pki/apiserver.crt"), **cluster}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return path


class Relay:
    """Forwards connections to a port, `piece` bytes at a time; play_dead() makes those there are now go
    silent, without closing them. With open=False new ones wait until it is True again."""

    def __init__(self, port, piece=65536):
        self.target, self.pairs, self.dead, self.open = port, {}, set(), True
        self.piece = piece
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.made = 0
        self.lock = threading.Lock()
        self.stop = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _accept(self):
        here, _ = self.listener.accept()
        there = socket.create_connection(("127.0.0.1", self.target))
        for end in (here, there):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        self.pairs[here], self.pairs[there] = there, here
        self.made += 1

    def _run(self):
        while not self.stop:
            with self.lock:
                live = [s for s in self.pairs if s not in self.dead]
            doors = [self.listener] if self.open else []
            for s in select.select([*doors, *live], [], [], 0.05)[0]:
                if s is self.listener:
                    self._accept()
                    continue
                with self.lock:
                    if s in self.dead or s not in self.pairs:
                        continue
                    self._forward(s)

    def _forward(self, s):
        other = self.pairs[s]
        try:
            data = s.recv(self.piece)
            if data:
                other.sendall(data)
        except OSError:
            data = b""
        if not data:
            for end in (s, other):
                del self.pairs[end]
                end.close()

    def play_dead(self):
        with self.lock:
            self.dead |= set(self.pairs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()
        for s in [self.listener, *self.pairs]:
            s.close()


class Tunnel(Relay):
    """An HTTP proxy: connections go where CONNECT says, and nowhere else."""

    def __init__(self):
        super().__init__(None)
        self.asked = []

    def _accept(self):
        here, _ = self.listener.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            head += here.recv(4096)
        method, target, _ = head.decode().split(" ", 2)
        assert method == "CONNECT", head
        self.asked.append(target)
        host, _, port = target.rpartition(":")
        there = socket.create_connection((host, int(port)))
        here.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.pairs[here], self.pairs[there] = there, here
        self.made += 1
