"""tools/cases: a case is shown by a test that ran and passed, or it is not shown."""
import importlib.machinery
import importlib.util
import json
from pathlib import Path

import pytest

TOOL = str(Path(__file__).resolve().parents[2] / "tools/cases")
loader = importlib.machinery.SourceFileLoader("cases", TOOL)
cases = importlib.util.module_from_spec(importlib.util.spec_from_loader("cases", loader))
loader.exec_module(cases)

TABLE = "# words\n1\tone\n2\ttwo\n3\tthree\tno, never\n"
SOURCE = ("static void case_001_first(void **state)\n{\n}\nstatic void case_002_003_both(void **state)\n"
          "    cmocka_unit_test(case_001_first),\n")
REFUSES = ("src/a.c", 'say("no, never");')


def log(*passed, name="trainyard:a_test"):
    said = "".join(f"[ RUN      ] {t}\n[       OK ] {t}\n" for t in passed)
    return json.dumps({"name": name, "stdout": said + "[ RUN      ] case_009_died\n"}) + "\n"


def faults(text, sources, log_text):
    table = cases.read_cases(text)
    cases.join(table, sources, cases.passed_tests(log_text))
    return {n: c.faults for n, c in table.items() if c.faults}


def test_all_shown():
    found = faults(TABLE, [("src/a_test.c", SOURCE), REFUSES], log("case_001_first", "case_002_003_both"))
    assert found == {}


def test_one_test_shows_several():
    table = cases.read_cases(TABLE)
    cases.join(table, [("src/a_test.c", SOURCE), REFUSES], set())
    assert table[2].tests == table[3].tests == [("case_002_003_both", "src/a_test.c")]


def test_missing():
    found = faults("1\tone\n2\ttwo\n", [("src/a_test.c", "static void case_001_x(void **s)\n")],
                   log("case_001_x"))
    assert found == {2: ["no test names it"]}


def test_not_run():
    found = faults("1\tone\n", [("src/a_test.c", SOURCE.split("static void case_002")[0])], log())
    assert found == {1: ["case_001_first did not run and pass"]}


def test_failed_beside_one_that_passed():
    source = "static void case_001_a(void **s)\nstatic void case_001_b(void **s)\n"
    assert faults("1\tone\n", [("src/a_test.c", source)], log("case_001_a")) == {
        1: ["case_001_b did not run and pass"]}


def test_same_name_in_another_program():
    source = "static void case_001_a(void **s)\n"
    assert faults("1\tone\n", [("src/a_test.c", source)], log("case_001_a", name="b_test"))


def test_refusal_that_nothing_says():
    """A test's own words do not count: the program must say it."""
    sources = [("src/a_test.c", SOURCE + "no, never")]
    found = faults(TABLE, sources, log("case_001_first", "case_002_003_both"))
    assert found == {3: ["nothing says 'no, never'"]}


def test_what_cannot_happen_needs_no_test():
    assert faults("1\tone\tn/a: nothing does it\n", [], "") == {}


def test_unknown_number_and_holes():
    with pytest.raises(SystemExit, match="there is no case 9"):
        faults("1\tone\n", [("src/a_test.c", "static void case_009_x(void **s)\n")], "")
    with pytest.raises(SystemExit, match="are not 1, 2, 3"):
        cases.read_cases("1\tone\n3\tthree\n")


def test_the_table_is_whole():
    """Every case has a test in the sources; whether they pass is for make test to say."""
    table = cases.gather("no-such-build")
    assert len(table) == 110
    assert [n for n, c in table.items() if not c.tests] == [27, 28, 29]
    assert all("did not run" in fault for c in table.values() for fault in c.faults)
