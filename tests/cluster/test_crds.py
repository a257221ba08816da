"""Our CRDs on a real API server, no webhook installed. Every recorded case runs against it: what
was accepted is created with strict field validation and read back equal, what the schema or a CEL
rule refused is refused with the recorded message."""
import json
import os
import re
from pathlib import Path

import pytest

from documents import load
from given import SUFFIX

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(os.environ.get("TRAINYARD_GOLDEN", ROOT / "tests/golden"))
CASES = sorted(f"{p.parent.name}/{p.stem}" for p in (GOLDEN / "cases").glob("*/*.yaml"))
# Sends fields that the schema is meant to drop, here by the end of their path.
PRUNES = {"patches/patch-image-pruned": (".image is gone", ".replicas is gone")}
SIZE_LIMIT = 300_000

OURS = "/apis/trainer.kubeflow.org/v1alpha1"
RESOURCES = {  # kind: (API, resource, namespaced)
    "TrainJob": (OURS, "trainjobs", True),
    "TrainingRuntime": (OURS, "trainingruntimes", True),
    "ClusterTrainingRuntime": (OURS, "clustertrainingruntimes", False),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "Secret": ("/api/v1", "secrets", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "LimitRange": ("/api/v1", "limitranges", True),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "RuntimeClass": ("/apis/node.k8s.io/v1", "runtimeclasses", False),
}
STEP_KINDS = {kind.lower(): kind for kind, where in RESOURCES.items() if where[0] == OURS}


def read_differs():
    path = GOLDEN / "differs.yaml"
    return (load(path)[0] or {}).get("cases", {}) if path.exists() else {}


DIFFERS = read_differs()


def verdicts(case):
    """What is expected of each document: the recording, changed as differs.yaml says. Its JSON
    patches touch far more than verdicts; the rest is the golden runner's business."""
    stages = json.loads((GOLDEN / "expected" / f"{case}.json").read_text())["stages"]
    for change in DIFFERS.get(case, {}).get("patch", []):
        _, _, stage, member, *rest = change["path"].split("/") + [""]
        if member == "verdicts":
            apply_change(stages[int(stage)]["verdicts"], rest[:-1], change)
    return [verdict for stage in stages for verdict in stage["verdicts"]]


def apply_change(said, where, change):
    """One add, replace or remove of JSON patch, on the list of verdicts or on one of them."""
    if not where:
        said[:] = change["value"]
        return
    at = said if len(where) == 1 else said[int(where[0])]
    key = where[-1] if isinstance(at, dict) else len(at) if where[-1] == "-" else int(where[-1])
    if change["op"] == "remove":
        del at[key]
    elif change["op"] == "add" and isinstance(at, list):
        at.insert(key, change["value"])
    elif change["op"] in ("add", "replace"):
        at[key] = change["value"]


def without_webhook(verdict):
    """(code class, message) that the API server alone must give; class None where it cannot be
    told, because a mutating webhook refused the request before the schema was asked."""
    code, message = verdict["code"], verdict.get("message", "")
    if code == 422:
        return 4, message
    if message.startswith('admission webhook "defaulter.'):
        return None, ""
    return 2, ""  # accepted; or refused only after the schema had accepted it


def causes(message):
    """A message's head and its causes, sorted: the API server takes fields in any order."""
    head, _, rest = message.partition(" is invalid: ")
    return head, sorted(re.split(r", (?=spec[.:]|status\.|metadata\.|<nil>)", rest.strip("[]")))


def path_of(kind, namespace, name=""):
    api, resource, namespaced = RESOURCES[kind]
    middle = f"/namespaces/{namespace}" if namespaced else ""
    return f"{api}{middle}/{resource}" + (f"/{name}" if name else "")


def missing(sent, got, at=""):
    """Paths of `sent` that did not come back equal; null in a patch means gone."""
    if isinstance(sent, dict) and isinstance(got, dict):
        for key, value in sent.items():
            if value is None and key not in got:
                continue
            if key not in got:
                yield f"{at}.{key} is gone"
            else:
                yield from missing(value, got[key], f"{at}.{key}")
    elif isinstance(sent, list) and isinstance(got, list) and len(sent) == len(got):
        for i, (a, b) in enumerate(zip(sent, got)):
            yield from missing(a, b, f"{at}[{i}]")
    elif sent != got or isinstance(sent, bool) != isinstance(got, bool):
        yield f"{at}: sent {sent!r}, came back {got!r}"


class Case:
    """One case in a namespace of its own."""

    def __init__(self, api, name):
        self.api, self.name = api, name
        self.namespace = "c-" + name.replace("/", "-") + SUFFIX
        self.runtimes = []  # of the cluster, which other cases may name alike
        namespace = {"metadata": {"name": self.namespace}}
        code, answer = api.request("POST", "/api/v1/namespaces", namespace)
        assert code == 201, answer

    def create(self, doc):
        path = path_of(doc["kind"], self.namespace)
        strict = "" if self.name in PRUNES else "?fieldValidation=Strict"
        code, answer = self.api.request("POST", path + strict, doc)
        if code == 201 and doc["kind"] == "ClusterTrainingRuntime":
            self.runtimes.append(doc["metadata"]["name"])
        if code == 409 and doc["kind"] not in STEP_KINDS.values():
            code = 201  # a PriorityClass that another case has, too
        return code, answer, f"{path}/{doc['metadata']['name']}", doc

    def step(self, step):
        path = path_of(STEP_KINDS[step["kind"]], self.namespace, step["name"])
        if step["op"] == "delete":
            return *self.api.request("DELETE", path), None, None
        target = path + "/status" if step["op"] == "status-patch" else path
        code, answer = self.api.request("PATCH", target, step["patch"],
                                        "application/merge-patch+json")
        return code, answer, path, step["patch"]

    def run(self, doc, verdict):
        step = doc.get("x-step")
        code, answer, path, sent = self.step(step) if step else self.create(doc)
        want, message = without_webhook(verdict)
        what = f"{verdict.get('op', doc)}: {code} {answer.get('message', '')}"
        if want is None:
            assert code < 500, what
            return
        assert code // 100 == want, what
        if message:
            assert causes(answer["message"]) == causes(message)
        if want == 2 and path and OURS in path:
            self.read_back(path, sent)

    def clean(self):
        for name in self.runtimes:
            self.api.request("DELETE", path_of("ClusterTrainingRuntime", self.namespace, name))

    def read_back(self, path, sent):
        code, live = self.api.request("GET", path)
        assert code == 200, live
        lost = list(missing(sent, live))
        pruned = PRUNES.get(self.name)
        if pruned and sent["kind"] == "TrainJob":
            assert len(lost) == len(pruned) and all(line.endswith(pruned) for line in lost), lost
        else:
            assert lost == []


def test_there_are_cases():
    assert len(CASES) >= 100


def test_size(crds):
    texts = [json.dumps(crd, separators=(",", ":"), ensure_ascii=False) for crd in crds]
    compact = sum(len(text.encode()) for text in texts)
    print(f"three CRDs: {compact} bytes as compact JSON")
    assert len(crds) == 3 and compact < SIZE_LIMIT


def test_established(installed):
    names = {crd["spec"]["names"]["kind"] for crd in installed}
    assert names == {"TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"}


@pytest.mark.parametrize("name", CASES)
def test_case(api, installed, name):
    docs, said = load(GOLDEN / "cases" / f"{name}.yaml"), verdicts(name)
    assert len(docs) == len(said)
    case = Case(api, name)
    try:
        for doc, verdict in zip(docs, said):
            if "x-step" in doc and doc["x-step"]["kind"] not in STEP_KINDS:
                continue  # a JobSet's status: nobody makes JobSets here
            case.run(doc, verdict)
    finally:
        case.clean()
