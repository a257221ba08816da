"""The recorded cases of tests/golden, played through a real API server and a real manager. As there,
no JobSet controller runs: a JobSet's status changes only by the steps of a case.

All cases are played at once, each in its own namespace, stage by stage: everybody's first stage, then,
when the manager has come to rest, everybody's second one, and so on.
"""
import base64
import functools
import json
import re
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

import manager as managers
from audit import Audit
from client import MERGE, path_of
from documents import Loader, load
from kit import API, COSCHEDULING, JOBSET_API, VOLCANO, Space, at_rest, create_known, runtime, trainjob
from manager import UPSTREAM

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
NAMES = sorted(f"{p.parent.name}/{p.stem}" for p in (GOLDEN / "cases").glob("*/*.yaml"))
STEP_KINDS = {"trainjob": (API, "TrainJob"), "trainingruntime": (API, "TrainingRuntime"),
              "clustertrainingruntime": (API, "ClusterTrainingRuntime"),
              "jobset": (JOBSET_API, "JobSet"), "configmap": ("v1", "ConfigMap"),
              "secret": ("v1", "Secret"), "podgroup": (COSCHEDULING, "PodGroup"),
              "volcanopodgroup": (VOLCANO, "PodGroup")}
CHILDREN = {"jobsets": "JobSet", "configmaps": "ConfigMap", "secrets": "Secret",
            "podgroups": "PodGroup"}
# Of v2.3.0 itself: recorded after its first pass had written the snapshot, and failed at the JobSet.
BEGUN_LATE = {"patches/patch-unknown-job"}
THREADS = 6
QUIET_SECONDS, REST_SECONDS = 1.5, 90


# ---- one case

class Case:
    def __init__(self, name, docs=None):
        self.name, self.namespace = name, "c-" + name.replace("/", "-")
        self.docs = docs or load(GOLDEN / "cases" / f"{name}.yaml")
        self.stages = [[]]  # all creations are one stage, every step is its own
        for doc in self.docs:
            if "x-step" in doc:
                self.stages.append([])
            self.stages[-1].append(doc)
        self.result = []

    def cluster_wide(self):
        return {(d["kind"], d["metadata"]["name"]) for d in self.docs
                if d.get("kind") in ("ClusterTrainingRuntime", "RuntimeClass", "PriorityClass")}

    def play(self, api, number):
        if number == 0:
            Space(api, self.namespace)
        verdicts = [self.step(api, doc) for doc in self.stages[number]]
        self.result.append({"verdicts": verdicts})

    def step(self, api, doc):
        step = doc.get("x-step")
        if not step:
            op = f"create {doc['kind']}/{doc['metadata']['name']}"
            path = path_of(doc["apiVersion"], doc["kind"], self.namespace)
            code, answer = create_known(api, path, doc, self.namespace)
        else:
            op = f"{step['op']} {step['kind']}/{step['name']}"
            path = path_of(*STEP_KINDS[step["kind"]], self.namespace, step["name"])
            if step["op"] == "delete":
                code, answer = api.request("DELETE", path, step.get("options"))
            else:
                path += "/status" if step["op"] == "status-patch" else ""
                code, answer = api.request("PATCH", path, step["patch"], MERGE)
        verdict = {"op": op, "code": code}
        if code >= 300:
            verdict["message"] = answer["message"]
        return verdict


# ---- all cases

