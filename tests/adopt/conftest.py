"""The cluster of the other suites, run by the released upstream manager: what `trainyard adopt` and
`trainyard doctor` look at."""
import os
import sys
from pathlib import Path

os.environ["MANAGER"] = "upstream"  # before manager.py reads it
HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE):
    sys.path.insert(0, str(folder))
import manager  # noqa: E402

manager.FOLDER = manager.PROGRAM.parent / "adopt"  # not those of tests/operator
from fixtures import *  # noqa: E402,F401,F403
