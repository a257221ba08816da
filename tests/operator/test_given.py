"""The suites on a cluster that is not theirs: the one of this session, given to another pytest."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def second(cluster, *which):
    """What another pytest says, that knows the cluster only by its kubeconfig."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
         *[TESTS / one for one in which]], cwd=TESTS, text=True, timeout=1200,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, TRAINYARD_TEST_KUBECONFIG=str(cluster.kubeconfig())))
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.own_cluster
def test_a_given_cluster_is_used(cluster):
    """A lifecycle with its webhooks, and our CRDs; what would stop the API server is left out."""
    started = set(cluster.children)
    said = second(cluster, "operator/test_lifecycle.py::test_fails_with_its_reason",
                  "operator/test_faults.py::test_history_is_compacted")
    assert "1 passed, 1 skipped" in said
    assert "not on a cluster that belongs to others" in said
    said = second(cluster, "cluster/test_crds.py::test_established",
                  "cluster/test_crds.py::test_case[basics/completions-follow-count]")
    assert "2 passed" in said
    cluster.check_alive()
    assert set(cluster.children) == started
