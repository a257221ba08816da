"""Things break in the middle. Every TrainJob must end with exactly its objects."""
import threading

import pytest

from audit import Audit
from between import Wire
from client import path_of
from kit import (API, COSCHEDULING, JOBSET_API, condition, owner, replicated_job, runtime, trainjob,
                 wait_for)
from manager import UPSTREAM

JOBS, KILLS = 500, 6
STEADY = {"clientConnection": {"qps": 500, "burst": 50}}  # not all of it before somebody has looked


def mpi_runtime():
    """The most children: JobSet, PodGroup, Secret, two ConfigMaps."""
    launcher = replicated_job("launcher")
    node = replicated_job("node", ancestor=None)
    node["template"]["spec"]["template"]["spec"]["containers"][0]["name"] = "node"
    return runtime("mpi", jobs=[launcher, node], podGroupPolicy={"coscheduling": {}},
                   mlPolicy={"numNodes": 1, "mpi": {"numProcPerNode": 1, "mpiImplementation":
                                                    "OpenMPI", "sshAuthMountPath": "/root/.ssh"}})


WANTED = {(JOBSET_API, "JobSet"): "{}", (COSCHEDULING, "PodGroup"): "{}",
          ("v1", "Secret"): "{}-mpi-ssh-auth", ("v1", "ConfigMap"): "{}-mpi-hostfile",
          ("v1", "ConfigMap", 2): "{}-runtime-snapshot"}


def objects(space):
    """{(kind, name): owners} of all children there are."""
    return {(kind, obj["metadata"]["name"]): owner(obj)
            for api, kind in {key[:2] for key in WANTED}
            for obj in space.api.list(api, kind, space.name)}


def wanted(names):
    return {(key[1], text.format(name)): [("TrainJob", name, True)]
            for name in names for key, text in WANTED.items()}


def secrets(space):
    return {s["metadata"]["name"]: s["data"] for s in space.api.list("v1", "Secret", space.name)}


def count(space, api_version, kind):
    """How many there are, for one object's bytes."""
    answer = space.api.must("GET", path_of(api_version, kind, space.name) + "?limit=1")
    return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)


def create_all(api, space, names):
    for name in names:
        api.must("POST", path_of(API, "TrainJob", space.name), trainjob(name, "mpi", suspend=True))


def check_exactly(space, names):
    """Five children each, no more; each belongs to the TrainJob that is there now."""
    uids = {job["metadata"]["name"]: job["metadata"]["uid"]
            for job in space.api.list(API, "TrainJob", space.name)}
    assert objects(space) == wanted(names)
    for api_version, kind in {key[:2] for key in WANTED}:
        for obj in space.api.list(api_version, kind, space.name):
            ref = obj["metadata"]["ownerReferences"][0]
            assert ref["uid"] == uids[ref["name"]], obj["metadata"]["name"]


