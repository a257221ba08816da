"""`make check T=NAME`: builds and runs one test, and says what there is when the name is wrong."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRAINYARD", ROOT / "build-test/trainyard")).resolve().parent


def check(*words):
    return subprocess.run([sys.executable, ROOT / "tools/check", *words], capture_output=True, text=True)


def test_c_test():
    done = check(BUILD, "z85_test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ]" in done.stdout and done.stdout.count("z85_test") > 0  # its own output, not only a count


@pytest.mark.parametrize("name, hint", [("z86_test", "z85_test"), ("clii", "cli")])
def test_wrong_name(name, hint):
    done = check(BUILD, name)
    assert done.returncode == 1 and f"no test is called '{name}'; did you mean " in done.stderr
    assert hint in done.stderr.splitlines()[0] and "suites: accepted adopt cli" in done.stderr


def test_no_name():
    done = check(BUILD, "")
    assert done.returncode == 1 and "make check T=json_test" in done.stderr


def test_what_make_runs():
    """A C test needs no PyTorch; a suite does."""
    def words(name):
        env = {k: v for k, v in os.environ.items() if "MAKE" not in k}
        return subprocess.run(["make", "--no-print-directory", "-n", "check", f"T={name}"], cwd=ROOT, env=env, capture_output=True,
                              text=True, check=True).stdout.splitlines()
    assert words("z85_test")[0] == "tools/deps build check" and words("cli")[0] == "tools/deps build test release"
    assert words("z85_test")[1].startswith("tools/configure build-test ")
    assert words("z85_test")[-1].endswith('tools/check build-test "z85_test"')
