"""Runs of an earlier release are still read: earlier/0.1.0.sql is the history that 0.1.0 left of two runs, and
earlier/runs are their logs. @STATE@ stands for the state folder."""
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from past import say

EARLIER = Path(__file__).parent / "earlier"


@pytest.fixture
def old(box):
    """The box, with the state folder as that release left it."""
    state = Path(box.env["XDG_STATE_HOME"], "trainyard")
    shutil.copytree(EARLIER / "runs", state / "runs")
    for path in (state, state / "runs", *(state / "runs").iterdir()):
        path.chmod(0o700)
    base = sqlite3.connect(state / "trainyard.db")
    base.executescript((EARLIER / "0.1.0.sql").read_text().replace("@STATE@", str(state)))
    base.close()
    return box


def test_both_runs_are_listed(old):
    items = {item["metadata"]["name"]: item for item in json.loads(say(old, "get", "-o", "json"))["items"]}
    assert {name: item["metadata"]["annotations"]["trainyard.dev/state"] for name, item in items.items()} == {
        "trained": "Complete", "broken": "Failed"}
    assert items["trained"]["status"]["trainerStatus"]["progressPercentage"] == 100


def test_the_failure_is_described(old):
    text = say(old, "describe", "broken")
    assert "node-0-0 failed first: exit code 3" in text and "out of luck" in text
    assert "logs/broken-node-0-0/node.0.3.log" in text


def test_logs_and_events(old):
    assert "[node-0-0] trained by 0\n" in say(old, "logs", "trained")
    assert "out of luck" in say(old, "logs", "broken", "--attempt", "1")
    assert "AllJobsCompleted" in say(old, "events", "trained")


def test_they_can_be_deleted(old):
    say(old, "delete", "trained")
    names = [item["metadata"]["name"] for item in json.loads(say(old, "get", "-o", "json"))["items"]]
    assert names == ["broken"]
    assert not list(Path(old.env["XDG_STATE_HOME"]).rglob("trained-node-0-0"))
