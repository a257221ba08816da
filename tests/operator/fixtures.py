"""A real control plane and a real manager, as fixtures. TRAINYARD names the program under test;
MANAGER=upstream runs the released upstream manager instead, which proves the tests: what it cannot
pass is marked."""
import re
import subprocess

import pytest
import yaml

import binaries
import manager as managers
import rights
from audit import Audit
from given import PATH as GIVEN
from given import SUFFIX, Given
from kit import Space
from manager import FOLDER, PROGRAM, UPSTREAM, Manager
from neighbours import VOLCANO_CRD, FullPlane, docs_of
from plane import Plane


def pytest_configure(config):
    config.addinivalue_line("markers", "ours(why): upstream does not do this; why")
    config.addinivalue_line("markers", "own_cluster: stops or floods the API server")


def pytest_collection_modifyitems(items):
    for item in items:
        mark = item.get_closest_marker("ours")
        if mark and UPSTREAM:
            item.add_marker(pytest.mark.skip(reason=f"only ours: {mark.args[0]}"))
        if item.get_closest_marker("own_cluster") and GIVEN:
            item.add_marker(pytest.mark.skip(reason="not on a cluster that belongs to others"))


def trainer_crds(upstream=UPSTREAM):
    """Our CRDs, or upstream's own for the upstream manager."""
    if upstream:
        return docs_of("trainer-crds")
    said = subprocess.run([PROGRAM, "crds"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [doc for doc in yaml.load_all(said, yaml.CSafeLoader) if doc]


def need(names, given=None):
    """Skips without the programs that it takes to start a cluster, or to use the given one."""
    reason = managers.why_not() or (None if given else binaries.why_not(names))
    if reason:
        pytest.skip(reason)
    if not given:
        binaries.build(names + (("upstream-trainer",) if UPSTREAM else ()),
                       binaries.SUITE_MANIFESTS)


def running(plane, install=True, upstream=UPSTREAM):
    """The plane, started and ready for managers."""
    plane.start()
    plane.client().install([
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": managers.SYSTEM}}])
    rights.give(plane, ours=not upstream)
    if install:
        plane.client().install(trainer_crds(upstream))
    return plane


@pytest.fixture(scope="session")
def crds():
    return trainer_crds()


@pytest.fixture(scope="session")
def cluster():
    """Everybody who makes a JobSet run; one for the session, because starting it is dear."""
    need(binaries.FULL, GIVEN)
    plane = running(Given(GIVEN) if GIVEN else FullPlane(FOLDER / "full", trainer_crds()))
    yield plane
    plane.stop()


def start_bare(name, upstream=UPSTREAM, **settings):
    """Only an API server, with all CRDs: JobSets stay as they are written."""
    need(binaries.SERVER)
    plane = running(Plane(FOLDER / name, **settings), upstream=upstream)
    plane.client().install(docs_of("jobset-crds") + docs_of("podgroup-crd") + [VOLCANO_CRD])
    return plane


@pytest.fixture(scope="session")
def bare():
    plane = start_bare("bare")
    yield plane
    plane.stop()


@pytest.fixture(scope="module")
def stage():
    """As bare, for what fills a cluster."""
    plane = start_bare("stage")
    yield plane
    plane.stop()


@pytest.fixture
def empty():
    """Only an API server, no CRDs at all."""
    need(binaries.SERVER)
    plane = running(Plane(FOLDER / "empty"), install=False)
    yield plane
    plane.stop()


def folder_of(request):
    return FOLDER / "managers" / re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())


@pytest.fixture
def make_manager(request):
    """Makes managers that do not outlive the test; those still running must end in peace, and none may
    have asked for what it has no right to."""
    made, audits = [], {}

    def make(number=0, plane=None, **settings):
        plane = plane or request.getfixturevalue("cluster")
        if plane.audited:
            audits.setdefault(plane, Audit(plane))
        made.append(Manager(plane, folder_of(request), number, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()
    for plane, audit in audits.items():
        assert rights.denied(audit.entries(), plane) == []


@pytest.fixture
def manager(make_manager):
    return make_manager().start()


def space_on(plane, request):
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:50].strip("-")
    space = Space(plane.client(), name + SUFFIX)
    yield space
    space.clean()
    if GIVEN:
        space.api.delete("v1", "Namespace", None, space.name)


@pytest.fixture
def space(request, cluster):
    yield from space_on(cluster, request)


@pytest.fixture
def bare_space(request, bare):
    yield from space_on(bare, request)


@pytest.fixture
def audit(cluster):
    if not cluster.audited:
        pytest.skip("a cluster of others shows no audit log")
    return Audit(cluster)
