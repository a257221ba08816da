"""The oldest API server that we support (binaries.OLDEST_K8S): CRDs, webhooks, applies, every recorded
case."""
import pytest

import recorded
from manager import FOLDER, Manager


@pytest.fixture(scope="module")
def played(oldest):
    manager = Manager(oldest, FOLDER / "managers/oldest").start()
    cases = {name: recorded.Case(name) for name in recorded.NAMES}
    try:
        recorded.Play(oldest, cases.values()).run()
    finally:
        manager.stop()
    return cases


@pytest.fixture(scope="module")
def schemas(oldest):
    return recorded.schemas_of(oldest.client())


@pytest.mark.parametrize("name", recorded.NAMES)
def test_case(played, schemas, name):
    recorded.check(played[name], schemas)
