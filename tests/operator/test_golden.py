"""Every recorded case through the API server, with the webhooks on: verdicts and messages, what the
manager wrote, conditions and events, as v2.3.0 did and was recorded."""
import json

import pytest

import recorded
import rights


@pytest.fixture(scope="module")
def played(stage):
    return recorded.play_all(stage, "golden")


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
