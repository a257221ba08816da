"""Random cases, played with the released v2.3.0 manager and with ours: nothing may differ but what
docs/differences.md lists. `both.py --seed N --count N` plays more of them."""
import copy

import both
import pytest
from chance import case

SEED, COUNT = "neighbours", 30


@pytest.mark.parametrize("number", range(COUNT))
def test_same_as_released(outcome, number):
    assert "\n".join(outcome.found.get(outcome.ours[number], [])) == ""


def test_most_cases_make_a_jobset(outcome):
    assert sum(one.made_a_jobset() for one in outcome.theirs) > COUNT / 2


def test_a_case_is_made_from_its_seed_and_number():
    assert [case(SEED, n) for n in range(200)] == [case(SEED, n) for n in range(200)]
    assert case(SEED, 1) != case(SEED, 2) != case("other", 2)


# ---- that a difference would be told

def first_jobset(stages):
    return next(obj for stage in stages for key, obj in stage["stored"].items() if "/JobSet/" in key)


def other_order(stages):
    first_jobset(stages)["spec"]["replicatedJobs"].reverse()


def other_manager(stages):
    first_jobset(stages)["metadata"]["managers"].append("somebody Update ")


def other_warning(stages):
    stages[0]["verdicts"][-1]["warnings"] = ["299 - a warning"]


def lost_write(stages):
    stages[0]["applied"].clear()


def lost_status(stages):
    job = next(iter(stages[-1]["trainjobs"].values()))
    job["status"] = {} if job["status"] else {"conditions": []}


@pytest.mark.parametrize("change", [other_order, other_manager, other_warning, lost_write, lost_status])
def test_a_difference_is_told(outcome, change):
    """With a case that made a JobSet of several jobs and still has its TrainJob."""
    theirs = next(one for one in outcome.theirs if one.made_a_jobset() and one.result[-1]["trainjobs"]
                  and len(first_jobset(one.result)["spec"]["replicatedJobs"]) > 1)
    ours = copy.deepcopy(theirs)
    assert both.differences(theirs, ours, outcome.schemas) == []
    change(ours.result)
    assert both.differences(theirs, ours, outcome.schemas) != []
