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


def review(job, old=None):
    request = {"uid": "1", "operation": "UPDATE" if old else "CREATE", "object": job,
               "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"}}
    if old:
        request["oldObject"] = old
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def post(one, plane, path, body):
    """(code, answer) of a webhook, asked by somebody who is no API server."""
    request = urllib.request.Request(
        f"https://127.0.0.1:{one.port}/{path}-trainer-kubeflow-org-v1alpha1-trainjob",
        json.dumps(body, separators=(",", ":")).encode(), {"Content-Type": "application/json"})
    trust = ssl.create_default_context(cafile=plane.certificates.ca)
    try:
        with urllib.request.urlopen(request, timeout=60, context=trust) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


@pytest.mark.parametrize("path", ["mutate", "validate"])
def test_sent_to_the_port(bare, bare_space, make_manager, path):
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    code, _ = post(one, bare, path, review(trainjob("big", suspend=True, **with_groups(3_900_000)[1])))
    assert code == 413, one.tail()
    check_alive(one, space)


MANY = 490_000


@pytest.mark.parametrize("path", ["mutate", "validate"])
def test_more_patches_than_the_crd_allows(bare, bare_space, make_manager, path):
    """1.5 MB that a tree, its copy and a JSON patch make hundreds of."""
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    code, answer = post(one, bare, path, review(trainjob("big", runtimePatches=[{}] * MANY)))
    assert code in (200, 413), one.tail()
    assert path != "mutate" or "patch" not in answer.get("response", {})
    check_alive(one, space)


@pytest.fixture
def given_up(bare):
    """Its API server looks for words long after it has given up, for hours, with a core of its own."""
    yield
    bare.restart_apiserver()


def test_created_with_more_patches_than_the_crd_allows(given_up, bare, bare_space, make_manager):
    """By a user who may: mutation comes before the schema, which then refuses it in its own words. Of so
    many the API server itself gives up on finding the words."""
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    for n, codes in (1000, (422,)), (MANY, (422, 504)):
        code, answer = space.api.request("POST", path_of(API, "TrainJob", space.name),
                                         trainjob("big", runtimePatches=[{}] * n))
        assert code in codes, (one.tail(), answer["message"][:2000])
        assert code == 504 or "must have at most 16 items" in answer["message"]
    check_alive(one, space)


def test_as_many_old_patches(bare, bare_space, make_manager):
    """n new ones and n stored ones are not n times n comparisons: these took minutes, in which nobody
    else was answered and no lease renewed."""
    space = bare_space
    space.create(runtime())
    one = make_manager(plane=bare).start()
    patches = [{"manager": f"m{i}.example/x"} for i in range(90_000)]
    job = trainjob("big", runtimePatches=patches)
    code, answer = post(one, bare, "mutate", review(job, old=job))
    assert code == 200 and answer["response"]["allowed"] and "patch" not in answer["response"], one.tail()
    check_alive(one, space)
