#!/usr/bin/python3
"""What a release renders of the recorded cases, kept as data: `releases/VERSION.json` has, by case, the JobSets of
the objects that the case creates. A later release finds such JobSets in the clusters that it is installed in.

    tests/golden/releases.py build/trainyard 0.2.0      writes releases/0.2.0.json; once a release
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent


def objects_of(case):
    """What a case creates, before its steps."""
    docs = yaml.safe_load_all((HERE / "cases" / f"{case}.yaml").read_text())
    return [doc for doc in docs if doc and "x-step" not in doc]


def cases():
    return sorted(f"{p.parent.name}/{p.stem}" for p in (HERE / "cases").glob("*/*.yaml"))


def rendered(program, case):
    """{name: spec} of its JobSets; empty where it is refused or makes none."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump_all(objects_of(case), file)
        file.flush()
        done = subprocess.run([program, "render", "-n", "default", "-o", "json", "-f", file.name],
                              capture_output=True, text=True)
    if done.returncode or not done.stdout:
        return {}
    return {doc["metadata"]["name"]: doc["spec"] for doc in json.loads(done.stdout)["items"]
            if doc["kind"] == "JobSet"}


def last():
    """(version, {case: {name: spec}}) of the newest release."""
    path = max((HERE / "releases").glob("*.json"), key=lambda p: [int(n) for n in p.stem.split(".")])
    return path.stem, json.loads(path.read_text())


if __name__ == "__main__":
    found = {case: jobsets for case in cases() if (jobsets := rendered(sys.argv[1], case))}
    (HERE / "releases" / f"{sys.argv[2]}.json").write_text(
        "{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, sort_keys=True, separators=(',', ':'))}"
                           for k, v in found.items()) + "\n}\n")
    print(f"{len(found)} cases")
