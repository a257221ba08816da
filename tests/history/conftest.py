"""The box of tests/run."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from runs import Box  # noqa: E402


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)
