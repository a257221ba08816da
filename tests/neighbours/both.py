#!/usr/bin/env python3
"""usage: both.py [--seed N] [--first N] [--count N] [--turns WHO,...] [--gate] [--long] [--save DIR]

Plays random cases (chance.py) with the released v2.3.0 manager, then with ours, on API servers with the
CRDs of whoever runs and without a JobSet controller, and tells every difference: verdicts, messages and
warnings of admission, what was written and how, what is stored then and whose fields it has, conditions,
events, finalizers. --turns says who plays the second time, a stage each and the last all the others, nobody
(`ours,,,theirs`) being who was it before: `ours`, `ours,ours` (started anew), `theirs,ours` (taken over),
`ours,theirs` (given back). --gate plays with the feature gate TrainJobStatus on, --long with histories of a
dozen steps. --save keeps the cases that differ, in the form of tests/golden/cases.

TRAINYARD names the program under test.
"""
import re
import sys
from collections import defaultdict, namedtuple
from fractions import Fraction
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
import yaml  # noqa: E402

import recorded  # noqa: E402
import rights  # noqa: E402
from beside import known_warnings, numbers_of, words  # noqa: E402
from chance import case as random_case  # noqa: E402
from fixtures import start_bare, trainer_crds  # noqa: E402
from gated import GatedManager, start_issuer  # noqa: E402
from kit import API, COSCHEDULING, JOBSET_API, VOLCANO  # noqa: E402
from manager import FOLDER, Manager  # noqa: E402
from plane import MANAGERS, free_ports  # noqa: E402

LIVE = ((API, "TrainJob"), (JOBSET_API, "JobSet"), ("v1", "ConfigMap"), ("v1", "Secret"),
        (COSCHEDULING, "PodGroup"), (VOLCANO, "PodGroup"), (API, "TrainingRuntime"),
        (API, "ClusterTrainingRuntime"))
# Two plugins of v2.3.0 set variables under these policies, in an order that is drawn at its start (B14); with
# the gate a third one, which mounts something as well.
UNORDERED, GATED = {"xgboost", "flux"}, {"env", "volumes", "volumeMounts"}
STATUS_PORT = free_ports(1)[0]  # pods are told of it, so it is the same for all


# Status is written without a name of a field manager: the API server takes the program's.
OWN_NAME = re.compile("^(upstream-trainer|trainyard)$")


class Case(recorded.Case):
    """A random case; the verdict tells of warnings as well."""

    def __init__(self, seed, number, long=False):
        self.number = number
        super().__init__(f"case-{number}", random_case(seed, number, long))

    def policy(self):
        return next(doc["spec"].get("mlPolicy", {}) for doc in self.docs if "Runtime" in doc.get("kind", "")
                    and "spec" in doc)

    def made_a_jobset(self):
        return any("/JobSet/" in key for stage in self.result for key in stage["stored"])

    def step(self, api, doc):
        verdict = super().step(api, doc)
        if known_warnings(api.warnings):
            verdict["warnings"] = sorted(known_warnings(api.warnings))
        return verdict


