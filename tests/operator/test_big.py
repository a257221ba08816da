"""As large as the API server takes them, and larger in memory. Whoever may create a TrainJob must not
be able to end the operator, or to keep it from the jobs of others."""
import urllib.request

import pytest

from kit import replicated_job, runtime, trainjob, wait_for

STORED = 1_400_000  # bytes, of the 1.5 MB that etcd takes for one object


def with_args(n):
    job = replicated_job()
    job["template"]["spec"]["template"]["spec"]["containers"][0]["args"] = [""] * n
    return runtime("big", jobs=[job]), {}


def with_patch(template):
    return runtime("big"), {"runtimePatches": [{"manager": "test.example/big",
                                                "trainingRuntimeSpec": {"template": template}}]}


def with_groups(n):
    """Nothing is smaller as text, for what it takes as a tree."""
    pod = {"spec": {"securityContext": {"supplementalGroups": [0] * n}}}
    return with_patch({"spec": {"replicatedJobs": [
        {"name": "node", "template": {"spec": {"template": pod}}}]}})


def with_label(n):
    """An API server repeats the label that it refuses."""
    return with_patch({"metadata": {"labels": {"big": "x" * n}}})


CASES = {
    "args": lambda: with_args(STORED // 3),
    "args of which there can be a snapshot": lambda: with_args(30_000),
    "groups": lambda: with_groups(STORED // 2),
    "label": lambda: with_label(STORED),
}


def check_alive(one, space):
    """It is counted, and others are served."""
    with urllib.request.urlopen(f"http://127.0.0.1:{one.metrics}/metrics", timeout=60) as answer:
        assert 'trainyard_trainjobs{state="suspended"}' in answer.read().decode()
    space.create(trainjob("small", suspend=True))
    space.wait_condition("Suspended", "True", "small")
    assert one.child.poll() is None, one.tail()


@pytest.mark.parametrize("case", CASES)
def test_stored(bare, bare_space, make_manager, case):
    space = bare_space
    big, spec = CASES[case]()
    space.create(runtime(), big)
    one = make_manager(plane=bare, webhooks=False,
                       settings={"runtimeProtection": "finalizer"}).start()
    space.create(trainjob("big", "big", suspend=True, **spec))
    wait_for("it was looked at",
             lambda: one.child.poll() is not None or space.jobset("big") or '"big"' in one.log())
    check_alive(one, space)