class Play:
    """Plays cases on a plane whose manager is running; results are in each case."""

    def __init__(self, plane, cases):
        self.plane, self.cases = plane, cases
        self.api, self.audit = plane.client(), Audit(plane)
        self.sentinels, self.local = 0, threading.local()
        self.events_seen = set()

    def run(self):
        self.space = Space(self.api, "sentinel")
        self.space.create(runtime())
        waiting = list(self.cases)
        while waiting:  # cases that name a cluster-wide object alike come one after the other
            now, taken = [], set()
            for case in waiting:
                if not taken & case.cluster_wide():
                    taken |= case.cluster_wide()
                    now.append(case)
            self.run_together(now)
            waiting = [case for case in waiting if case not in now]
            for kind, name in taken:
                if kind == "ClusterTrainingRuntime":
                    self.api.delete(API, kind, None, name)

    def run_together(self, cases):
        for number in range(max(len(case.stages) for case in cases)):
            playing = [case for case in cases if number < len(case.stages)]
            self.before(number)
            start = len(self.audit.entries())
            with ThreadPoolExecutor(THREADS, initializer=self.give_client) as pool:
                list(pool.map(lambda case: case.play(self.local.api, number), playing))
            self.rest()
            self.collect(playing, start)

    def before(self, number):
        """What is done before everybody's stage of that number."""

    def give_client(self):
        self.local.api = self.plane.client()

    def rest(self):
        """The manager has been through its queue (a job that came last has its JobSet) and has
        written nothing for a while."""
        self.sentinels += 1
        name = f"s{self.sentinels}"
        self.space.create(trainjob(name))
        self.space.wait_jobset(name)
        try:
            at_rest(lambda: len(self.audit.writes()), QUIET_SECONDS, REST_SECONDS)
        except AssertionError:
            pass  # it goes on writing: what it wrote so far is compared all the same

    def collect(self, cases, start):
        """What was written, said and stored since entry `start` of the audit log."""
        writes, events, jobs = defaultdict(list), defaultdict(list), defaultdict(list)
        done = Audit.writes(Tail(self.audit.entries()[start:]))
        for write in done:
            writes[write.namespace].append(write)
        for event in self.api.list("events.k8s.io/v1", "Event"):
            meta = event["metadata"]
            if (meta["namespace"], meta["name"]) not in self.events_seen:
                self.events_seen.add((meta["namespace"], meta["name"]))
                events[meta["namespace"]].append(event)
        for job in self.api.list(API, "TrainJob"):
            jobs[job["metadata"]["namespace"]].append(job)
        for case in cases:
            stage = case.result[-1]
            at = case.namespace
            stage["applied"], stage["failed"] = applied(writes[at])
            stage["events"] = unique([
                [e["regarding"]["kind"], e["regarding"]["name"], e["type"], e["reason"], e["note"]]
                for e in events[at]])
            stage["trainjobs"] = {job["metadata"]["name"]: {
                "finalizers": job["metadata"].get("finalizers"),
                "spec.suspend": job["spec"].get("suspend"),
                "status": job.get("status") or {}} for job in jobs[at]}


def play_all(plane, name):
    """All cases, played with a manager of that name; {name: Case}."""
    manager = managers.Manager(plane, managers.FOLDER / "managers" / name).start()
    cases = {name: Case(name) for name in NAMES}
    try:
        Play(plane, cases.values()).run()
    finally:
        manager.stop()
    return cases


class Tail:
    def __init__(self, entries):
        self.list = entries

    def entries(self):
        return self.list


def unique(rows):
    return [row for i, row in enumerate(rows) if row not in rows[:i]]


def applied(writes):
    """The last successful write of each child, and what was refused."""
    done, refused = {}, []
    for write in writes:
        kind = CHILDREN.get(write.resource)
        if not kind:
            continue
        if not write.ok:
            if write.code not in (404, 409):  # gone already, or a race with another write
                refused.append(write.message)
            continue
        entry = {"how": write.verb, "body": write.body}
        if write.verb == "patch":
            query = dict(part.partition("=")[::2] for part in
                         write.uri.partition("?")[2].split("&"))
            entry["how"] += f" as {query.get('fieldManager')}"
            entry["how"] += " force" if query.get("force") == "true" else ""
        done[f"{kind}/{write.name}", write.body.get("apiVersion")] = entry
    return done, refused


# ---- the recording

@functools.cache
def read_differs():
    return load(GOLDEN / "differs.yaml")[0]


