#!/usr/bin/env python3
"""A real Kubernetes API server and etcd on loopback, for one test run.

usage: plane.py build      compile what is missing into the cache (minutes, once)
       plane.py up DIR     start in DIR and stay until interrupted; prints the server and its token

The binaries come from KUBEBUILDER_ASSETS if that is set, else from the cache
(${XDG_CACHE_HOME:-~/.cache}/trainyard/k8s-VERSION), where `build` puts them if there is a Go 1.26
or later.
"""
import ctypes
import fcntl
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

K8S, ETCD = "1.36.3", "v3.7.3"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / f"trainyard/k8s-{K8S}"
NEEDED = ("etcd", "kube-apiserver")
START_SECONDS = 90
PR_SET_PDEATHSIG = 1


# ---- binaries

def bin_dir():
    """Where all the binaries are, or None."""
    for folder in (os.environ.get("KUBEBUILDER_ASSETS"), CACHE / "bin"):
        if folder and all(os.access(Path(folder, n), os.X_OK) for n in NEEDED):
            return Path(folder)
    return None


def find_go():
    """A Go that is new enough for Kubernetes, or None."""
    for go in (shutil.which("go"), "/usr/local/go/bin/go"):
        if not go or not os.access(go, os.X_OK):
            continue
        said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True).stdout
        version = re.match(r"go(\d+)\.(\d+)", said)
        if version and (int(version[1]), int(version[2])) >= (1, 26):
            return go
    return None


def why_not():
    """Why there can be no control plane here, or None."""
    if bin_dir() or find_go():
        return None
    return (f"no Go 1.26 or later to build Kubernetes {K8S} with, no binaries in {CACHE}/bin, "
            "and KUBEBUILDER_ASSETS is not set")


def go_build(go, work, package, name):
    """Builds one program in the module `work`; a half-written binary is never left."""
    env = dict(os.environ, GOFLAGS="-mod=mod -buildvcs=false")
    part = CACHE / "bin" / f".{name}.part"
    print(f"cluster: building {name} (a few minutes, once)", flush=True)
    subprocess.run([go, "build", "-ldflags=-s -w", "-o", part, package], cwd=work, env=env,
                   check=True)
    part.rename(CACHE / "bin" / name)


def kubernetes_module(go, work):
    """Writes a go.mod that has k8s.io/kubernetes with the released versions of its own libraries,
    which its own go.mod replaces by folders of its repository."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "go.mod").write_text("module build\ngo 1.26.0\n")

    def ask(*words):
        return json.loads(subprocess.run([go, "mod", *words], cwd=work, check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)

    theirs = ask("edit", "-json", ask("download", "-json", f"k8s.io/kubernetes@v{K8S}")["GoMod"])
    staging = "v0." + K8S.split(".", 1)[1]
    lines = ["module build", "go 1.26.0", f"require k8s.io/kubernetes v{K8S}"]
    for need in theirs["Require"]:
        version = staging if need["Version"] == "v0.0.0" else need["Version"]
        lines.append(f"require {need['Path']} {version}")
    for swap in theirs.get("Replace") or []:
        lines.append(f"replace {swap['Old']['Path']} => {swap['Old']['Path']} {staging}")
    (work / "go.mod").write_text("\n".join(lines) + "\n")


def build():
    """Builds what is missing. Returns the folder of the binaries, or None where that cannot be."""
    if bin_dir() or why_not():
        return bin_dir()
    (CACHE / "bin").mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be building: then nothing is left to do
        go = find_go()
        if not (CACHE / "bin/kube-apiserver").exists():
            work = CACHE / "src/apiserver"
            kubernetes_module(go, work)
            go_build(go, work, "k8s.io/kubernetes/cmd/kube-apiserver", "kube-apiserver")
        if not (CACHE / "bin/etcd").exists():
            work = CACHE / "src/etcd-server"
            work.mkdir(parents=True, exist_ok=True)
            (work / "go.mod").write_text(
                f"module build\ngo 1.26.0\nrequire go.etcd.io/etcd/server/v3 {ETCD}\n")
            go_build(go, work, "go.etcd.io/etcd/server/v3", "etcd")
    return bin_dir()


# ---- a running control plane

def free_ports(n):
    """Ports that nobody listens on; held together, so that they differ."""
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Plane:
    """Starts in `folder`, which keeps log/; stop() ends every process and removes the data."""

    def __init__(self, folder, binaries):
        self.folder, self.binaries = Path(folder).resolve(), Path(binaries)
        self.children = []
        self.token = secrets.token_hex(16)
        self.port = None

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "log").mkdir(parents=True)
        key = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text(f'{self.token},admin,admin,"system:masters"\n')
        try:
            self.port, client, peer = free_ports(3)
            self._spawn("etcd", self._etcd(client, peer))
            self._spawn("kube-apiserver", self._apiserver(client))
            self._wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

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
                "--disable-admission-plugins=ServiceAccount"]

    def _spawn(self, name, args):
        with open(self.folder / f"log/{name}.log", "wb") as log:
            self.children.append(subprocess.Popen(
                [self.binaries / name, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=die_with_parent))

    def _wait_ready(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            for child in self.children:
                if child.poll() is not None:
                    name, code = child.args[0].name, child.returncode
                    raise RuntimeError(f"{name} ended with {code}: {self.tail()}")
            try:
                if self.client().request("GET", "/readyz", raw=True)[0] == 200:
                    return
            except (OSError, ssl.SSLError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        raise RuntimeError(f"the API server is not ready after {START_SECONDS} s: {self.tail()}")

    def tail(self):
        logs = sorted((self.folder / "log").glob("*.log"))
        ends = ["\n".join(p.read_text(errors="replace").splitlines()[-5:]) for p in logs]
        return f"logs in {self.folder}/log\n" + "\n".join(ends)

    def client(self):
        return Client(self.port, self.token, self.folder / "pki/apiserver.crt")

    def stop(self):
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.children = []
        for name in ("etcd", "pki", "sa.key", "tokens.csv"):
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


class Client:
    """Speaks JSON to the API server over one kept connection."""

    def __init__(self, port, token, ca):
        self.token = token
        self.http = http.client.HTTPSConnection(
            "127.0.0.1", port, timeout=60, context=ssl.create_default_context(cafile=str(ca)))

    def request(self, method, path, body=None, content_type="application/json", raw=False):
        """Returns (status, decoded answer)."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        try:
            self.http.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.http.getresponse()
        except http.client.RemoteDisconnected:  # an idle connection was closed: once more
            self.http.close()
            self.http.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.http.getresponse()
        text = answer.read()
        return answer.status, text if raw else json.loads(text)


def main(argv):
    if argv[1:] == ["build"]:
        if not build():
            print(f"cluster: SKIPPED: {why_not()}")
        return 0
    if len(argv) == 3 and argv[1] == "up":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        plane = Plane(argv[2], build() or sys.exit(why_not())).start()
        print(f"https://127.0.0.1:{plane.port} token {plane.token}", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
        plane.stop()
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