class Play(recorded.Play):
    """Plays with managers that take turns."""

    def __init__(self, plane, cases, turns, gate):
        super().__init__(plane, cases)
        self.turns, self.gate, self.manager, self.moved = turns, gate, None, set()

    def before(self, number):
        """Another manager takes over, if it is its turn. Nothing has happened meanwhile, so ours changes
        nothing; v2.3.0 writes its empty structs into what ours has made."""
        self.moved = set()
        if number < len(self.turns) and self.turns[number]:
            old = self.versions() if self.manager else set()
            self.end()
            upstream = self.turns[number] == "theirs"
            rights.give(self.plane, ours=not upstream)
            self.plane.client().install(trainer_crds(upstream))
            folder = FOLDER / f"managers/both-{number}-{self.turns[number]}"
            user = MANAGERS - 1 if upstream else 0  # the last stays a user, the others become our ServiceAccount
            made = GatedManager(self.plane, folder, user, upstream, STATUS_PORT) if self.gate else \
                Manager(self.plane, folder, user, upstream=upstream)
            self.manager = made.start()
            assert self.manager.is_upstream() == upstream
            if old:
                self.rest()
                self.events_seen |= {(one["metadata"]["namespace"], one["metadata"]["name"])
                                     for one in self.api.list("events.k8s.io/v1", "Event")}  # told once more
                self.moved = set() if upstream else self.versions() - old

    def versions(self):
        """(namespace, kind, name, version) of all objects but Flux' scripts, which are ours."""
        found = ((kind, obj["metadata"]) for version, kind in LIVE for obj in self.api.list(version, kind))
        return {(meta.get("namespace"), kind, meta["name"], meta["resourceVersion"]) for kind, meta in found
                if not meta["name"].endswith("-flux-entrypoint")}

    def end(self):
        if self.manager:
            self.manager.stop()
            self.manager = None

    def collect(self, cases, start):
        super().collect(cases, start)
        for case in cases:
            stage = case.result[-1]
            stage["events"] = [row for row in stage["events"] if "TrainerIgnored" not in row]  # B37
            for job in stage["trainjobs"].values():
                drop_ours(job)
        stored = defaultdict(dict)
        owners = {doc["metadata"]["name"]: case.namespace for case in cases for doc in case.docs
                  if doc.get("kind") == "ClusterTrainingRuntime"}
        for version, kind in LIVE:
            for obj in self.api.list(version, kind):
                meta = obj["metadata"]
                at = meta.get("namespace") or owners.get(meta["name"])
                stored[at][f"{version}/{kind}/{meta['name']}"] = as_stored(version, kind, obj)
        for case in cases:
            case.result[-1]["stored"] = stored[case.namespace]
            case.result[-1]["moved"] = sorted(f"{kind}/{name}" for at, kind, name, _ in self.moved
                                              if at == case.namespace)


def drop_ours(job):
    """Takes the condition Stalled (B36) out of a TrainJob's status."""
    status = job.get("status") or {}
    others = [c for c in status.get("conditions") or [] if c["type"] != "Stalled"]
    if len(others) == len(status.get("conditions") or []):
        return
    status.pop("conditions")
    if others:
        status["conditions"] = others
    elif not status and "metadata" in job:  # nobody else has written there
        del job["status"]
        fields = job["metadata"].get("managedFields", [])
        job["metadata"]["managedFields"] = [f for f in fields if f.get("subresource") != "status"]


def as_stored(version, kind, obj):
    """An object without what belongs to one server."""
    if kind == "TrainJob":
        drop_ours(obj)
    meta = obj["metadata"]
    kept = {key: meta[key] for key in ("name", "labels", "annotations", "finalizers", "ownerReferences")
            if key in meta}
    kept["managers"] = sorted({f"{OWN_NAME.sub('manager', f['manager'])} {f['operation']} "
                               f"{f.get('subresource', '')}" for f in meta.get("managedFields", [])})
    return {**obj, "apiVersion": version, "kind": kind, "metadata": kept}


def amount(text):
    """A quantity as a number: a sum of 1Gi and 1G can be spelt in more than one way."""
    number, suffix = re.fullmatch(r"([-+.\de]*\d)([A-Za-z]*)", text).groups()
    power = "kMGTPE".find(suffix[0].replace("K", "k")) + 1 if suffix else 0
    each = Fraction(1, 1000) if suffix == "m" else (1024 if suffix.endswith("i") else 1000) ** power
    return Fraction(number) * each


