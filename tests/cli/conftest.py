"""A folder to run in, for every test; see program.py."""
import pytest

from program import run


@pytest.fixture
def box(tmp_path):
    """A folder with files: box(name=text, ...) writes them; box.run(...) runs there."""

    class Box:
        path = tmp_path

        def file(self, name, text):
            p = tmp_path / name
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_bytes(text if isinstance(text, bytes) else text.encode())
            return p

        def run(self, *args, **kw):
            return run(*args, cwd=tmp_path, **kw)

    return Box()
