"""One control plane for the whole suite. TRAINYARD names the program under test."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))
import given  # noqa: E402
from asking import MANY, UNCHECKED, config_map, make_namespace  # noqa: E402
from binaries import build, why_not  # noqa: E402
from client import APPLY  # noqa: E402
from driver import ClientPlane, Driver  # noqa: E402
from plane import Plane  # noqa: E402
from waiting import wait_for  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard"))
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISH_SECONDS = 120


@pytest.fixture(scope="session")
def plane():
    if not given.PATH and why_not():
        pytest.skip(why_not())
    if not given.PATH:
        build()
    running = (given.Given(given.PATH) if given.PATH else Plane(PROGRAM.parent / "cluster")).start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def api(plane):
    return plane.client()


@pytest.fixture(scope="session")
def crds():
    """Our CRDs as `trainyard crds` prints them."""
    said = subprocess.run([PROGRAM, "crds"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [doc for doc in yaml.load_all(said, yaml.CSafeLoader) if doc]


def established(crd):
    conditions = {c["type"]: c["status"] for c in crd["status"].get("conditions") or []}
    assert conditions.get("NonStructuralSchema") != "True", conditions
    return conditions.get("Established") == "True"


@pytest.fixture(scope="session")
def installed(api, crds):
    """The CRDs, applied with strict field validation and served."""
    for crd in crds:
        path = f"{CRDS}/{crd['metadata']['name']}?fieldManager=tests&force=true"
        code, answer = api.request("PATCH", path + "&fieldValidation=Strict", crd, APPLY)
        assert code in (200, 201), answer.get("message")


    def served(crd):
        """Established comes a moment before the paths are served."""
        spec = crd["spec"]
        _, live = api.request("GET", f"{CRDS}/{crd['metadata']['name']}")
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        return established(live) and api.request("GET", path, raw=True)[0] == 200

    for crd in crds:
        wait_for(f"{crd['metadata']['name']} is served", lambda: served(crd), ESTABLISH_SECONDS)
    return crds


# ---- the Kubernetes client

@pytest.fixture(scope="session")
def server():
    """The API server of the Kubernetes client's tests, and a second one with other manners. They go
    by names behind the others', so that no other test runs beside it."""
    if why_not():
        pytest.skip(why_not())
    build()
    plane = ClientPlane(PROGRAM.parent / "cluster-client").start()
    yield plane
    plane.stop()


@pytest.fixture
def config(server, tmp_path):
    return server.config(tmp_path / "config", {"token": server.tokens["manager-0"]})


@pytest.fixture
def odd(server, tmp_path):
    """A kubeconfig of the second server."""
    return server.config(tmp_path / "odd", {"token": server.tokens["manager-0"]}, server.odd_port,
                         **UNCHECKED)


@pytest.fixture
def client(config):
    with Driver("--kubeconfig", config) as driver:
        yield driver


@pytest.fixture(scope="session")
def many(server):
    """A namespace with many objects."""
    with Driver("--kubeconfig", server.kubeconfig("admin")) as client:
        ns = make_namespace(client, "many")
        made = client.ask_all({"verb": "CREATE", "kind": "configmap", "ns": ns,
                               "body": config_map(f"m{i:04}", text="x" * 100)} for i in range(MANY))
        assert {answer["r"] for answer in made} == {"0"}
    return ns
