"""What a manager may do: ours what `trainyard install` prints and nothing else, upstream its own
ClusterRole."""
import os
import re
import subprocess
from pathlib import Path

import yaml

from plane import MANAGERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard"))
RBAC = "rbac.authorization.k8s.io"
SYSTEM, ACCOUNT = "kubeflow-system", "kubeflow-trainer-controller-manager"
LACKS = re.compile(r'User "[^"]*" cannot \w+ resource|you can.t set finalizers on')
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


def installed():
    """The operator's ServiceAccount with its roles, as they are installed."""
    said = subprocess.run([PROGRAM, "install", "--no-crds", "--no-runtimes"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    docs = [doc for doc in yaml.load_all(said, yaml.CSafeLoader) if doc]
    accounts = [doc for doc in docs if doc["kind"] == "ServiceAccount"]
    assert [doc["metadata"]["name"] for doc in accounts] == [ACCOUNT]
    bindings = [doc for doc in docs if doc["kind"] in ("ClusterRoleBinding", "RoleBinding")
                and any(who["name"] == ACCOUNT for who in doc["subjects"])]
    roles = {(b["roleRef"]["kind"], b["roleRef"]["name"]) for b in bindings}
    return accounts + [d for d in docs if (d["kind"], d["metadata"]["name"]) in roles] + bindings


def of_upstream():
    """v2.3.0's rights, for the users that play it."""
    meta = {"name": "managers"}
    rules = [{"apiGroups": [group], "resources": resources, "verbs": verbs}
             for group, resources, verbs in UPSTREAM]
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": rules},
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": meta,
         "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "managers"},
         "subjects": [{"kind": "Group", "apiGroup": RBAC, "name": "managers"}]},
    ]


def give(plane, ours):
    """Gives the users manager-0 ... their rights; ours are the installed ServiceAccount, all but the
    last, who stays a stranger."""
    plane.client().install(installed() if ours else of_upstream())
    if ours and plane.audited:
        for number in range(MANAGERS - 1):
            plane.become(f"manager-{number}", SYSTEM, ACCOUNT)


def lacking(entry):
    """Whether the rights did not suffice. Creating by apply asks for `create` only when the object is
    not there, and the log then tells of it in the answer alone; if only metadata was asked for, not
    even with a reason."""
    answer = entry.get("responseStatus") or {}
    said = answer.get("message", "")
    return entry.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid" or \
        LACKS.search(said) or answer.get("code") == 403 and not said


def denied(entries, plane):
    """What was denied to the managers, told by the audit log. An API server that has just been
    restarted denies everything to everybody until it has read the roles: that is not counted."""
    def starting(entry):
        return any(begin <= entry["requestReceivedTimestamp"] <= end for begin, end in plane.away)

    return [f"{e['verb']} {e['requestURI']}: {(e.get('responseStatus') or {}).get('message')}"
            for e in entries if lacking(e) and not starting(e)]
