"""What is installed: the files against each other, and on a real API server."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE):
    sys.path.insert(0, str(folder))
import binaries  # noqa: E402

ROOT = HERE.parents[1]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard")).resolve()


def said(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, text=True, stdout=subprocess.PIPE,
                          timeout=300, **more).stdout


def docs(text):
    return [doc for doc in yaml.load_all(text, yaml.CSafeLoader) if doc]


def install(*words):
    return docs(said(PROGRAM, "install", *words))


def key(doc):
    return doc["kind"], doc["metadata"].get("namespace", ""), doc["metadata"]["name"]


def program(name):
    """A program of others; the test is skipped, loudly, where it cannot be had."""
    found = binaries.find(name)
    if not found and binaries.why_not((name,)):
        pytest.skip(binaries.why_not((name,)))
    if not found:
        binaries.build((name,))
    return binaries.find(name)
