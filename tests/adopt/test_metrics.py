"""Dashboards and alerts made for v2.3.0 go on to work: its numbers under its names and labels."""
import re
import urllib.request

import pytest

from kit import Space, runtime, trainjob, wait_for
from manager import FOLDER, Manager

# By the beginnings of their names. go_* is about Go, certwatcher_* about a library of it.
PREFIXES = ("controller_runtime_", "workqueue_", "rest_client_", "leader_election_", "process_")
NOT_OURS = {
    "controller_runtime_reconcile_panics_total", "controller_runtime_webhook_panics_total",
    "controller_runtime_conversion_webhook_panics_total",  # what Go calls a panic ends a C program
    "controller_runtime_reconcile_timeouts_total",          # each request has one, no look as a whole
    "controller_runtime_terminal_reconcile_errors_total",   # there are none, in v2.3.0 either
    "process_network_receive_bytes_total", "process_network_transmit_bytes_total",  # the machine's
    "process_virtual_memory_max_bytes",
}
NO_LABEL = {("workqueue_depth", "priority")}  # our queue has none
FINER = {"controller_runtime_webhook_latency_seconds"}  # powers of ten tell nothing of what takes 0.05 ms
BY_OCCASION = {"rest_client_requests_total"}  # which codes there were
LINE = re.compile(r"(\w+?)(_bucket|_sum|_count)?(?:\{(.*)\})? \S+$")


def families(text):
    """{name: type}, {name: {label: its values}}"""
    types, labels = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M)), {}
    for line in text.splitlines():
        match = None if line.startswith("#") else LINE.match(line)
        if match:
            name = match[1] if types.get(match[1]) == "histogram" else match[1] + (match[2] or "")
            for key, value in re.findall(r'(\w+)="([^"]*)"', match[3] or ""):
                labels.setdefault(name, {}).setdefault(key, set()).add(value)
    return types, labels


def shown(one, cluster, name):
    """/metrics of a manager that has had something to do, in its own namespace."""
    one.start()
    space = Space(cluster.client(), name)
    try:
        space.create(runtime("metrics"), trainjob("job", "metrics", suspend=True))
        space.wait_condition("Suspended", "True", "job")
        space.suspend(False, "job")
        space.wait_jobset("job", suspended=False)
        url = f"http://127.0.0.1:{one.metrics}/metrics"

        def text():
            with urllib.request.urlopen(url, timeout=60) as answer:
                return answer.read().decode()

        wait_for("the runtime has been looked at", lambda: re.search(
            r'^controller_runtime_reconcile_total\{.*"trainingruntime_.*"success"\} [1-9]', text(), re.M))
        return families(text())
    finally:
        space.clean()
        one.stop()


@pytest.fixture(scope="module")
def both(cluster):
    theirs = Manager(cluster, FOLDER / "managers/metrics", 2, upstream=True)
    ours = Manager(cluster, FOLDER / "managers/metrics", 3, upstream=False)
    return shown(theirs, cluster, "metrics-theirs"), shown(ours, cluster, "metrics-ours")


def known(names):
    return {n for n in names if n.startswith(PREFIXES)} - NOT_OURS


def test_the_same_names(both):
    (theirs, _), (ours, _) = both
    assert len(known(theirs)) > 15  # it is what it is taken for
    assert {n: ours.get(n) for n in known(theirs)} == {n: theirs[n] for n in known(theirs)}


def test_the_same_labels(both):
    (names, theirs), (_, ours) = both
    for name in known(names):
        for label, values in theirs.get(name, {}).items():
            if (name, label) in NO_LABEL:
                continue
            assert label in ours.get(name, {}), (name, label)
            if name in BY_OCCASION or (name in FINER and label == "le"):
                continue
            if label == "le":
                assert {float(v) for v in ours[name][label]} == {round(float(v), 9) for v in values}, name
            else:
                assert values <= ours[name][label], (name, label)
