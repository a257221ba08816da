"""What `trainyard convert` makes of V1 jobs and scripts, before the webhooks and the manager of Kubeflow Trainer v2.3.0
itself: it is admitted, and a JobSet is made of it."""
import pytest
import yaml

from client import Refused, path_of
from kit import API, JOBSET_API, condition, create_known, wait_for
from manager import FOLDER, Manager
from test_convert import GOOD, convert, trainyard

OURS = {"mpi-intel.yaml": "mpiImplementation", "mpi-mpich.yaml": "mpiImplementation"}  # a warning says so


@pytest.fixture(scope="module")
def client(bare):
    """With the runtimes that the results name."""
    one = Manager(bare, FOLDER / "managers/upstream").start()
    named = {doc["spec"]["runtimeRef"]["name"] for case in GOOD for doc in yaml.safe_load_all(convert(case).stdout)
             if doc["kind"] == "TrainJob" and "kind" not in doc["spec"]["runtimeRef"]}
    bare.client().install(list(yaml.safe_load_all(trainyard("runtimes", "-o", "yaml", *named).stdout)))
    yield bare.client()
    one.stop()


def put(client, case):
    """Creates a case's objects in a namespace of its own and gives that and the TrainJobs' names."""
    space, names = f"case-{GOOD.index(case)}", []
    client.install([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}])
    docs = list(yaml.safe_load_all(convert(case).stdout))
    client.install([doc for doc in docs if doc["apiVersion"] != API])
    for doc in docs:
        if doc["apiVersion"] != API:
            continue
        doc["metadata"].pop("namespace", None)
        code, answer = create_known(client, path_of(API, doc["kind"], space), doc, space)
        if code != 201:
            raise Refused(code, answer)
        names += [doc["metadata"]["name"]] if doc["kind"] == "TrainJob" else []
    return space, names


@pytest.mark.parametrize("case", [c for c in GOOD if c not in OURS])
def test_admitted_and_made(case, client):
    space, names = put(client, case)
    assert names
    for name in names if case != "multikueue.yaml" else ():
        wait_for(f"JobSet of {case}", lambda n=name: client.get(JOBSET_API, "JobSet", space, n))
        assert not condition(client.get(API, "TrainJob", space, name), "Failed")


@pytest.mark.parametrize("case", OURS)
def test_refused_as_the_warning_says(case, client):
    assert "Kubeflow Trainer 2.3 accepts OpenMPI only" in convert(case).stderr
    with pytest.raises(Refused) as refused:
        put(client, case)
    assert OURS[case] in str(refused.value)
