#!/usr/bin/env python3
"""usage: reviews.py [--seed N] [--first N] [--count N]

Sends random admission reviews (chance_reviews.py) of so many random cases straight to the webhooks of the
released v2.3.0 manager and to ours, which run side by side on one API server with the cases' runtimes in
it, and tells every answer that differs.

TRAINYARD names the program under test.
"""
import base64
import copy
import datetime
import json
import sys
from collections import namedtuple
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
from beside import Beside, known_warnings, numbers_of, tell_all, words  # noqa: E402
from chance_reviews import Wish, objects, wishes  # noqa: E402
from client import path_of  # noqa: E402
from fixtures import start_bare  # noqa: E402
from kit import API, runtime, trainjob, wait_for  # noqa: E402
from manager import FOLDER, Manager  # noqa: E402

GROUP, VERSION = API.split("/")
UID = "8d1b2f0e-0f1f-4d8b-9c9d-2f8f6b1c0a11"
USER = {"username": "alice", "uid": "1", "groups": ["system:authenticated"], "extra": {"scopes": ["a", "b"]}}
# Ours takes words there, as v2.0 did; what v2.3.0 cannot look at, it crashes over.
LISTED = ("json: cannot unmarshal string into Go struct field Trainer.spec.trainer.numProcPerNode of type int32",
          "panic: ")


# ---- what is asked

def review(wish, namespace):
    """As an API server asks."""
    some = wish.obj or wish.old
    kind = {"group": GROUP, "version": VERSION, "kind": some["kind"]}
    resource = {"group": GROUP, "version": VERSION, "resource": some["kind"].lower() + "s"}
    where = {} if some["kind"] == "ClusterTrainingRuntime" else {"namespace": namespace}
    options = {"kind": f"{wish.operation.capitalize()}Options", "apiVersion": "meta.k8s.io/v1"}
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
        "uid": UID, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
        "name": some["metadata"]["name"], **where, "operation": wish.operation, "userInfo": USER,
        "object": wish.obj, "oldObject": wish.old, "dryRun": False, "options": options, **wish.more}}


# ---- what is answered

def patched(doc, patch):
    """A document after a JSON patch of additions, replacements and removals."""
    doc = copy.deepcopy(doc)
    for change in patch:
        *way, last = [key.replace("~1", "/").replace("~0", "~") for key in change["path"].split("/")[1:]]
        at = doc
        for key in way:
            at = at[int(key)] if isinstance(at, list) else at[key]
        if isinstance(at, list) and change["op"] == "add":
            at.insert(len(at) if last == "-" else int(last), change["value"])
        elif change["op"] == "remove":
            del at[int(last) if isinstance(at, list) else last]
        else:
            at[int(last) if isinstance(at, list) else last] = change["value"]
    return doc


def instant(text, since):
    """When a patch was marked: by this review, or as somebody has written it; v2.3.0 spells it anew (B30)."""
    if not text:
        return text
    at = datetime.datetime.fromisoformat(text)
    return "now" if at >= since else int(at.timestamp())


class Answer:
    """What an API server would make of it."""

    def __init__(self, wish, code, said, since):
        self.code, response = code, said.get("response", said)
        status = response.get("status") or {}
        self.allowed = response.get("allowed", False)
        patch = json.loads(base64.b64decode(response.get("patch") or "W10="))
        self.obj = patched(wish.obj, patch) if wish.obj else None
        times = [one.get("time") for one in self.patches()] if self.allowed else []
        self.shown = {"http": code, "uid": response.get("uid"), "allowed": self.allowed,
                      "times": [instant(text, since) for text in times],
                      "warnings": known_warnings(response.get("warnings") or [])}
        if not self.allowed:  # in the order of the plugins, which is drawn with v2.3.0 (B14)
            self.shown.update(code=status.get("code"), message=sorted(
                status.get("message", "").removeprefix("[").removesuffix("]").split(", ")))

    def patches(self):
        return (self.obj.get("spec") or {}).get("runtimePatches") or [] if self.obj else []

    def listed(self):
        """docs/differences.md knows of it."""
        return any(text.startswith(LISTED) for text in self.shown.get("message", []))


class Both(Beside):
    def __init__(self, plane):
        self.asked = self.denied = 0
        super().__init__(plane, lambda upstream: Manager(
            plane, FOLDER / f"managers/reviews-{upstream}", int(not upstream), webhooks=False, upstream=upstream),
            lambda one: one.port)

    def prepare(self, seed, which):
        """Everything that the reviews name, and both have heard of it."""
        for number in which:
            space = f"r-{number}"
            self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
            for doc in objects(seed, number)[0]:
                self.api.request("POST", path_of(doc["apiVersion"], doc["kind"], space), doc)
        for kind in ("TrainingRuntime", "ClusterTrainingRuntime"):
            self.api.create(runtime("last", kind=kind), "default")
            last = Wish("CREATE", self.stored(trainjob(runtime="last", kind=kind), "default"), None, {})
            wait_for("both know all runtimes", lambda: all(
                one.allowed for one in self.ask("validate", last, "default")))

    def stored(self, doc, namespace):
        """As it would be stored, or None if the schema refuses it."""
        code, answer = self.api.request("POST", path_of(API, doc["kind"], namespace) + "?dryRun=All", doc)
        return answer if code == 201 else None

    def ask(self, verb, wish, namespace):
        kind = (wish.obj or wish.old)["kind"].lower()
        path, body = f"/{verb}-trainer-kubeflow-org-v1alpha1-{kind}", json.dumps(review(wish, namespace))
        since = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        answers = [self.request(connection, "POST", path, body) for connection in self.connections]
        return [Answer(wish, code, json.loads(text), since) for code, _, text in answers]

    def compare(self, name, verb, wish, namespace):
        """Ours."""
        theirs, ours = self.ask(verb, wish, namespace)
        self.asked += 1
        self.denied += not theirs.allowed
        if theirs.shown != ours.shown and not theirs.listed():
            self.tell(f"{name} {verb} {wish.operation}", theirs.shown, ours.shown)
        return ours

    def play(self, name, wish, namespace):
        """The webhooks in the order of an API server, which shows the second what the first has made of it
        and the schema has let through."""
        is_job = (wish.obj or wish.old)["kind"] == "TrainJob"
        if wish.old:
            wish = wish._replace(old=self.stored(wish.old, namespace))
            if not wish.old:
                return
        if is_job:
            ours = self.compare(name, "mutate", wish, namespace)
            if wish.obj and not ours.allowed:
                return
            wish = wish._replace(obj=ours.obj)
        if wish.obj:
            wish = wish._replace(obj=self.stored(wish.obj, namespace))
        if wish.obj or wish.operation == "DELETE":
            self.compare(name, "validate", wish, namespace)


Outcome = namedtuple("Outcome", "asked denied found")


def compare(seed, which):
    """How many reviews were sent and denied by v2.3.0; {review: both answers} of those that differ."""
    plane = start_bare("reviews", upstream=True)
    try:
        with Both(plane) as both:
            both.prepare(seed, which)
            for number in which:
                for place, wish in enumerate(wishes(seed, number)):
                    both.play(f"{number}.{place}", wish, f"r-{number}")
    finally:
        plane.stop()
    return Outcome(both.asked, both.denied, both.found)


def main():
    given = words(__doc__, 100).parse_args()
    outcome = compare(given.seed, numbers_of(given))
    return tell_all(given.seed, f"{outcome.asked} reviews ({outcome.denied} denied)", outcome.found)


if __name__ == "__main__":
    sys.exit(main())
