"""Whom pods trust that report to the status API, where the certificate is somebody else's: the CA in the
webhook's Secret, as cert-manager keeps it."""
import pytest

from kit import runtime, trainjob, wait_for
from manager import SECRET, SYSTEM

pytestmark = pytest.mark.ours("v2.3.0's status server wants to live in a pod; tests/neighbours gives it one")
SETTINGS = {"featureGates": {"TrainJobStatus": True}}


@pytest.fixture
def secret(bare):
    """Sets the CA in the Secret, or removes it."""
    api = bare.client()

    def put(ca):
        if ca is None:
            api.delete("v1", "Secret", SYSTEM, SECRET)
        else:
            api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": SYSTEM},
                       "stringData": {"ca.crt": ca}})

    yield put
    put(None)


def trusted(space, name="job"):
    return (space.get("v1", "ConfigMap", f"{name}-tls-config") or {}).get("data", {}).get("ca.crt")


def test_the_ca_is_that_of_the_secret(bare, bare_space, make_manager, secret):
    space = bare_space
    secret("one\n")
    space.create(runtime(), trainjob("job", suspend=True))
    make_manager(plane=bare, webhooks=False, settings=SETTINGS).start()
    space.wait_jobset("job")
    assert trusted(space) == "one\n"
    assert space.events() == [], "and not after a first try without it"
    secret("two\n")
    wait_for("pods are told of the new one", lambda: trusted(space) == "two\n")


def test_a_missing_secret_is_told_and_waited_for(bare, bare_space, make_manager, secret):
    space = bare_space
    space.create(runtime(), trainjob("job", suspend=True))
    make_manager(plane=bare, webhooks=False, settings=SETTINGS).start()
    why = f'failed to look up status server tls secret: Secret "{SECRET}" not found'
    wait_for("it says so", lambda: any(why in note for _, _, note in space.events()))
    assert space.jobset("job") is None
    secret("late\n")
    space.wait_jobset("job")
    assert trusted(space) == "late\n"
