"""The manager under test, ours or the released upstream one (MANAGER=upstream), as a process with a
user and a configuration file of its own."""
import base64
import copy
import json
import os
import shutil
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import binaries
from client import path_of
from plane import die_with_parent, free_ports
from waiting import poll_until, wait_for

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard"))
# Planes and managers keep their logs here; a suite that tools/test runs as two has two of them.
FOLDER = PROGRAM.parent / os.environ.get("TRAINYARD_TEST_SUITE", "operator")
UPSTREAM = os.environ.get("MANAGER", "ours") == "upstream"
READY_SECONDS = 120
STOP_SECONDS = 90
GROUP = "trainer.kubeflow.org"
SERVICE, SYSTEM, SECRET = ("kubeflow-trainer-controller-manager", "kubeflow-system",
                           "kubeflow-trainer-webhook-cert")
HOOKS = [  # (name, path, resource, kind of configuration)
    ("defaulter.trainjob", "mutate", "trainjobs", "Mutating"),
    ("validator.trainjob", "validate", "trainjobs", "Validating"),
    ("validator.trainingruntime", "validate", "trainingruntimes", "Validating"),
    ("validator.clustertrainingruntime", "validate", "clustertrainingruntimes", "Validating"),
]
CONFIGURATIONS = {"Mutating": f"defaulter.{GROUP}", "Validating": f"validator.{GROUP}"}
FIXED_FOLDER = Path("/tmp/k8s-webhook-server/serving-certs")
ADMISSION = "admissionregistration.k8s.io/v1"


def why_not():
    """Why the manager cannot be run, or None."""
    return binaries.why_not(("upstream-trainer",)) if UPSTREAM else None


def webhook(name, path, resource, to):
    """One webhook as upstream's manifests have it; `to` gives its clientConfig for a path."""
    hook = {
        "name": f"{name}.{GROUP}", "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "failurePolicy": "Fail",
        "clientConfig": to(f"/{path}-trainer-kubeflow-org-v1alpha1-{resource[:-1]}"),
        "rules": [{"apiGroups": [GROUP], "apiVersions": ["v1alpha1"], "resources": [resource],
                   "operations": ["CREATE", "UPDATE"]}],
    }
    if resource != "trainjobs":
        hook["objectSelector"] = {"matchExpressions": [
            {"key": f"{GROUP}/webhook-validation", "operator": "NotIn", "values": ["disabled"]}]}
    return hook


def webhook_configurations(to):
    return [{"apiVersion": ADMISSION, "kind": f"{kind}WebhookConfiguration",
             "metadata": {"name": CONFIGURATIONS[kind]},
             "webhooks": [webhook(n, p, r, to) for n, p, r, k in HOOKS if k == kind]}
            for kind in CONFIGURATIONS]


