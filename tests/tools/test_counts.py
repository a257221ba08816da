"""tools/test counts what it runs: CI's last line is only as true as this."""
import importlib.machinery
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = str(Path(__file__).resolve().parents[2] / "tools/test")
loader = importlib.machinery.SourceFileLoader("runner", TOOL)
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
loader.exec_module(runner)

STDOUT = """[==========] Running 4 test(s).
[ RUN      ] passes
[       OK ] passes
[ RUN      ] fails
[  FAILED  ] fails
[ RUN      ] skips
[  SKIPPED ] skips
[ RUN      ] setup_fails
[==========] 4 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
"""


def counts(n):
    return n.passed, n.failed, n.skipped


def test_cmocka_cases():
    assert counts(runner.cmocka_count(STDOUT, False)) == (1, 2, 1)


def test_crash_in_a_case():
    said = "[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n"
    assert counts(runner.cmocka_count(said, False)) == (1, 1, 0)


def test_leak_after_the_last_case():
    assert counts(runner.cmocka_count("[ RUN      ] a\n[       OK ] a\n", False)) == (1, 1, 0)


def test_silence_is_a_failure():
    assert counts(runner.cmocka_count("", True)) == (0, 1, 0)


def test_golden_line():
    def count(line):
        return counts(runner.golden_count(re.search(runner.GOLDEN, line)))
    assert count("golden: 9 cases, 6 as recorded, 2 differing on purpose, 1 failed") == (8, 1, 0)
    # one lost
    assert count("golden: 9 cases, 6 as recorded, 2 differing on purpose, 0 failed") == (8, 1, 0)


# ---- which suites run

