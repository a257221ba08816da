"""Planes with one real neighbour more: Kueue, the coscheduling scheduler, a real node."""
import fcntl
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

import binaries
from kit import JOBSET_API
from neighbours import ROOM, FullPlane, docs_of, webhooks_by_url
from plane import free_ports

POOL = {"pool.example/name": "fast"}
PRIVATE_ETC = ('mount -t tmpfs etc /etc && mkdir -p /etc/kueue/metrics && '
               'ln -s "$0" /etc/kueue/metrics/certs && exec "$@"')


def pods_of(space, jobset):
    return [p for p in space.pods()
            if p["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"] == jobset]


class KueuePlane(FullPlane):
    """Kueue looks after TrainJobs that carry a queue's label."""

    apiserver = "kube-apiserver-named"

    def start_more(self):
        super().start_more()
        for node in self.nodes:
            self.client().merge(f"/api/v1/nodes/{node}", {"metadata": {"labels": POOL}})
        self.client().install([
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}},
            *docs_of("kueue-crds")])
        port, metrics, health = free_ports(3)
        hook = self.certificates.serving("kueue")
        config = self.folder / "kueue.yaml"
        config.write_text(json.dumps({
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(hook)},
            "metrics": {"bindAddress": f"127.0.0.1:{metrics}"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
            "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
            "integrations": {"frameworks": ["trainer.kubeflow.org/trainjob"]},
            "clientConnection": {"qps": 200, "burst": 400}}))
        # It wants the certificate of its metrics in a fixed folder: so it gets an /etc of its own.
        self.programs["kueue"] = shutil.which("unshare")
        self.spawn("kueue", ["-rm", "sh", "-c", PRIVATE_ETC, hook, binaries.find("kueue"),
                             f"--config={config}", f"--kubeconfig={self.kubeconfig()}",
                             "--feature-gates=VisibilityOnDemand=false"],
                   env={"POD_NAMESPACE": "kueue-system"})
        self.client().install(webhooks_by_url(self.webhooks(), port, self.certificates.ca, "kueue-"))
        self.wait("Kueue's webhooks answer", self.answers)

    def webhooks(self):
        """Those for its own kinds and for TrainJobs; the rest is not switched on."""
        docs = docs_of("kueue-webhooks")
        for doc in docs:
            doc["webhooks"] = [hook for hook in doc["webhooks"] if any(
                word in hook["clientConfig"]["service"]["path"]
                for word in ("kueue-x-k8s-io", "trainjob"))]
        return docs

    def answers(self):
        self.check_alive()
        code, _ = self.client().request(
            "POST", "/apis/kueue.x-k8s.io/v1beta2/resourceflavors?dryRun=All", {
                "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor",
                "metadata": {"name": "probe"}, "spec": {}})
        return code == 201


class CoschedulingPlane(FullPlane):
    """The coscheduling scheduler in the place of kube-scheduler, and small nodes: each has room for
    one pod of one CPU, and half a CPU more that is of no use to anybody."""

    nodes = ("small-0", "small-1", "small-2", "small-3")
    room = dict(ROOM, cpu="1500m")

    def start_scheduler(self):
        config = self.folder / "scheduler.yaml"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(self.kubeconfig())},
            "profiles": [{"schedulerName": "default-scheduler", "plugins": {
                "queueSort": {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]},
                "multiPoint": {"enabled": [{"name": "Coscheduling"}]}}}]}))
        # A gang that it has refused it tries again when a pod or a group is added, not when one
        # goes; else after five minutes.
        self.spawn("coscheduler", [f"--config={config}", "--bind-address=127.0.0.1",
                                   f"--secure-port={self.ports['scheduler']}",
                                   "--pod-max-in-unschedulable-pods-duration=1s"])


# ---- a real node

NODE_IP = "10.245.0.1"
PODS = "10.244.0.0/16"
BUSYBOX = next((p for p in ("/usr/bin/busybox", "/bin/busybox") if os.path.exists(p)), None)
APPLETS = "sh sleep echo cat ls env nslookup hostname seq true false date grep nc wget".split()
IMAGE = "localhost/box:1"


def why_no_node():
    """Why there can be no real node here, or None."""
    if os.geteuid():
        return "a kubelet needs root"
    for program in ("containerd", "runc", "ctr", "ip"):
        if not shutil.which(program):
            return f"no {program} (tools/deps neighbours)"
    if not BUSYBOX or not Path("/usr/lib/cni/bridge").exists():
        return "no busybox or no CNI plugins (tools/deps neighbours)"
    tried = subprocess.run(["ip", "link", "add", "ty-probe", "type", "bridge"],
                           capture_output=True, text=True)
    if tried.returncode:
        return f"no bridge can be made here: {tried.stderr.strip()}"
    subprocess.run(["ip", "link", "del", "ty-probe"], check=True)
    return None


def add_file(archive, name, data, mode=0o644):
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    archive.addfile(info, io.BytesIO(data))


