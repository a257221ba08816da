"""Every recorded case through the API server, with the webhooks on: verdicts and messages, what the
manager wrote, conditions and events, as v2.3.0 did and was recorded."""
import json

import pytest

import recorded
import rights
from manager import FOLDER, Manager


@pytest.fixture(scope="module")
def played(stage):
    """All cases, played; {name: Case}."""
    manager = Manager(stage, FOLDER / "managers/golden").start()
    cases = {name: recorded.Case(name) for name in recorded.NAMES}
    try:
        recorded.Play(stage, cases.values()).run()
    finally:
        manager.stop()
    return cases


@pytest.fixture(scope="module")
def schemas(stage):
    return recorded.schemas_of(stage.client())


def test_there_are_cases():
    assert len(recorded.NAMES) >= 269


def test_no_right_was_missing(stage, played):
    entries = list(map(json.loads, (stage.folder / "log/audit.log").read_text().splitlines()))
    assert len(entries) > len(played)
    assert rights.denied(entries, stage) == []


@pytest.mark.parametrize("name", recorded.NAMES)
def test_case(played, schemas, name):
    recorded.check(played[name], schemas)
