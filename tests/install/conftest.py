"""The other suites' helpers are ours, too."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE):
    sys.path.insert(0, str(folder))
