"""As large as the API server takes them, and larger in memory. Whoever may create a TrainJob must not
be able to end the operator, or to keep it from the jobs of others."""
import json
import ssl
import urllib.error
import urllib.request

import pytest

from client import path_of
from kit import API, replicated_job, runtime, trainjob, wait_for

STORED = 1_400_000  # bytes, of the 1.5 MB that etcd takes for one object
SENT = 2_900_000    # bytes, of the 3 MB that an API server reads, and shows to webhooks


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


def test_snapshot_with_aliases(bare, bare_space, make_manager):
    """A ConfigMap of a megabyte that means gigabytes."""
    space = bare_space
    space.create(runtime(), {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "big-runtime-snapshot"},
        "data": {"runtime": f"a: &a [{'0,' * 100_000}0]\nb: [{'*a,' * 9}*a]\n"
                            f"c: &c {'x' * 400_000}\nd: [{'*c,' * 50_000}*c]\n"}})
    one = make_manager(plane=bare, webhooks=False).start()
    space.create(trainjob("big", suspend=True))
    wait_for("it was looked at", lambda: one.child.poll() is not None or '"big"' in one.log())
    check_alive(one, space)


def test_sent_to_the_webhooks(bare, bare_space, make_manager):
    """More than can be stored, but the webhooks see it first."""
    space = bare_space
    big, spec = with_groups(SENT // 2)
    space.create(runtime(), big)
    one = make_manager(plane=bare).start()
    code, answer = space.api.request("POST", path_of(API, "TrainJob", space.name),
                                     trainjob("big", "big", suspend=True, **spec))
    assert code == 500 and "the review is too large" in answer["message"], (one.tail(), answer)
    check_alive(one, space)


@pytest.mark.parametrize("path", ["mutate", "validate"])
def test_sent_to_the_port(bare, bare_space, make_manager, path):
    """By somebody who is no API server."""
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    job = trainjob("big", suspend=True, **with_groups(3_900_000)[1])
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "object": job,
        "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"}}}
    request = urllib.request.Request(
        f"https://127.0.0.1:{one.port}/{path}-trainer-kubeflow-org-v1alpha1-trainjob",
        json.dumps(review, separators=(",", ":")).encode(), {"Content-Type": "application/json"})
    trust = ssl.create_default_context(cafile=bare.certificates.ca)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60, context=trust)
    assert refused.value.code == 413, one.tail()
    check_alive(one, space)
