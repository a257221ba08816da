"""Starts the clusters of tests/neighbours where their programs are built, and ends them; helpers for
conftest.py and for tests that start their own."""
import signal

import pytest

import binaries
from fixtures import need, running


def need_built(*names):
    """Skips, and says so, where a program is missing: it is not built in passing."""
    missing = binaries.missing(names)
    if missing:
        pytest.skip(f"not built: {', '.join(missing)} (tests/cluster/binaries.py build NAME)")
    need(binaries.FULL)


def started(plane):
    running(plane)
    yield from until_the_end(plane)


def started_bare(plane):
    """Without what our manager needs of a cluster: it is to be installed."""
    plane.start()
    yield from until_the_end(plane)


def until_the_end(plane):
    yield plane
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # told to end now: a moment later
    plane.stop()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
