"""tools/test counts what it runs: CI's last line is only as true as this."""
import importlib.machinery
import importlib.util
import re
from pathlib import Path

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
