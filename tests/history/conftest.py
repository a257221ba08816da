"""The box of tests/run."""
import pytest

from runs import Box


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)
