"""A box to run in, for every test."""
import pytest

from runs import Box


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)
