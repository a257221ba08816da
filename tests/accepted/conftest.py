"""An API server with upstream's CRDs and the released upstream manager, whose webhooks judge."""
import os
import sys
from pathlib import Path

os.environ["MANAGER"] = "upstream"  # before manager.py reads it
HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE.parent / "convert", HERE):
    sys.path.insert(0, str(folder))
import manager  # noqa: E402

manager.FOLDER = manager.PROGRAM.parent / "accepted"  # not those of tests/operator
from fixtures import *  # noqa: E402,F401,F403
