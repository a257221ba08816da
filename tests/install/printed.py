"""What the program under test (TRAINYARD) prints, read."""
import os
import subprocess
from pathlib import Path

import pytest
import yaml

import binaries

ROOT = Path(__file__).resolve().parents[2]
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
