"""tools/deps does nothing when nothing is missing: no package manager, no word, no password."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools/deps"


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="not a Debian system")
def test_silent_when_all_is_there(tmp_path):
    for name in ("apt-get", "sudo"):  # tripwires in front of the real ones
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/called-{name}\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    env = dict(os.environ, PATH=f"{tmp_path}:{os.environ['PATH']}")
    done = subprocess.run([TOOL, "build", "run", "test"], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.glob("called-*"))


def test_unknown_group():
    done = subprocess.run([TOOL, "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and "no group 'nonsense'" in done.stderr
