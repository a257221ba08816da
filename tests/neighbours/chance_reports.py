"""Reports to the status API, good and bad: what a trainer posts, how it says who it is, and where to."""
import copy
import json
from collections import namedtuple

from chance import Dice
from chance_reviews import OTHER_TYPES, places

TIME = "2026-01-02T03:04:05Z"
TIMES = ("2020-01-02T03:04:05Z", "2026-01-02T03:04:05.999999Z", "2026-01-02T03:04:05+05:30", "yesterday", "",
         "2026-01-02t03:04:05z", "2026-01-02T03:04:60Z", "2026-02-30T03:04:05Z", "0001-01-01T00:00:00Z",
         "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00")
NUMBERS = (0, 1, 100, 101, -1, 1.5, 2**31, "5", True)
TEXTS = ("", "x", "0.1", "x" * 64, "x" * 65, "ümlaut", "<a>&'", "a\tb\x00", 7)
# As text: JSON that Python would not write. Left out is what docs/status-api.md lists.
RAW = ('{}', 'null', '[]', '"x"', '5', 'true', '', '  ', '{', '{"trainerStatus":', "{'trainerStatus':null}", '{} //x',
       '{"trainerStatus":{"progressPercentage":NaN}}', '{"trainerStatus":{"progressPercentage":01}}',
       '{"trainerStatus":{"progressPercentage":1.0}}', '{"trainerStatus":{"progressPercentage":1e1}}',
       f'{{"TRAINERSTATUS":{{"PROGRESSpercentage":4,"lastupdatedtime":"{TIME}"}}}}',
       f'{{"trainerStatus":{{"lastUpdatedTime":"{TIME}"}}}} {{"trainerStatus":{{}}}}',
       f'\ufeff{{"trainerStatus":{{"lastUpdatedTime":"{TIME}"}}}}', "[" * 11000 + "]" * 11000)
HEADERS = ("{}", "bearer {}", "  Bearer \t {}  ", "Bearer {} x", "Basic {}", "Bearer", "", "Bearer {}x", "Bearer x.y.z")
PATHS = ("{}/", "{}?a=b", "/", "/healthz", "{}x", "{}/more", "/x{}")
METHODS = ("GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "FOO")

# `who` is (namespace, TrainJob) of the token's audience and the namespace of the pod that has it, or None.
Report = namedtuple("Report", "method path header who job body", defaults=("POST", "{}", "Bearer {}", None, "job", ""))


def status(dice):
    found = {"lastUpdatedTime": TIME if dice.maybe(0.7) else dice.choice(TIMES)}
    for key in ("progressPercentage", "estimatedRemainingSeconds"):
        if dice.maybe(0.5):
            found[key] = dice.choice(NUMBERS[:3] if dice.maybe(0.7) else NUMBERS)
    if dice.maybe(0.4):
        texts = TEXTS[1:4] if dice.maybe(0.6) else TEXTS
        found["metrics"] = [{"name": dice.choice(texts), "value": dice.choice(texts)}
                            for _ in range(dice.choice((0, 1, 1, 2, 3)))]
    if dice.maybe(0.03):
        found["metrics"] = [{"name": f"m{i}", "value": "1"} for i in range(dice.choice((256, 257)))]
    return found


def payload(dice):
    if dice.maybe(0.15):
        return dice.choice(RAW)
    whole = {"trainerStatus": status(dice)}
    if dice.maybe(0.3):
        whole = copy.deepcopy(whole)
        at, key = dice.choice(places(whole, []))
        if dice.maybe(0.4):
            del at[key]
        else:
            at[key] = dice.choice(OTHER_TYPES)
    if dice.maybe(0.1):
        whole["unheardOf"] = dice.choice(OTHER_TYPES)
    text = json.dumps(whole, ensure_ascii=dice.maybe(0.5))
    return text + " " * (dice.choice((65536, 65537, 100000)) - len(text.encode())) if dice.maybe(0.03) else text


def report(seed, number):
    dice = Dice(f"reports {seed}/{number}")
    job = dice.choice(("job", "job", "job", "finished", "missing"))
    one = Report(who=("here", job, "here"), job=job, body=payload(dice))
    if dice.maybe(0.8):
        return one
    return one._replace(**dice.choice((
        {"header": dice.choice(HEADERS)}, {"path": dice.choice(PATHS)}, {"method": dice.choice(METHODS)},
        {"who": ("here", "other", "here")}, {"who": ("here", job, "default")}, {"who": ("default", job, "default")},
        {"who": None}, {"body": "x" * 70000, "header": ""})))
