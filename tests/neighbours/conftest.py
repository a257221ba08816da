"""The operator beside programs that it must get along with, the fixtures of tests/operator included.
Each of them takes many minutes to build: `make test-neighbours`. What is not built is skipped."""
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
import binaries  # noqa: E402
from fixtures import *  # noqa: E402,F401,F403
from fixtures import FOLDER, need, running, space_on, start_bare, trainer_crds  # noqa: E402
from parts import CoschedulingPlane, KueuePlane, NodePlane, why_no_node  # noqa: E402


def need_built(*names):
    """Skips, and says so, where a program is missing: it is not built in passing."""
    missing = binaries.missing(names)
    if missing:
        pytest.skip(f"not built: {', '.join(missing)} (tests/cluster/binaries.py build NAME)")
    need(binaries.FULL)


def started(plane):
    running(plane)
    yield plane
    plane.stop()


@pytest.fixture(scope="module")
def kueue():
    need_built("kueue", "kube-apiserver-named")
    yield from started(KueuePlane(FOLDER / "kueue", trainer_crds()))


@pytest.fixture(scope="module")
def gangs():
    need_built("coscheduler")
    yield from started(CoschedulingPlane(FOLDER / "gangs", trainer_crds()))


@pytest.fixture(scope="module")
def node():
    need_built("kubelet", "coredns")
    if why_no_node():
        pytest.skip(why_no_node())
    yield from started(NodePlane(FOLDER / "node", trainer_crds()))


@pytest.fixture(scope="module")
def oldest():
    """The oldest API server that we support."""
    need_built("kube-apiserver-oldest")
    plane = start_bare("oldest", apiserver="kube-apiserver-oldest")
    yield plane
    plane.stop()


@pytest.fixture
def at(request, make_manager):
    """A namespace and a running manager on a plane: at(plane)."""
    spaces = []

    def go(plane):
        make_manager(plane=plane).start()
        spaces.append(space_on(plane, request))
        return next(spaces[-1])

    yield go
    for space in spaces:
        next(space, None)
