"""The operator beside programs that it must get along with, the fixtures of tests/operator included.
Each of them takes many minutes to build: `make test-neighbours`. What is not built is skipped."""
import signal
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "install", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
import binaries  # noqa: E402
import both  # noqa: E402
import gated  # noqa: E402
import reports  # noqa: E402
import reviews  # noqa: E402
from fixtures import *  # noqa: E402,F401,F403
from fixtures import FOLDER, space_on, start_bare, trainer_crds  # noqa: E402
from parts import CoschedulingPlane, KueuePlane, NodePlane, why_no_node  # noqa: E402
from starting import need_built, started  # noqa: E402


START, LIMIT_SECONDS = time.monotonic(), 1500  # of the whole suite; it takes about four minutes


def pytest_sessionstart():
    """Told to end, it still stops what it has started: containers do not die with their parent."""
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("told to end", 2))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Every wait has its deadline; when many are missed, all has been said long before the end."""
    took = time.monotonic() - START
    if took > LIMIT_SECONDS:
        pytest.fail(f"not run: the suite has taken {took:.0f} s already, {LIMIT_SECONDS} s are its "
                    "limit", pytrace=False)


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
    need_built(binaries.OLDEST)
    plane = start_bare("oldest", apiserver=binaries.OLDEST)
    yield plane
    plane.stop()


@pytest.fixture(scope="module")
def outcome(request):
    """Random cases as the released manager played them, and ours: see both.py."""
    need_built("upstream-trainer")
    return both.compare(request.module.SEED, range(request.module.COUNT))


@pytest.fixture(scope="module")
def reviewed(request):
    """Random admission reviews, answered by both: see reviews.py."""
    need_built("upstream-trainer")
    return reviews.compare(request.module.SEED, range(request.module.COUNT))


@pytest.fixture(scope="module")
def reported(request):
    """Random reports to both status servers: see reports.py."""
    need_built("upstream-trainer")
    if gated.why_not():
        pytest.skip(gated.why_not())
    return reports.compare(request.module.SEED, range(request.module.COUNT))


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