def test_killed_in_the_middle(bare, bare_space, make_manager):
    """kill -9 again and again while 500 jobs come in."""
    space, keys = bare_space, {}
    space.create(mpi_runtime())
    one = make_manager(plane=bare, webhooks=False, settings=STEADY).start()
    names = [f"job-{i}" for i in range(JOBS)]
    maker = threading.Thread(target=create_all, args=(bare.client(), space, names))
    maker.start()
    for _ in range(KILLS):
        wait_for("it is at work", lambda: count(space, "v1", "Secret") >= len(keys) + JOBS // 20)
        one.kill()
        now = secrets(space)
        assert len(now) < JOBS, "all was done before the kill"
        assert all(now[name] == data for name, data in keys.items())  # a key is made once
        keys = now
        one.start()
    maker.join()
    wait_for("all JobSets are there", lambda: count(space, JOBSET_API, "JobSet") == JOBS)
    wait_for("all is said", lambda: all(
        condition(job, "Suspended") for job in space.api.list(API, "TrainJob", space.name)))
    check_exactly(space, names)
    now = secrets(space)
    assert keys and all(now[name] == data for name, data in keys.items())
    assert space.events() == []
    space.clean()
    for api_version, kind in {key[:2] for key in WANTED}:  # nobody collects garbage here
        space.api.must("DELETE", path_of(api_version, kind, space.name))


@pytest.mark.own_cluster
@pytest.mark.parametrize("seconds", [0.0, 4.0])
def test_api_server_restarts(bare, bare_space, make_manager, seconds):
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    space.create(trainjob("before"))
    space.wait_jobset("before")
    pid = one.child.pid
    bare.restart_apiserver(seconds)
    # The webhook answers, or will: failurePolicy Fail.
    wait_for("a job is accepted", lambda: space.api.request(
        "POST", f"/apis/trainer.kubeflow.org/v1alpha1/namespaces/{space.name}/trainjobs",
        trainjob("after"))[0] in (201, 409))
    space.wait_jobset("after")
    space.suspend(True, "before")
    space.wait_jobset("before", suspended=True)
    space.wait_condition("Suspended", "True", "before")
    assert one.child.poll() is None and one.child.pid == pid


@pytest.mark.own_cluster
@pytest.mark.ours("v2.3.0 ends when the API server is not there at its start")
def test_api_server_comes_later_than_the_manager(bare, bare_space, make_manager):
    space = bare_space
    space.create(runtime())
    bare.end("kube-apiserver")
    one = make_manager(plane=bare).start(wait=False)
    wait_for("it is refused", lambda: "Connection refused" in one.log(), child=one.child)
    bare.start_apiserver()
    bare.wait_ready()
    one.wait_ready()
    one.register()
    space.create(trainjob())
    space.wait_jobset()


@pytest.mark.own_cluster
def test_writes_fail_while_the_server_is_away(bare, bare_space, make_manager):
    """Created just before the server dies: done once it is back, and only once."""
    space = bare_space
    space.create(mpi_runtime())
    make_manager(plane=bare, webhooks=False).start()
    names = [f"job-{i}" for i in range(15)]
    for name in names:
        space.create(trainjob(name, "mpi", suspend=True))
    bare.restart_apiserver(2.0)
    wait_for("all objects are there", lambda: objects(space) == wanted(names))
    for name in names:
        space.wait_condition("Suspended", "True", name)


@pytest.mark.own_cluster
def test_history_is_compacted(bare, bare_space, make_manager):
    """The manager cannot reach the server; when it comes back, the past that its watches want to go
    on from is no more (410 Gone): it lists, and sees what has come, changed and gone."""
    space = bare_space
    space.create(runtime(), *[trainjob(name, suspend=True) for name in ("gone", "kept", "resumed")])
    with Wire(bare) as wire:
        one = make_manager(plane=bare, webhooks=False, through=wire).start()
        for name in ("gone", "kept", "resumed"):
            space.wait_condition("Suspended", "True", name)
        wire.open = False
        wire.cut()
        space.create(trainjob("new"))
        space.suspend(False, "resumed")
        space.api.delete(API, "TrainJob", space.name, "gone")
        for name in ("gone", "kept"):
            space.api.delete(JOBSET_API, "JobSet", space.name, name)
        bare.compact()
        bare.restart_apiserver()  # or its own memory would bridge the gap
        audit = Audit(bare, managers=[0])
        wire.open = True
        space.wait_jobset("new")
        space.wait_jobset("kept")
        space.wait_jobset("resumed", suspended=False)
        if not UPSTREAM:  # makes "gone" once more before it hears of it, and lists by watching
            assert space.jobset("gone") is None
            wait_for("lists of what is watched", lambda: {"trainjobs", "jobsets", "configmaps"} <= {
                e["objectRef"]["resource"] for e in audit.entries() if e["verb"] == "list"})
        one.stop()


def test_sigterm_in_the_middle(bare, bare_space, make_manager):
    """Writes under way are finished or given up; the next manager does the rest."""
    space = bare_space
    space.create(mpi_runtime())
    one = make_manager(plane=bare, webhooks=False).start()
    names = [f"job-{i}" for i in range(20)]
    for name in names:
        space.create(trainjob(name, "mpi", suspend=True))
    one.stop()  # exit code 0, in time
    make_manager(1, plane=bare, webhooks=False).start()
    wait_for("all objects are there", lambda: objects(space) == wanted(names))
    assert UPSTREAM or space.events() == []