def layer():
    """A root file system with one program of many names."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("bin", "tmp", "etc", "proc", "sys", "dev", "root"):
            info = tarfile.TarInfo(name)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(info)
        add_file(archive, "bin/busybox", Path(BUSYBOX).read_bytes(), 0o755)
        for name in APPLETS:
            info = tarfile.TarInfo(f"bin/{name}")
            info.type, info.linkname = tarfile.SYMTYPE, "busybox"
            archive.addfile(info)
    return out.getvalue()


def image(path, name, entrypoint):
    """An image in the form of `docker save`."""
    data = layer()
    config = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {"Env": ["PATH=/bin"], "Entrypoint": entrypoint},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(data).hexdigest()}"]}}).encode()
    config_name = sha256(config).hexdigest() + ".json"
    with tarfile.open(path, "w") as archive:
        add_file(archive, "layer.tar", data)
        add_file(archive, config_name, config)
        add_file(archive, "manifest.json", json.dumps([
            {"Config": config_name, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode())


class NodePlane(FullPlane):
    """A kubelet with containerd, a bridge for the pods and CoreDNS in the place of kwok."""

    nodes, run, lock = ("node1",), None, None

    def start(self):
        """The bridges have names and addresses of the machine: one such plane at a time."""
        self.lock = open("/run/lock/trainyard-node", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return super().start()

    def start_nodes(self):
        self.run = Path(tempfile.mkdtemp(prefix="ty-node-", dir="/run"))  # sockets need short names
        self.socket = self.run / "containerd.sock"
        subprocess.run(["ip", "link", "add", "ty-node", "type", "bridge"], capture_output=True)
        subprocess.run(["ip", "addr", "replace", f"{NODE_IP}/32", "dev", "ty-node"], check=True)
        subprocess.run(["ip", "link", "set", "ty-node", "up"], check=True)
        self._containerd()
        self._kubelet()
        corefile = self.folder / "Corefile"
        corefile.write_text(f"cluster.local:53 {{\n bind {NODE_IP}\n errors\n"
                            f" kubernetes cluster.local {{\n  kubeconfig {self.kubeconfig()}\n }}\n}}\n")
        self.spawn("coredns", ["-conf", corefile])
        self.wait("the node is there", lambda: self.client().get("v1", "Node", None, "node1"))

    def _containerd(self):
        self.programs["containerd"] = shutil.which("containerd")
        cni = self.folder / "cni"
        cni.mkdir()
        (cni / "10-pods.conflist").write_text(json.dumps({
            "cniVersion": "0.4.0", "name": "pods", "plugins": [
                {"type": "bridge", "bridge": "ty-pods", "isGateway": True, "ipam": {
                    "type": "host-local", "dataDir": str(self.folder / "cni-data"),
                    "ranges": [[{"subnet": PODS}]], "routes": [{"dst": "0.0.0.0/0"}]}},
                {"type": "loopback"}]}))
        config = self.folder / "containerd.toml"
        config.write_text(f'''version = 2
root = "{self.folder}/containerd/root"
state = "{self.run}/state"
[grpc]
  address = "{self.socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{cni}"
''')
        self.spawn("containerd", ["-c", config])
        self.wait("containerd answers", lambda: self.ctr("version").returncode == 0)
        for name, entry in (("pause", ["/bin/busybox", "sleep", "2147483647"]),
                            ("box", ["/bin/sh"])):
            path = self.folder / f"{name}.tar"
            image(path, f"localhost/{name}:1", entry)
            done = self.ctr("images", "import", path)
            assert done.returncode == 0, done.stderr

    def ctr(self, *words):
        return subprocess.run(["ctr", "-a", self.socket, "-n", "k8s.io", *words],
                              capture_output=True, text=True)

    def _kubelet(self):
        config = self.folder / "kubelet.yaml"
        config.write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "failCgroupV1": False, "cgroupDriver": "cgroupfs", "failSwapOn": False,
            "cgroupsPerQOS": False, "enforceNodeAllocatable": [],
            # However full the disk of this machine is: pods stay, and so do the images that nobody could pull again.
            "evictionHard": {"memory.available": "1%", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"}, "address": NODE_IP,  # where the API server asks for logs
            "port": free_ports(1)[0], "healthzPort": 0,
            "containerRuntimeEndpoint": f"unix://{self.socket}",
            "clusterDNS": [NODE_IP], "clusterDomain": "cluster.local", "resolvConf": "/dev/null"}))
        self.spawn("kubelet", [
            f"--config={config}", f"--kubeconfig={self.kubeconfig()}", "--hostname-override=node1",
            f"--root-dir={self.folder / 'kubelet'}", f"--node-ip={NODE_IP}"])

    def drain(self):
        """Ends all pods in order: who only kills their containers leaves their networks behind."""
        for jobset in self.client().list(JOBSET_API, "JobSet"):
            meta = jobset["metadata"]
            self.client().delete(JOBSET_API, "JobSet", meta["namespace"], meta["name"])
        self.wait("no pod is left", lambda: not self.client().list("v1", "Pod"))

    def stop(self):
        """Containers outlive their containerd, and a kubelet leaves its mounts."""
        try:
            if "kubelet" in self.children:
                self.drain()
        finally:
            self.remove()

    def remove(self):
        for name in ("kubelet", "coredns"):
            if name in self.children:
                self.end(name)
        if "containerd" in self.children:
            for task in self.ctr("tasks", "ls", "-q").stdout.split():
                self.ctr("tasks", "kill", "-s", "9", task)
            self.wait("no task is left", lambda: self.no_tasks(), 30)
        super().stop()
        with open("/proc/mounts") as mounts:
            under = [line.split()[1] for line in mounts
                     if f" {self.folder}/" in line or f" {self.run}/" in line]
        for path in sorted(under, reverse=True):
            subprocess.run(["umount", "-l", path], check=False)
        for link in ("ty-node", "ty-pods"):
            subprocess.run(["ip", "link", "del", link], capture_output=True)
        for path in (self.run, *(self.folder / n for n in ("containerd", "kubelet", "cni-data"))):
            if path:
                shutil.rmtree(path, ignore_errors=True)
        self.lock.close()

    def no_tasks(self):
        for task in self.ctr("tasks", "ls", "-q").stdout.split():
            self.ctr("tasks", "delete", "-f", task)
        return not self.ctr("tasks", "ls", "-q").stdout.split()
