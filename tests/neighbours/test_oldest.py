"""The oldest API server that we support (binaries.OLDEST_K8S): CRDs, webhooks, applies, every recorded
case."""
import re

import pytest

import binaries
import recorded
from client import APPLY, path_of_doc
from printed import install


# Of a value that breaks a rule of a CRD it tells the type, where later ones tell the value, or nothing;
# of a quantity that is a number these have a sentence more.
VALUE = re.compile(r'(?<=Invalid value: )("([^"\\]|\\.)*"|-?\d+|null): ')
MORE = re.compile(r"<nil>: Invalid value: Checked value must be of type [^,]*, ")


def without_values(message):
    return MORE.sub("", VALUE.sub("", message)).replace("map[string]interface {}{", "{")


@pytest.fixture(scope="module")
def played(oldest):
    return recorded.play_all(oldest, "oldest")


def test_it_is_that_one(oldest):
    said = oldest.client().must("GET", "/version")
    assert said["gitVersion"] == f"v{binaries.OLDEST_K8S}"


def test_it_takes_what_is_installed(oldest):
    """Every field is known and switched on: the sleep before the end is one of the younger ones."""
    api, objects = oldest.client(), install("-n", "default", "--no-crds")
    for doc in objects:
        path = f"{path_of_doc(doc)}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict"
        taken = api.must("PATCH", path, doc, APPLY)
        assert not api.warnings, api.warnings
        if doc["kind"] == "Deployment":
            manager = taken["spec"]["template"]["spec"]["containers"][0]
            assert manager["lifecycle"] == {"preStop": {"sleep": {"seconds": 5}}}
    assert {"Deployment", "ClusterTrainingRuntime"} <= {doc["kind"] for doc in objects}


@pytest.fixture(scope="module")
def schemas(oldest):
    return recorded.schemas_of(oldest.client())


@pytest.mark.parametrize("name", recorded.NAMES)
def test_case(played, schemas, name):
    recorded.check(played[name], schemas, without_values)