def probes(api):
    """[(what the API server says to a dry run that only a webhook of ours refuses so, whether it was
    ours)], of the validating and of the mutating configuration; nothing where it has no such kinds.

    A TrainJob that is no TrainJob reaches the mutating webhooks before anybody looks at its schema; ours
    is the first of them, by its name, also where Kueue's refuses it. A runtime is refused by nobody else."""
    job = {"metadata": {"labels": {f"{GROUP}/trainjob-ancestor-step": "trainer"}},
           "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "probe"}]}}}}
    asked = {("TrainingRuntime", "always must be 1"): {
                 "template": {"spec": {"replicatedJobs": [{"name": "node", "replicas": 2, "template": job}]}}},
             ("TrainJob", '"defaulter.trainjob.'): {"suspend": "perhaps", "runtimeRef": {"name": "probe"}}}
    found = []
    for (kind, word), spec in asked.items():
        code, answer = api.request("POST", path_of(f"{GROUP}/v1alpha1", kind, "default") + "?dryRun=All", {
            "apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": {"name": "probe"}, "spec": spec})
        if code != 404:
            found.append((f"{code} {answer.get('message', '')}", word in answer.get("message", "")))
    return found


def in_pod_of(folder, command):
    """For v2.3.0: one part of it looks for the certificate below TMPDIR, another always in FIXED_FOLDER,
    where the Secret of another test would make it start without its own. Here both are in `folder`."""
    own = folder / FIXED_FOLDER.parent.name
    for target in (own, FIXED_FOLDER.parent):
        target.mkdir(parents=True, exist_ok=True)
    words = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    return [*words, "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', own, FIXED_FOLDER.parent,
            *command]


def mount_secret(plane, folder, child):
    """As a kubelet would for v2.3.0: a thread copies the Secret to a folder, the certificate, which it
    waits for, last. Ours reads the Secret itself."""
    api, seen = plane.client(), {}

    def copy_until_it_ends():
        data = (api.get("v1", "Secret", SYSTEM, SECRET) or {}).get("data") or {}
        if data != seen and "tls.crt" in data:
            folder.mkdir(parents=True, exist_ok=True)
            for name in sorted(data, key="tls.crt".__eq__):
                part = folder / f".{name}"
                part.write_bytes(base64.b64decode(data[name]))
                part.rename(folder / name)
            seen.clear()
            seen.update(data)
        return child.poll() is not None

    threading.Thread(target=poll_until, args=(copy_until_it_ends, float("inf"), 0.1), daemon=True).start()


class Manager:
    """One process. `number` chooses its user (manager-N), whose requests are in the audit log.

    certificates: "files" (in a folder), or "managed" (by itself, in the Secret of upstream's name)
    webhooks:     registered at the API server while it runs, by URL, or through the Service where
                  it manages its certificates itself
    through:      what makes its kubeconfig instead of the plane, see between.py
    upstream:     the released one, whatever MANAGER says
    program:      another build of ours
    cgroup:       the folder of the cgroup that it runs in
    """

    def __init__(self, plane, folder, number=0, webhooks=True, certificates="files", settings=None,
                 arguments=(), through=None, environment=None, upstream=UPSTREAM, program=PROGRAM,
                 cgroup=None):
        self.plane, self.number, self.upstream = plane, number, upstream
        self.program, self.cgroup = program, cgroup
        self.user = f"manager-{number}"
        self.folder = Path(folder) / self.user
        self.webhooks, self.certificates = webhooks, certificates
        self.settings, self.arguments = settings or {}, arguments
        self.through, self.environment = through or plane, environment or {}
        self.child = None
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.log_path = self.folder / "log"
        self.port, self.health, self.metrics, self.status = free_ports(4)

    # -- configuration

    def configuration(self):
        config = {
            "apiVersion": f"config.{GROUP}/v1alpha1", "kind": "Configuration",
            "webhook": {"host": "127.0.0.1", "port": self.port},
            "metrics": {"bindAddress": f"127.0.0.1:{self.metrics}", "secureServing": False},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "certManagement": {"enable": self.certificates == "managed"},
            "clientConnection": {"qps": 500, "burst": 1000},
            "statusServer": {"port": self.status},
        }
        if not self.upstream and self.certificates == "files":
            config["webhook"]["certDir"] = str(self.serving_folder())
        for key, value in copy.deepcopy(self.settings).items():
            if isinstance(value, dict):
                config.setdefault(key, {}).update(value)
            else:
                config[key] = value
        return config

    def serving_folder(self):
        """Where v2.3.0 looks for its certificate: below the folder for temporary files."""
        return self.folder / "k8s-webhook-server/serving-certs"

    def command(self):
        config = self.folder / "config.yaml"
        config.write_text(json.dumps(self.configuration(), indent=1))
        program = [binaries.find("upstream-trainer"), "--zap-log-level=2"] if self.upstream else \
            [self.program, "operator"]
        return [*program, "--config", config, "--kubeconfig", self.through.kubeconfig(self.user),
                *self.arguments]

    # -- life

    def prepare(self):
        """What must be there before it can start; making it is not part of its start."""
        if self.certificates == "files" and not self.serving_folder().exists():
            source = self.plane.certificates.serving(self.user)
            shutil.copytree(source, self.serving_folder())

    def in_child(self):
        """The last that is done before the program runs."""
        die_with_parent()
        if self.cgroup:
            (self.cgroup / "cgroup.procs").write_text(str(os.getpid()))

    def start(self, wait=True):
        self.prepare()
        mounts = self.certificates == "managed" and self.upstream
        command = in_pod_of(self.folder, self.command()) if mounts else self.command()
        with open(self.log_path, "ab") as log:
            self.child = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=self.in_child,
                env=dict(os.environ, TMPDIR=str(self.folder), **self.environment))
        if mounts:
            mount_secret(self.plane, self.serving_folder(), self.child)
        if wait:
            self.wait_ready()
            if self.webhooks:
                self.register()
        return self

    def is_upstream(self):
        """What runs, not what was asked for: to compare ours with itself proves nothing."""
        return os.path.samefile(f"/proc/{self.child.pid}/exe", binaries.find("upstream-trainer"))

    def ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=60) as r:
                return r.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def wait_ready(self):
        wait_for("the manager is ready", self.ready, READY_SECONDS, show=self.tail, child=self.child, poll=0.02)

    def stop(self):
        """Ends it as Kubernetes does, and expects it to go in peace."""
        if not self.child:
            return
        child, self.child = self.child, None
        self.unregister()
        alive = child.poll() is None
        if alive:
            child.send_signal(signal.SIGTERM)
        try:
            code = child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            raise AssertionError(f"still there {STOP_SECONDS} s after SIGTERM: {self.tail()}")
        assert alive, f"had ended by itself with {code}: {self.tail()}"
        assert code == 0, f"exit code {code} after SIGTERM: {self.tail()}"

    def kill(self):
        """kill -9: nothing is said to anybody."""
        child, self.child = self.child, None
        child.kill()
        child.wait()

    def log(self):
        return self.log_path.read_text(errors="replace")

    def tail(self, lines=15):
        return f"{self.log_path}\n" + "\n".join(self.log().splitlines()[-lines:])

    # -- webhooks

    def _client_config(self, path):
        if self.certificates == "managed":
            return {"service": {"name": SERVICE, "namespace": SYSTEM, "path": path,
                                "port": self.port}}
        ca = base64.b64encode(self.plane.certificates.ca.read_bytes()).decode()
        return {"url": f"https://127.0.0.1:{self.port}{path}", "caBundle": ca}

    def register(self):
        """The API server asks this manager from when this returns."""
        api = self.plane.client()
        for doc in webhook_configurations(self._client_config):
            live = api.get(ADMISSION, doc["kind"], None, doc["metadata"]["name"])
            if live and self.certificates == "managed":  # keep the caBundle that was put there
                continue
            api.apply(doc)
        self._wait_asked(api, True)

    def unregister(self):
        if not self.webhooks:
            return
        api = self.plane.client()
        for kind, name in CONFIGURATIONS.items():
            api.delete(ADMISSION, f"{kind}WebhookConfiguration", None, name)
        self._wait_asked(api, False)

    def _wait_asked(self, api, wanted):
        """Until the API server has seen the change of both configurations, each in its own time."""
        def wrong():
            return [said for said, ours in probes(api) if ours is not wanted]

        wait_for(f"webhooks registered: {wanted}", lambda: not wrong(), READY_SECONDS, show=lambda: (wrong(), self.tail()))
