"""The cluster of the other suites, with our own operator: what `trainyard doctor` looks at."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE.parent / "adopt", HERE):
    sys.path.insert(0, str(folder))
import manager  # noqa: E402

manager.FOLDER = manager.PROGRAM.parent / "doctor"  # not those of tests/operator
from fixtures import *  # noqa: E402,F401,F403
