"""What a manager may do: upstream's ClusterRole, so that its image can be swapped and nothing else
changes, and the little that ours needs beyond it."""

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
OURS = [
    ("trainer.kubeflow.org", ["trainjobs"], ["delete"]),  # spec.ttlSecondsAfterFinished
]


def role(ours):
    rules = [{"apiGroups": [group], "resources": resources, "verbs": verbs}
             for group, resources, verbs in UPSTREAM + (OURS if ours else [])]
    return [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
         "metadata": {"name": "managers"}, "rules": rules},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
         "metadata": {"name": "managers"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                     "name": "managers"},
         "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io",
                       "name": "managers"}]},
    ]