def recording(name, differs):
    """The stages that were recorded, changed as differs.yaml says for ours (None: not at all)."""
    want = json.loads((GOLDEN / "expected" / f"{name}.json").read_text())
    for change in (differs or {}).get("cases", {}).get(name, {}).get("patch", []):
        keys = [key.replace("~1", "/").replace("~0", "~") for key in change["path"].split("/")[1:]]
        at = want
        for key in keys[:-1]:
            at = at[int(key)] if isinstance(at, list) else at[key]
        if isinstance(at, dict):
            if change["op"] == "remove":
                del at[keys[-1]]
            else:
                at[keys[-1]] = change["value"]
        elif change["op"] == "add":
            at.insert(len(at) if keys[-1] == "-" else int(keys[-1]), change["value"])
        elif change["op"] == "remove":
            del at[int(keys[-1])]
        else:
            at[int(keys[-1])] = change["value"]
    return want["stages"]


def same_keys(want_stages, got_stages):
    """Gives children the names that a recording has: of two PodGroup kinds it shows the one that was
    written last. A write of a recording that did not happen, because the live object already was
    exactly so, is what was last written."""
    last = {}
    for want, got in zip(want_stages, got_stages):
        done = got["applied"]
        shown = {}
        for (key, api), entry in done.items():
            theirs = want["applied"].get(key, {}).get("body", {}).get("apiVersion")
            rivals = [a for k, a in done if k == key]
            if len(rivals) == 1 or api == theirs:
                shown[key] = entry
        for key, entry in want["applied"].items():
            if key not in shown and entry["how"] != "delete" and key in last:
                shown[key] = last[key]
        for key, entry in shown.items():
            last[key] = entry
            if entry["how"] == "delete":
                del last[key]
        got["applied"] = shown


# ---- comparing, by the rules of tests/golden/compare.c

EMPTY = ("metadata", "resources")  # v2.3.0 applies these even when they are empty, ours does not
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
POINTER = re.compile(r"\b0x[0-9a-f]{6,}\b")


def first_word(text):
    words = base64.b64decode(text).split(None, 1)
    return words[0].decode(errors="replace") if words else ""


def normal_data(key, value, secret):
    if secret and not value.startswith("<"):
        return f"<{key}: {first_word(value)}>"
    if key.endswith(".sh"):
        return "<script>"
    if key == "runtime" and isinstance(value, str):
        return normal(yaml.load(value, Loader))
    return normal(value)


def normal_member(key, value):
    if isinstance(value, str):
        if key in ("uid", "lastTransitionTime", "lastUpdatedTime", "time"):
            return f"<{key}>"
        if key == "message":
            return TIME.sub("<time>", value)
    return normal(value)


