"""The rest of a control plane: kube-controller-manager, kube-scheduler, the JobSet controller, and
kwok, whose nodes only pretend to run pods. A pod says in its annotations how it shall end:

    tests.trainyard.dev/end: succeed | fail     at once; without it the pod runs until it is deleted
    tests.trainyard.dev/exit-code: "3"          of the failing container
"""
import base64
import json

import yaml

import binaries
from plane import Plane, free_ports

END, EXIT_CODE = "tests.trainyard.dev/end", "tests.trainyard.dev/exit-code"
NODES = ("kwok-0", "kwok-1")
ROOM = {"cpu": "1k", "memory": "4Ti", "pods": "10k", "nvidia.com/gpu": "1k"}

# Volcano's own scheduler is not here; its PodGroups only have to be stored.
VOLCANO_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "podgroups.scheduling.volcano.sh"},
    "spec": {
        "group": "scheduling.volcano.sh", "scope": "Namespaced",
        "names": {"kind": "PodGroup", "plural": "podgroups", "singular": "podgroup",
                  "listKind": "PodGroupList"},
        "versions": [{"name": "v1beta1", "served": True, "storage": True, "schema": {
            "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]},
}


def docs_of(name):
    """The documents of a manifest of binaries.py."""
    return [doc for doc in yaml.load_all(binaries.manifest(name), yaml.CSafeLoader) if doc]


# ---- kwok

def stage(name, kind, where, **does):
    """A kwok Stage: what becomes of an object for which all of `where` holds."""
    next_ = {"statusTemplate": does["status"]} if "status" in does else {"delete": True}
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name},
            "spec": {"resourceRef": {"apiGroup": "v1", "kind": kind}, "next": next_,
                     "selector": {"matchExpressions": [
                         {"key": key, "operator": how, **({"values": values} if values else {})}
                         for key, how, *values in where]}}}


LIVES = (".metadata.deletionTimestamp", "DoesNotExist")
RUNS = (".status.phase", "In", "Running")
NODE_STATUS = """
{{ $now := Now }}
conditions:
{{ range NodeConditions }}
- {type: {{ .type | Quote }}, status: {{ .status | Quote }}, reason: {{ .reason | Quote }},
   message: {{ .message | Quote }}, lastHeartbeatTime: {{ $now | Quote }},
   lastTransitionTime: {{ $now | Quote }}}
{{ end }}
phase: Running
"""
POD_RUNS = """
{{ $now := Now }}
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ $now | Quote }}}
- {type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }}}
- {type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }}}
containerStatuses:
{{ range .spec.containers }}
- {name: {{ .name | Quote }}, image: {{ .image | Quote }}, ready: true, restartCount: 0,
   state: {running: {startedAt: {{ $now | Quote }}}}}
{{ end }}
podIP: 10.1.0.1
phase: Running
startTime: {{ $now | Quote }}
"""
POD_ENDS = """
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- {name: {{ .name | Quote }}, image: {{ .image | Quote }}, ready: false, restartCount: 0,
   state: {terminated: {exitCode: EXIT, reason: REASON, startedAt: {{ $now | Quote }},
                        finishedAt: {{ $now | Quote }}}}}
{{ end }}
phase: PHASE
"""


def pod_end(name, word, phase, reason, code):
    """A running pod whose annotation is `word` ends in `phase`."""
    text = POD_ENDS.replace("PHASE", phase).replace("REASON", reason).replace("EXIT", code)
    return stage(name, "Pod", [LIVES, RUNS, (f'.metadata.annotations["{END}"]', "In", word)],
                 status=text)


def stages():
    exit_code = f'{{{{ or (index $.metadata.annotations "{EXIT_CODE}") "1" }}}}'
    return [
        stage("node-ready", "Node", [(
            '.status.conditions.[] | select( .type == "Ready" ) | .status', "NotIn", "True")],
              status=NODE_STATUS),
        stage("pod-runs", "Pod", [LIVES, (".spec.nodeName", "Exists"),
                                  (".status.phase", "In", "Pending")], status=POD_RUNS),
        pod_end("pod-succeeds", "succeed", "Succeeded", "Completed", "0"),
        pod_end("pod-fails", "fail", "Failed", "Error", exit_code),
        stage("pod-goes", "Pod", [(".metadata.deletionTimestamp", "Exists")]),
    ]


# ---- the plane

def webhooks_by_url(docs, port, ca, prefix=""):
    """Webhook configurations that name a service, rewritten to call 127.0.0.1:PORT."""
    bundle = base64.b64encode(ca.read_bytes()).decode()
    for doc in docs:
        doc["metadata"]["name"] = prefix + doc["metadata"]["name"]
        for hook in doc["webhooks"]:
            path = hook["clientConfig"]["service"]["path"]
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": bundle}
    return docs


class FullPlane(Plane):
    """An API server with everybody who makes a JobSet run."""

    nodes, room, apiserver = NODES, ROOM, "kube-apiserver"

    def __init__(self, folder, crds=()):
        super().__init__(folder, self.apiserver)
        self.crds = list(crds)  # the garbage collector takes half a minute to see later ones

    def start_more(self):
        self.client().install(
            self.crds + docs_of("jobset-crds") + docs_of("podgroup-crd") + [VOLCANO_CRD])
        self.ports = dict(zip(("manager", "scheduler", "jobset", "metrics", "health"),
                              free_ports(5)))
        self.spawn("kube-controller-manager", self._controller_manager())
        self.start_scheduler()
        self.start_jobset()
        self.start_nodes()
        self.wait("nodes are ready", self.nodes_ready)
        self.wait("the JobSet webhooks answer", self.jobset_answers)
        self.check_alive()

    def _controller_manager(self):
        return [f"--kubeconfig={self.kubeconfig()}", "--service-account-private-key-file=sa.key",
                "--use-service-account-credentials=false", "--leader-elect=false",
                "--bind-address=127.0.0.1", f"--secure-port={self.ports['manager']}",
                "--node-monitor-grace-period=24h",  # kwok's nodes say that they live only once
                "--concurrent-job-syncs=10", "--kube-api-qps=1000", "--kube-api-burst=2000"]

    def start_scheduler(self):
        self.spawn("kube-scheduler", [
            f"--kubeconfig={self.kubeconfig()}", "--leader-elect=false",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['scheduler']}",
            "--kube-api-qps=1000", "--kube-api-burst=2000"])

    def start_jobset(self):
        hook = self.certificates.serving("jobset")
        config = self.folder / "jobset.yaml"
        config.write_text(json.dumps({
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration",
            "webhook": {"host": "127.0.0.1", "port": self.ports["jobset"], "certDir": str(hook)},
            "metrics": {"bindAddress": f"127.0.0.1:{self.ports['metrics']}"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.ports['health']}"},
            "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
            "clientConnection": {"qps": 500, "burst": 1000}}))
        self.spawn("jobset", [f"--config={config}", f"--kubeconfig={self.kubeconfig()}"])
        docs = webhooks_by_url(docs_of("jobset-webhooks"), self.ports["jobset"],
                               self.certificates.ca, "jobset-")
        for doc in docs:
            for hook in doc["webhooks"]:
                if hook["rules"][0]["resources"] == ["pods"]:  # other pods are not its business
                    hook["objectSelector"] = {"matchExpressions": [
                        {"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
        self.client().install(docs)

    def start_nodes(self):
        config = self.folder / "kwok.yaml"
        config.write_text("\n---\n".join(json.dumps(doc) for doc in stages()))
        self.spawn("kwok", [f"--kubeconfig={self.kubeconfig()}", "--manage-all-nodes",
                            "--server-address=", f"--config={config}"])
        for name in self.nodes:
            self.add_node(name)

    def add_node(self, name):
        self.client().create({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": self.room, "capacity": self.room}})

    def nodes_ready(self):
        self.check_alive()
        return all(self.node_ready(node) for node in self.client().list("v1", "Node"))

    def node_ready(self, node):
        return any(c["type"] == "Ready" and c["status"] == "True"
                   for c in node["status"].get("conditions") or [])

    def jobset_answers(self):
        self.check_alive()
        code, _ = self.client().request(
            "POST", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets?dryRun=All", {
                "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
                "metadata": {"name": "probe"}, "spec": {"replicatedJobs": []}})
        return code == 201
