"""What a manager may do: ours what `trainyard install` prints and nothing else, upstream its own
ClusterRole."""
import os
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard"))
RBAC = "rbac.authorization.k8s.io"
READ = ["get", "list", "watch"]
WRITE = ["create", "get", "list", "patch", "update", "watch"]
UPSTREAM = [  # (API group, resources, verbs)
    ("", ["configmaps", "secrets"], WRITE),
    ("", ["limitranges"], READ),
    ("", ["events"], ["create", "patch", "update", "watch"]),
    ("events.k8s.io", ["events"], ["create", "patch", "update", "watch"]),
    ("admissionregistration.k8s.io",
     ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
     ["get", "list", "update", "watch"]),
    ("authentication.k8s.io", ["tokenreviews"], ["create"]),
    ("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
    ("coordination.k8s.io", ["leases"], ["create", "get", "list", "update"]),
    ("jobset.x-k8s.io", ["jobsets"], WRITE + ["delete"]),
    ("node.k8s.io", ["runtimeclasses"], READ),
    ("scheduling.volcano.sh", ["podgroups"], WRITE),
    ("scheduling.x-k8s.io", ["podgroups"], WRITE),
    ("trainer.kubeflow.org", ["clustertrainingruntimes", "trainingruntimes", "trainjobs"],
     READ + ["patch", "update"]),
    ("trainer.kubeflow.org",
     ["clustertrainingruntimes/finalizers", "trainingruntimes/finalizers", "trainjobs/finalizers",
      "trainjobs/status"], ["get", "patch", "update"]),
    # Upstream's role forgets it, and Volcano's check of priority classes then fails.
    ("scheduling.k8s.io", ["priorityclasses"], READ),
]


def bound(kind, namespace, rules):
    """A role of that kind with these rules, and its binding to the managers."""
    meta = {"name": "managers", **({"namespace": namespace} if namespace else {})}
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": meta, "rules": rules},
        {"apiVersion": f"{RBAC}/v1", "kind": f"{kind}Binding", "metadata": meta,
         "roleRef": {"apiGroup": RBAC, "kind": kind, "name": "managers"},
         "subjects": [{"kind": "Group", "apiGroup": RBAC, "name": "managers"}]},
    ]


def installed():
    """The operator's ClusterRole and Role, as they are installed."""
    said = subprocess.run([PROGRAM, "install", "--no-crds", "--no-runtimes"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    docs = [doc for doc in yaml.load_all(said, yaml.CSafeLoader) if doc]
    names = {"ClusterRole": "kubeflow-trainer-controller-manager", "Role": "kubeflow-trainer-leader"}
    return [doc for doc in docs if names.get(doc["kind"]) == doc["metadata"]["name"]]


def role(ours):
    if not ours:
        return bound("ClusterRole", None, [
            {"apiGroups": [group], "resources": resources, "verbs": verbs}
            for group, resources, verbs in UPSTREAM])
    return [doc for one in installed()
            for doc in bound(one["kind"], one["metadata"].get("namespace"), one["rules"])]