def normal(value):
    """Without what differs from run to run."""
    if isinstance(value, list):
        return [POINTER.sub("<pointer>", v) if isinstance(v, str) else normal(v) for v in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("kind")
    value = dict(value)
    if kind in ("ClusterTrainingRuntime", "TrainingRuntime") and "metadata" in value:
        value["metadata"] = {k: v for k, v in value["metadata"].items() if k not in (
            "creationTimestamp", "generation", "resourceVersion", "namespace", "managedFields")}
    elif kind in ("JobSet", "PodGroup", "ConfigMap", "Secret") and "metadata" in value:
        value["metadata"] = {k: v for k, v in value["metadata"].items() if k != "namespace"}
    if value.get("how") == "delete":
        value.pop("body", None)
    maps = kind in ("ConfigMap", "Secret")
    return {key: {k: normal_data(k, v, kind == "Secret") for k, v in member.items()}
            if maps and key == "data" else normal_member(key, member)
            for key, member in value.items()}


class Comparison:
    """Lists with map keys by key, all others in order; one line a difference."""

    def __init__(self, schemas):
        self.schemas, self.lines = schemas, []

    def differ(self, path, want, got):
        self.lines.append(f"{path}\n  recorded: {json.dumps(want)[:2000]}\n"
                          f"  now:      {json.dumps(got)[:2000]}")

    def compare(self, path, schema, want, got):
        if isinstance(want, dict) and isinstance(got, dict):
            for key in {**want, **got}:
                if key in want and key in got:
                    self.compare(f"{path}/{key}", self.member(schema, key, want), want[key],
                                 got[key])
                elif key not in EMPTY or want.get(key, got.get(key)) != {}:
                    self.differ(f"{path}/{key}", want.get(key, "(absent)"),
                                got.get(key, "(absent)"))
        elif isinstance(want, list) and isinstance(got, list):
            self.lists(path, schema or {}, want, got)
        elif (want != got or isinstance(want, bool) != isinstance(got, bool)) and \
                not same_message(path, want, got):
            self.differ(path, want, got)

    def member(self, schema, key, parent):
        if key == "body":
            return self.schemas.get(parent["body"].get("kind"))
        if key == "runtime":
            return self.schemas["TrainingRuntime"]
        if not schema:
            return None
        more = schema.get("additionalProperties")
        return schema.get("properties", {}).get(key) or (more if isinstance(more, dict) else None)

    def lists(self, path, schema, want, got):
        keys = schema.get("x-kubernetes-list-map-keys")
        if not keys:
            for i in range(max(len(want), len(got))):
                if i < len(want) and i < len(got):
                    self.compare(f"{path}/{i}", schema.get("items"), want[i], got[i])
                else:
                    self.differ(f"{path}/{i}", *[side[i] if i < len(side) else "(absent)"
                                                 for side in (want, got)])
            return

        def by_key(items):
            return {json.dumps([item.get(k) for k in keys]): item for item in items}

        if len(by_key(got)) != len(got):
            self.differ(path, want, got)  # one key twice
        wanted, had = by_key(want), by_key(got)
        for key in {**wanted, **had}:
            if key in wanted and key in had:
                self.compare(f"{path}/{key}", schema.get("items"), wanted[key], had[key])
            else:
                self.differ(f"{path}/{key}", wanted.get(key, "(absent)"),
                            had.get(key, "(absent)"))


def same_message(path, want, got):
    """The API server walks a schema in random order: the order of several mistakes is no fact."""
    if not path.endswith("/message") or "[" not in str(want) or "[" not in str(got):
        return False
    sides = [text.removesuffix("]").partition("[") for text in (want, got)]
    return sides[0][0] == sides[1][0] and \
        sorted(sides[0][2].split(", ")) == sorted(sides[1][2].split(", "))


def schemas_of(api):
    """The schemas of JobSets and runtimes, from the API server's own CRDs."""
    found = {}
    for name in ("jobsets.jobset.x-k8s.io", "trainingruntimes.trainer.kubeflow.org"):
        crd = api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, name)
        found[crd["spec"]["names"]["kind"]] = \
            crd["spec"]["versions"][-1]["schema"]["openAPIV3Schema"]
    return found


def conditions_of(stage):
    return [condition for job in stage["trainjobs"].values()
            for condition in (job.get("status") or {}).get("conditions", [])]


def check(case, schemas, words=str):
    """A played case is as recorded, or, ours, as differs.yaml says; `words` brings the API server's
    own messages into one form."""
    differs = None if UPSTREAM else read_differs()
    want = normal(recording(case.name, differs))
    got = case.result
    assert len(want) == len(got)
    same_keys(want, got)
    got = normal(got)
    for stage, said in zip(want, got):
        extra = differs["extraEvents"] if differs else []
        said["events"] = [event for event in said["events"] if event[3] not in extra]
        if said["events"]:
            del stage["failed"], said["failed"]  # what was refused is in the event
        if UPSTREAM and case.name in BEGUN_LATE:
            del stage["applied"], said["applied"]
        for verdict in stage["verdicts"] + said["verdicts"]:
            if not verdict.get("message", "admission webhook").startswith("admission webhook"):
                verdict["message"] = words(verdict["message"])
        for side in (stage, said):
            side["events"] = [[*event[:4], words(event[4])] for event in side["events"]]
            for condition in conditions_of(side):
                condition["message"] = words(condition["message"])
    comparison = Comparison(schemas)
    comparison.compare("", None, want, got)
    assert not comparison.lines, "\n".join(comparison.lines)
