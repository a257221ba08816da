"""The shipped memory limit is enough, whatever users store. ASan's own memory is many times the
operator's, so this takes the release build: TRAINYARD_RELEASE names it, `make test-cluster` builds it."""
import os
import re
from pathlib import Path

import pytest
import yaml

from client import path_of
from kit import API, runtime, trainjob, wait_for
from manager import ROOT
from test_big import with_groups

RELEASE = Path(os.environ.get("TRAINYARD_RELEASE", ROOT / "build/trainyard"))
DEPLOYMENT = ROOT / "manifests/base/manager/deployment.yaml"
STORED = 1_400_000  # bytes, of the 1.5 MB that etcd takes for one object
BIG = 20

pytestmark = [pytest.mark.ours("v2.3.0 keeps everything it watches"),
              pytest.mark.skipif(not RELEASE.exists(), reason=f"no release build: {RELEASE}")]


def shipped_limit():
    spec = yaml.safe_load(DEPLOYMENT.read_text())["spec"]["template"]["spec"]
    limit = spec["containers"][0]["resources"]["limits"]["memory"]
    return int(re.fullmatch(r"(\d+)Mi", limit)[1]) << 20


def make_cgroup(root, file, limit):
    """A cgroup below `root` with this limit, or None where it cannot be made."""
    folder = root / f"trainyard-test-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / file).write_text(str(limit))
    except OSError:
        if folder.exists():
            folder.rmdir()
        return None
    return folder


@pytest.fixture
def cgroup():
    """As the kubelet makes it; None where this machine has none for us: then what was used is counted."""
    limit, root = shipped_limit(), Path("/sys/fs/cgroup")
    made = make_cgroup(root / "memory", "memory.limit_in_bytes", limit) or \
        make_cgroup(root, "memory.max", limit)
    yield made
    if made:
        made.rmdir()


def most_used(one):
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{one.child.pid}/status").read_text())[1]) << 10


def check_fits(one):
    assert one.child.poll() is None, one.tail()
    assert most_used(one) < shipped_limit(), most_used(one)


def big_jobs():
    """As large as they can be stored: most are long texts; nothing is smaller than two of them for what it
    takes as a tree, and those take an API server seconds each."""
    text, groups = {"trainer": {"args": ["x" * (STORED // 2)] * 2}}, with_groups(STORED // 2)[1]
    for i in range(BIG):
        yield trainjob(f"big-{i}", suspend=True, **(text if i % 10 else groups))


def has_answer(space, name):
    """Its JobSet, or an event that says why there is none."""
    return space.jobset(name) or any(
        e["regarding"]["name"] == name and e["reason"] == "TrainJobResourcesCreationFailed"
        for e in space.api.list("events.k8s.io/v1", "Event", space.name))


def check_works(space, one, small):
    """Everybody is served, whoever is large."""
    space.create(trainjob(small, suspend=True))
    space.wait_condition("Suspended", "True", small)
    for i in range(BIG):
        wait_for(f"big-{i} has a JobSet or an event",
                 lambda n=f"big-{i}": one.child.poll() is not None or has_answer(space, n))
    check_fits(one)


@pytest.fixture
def filled(bare, bare_space):
    bare_space.create(runtime(), *big_jobs())
    return bare_space


def test_starts_over_large_trainjobs(bare, filled, cgroup, make_manager):
    """Twenty of them, and twice: a limit that is hit at the start is hit at every start."""
    one = make_manager(plane=bare, webhooks=False, program=RELEASE, cgroup=cgroup)
    for small in ("first", "second"):
        one.start()
        check_works(filled, one, small)
        one.stop()


def test_large_reviews(bare, bare_space, cgroup, make_manager):
    """What is sent to the webhooks is judged or refused; nothing ends the operator."""
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare, program=RELEASE, cgroup=cgroup).start()
    space.create(trainjob("long", suspend=True, trainer={"args": ["x" * (STORED // 2)] * 2}))
    for n in (STORED // 4, STORED):
        space.api.request("POST", path_of(API, "TrainJob", space.name),
                          trainjob(f"groups-{n}", suspend=True, **with_groups(n // 2)[1]))
        check_fits(one)
    space.create(trainjob("small", suspend=True))
    space.wait_condition("Suspended", "True", "small")
    check_fits(one)
