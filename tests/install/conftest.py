"""The other suites' helpers are ours, too; and one cluster for all, because starting it is dear."""
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE.parent / "cluster", HERE.parent / "operator", HERE):
    sys.path.insert(0, str(folder))
import binaries  # noqa: E402
import rights  # noqa: E402
from audit import Audit  # noqa: E402
from printed import PROGRAM, docs, said  # noqa: E402
from running import SUMMARY, AuditedPlane  # noqa: E402


def pytest_terminal_summary(terminalreporter, config):
    if SUMMARY in config.stash:
        terminalreporter.write_line(config.stash[SUMMARY])


@pytest.fixture(scope="session")
def plane():
    if binaries.why_not(binaries.SUITE):
        pytest.skip(binaries.why_not(binaries.SUITE))
    binaries.build(binaries.SUITE, binaries.SUITE_MANIFESTS)
    running = AuditedPlane(PROGRAM.parent / "install/plane", docs(said(PROGRAM, "crds"))).start()
    yield running
    running.stop()


@pytest.fixture
def nothing_denied(plane):
    """The operator of this test asks for nothing that it has no right to."""
    audit = Audit(plane)
    yield
    entries = audit.entries()
    assert entries, "the operator asked for nothing at all"
    assert rights.denied(entries, plane) == []
