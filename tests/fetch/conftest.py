"""`trainyard initialize` against real servers on loopback."""
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE):
    sys.path.insert(0, str(folder))
from hub import Hub  # noqa: E402
from initialize import Box  # noqa: E402
from serving import Files  # noqa: E402


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)


@pytest.fixture
def hub():
    server = Hub()
    yield server
    server.close()


@pytest.fixture
def files():
    server = Files()
    yield server
    server.close()
