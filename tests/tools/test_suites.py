"""Several folders of tests in one pytest: helpers are found by name, so their names must be unique."""
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from plane import free_ports

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = re.compile(r"^(?:from|import) (\w+)", re.M)


def test_names_of_helpers_are_unique():
    places, imported = defaultdict(set), set()
    for path in ROOT.glob("tests/*/*.py"):
        places[path.stem].add(path.parent.name)
        imported |= set(IMPORTED.findall(path.read_text()))
    assert "conftest" not in imported, "every suite has one: put helpers into a module of their own"
    twice = {name: folders for name, folders in places.items() if name in imported and len(folders) > 1}
    assert twice == {"test_faults": {"history", "operator"}}  # see tests/conftest.py


def test_ports_of_servers_are_not_those_of_jobs():
    """Suites that start servers run beside those that run jobs, and neither binds its port at once."""
    first = int(re.search(r"\bFIRST = (\d+)", (ROOT / "src/engine/net_port.c").read_text())[1])
    assert max(free_ports(500)) < first


def test_who_sleeps_says_why():
    """Whoever waits for something does so with tests/cluster/waiting.py. What else sleeps has a reason to take
    its time, such as a rate or an outage, and a comment with it."""
    silent = [f"{path.name}:{number}" for path in ROOT.glob("tests/*/*.py") if path.name != "waiting.py"
              for number, line in enumerate(path.read_text().splitlines(), 1)
              if re.search(r"\bsleep\([^#]*$", line) and path != Path(__file__)]
    assert silent == []


def collect(tmp_path, *folders):
    for folder, text in folders:
        (tmp_path / "tests" / folder).mkdir(parents=True)
        (tmp_path / "tests" / folder / "test_same.py").write_text(text)
        (tmp_path / "tests" / folder / "conftest.py").write_text(
            f"import pytest\n\n\n@pytest.fixture\ndef which():\n    return {folder!r}\n")
    (tmp_path / "pytest.ini").write_text((ROOT / "pytest.ini").read_text())
    (tmp_path / "tests/conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *(f"tests/{f}" for f, _ in folders)], cwd=tmp_path,
                          capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k != "TRAINYARD_BUILD"})
    return done.returncode, done.stdout + done.stderr


def test_same_names_in_two_folders(tmp_path):
    text = "def test(which):\n    assert which == {!r}\n"
    code, said = collect(tmp_path, ("cli", text.format("cli")), ("run", text.format("run")))
    assert code == 0 and "2 passed" in said, said


def test_managers_of_two_kinds(tmp_path):
    code, said = collect(tmp_path, ("adopt", "def test():\n    pass\n"), ("operator", "def test():\n    pass\n"))
    assert code != 0 and "use `tools/test build-test adopt operator`" in said, said
