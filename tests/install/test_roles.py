"""The table of docs/multi-tenancy.md is true: every cell is asked of the API server, with what is installed."""
import re

import pytest

from kit import Space, wait_for
from printed import ROOT, install
from running import apply

PAGE = (ROOT / "docs/multi-tenancy.md").read_text()
RBAC = "rbac.authorization.k8s.io"
WRITE, READ = ("create", "update", "patch", "delete", "deletecollection"), ("get", "list", "watch")
ROWS = {  # as the page names them: (verbs, group, resource, subresource)
    "TrainJobs: create, change, delete": (WRITE, "trainer.kubeflow.org", "trainjobs", ""),
    "TrainJobs: read": (READ, "trainer.kubeflow.org", "trainjobs", ""),
    "TrainingRuntimes: create, change, delete": (WRITE, "trainer.kubeflow.org", "trainingruntimes", ""),
    "TrainingRuntimes: read": (READ, "trainer.kubeflow.org", "trainingruntimes", ""),
    "ClusterTrainingRuntimes: create, change, delete": (WRITE, "trainer.kubeflow.org", "clustertrainingruntimes", ""),
    "ClusterTrainingRuntimes: read": (READ, "trainer.kubeflow.org", "clustertrainingruntimes", ""),
    "status of a TrainJob: write": (("update", "patch"), "trainer.kubeflow.org", "trainjobs", "status"),
    "pods, their logs, events: read": (("get",), "", "pods", "log"),
}
ROLES = ("admin", "edit", "view", "nobody")


def table():
    """{row: [yes or no, in the order of ROLES]}"""
    rows = re.findall(r"^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$", PAGE, re.M)
    return {name: said for name, *said in rows}


def may(api, user, space, verb, group, resource, sub):
    asked = {"verb": verb, "group": group, "resource": resource, "subresource": sub,
             "namespace": "" if resource.startswith("cluster") else space}
    return api.create({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
        "spec": {"user": user, "groups": ["system:authenticated"], "resourceAttributes": asked}})["status"]["allowed"]


@pytest.fixture(scope="module")
def space(plane):
    """Each role is bound to a user of its name; the nobody has none."""
    api = plane.client()
    apply(api, [doc for doc in install() if doc["apiVersion"].startswith(RBAC) or doc["kind"] == "Namespace"])
    one = Space(api, "tenant")
    for role in ROLES[:3]:
        one.create({"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "metadata": {"name": role},
                    "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
                    "subjects": [{"apiGroup": RBAC, "kind": "User", "name": role}]})
    wait_for("Kubernetes has put ours into its own", lambda: may(
        api, "admin", "tenant", "create", "trainer.kubeflow.org", "trainingruntimes", "") and may(
        api, "edit", "tenant", "create", "trainer.kubeflow.org", "trainjobs", "") and may(
        api, "view", "tenant", "get", "trainer.kubeflow.org", "trainjobs", ""))
    return one


def test_every_row_is_asked():
    assert set(table()) == set(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_roles(space, row):
    verbs, group, resource, sub = ROWS[row]
    for role, said in zip(ROLES, table()[row]):
        allowed = {may(space.api, role, space.name, verb, group, resource, sub) for verb in verbs}
        assert allowed == {said == "yes"}, role
