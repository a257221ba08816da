"""What holds for every suite. A suite is a folder; several can run in one pytest (see pytest.ini). With
TRAINYARD_BUILD=never, tests that need a control plane are left out unless it is built."""
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Any suite may import the helpers of any other. Their names are unique (tests/tools/test_suites.py); of the
# test files that others import, only test_faults.py is there twice, and operator's is meant.
FOLDERS = sorted({str(path.parent) for path in HERE.glob("*/*.py")}, key=lambda f: (not f.endswith("/operator"), f))
sys.path[:0] = FOLDERS
# Each of them sets manager.py up in its own way (whose manager, where the logs go), once a process.
MANAGERS = {"accepted", "adopt", "doctor", "install", "neighbours", "operator"}
# The fixtures that start one, and what its programs are called in binaries.py.
STARTS = {"bare", "cluster", "empty", "plane", "server", "stage"}
SERVER_ONLY = {"cluster"}  # this suite needs etcd and the API server alone


def suite_of(item):
    path = Path(item.path)
    return path.relative_to(HERE).parts[0] if HERE in path.parents else ""


def has_control_plane(suite):
    import binaries
    names = (binaries.SERVER, ()) if suite in SERVER_ONLY else ()
    return os.environ.get("TRAINYARD_TEST_KUBECONFIG") or binaries.ready(*names)


def leave_out(config, items):
    here = {suite: has_control_plane(suite) for suite in {suite_of(item) for item in items}}
    left = [i for i in items if STARTS & set(i.fixturenames) and not here[suite_of(i)]]
    config.hook.pytest_deselected(items=left)
    items[:] = [i for i in items if i not in left]


def pytest_collection_modifyitems(config, items):
    both = sorted({suite_of(item) for item in items} & MANAGERS)
    if len(both) > 1:
        raise pytest.UsageError(f"tests/{both[0]} and tests/{both[1]} cannot run in one pytest, each starts managers of "
                                f"its own kind: use `tools/test build-test {' '.join(both)}`")
    if os.environ.get("TRAINYARD_BUILD") == "never":
        leave_out(config, items)