class Comparison(recorded.Comparison):
    """As of recordings, but the order of what has keys counts too, where v2.3.0 has one."""

    def __init__(self, schemas, policy, gate=False):
        super().__init__(schemas)
        self.unordered = GATED if gate else {"env"} if UNORDERED & set(policy) else set()

    def compare(self, path, schema, want, got):
        if isinstance(want, dict) and "managers" in want.get("metadata", {}):
            schema = self.schemas.get(want["kind"])
        if path.endswith("/minResources"):
            want, got = ({key: str(amount(text)) for key, text in side.items()} for side in (want, got))
        super().compare(path, schema, want, got)

    def lists(self, path, schema, want, got):
        super().lists(path, schema, want, got)
        keys = schema.get("x-kubernetes-list-map-keys")
        if keys and path.rpartition("/")[2] not in self.unordered:
            orders = [[[item.get(k) for k in keys] for item in side] for side in (want, got)]
            if orders[0] != orders[1] and sorted(map(str, orders[0])) == sorted(map(str, orders[1])):
                self.differ(path + " (order)", *orders)


def schemas_of(api):
    """Of all kinds with a CRD whose objects are compared."""
    crds = api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    return {crd["spec"]["names"]["kind"]: crd["spec"]["versions"][-1]["schema"]["openAPIV3Schema"]
            for crd in crds if crd["spec"]["names"]["kind"] != "PodGroup"}


def evened(theirs, ours):
    """The stages of both. A write that only one of them did counts for the other too, if it had written
    there before: then the bodies are compared, and what is stored."""
    last, pairs = [{}, {}], []
    for stages in zip(theirs.result, ours.result):
        done = [{f"{key} {api}": entry for (key, api), entry in stage["applied"].items()}
                for stage in stages]
        for mine, other, had in zip(done, done[::-1], last):
            mine.update({key: had[key] for key in other if key not in mine and key in had
                         and other[key]["how"] != "delete"})
            had.update(mine)
        pairs.append([{**stage, "applied": mine, "failed": [] if stage["events"] else  # they tell of it
                       sorted(set(stage["failed"]))} for stage, mine in zip(stages, done)])
    return [list(side) for side in zip(*pairs)]


def play(turns, seed, numbers, gate, long):
    """Plays the cases on a plane of its own; gives them, and the schemas of the CRDs."""
    start = start_issuer if gate else start_bare
    plane = start(f"both-{turns[0]}", upstream=turns[0] == "theirs")
    try:
        cases = [Case(seed, number, long) for number in numbers]
        played = Play(plane, cases, turns, gate)
        try:
            played.run()
        finally:
            played.end()
        return cases, schemas_of(plane.client())
    finally:
        plane.stop()


def differences(theirs, ours, schemas, gate=False):
    """What differs in one case, a text each."""
    comparison = Comparison(schemas, theirs.policy(), gate)
    comparison.compare("", None, *map(recorded.normal, evened(theirs, ours)))
    return comparison.lines


def save(folder, case):
    path = Path(folder) / f"{case.name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump_all(case.docs, sort_keys=False))


# What both did, case by case; the schemas of v2.3.0's CRDs; {case: its differences} of those that differ.
Outcome = namedtuple("Outcome", "theirs ours schemas found")


def compare(seed, numbers, turns=("ours",), gate=False, long=False):
    theirs, schemas = play(("theirs",), seed, numbers, gate, long)
    ours, _ = play(turns, seed, numbers, gate, long)
    lines = {mine: differences(yours, mine, schemas, gate) for yours, mine in zip(theirs, ours)}
    return Outcome(theirs, ours, schemas, {case: some for case, some in lines.items() if some})


def main():
    parser = words(__doc__, 100)
    parser.add_argument("--turns", type=lambda text: text.split(","), default=["ours"])
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--save", metavar="DIR")
    given = parser.parse_args()
    outcome = compare(given.seed, numbers_of(given), given.turns, given.gate, given.long)
    for case, lines in outcome.found.items():
        print(f"== {case.name}\n" + "\n".join(lines))
        if given.save:
            save(given.save, case)
    with_jobset = sum(case.made_a_jobset() for case in outcome.theirs)
    print(f"{given.count} cases of seed {given.seed}, {with_jobset} with a JobSet: "
          f"{len(outcome.found)} differ")
    return 1 if outcome.found else 0


if __name__ == "__main__":
    sys.exit(main())
