"""Random admission reviews, answered by the released v2.3.0 manager and by ours: the same verdicts in the
same words, but for what docs/differences.md lists. `reviews.py --seed N --count N` sends more of them."""
import base64
import datetime
import json

import pytest
from chance_reviews import wishes
from reviews import Answer, Wish

SEED, COUNT = "neighbours", 20
SINCE = datetime.datetime.fromisoformat("2026-01-01T00:00:00Z")


def test_same_as_released(reviewed):
    assert reviewed.found == {}


def test_both_verdicts_are_met(reviewed):
    assert reviewed.asked > 10 * COUNT
    assert reviewed.asked / 10 < reviewed.denied < reviewed.asked / 2


def test_a_review_is_made_from_its_seed_and_number():
    assert [wishes(SEED, n) for n in range(100)] == [wishes(SEED, n) for n in range(100)]
    assert wishes(SEED, 1) != wishes(SEED, 2) != wishes("other", 2)


# ---- that a difference would be told

def shown(patch=(), **response):
    wish = Wish("CREATE", {"spec": {"runtimePatches": [{"manager": "a.b/c"}]}}, None, {})
    coded = base64.b64encode(json.dumps(patch).encode()).decode()
    return Answer(wish, 200, {"response": {"allowed": True, "patch": coded, **response}}, SINCE).shown


def stamp(time):
    return [{"op": "add", "path": "/spec/runtimePatches/0/time", "value": time}]


@pytest.mark.parametrize("other", [
    shown(warnings=["x"]), shown(stamp("2026-02-03T04:05:06Z")), shown(stamp("2020-01-02T03:04:05Z")),
    shown(allowed=False, status={"code": 403, "message": "x"}),
    shown(allowed=False, status={"code": 400, "message": "x"}),
    shown(allowed=False, status={"code": 403, "message": "y"})])
def test_a_difference_is_told(other):
    denied = shown(allowed=False, status={"code": 403, "message": "z"})
    assert other not in (shown(), denied)


def test_what_is_no_difference():
    assert shown(stamp("2020-01-02T03:04:05.6Z")) == shown(stamp("2020-01-02T04:04:05+01:00"))
    assert shown(stamp("2026-02-03T04:05:06Z")) == shown(stamp("2026-02-03T04:05:07Z"))
    assert shown(allowed=False, status={"code": 403, "message": "[x, y]"}) == \
        shown(allowed=False, status={"code": 403, "message": "[y, x]"})
