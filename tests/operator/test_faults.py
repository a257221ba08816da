"""Things break in the middle. Every TrainJob must end with exactly its objects."""
import time

import pytest

from kit import COSCHEDULING, JOBSET_API, owner, replicated_job, runtime, trainjob, wait_for
from manager import UPSTREAM

JOBS, KILLS = 60, 5


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


def test_killed_in_the_middle(bare, bare_space, make_manager):
    """kill -9 again and again while jobs come in."""
    space = bare_space
    space.create(mpi_runtime())
    one = make_manager(plane=bare, webhooks=False).start()
    names = [f"job-{i}" for i in range(JOBS)]
    keys = {}
    for i, name in enumerate(names):
        space.create(trainjob(name, "mpi", suspend=True))
        if i % (JOBS // KILLS) == JOBS // KILLS - 1:
            wait_for("it is at work", lambda: len(secrets(space)) > len(keys))
            one.kill()
            for secret, data in secrets(space).items():
                keys.setdefault(secret, data)
            one.start()
    wait_for("all objects are there", lambda: objects(space) == wanted(names))
    for name in names:
        space.wait_condition("Suspended", "True", name)
    assert space.events() == []
    now = secrets(space)
    assert keys and all(now[name] == data for name, data in keys.items())  # a key is made once


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
    time.sleep(3)
    assert one.child.poll() is None, one.tail()
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
