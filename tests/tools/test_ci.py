""".ci/run: its last line is the sum over all suites, and what failed is named before it."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / ".ci/run"


@pytest.fixture
def ci(tmp_path):
    """Runs it in a project of six goals: ci({goal: recipe}, what is not built)."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(RUN, tmp_path / ".ci/run")
    (tmp_path / "tests/cluster").mkdir(parents=True)
    goals = {"test-all": counts("build-test/results.tsv", "c\\t9\\t0\\t1"),
             "lint": counts("build-lint/results.tsv", "lint\\t4\\t0\\t0"),
             "cost": counts("build/results-cost.tsv", "cost\\t1\\t0\\t0"),
             "test-release": counts("build/results-release.tsv", "release\\t3\\t0\\t0"),
             "test-neighbours": counts("build-test/results-neighbours.tsv",
                                       "neighbours\\t5\\t0\\t0"),
             "torture": counts("build/torture/results.tsv", "torture\\t2\\t0\\t0")}

    def go(changes, missing=""):
        (tmp_path / "tests/cluster/binaries.py").write_text(f"print({missing!r})\n")
        (tmp_path / "Makefile").write_text("".join(
            f"{goal}:\n\t@{recipe}\n" for goal, recipe in {**goals, **changes}.items()))
        done = subprocess.run([tmp_path / ".ci/run"], capture_output=True, text=True, timeout=60,
                              env={k: v for k, v in os.environ.items() if "MAKE" not in k})
        return done.returncode, done.stdout.splitlines()

    return go


def counts(path, line, code=0):
    return f"mkdir -p $$(dirname {path}) && printf '{line}\\n' >{path}; exit {code}"


def test_all_is_well(ci):
    code, lines = ci({})
    assert code == 0 and lines[-1] == "24 passed, 0 failed, 1 skipped"
    assert not [line for line in lines if "FAILED" in line]


def test_a_neighbour_fails(ci):
    code, lines = ci({"test-neighbours": counts("build-test/results-neighbours.tsv",
                                                "neighbours\\t3\\t2\\t0", code=1)})
    assert code == 1 and lines[-2:] == ["FAILED: neighbours: 2", "22 passed, 2 failed, 1 skipped"]
    assert any(line.startswith("== make test-neighbours took ") and line.endswith(": FAILED")
               for line in lines)


def test_lint_runs_beside_the_neighbours(ci):
    """Each waits for the other; what lint says is not mixed with what they say."""
    def meet(mine, other, *words):
        return f"touch {mine}; echo {mine} began; until [ -e {other} ]; do sleep 0.05; done; echo {mine} ended; " + counts(*words)

    code, lines = ci({"lint": meet("lint", "near", "build-lint/results.tsv", "lint\\t3\\t1\\t0", 1),
                      "test-neighbours": meet("near", "lint", "build-test/results-neighbours.tsv", "neighbours\\t5\\t0\\t0")})
    assert code == 1 and lines[-2:] == ["FAILED: lint: 1", "23 passed, 1 failed, 1 skipped"]
    for name in ("lint", "near"):
        assert lines.index(f"{name} ended") == lines.index(f"{name} began") + 1
    assert [line for line in lines if line.startswith("== make lint took ") and line.endswith(": FAILED")]


def test_lint_fails_though_it_counts_no_failure(ci):
    code, lines = ci({"lint": counts("build-lint/results.tsv", "lint\\t4\\t0\\t0", code=1)})
    assert code == 1 and lines[-1] == "24 passed, 0 failed, 1 skipped"


def test_a_goal_dies_without_a_word(ci):
    code, lines = ci({"test-all": "exit 3"})
    assert code == 1 and lines[-2:] == ["FAILED: make test-all: 1", "15 passed, 1 failed"]


def test_a_suite_that_says_nothing_has_failed(ci):
    code, lines = ci({"test-neighbours": "true"})
    assert code == 1 and lines[-2:] == ["FAILED: make test-neighbours: 1",
                                        "19 passed, 1 failed, 1 skipped"]


def test_a_suite_that_hangs_is_ended(ci):
    """Killed at last, as by the limit, which is too long for a test."""
    code, lines = ci({"test-neighbours": "kill -9 $$PPID"})
    assert code == 1
    assert any("test-neighbours took " in line and line.endswith("and was ended: FAILED")
               for line in lines)


def test_a_family_of_the_torture_fails(ci):
    """In its short form; each family is a row."""
    rows = "torture idle %s\\t0\\t1\\t0\\ntorture slow\\t1\\t0\\t0\\n"
    code, lines = ci({"torture": "mkdir -p build/torture; "
                      f"printf '{rows}' $$TORTURE_SECONDS >build/torture/results.tsv; exit 1"})
    assert code == 1 and lines[-2:] == ["FAILED: torture idle 120: 1", "23 passed, 1 failed, 1 skipped"]


def test_neighbours_that_are_not_built_are_named(ci):
    code, lines = ci({"test-neighbours": "exit 1"}, missing="kueue kubelet")
    assert code == 0 and lines[-1] == "17 passed, 0 failed, 1 skipped"
    assert "== make test-neighbours: not run, because these are not built: kueue kubelet" in lines
    assert "== make torture: not run, because these are not built: kueue kubelet" in lines
