"""Random admission reviews: the runtime and the TrainJob of a random case, created, updated, deleted, and
spoilt in many ways. A review is made from a seed, the case's number and its place alone."""
import copy
import json
import re
from collections import namedtuple

from chance import Dice, case
from chance_steps import MISTAKES, moved, runtime_patches
from kit import API

OTHER_TYPES = (None, "word", "", 7, -1, 1.5, 99999999999, True, [], {}, ["word"], {"a": "b"}, [{}])
SPELLINGS = {"1Gi": "1024Mi", "500m": "0.5", "1": "1000m", "2": "2e0", "1500M": "1.5G", "10G": "10e9"}
QUANTITY = re.compile(f'(?<=")(?:{"|".join(SPELLINGS)})(?=")')
TIMES = ("2020-01-02T03:04:05Z", "2020-01-02T04:04:05+01:00", "2020-01-02T03:04:05.678Z", None)

# What a user asks for: an operation, the object and the earlier one, and more members of the request.
Wish = namedtuple("Wish", "operation obj old more")


# ---- what is changed

def places(value, found):
    """Every (container, key) in a document."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def spoilt(dice, doc):
    """One place of its spec is gone, of another type, there twice, or unknown."""
    doc = copy.deepcopy(doc)
    at, key = dice.choice(places({"spec": doc["spec"]}, []))
    kind = dice.choice(("goes", "type", "type", "twice", "unknown"))
    if kind == "goes":
        del at[key]
    elif kind == "twice" and isinstance(at, list):
        at.append(copy.deepcopy(at[key]))
    elif kind == "unknown" and isinstance(at[key], dict):
        at[key]["unheardOf"] = dice.choice(OTHER_TYPES)
    else:
        at[key] = copy.deepcopy(dice.choice(OTHER_TYPES))
    return doc


def respelt(doc):
    """The same quantities, written otherwise."""
    return json.loads(QUANTITY.sub(lambda m: SPELLINGS[m[0]], json.dumps(doc)))


def stamped(dice, job):
    """By somebody who knows of times."""
    for patch in job["spec"].get("runtimePatches") or []:
        if dice.maybe():
            patch["time"] = dice.choice(TIMES)
    return job


def later(dice, job, runtime):
    """What an update could bring."""
    new = copy.deepcopy(job)
    patches = new["spec"].get("runtimePatches") or []
    kind = dice.choice(("same", "moved", "other", "none", "suspend", "label", "order", "spelling"))
    if kind == "moved":
        new["spec"]["runtimePatches"] = moved(dice, patches)
    elif kind == "other":
        new["spec"]["runtimePatches"] = runtime_patches(dice, runtime)
    elif kind == "none":
        new["spec"].pop("runtimePatches", None)
    elif kind == "suspend":
        new["spec"]["suspend"] = not new["spec"].get("suspend")
    elif kind == "label":
        new["metadata"].setdefault("labels", {})["team"] = "green"
    elif kind == "order":
        dice.shuffle(patches)
    elif kind == "spelling":
        new["spec"]["runtimePatches"] = respelt(patches)
    return stamped(dice, new) if dice.maybe(0.3) else new


# ---- all of a case

def objects(seed, number):
    """What must be there before the case's TrainJob, the runtime last, and the TrainJob."""
    docs = [doc for doc in case(seed, number) if "kind" in doc]
    return docs[:-1], docs[-1]


def of_trainjob(dice, runtime, job):
    wrong = copy.deepcopy(job)
    dice.choice(MISTAKES[:5])(dice, copy.deepcopy(runtime), wrong)
    stamped(dice, job)
    for new in (job, wrong, spoilt(dice, job), spoilt(dice, job)):
        yield Wish("CREATE", new, None, {"dryRun": dice.maybe(0.2)})
    for _ in range(5):
        new = later(dice, job, runtime)
        yield Wish("UPDATE", spoilt(dice, new) if dice.maybe(0.2) else new, job, {})
    yield Wish("DELETE", None, job, {})


def of_runtime(dice, runtime, job):
    wrong = copy.deepcopy(runtime)
    dice.choice(MISTAKES[5:])(dice, wrong, copy.deepcopy(job))
    for new in (runtime, wrong, spoilt(dice, runtime), spoilt(dice, runtime)):
        yield Wish("CREATE", new, None, {})
        yield Wish("UPDATE", new, runtime, {})
    yield Wish("DELETE", None, runtime, {})


def wishes(seed, number):
    dice = Dice(f"reviews {seed}/{number}")
    before, job = objects(seed, number)
    assert before[-1]["apiVersion"] == job["apiVersion"] == API
    return [*of_trainjob(dice, before[-1], job), *of_runtime(dice, before[-1], job)]
