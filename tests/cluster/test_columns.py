"""The columns of `kubectl get trainjobs`, as the API server prints them: whoever wrote the status,
ours or Kubeflow's manager."""
import pytest

OURS = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/default/trainjobs"
MERGE = "application/merge-patch+json"


def condition(kind, status, reason):
    return {"type": kind, "status": status, "reason": reason, "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z"}


def counts(name, active, suspended=0):
    return {"name": name, "ready": 0, "succeeded": 0, "failed": 0, "active": active,
            "suspended": suspended}


SUSPENDED = condition("Suspended", "True", "Suspended")
RESUMED = condition("Suspended", "False", "Resumed")
COMPLETE = condition("Complete", "True", "AllJobsCompleted")
FAILED = condition("Failed", "True", "FailedJobs")

CASES = {  # name: conditions, counts, State, Active
    "new": (None, None, None, None),
    "pending": (None, [counts("node", 0)], None, None),
    "running": (None, [counts("dataset-initializer", 0), counts("node", 1)], None, "node"),
    "resumed": ([RESUMED], [counts("node", 1)], None, "node"),  # v2.3.0 prints Suspended
    "suspended": ([SUSPENDED], [counts("node", 0, 1)], "Suspended", None),
    "complete": ([COMPLETE], [counts("node", 0)], "Complete", None),
    "resumed-complete": ([RESUMED, COMPLETE], None, "Complete", None),
    "suspended-complete": ([SUSPENDED, COMPLETE], None, "Complete", None),
    "complete-suspended": ([COMPLETE, SUSPENDED], None, "Complete", None),  # v2.3.0: Suspended
    "failed": ([RESUMED, FAILED], None, "Failed", None),
    "failed-suspended": ([FAILED, SUSPENDED], None, "Failed", None),  # v2.3.0: Suspended
    "other": ([RESUMED, condition("Stalled", "True", "NoPods")], None, "Stalled", None),
}


@pytest.fixture(scope="module")
def table(api, installed):
    for name, (conditions, jobs, _, _) in CASES.items():
        job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
               "metadata": {"name": f"columns-{name}", "labels": {
                   "tests.trainyard.dev/columns": "yes", "kueue.x-k8s.io/queue-name": "gpus"}},
               "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 3}}}
        code, answer = api.request("POST", OURS, job)
        assert code == 201, answer
        status = {k: v for k, v in {"conditions": conditions, "jobsStatus": jobs}.items() if v}
        if status:
            code, answer = api.request("PATCH", f"{OURS}/columns-{name}/status", {"status": status},
                                       MERGE)
            assert code == 200, answer
    code, answer = api.request("GET", f"{OURS}?labelSelector=tests.trainyard.dev/columns=yes",
                               accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    assert code == 200
    yield answer
    for name in CASES:
        api.request("DELETE", f"{OURS}/columns-{name}")


def rows(table):
    heads = [column["name"] for column in table["columnDefinitions"]]
    return {row["cells"][0].removeprefix("columns-"): dict(zip(heads, row["cells"]))
            for row in table["rows"]}


@pytest.mark.parametrize("name", CASES)
def test_state(table, name):
    row = rows(table)[name]
    assert (row["State"], row["Active"]) == CASES[name][2:]


def test_the_rest(table):
    assert [(c["name"], c["priority"]) for c in table["columnDefinitions"]] == [
        ("Name", 0), ("State", 0), ("Active", 0), ("Runtime", 0), ("Nodes", 0), ("Queue", 1),
        ("Age", 0)]
    for row in rows(table).values():
        assert (row["Runtime"], row["Nodes"], row["Queue"]) == ("torch-distributed", 3, "gpus")
