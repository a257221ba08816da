"""See fixtures.py."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE):
    sys.path.insert(0, str(folder))
from fixtures import *  # noqa: E402,F401,F403
