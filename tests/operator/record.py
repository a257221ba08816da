#!/usr/bin/env python3
"""usage: record.py GROUP/NAME...

Plays cases of tests/golden/cases with the released v2.3.0 manager on an API server with its own CRDs, and
writes what it did to tests/golden/expected. TRAINYARD names a program of ours, whose folder takes the logs.
"""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE):
    sys.path.insert(0, str(folder))
import recorded  # noqa: E402
from fixtures import start_bare  # noqa: E402
from manager import FOLDER, Manager  # noqa: E402


def stages_of(case):
    """In the form of a recording: children by kind and name, bodies without what changes from run to run."""
    for stage in case.result:
        stage["applied"] = {key: entry for (key, _api), entry in stage["applied"].items()}
        stage["failed"] = recorded.unique(stage["failed"])
    return recorded.normal(case.result)


def record(names):
    plane = start_bare("record", upstream=True)
    try:
        manager = Manager(plane, FOLDER / "managers/record", upstream=True).start()
        cases = [recorded.Case(name) for name in names]
        try:
            recorded.Play(plane, cases).run()
        finally:
            manager.stop()
    finally:
        plane.stop()
    for case in cases:
        path = recorded.GOLDEN / "expected" / f"{case.name}.json"
        path.parent.mkdir(exist_ok=True)
        text = json.dumps({"case": case.name, "stages": stages_of(case)}, indent=1, sort_keys=True)
        path.write_text(text + "\n")
        print(path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    record(sys.argv[1:])
