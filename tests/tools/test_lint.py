"""tools/lint: a check whose program is missing fails, and says which package has it."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MISSING = [("format", "clang-format", "clang-format"), ("spelling", "codespell", "codespell"),
           ("shell", "shellcheck", "shellcheck"), ("warnings", "ninja", "ninja-build"), ("analyzer", "gcc", "gcc"),
           ("tidy", "clang-tidy", "clang-tidy"), ("cppcheck", "cppcheck", "cppcheck"), ("complexity", "pmccabe", "pmccabe"),
           ("layers", "python3", "python3"), ("names", "python3", "python3"), ("links", "python3", "python3"),
           ("words", "git", "git")]


def lint(tmp_path, check, without=None):
    """Runs one check with everything of PATH but one program."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in reversed(os.environ["PATH"].split(":")):
        for path in Path(folder).glob("*") if folder else ():
            if path.name != without:
                (programs / path.name).unlink(missing_ok=True)
                (programs / path.name).symlink_to(path)
    done = subprocess.run([shutil.which("bash"), ROOT / "tools/lint", tmp_path / "out", check], capture_output=True, text=True,
                          env=dict(os.environ, PATH=str(programs)))
    return done, (tmp_path / "out/results.tsv").read_text()


@pytest.mark.parametrize("check, program, package", MISSING, ids=[check for check, _, _ in MISSING])
def test_missing_program(tmp_path, check, program, package):
    done, rows = lint(tmp_path, check, without=program)
    assert done.returncode == 1 and rows == f"{check}\t0\t1\t0\n"
    assert f"lint: {check} needs {program}: apt-get install {package} " in done.stderr
    assert f"lint: {check:10} FAILED" in done.stdout and "good" not in done.stdout


@pytest.mark.parametrize("words, code", [(["--help"], 0), (["-h"], 0), ([], 1), (["--all"], 1)])
def test_usage(tmp_path, words, code):
    done = subprocess.run([ROOT / "tools/lint", *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code and done.stdout.startswith("usage: lint BUILDDIR [CHECK...]\n"), done
    assert done.stderr == "" and not (ROOT / "--help").exists()


def test_every_check_is_tried_here():
    text = (ROOT / "tools/lint").read_text()
    checks = text.split("checks=(", 1)[1].split(")", 1)[0].split()
    assert sorted(checks) == sorted(check for check, _, _ in MISSING)


def test_unknown_check(tmp_path):
    done, rows = lint(tmp_path, "nonsense")
    assert done.returncode == 1 and "there is no check 'nonsense'" in done.stderr and rows == "nonsense\t0\t1\t0\n"


def test_good_check(tmp_path):
    if not shutil.which("pmccabe"):
        pytest.skip("no pmccabe")
    done, rows = lint(tmp_path, "complexity")
    assert done.returncode == 0 and rows == "complexity\t1\t0\t0\n", done.stdout + done.stderr