PASSES = "def test():\n    pass\n"
NEEDS_A_PLANE = "def test_one(cluster):\n    pass\n\n\ndef test_two():\n    pass\n"
BINARIES = """import sys
SERVER = ()


def ready(*names):
    return False


if __name__ == "__main__":
    open("asked", "a").write(" ".join(sys.argv[1:]))
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project of four suites, with no control plane built: tree(*words) runs tools/test in it."""
    for suite, text in (("cli", PASSES), ("run", PASSES), ("new", PASSES), ("operator", NEEDS_A_PLANE),
                        ("accepted", NEEDS_A_PLANE.split("\n\n\n")[0] + "\n"), ("neighbours", PASSES)):
        (tmp_path / "tests" / suite).mkdir(parents=True)
        (tmp_path / "tests" / suite / f"test_{suite}.py").write_text(text)
    fixture = "import pytest\n\n\n@pytest.fixture\ndef cluster():\n    pass\n"
    for suite in ("operator", "accepted"):
        (tmp_path / "tests" / suite / "conftest.py").write_text(fixture)
    (tmp_path / "tests/cluster").mkdir()
    (tmp_path / "tests/cluster/binaries.py").write_text(BINARIES)
    for name in ("pytest.ini", "tests/conftest.py"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "c_suites", lambda build: {"c": runner.Count(7)})
    monkeypatch.setattr(runner, "case_suite", lambda build: runner.Count(3))
    for name in ("TRAINYARD_BUILD", "TRAINYARD_TEST_KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)

    def go(*words, file="results.tsv"):
        code = runner.main("build", list(words))
        rows = [line.split("\t") for line in (tmp_path / "build" / file).read_text().splitlines()]
        return code, {name: tuple(map(int, counted)) for name, *counted in rows}, (tmp_path / "asked").exists()

    return go


def test_without_a_control_plane(tree, capsys):
    code, rows, built = tree()
    assert code == 0 and not built
    assert rows == {"c": (7, 0, 0), "cases": (3, 0, 0), "cli": (1, 0, 0), "new": (1, 0, 0), "operator": (1, 0, 0),
                    "run": (1, 0, 0)}
    said = capsys.readouterr().out
    assert "\n2 tests were not run: they need a control plane, which is not built yet. `make test-cluster` builds" in said


def test_all(tree, capsys):
    code, rows, built = tree("--all")
    assert code == 0 and built and rows["operator"] == (2, 0, 0) and rows["accepted"] == (1, 0, 0) and "c" in rows
    assert "neighbours" not in rows and "not run" not in capsys.readouterr().out


def test_clusters_alone(tree):
    code, rows, built = tree("--cluster", file="results-cluster.tsv")
    assert code == 0 and built and rows == {"accepted": (1, 0, 0), "operator": (2, 0, 0)}


def test_by_name(tree):
    assert tree("cli", "cases") == (0, {"cases": (3, 0, 0), "cli": (1, 0, 0)}, False)
    assert tree("neighbours", file="results-neighbours.tsv") == (0, {"neighbours": (1, 0, 0)}, False)
    with pytest.raises(SystemExit, match="there is no clo; suites: c cases accepted cli"):
        tree("clo")


def test_a_suite_fails(tree, tmp_path):
    (tmp_path / "tests/run/test_run.py").write_text("def test():\n    assert False\n")
    code, rows, _ = tree()
    assert code == 1 and rows["run"] == (0, 1, 0)
    (tmp_path / "tests/cli/test_cli.py").write_text("import nonsense\n")
    code, rows, _ = tree("cli")
    assert code == 1 and rows["cli"] == (0, 1, 0)
    (tmp_path / "tests/cli/test_cli.py").write_text("")  # no tests at all
    code, rows, _ = tree("cli")
    assert code == 1 and rows["cli"] == (0, 1, 0)


def test_named_suites_exist():
    assert len(runner.LONG) == len(set(runner.LONG)) and set(runner.LOCAL) <= set(runner.LONG)
    folders = {path.parent.name for path in ROOT.glob("tests/*/test_*.py")}
    assert set(runner.LONG) <= {part for folder in folders for part in runner.parts_of(folder)}


def test_two_halves_are_the_whole():
    for suite, begins in runner.SECOND.items():
        first, second = runner.parts_of(suite).values()
        assert second[0] == f"tests/{suite}/{begins}"
        assert first + second == sorted(str(path.relative_to(ROOT)) for path in Path(ROOT, "tests", suite).glob("test_*.py"))


def test_a_suite_runs_as_two(tree, tmp_path):
    (tmp_path / "tests/operator/test_first.py").write_text(
        "import os\n\n\ndef test():\n    assert 'TRAINYARD_TEST_SUITE' not in os.environ\n")
    (tmp_path / "tests/operator/test_golden.py").write_text(
        "import os\n\n\ndef test():\n    assert os.environ['TRAINYARD_TEST_SUITE'] == 'operator-2'\n")
    code, rows, _ = tree("--all")
    assert code == 0 and rows["operator"] == (1, 0, 0) and rows["operator-2"] == (3, 0, 0)
    code, rows, _ = tree("operator")  # alone, with its output as it comes: as one
    assert rows["operator"] == (3, 1, 0) and "operator-2" not in rows


def test_a_worker_outlives_what_it_runs(monkeypatch, capsys):
    names = [*"abcdef"]  # more than there are workers
    suites = runner.Suites("build", builds=False)

    def run(name, live, worker):
        raise OSError(f"no process for {name}")
    monkeypatch.setattr(suites, "run", run)
    suites.run_all(names)
    said = capsys.readouterr().out
    assert all(counts(suites.results[name]) == (0, 1, 0) and f"no process for {name}" in said for name in names)


def test_local_suites_never_overlap(monkeypatch):
    overlaps, workers = [], set()
    names = [*runner.LOCAL, "cli", "operator", "install"]
    suites = runner.Suites("build", builds=False)

    def run(name, live, worker):
        with suites.changed:
            overlaps.append(set(suites.running))
        workers.add(worker)
        suites.results[name] = runner.Count(1)
    monkeypatch.setattr(suites, "run", run)
    suites.run_all(names)
    assert set(suites.results) == {*names, "operator-2"} and workers <= set(range(runner.WORKERS))
    assert all(len(running & set(runner.LOCAL)) <= 1 for running in overlaps), overlaps
