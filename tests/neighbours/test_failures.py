"""The failure summary on a real node: containers that really fail, logs that a real kubelet has. Each failure is
read twice: in the TrainJob, as kubectl shows it, and in `trainyard describe --cluster`."""
import subprocess

import pytest

from fixtures import PROGRAM, folder_of, space_on
from kit import condition, replicated_job, runtime, trainjob, wait_for
from manager import Manager
from parts import IMAGE
from rights import ACCOUNT, RBAC, READ, SYSTEM
from test_node import boxed

SWITCH = {"failureSummary": {"enable": True}}
NAME = "kubeflow-trainer-failure-summary"
SECONDS = 120


def raised(error):
    return (f"printf 'Traceback (most recent call last):\\n  File \"train.py\", line 3, in <module>\\n    step()\\n{error}\\n' >&2")


# Rank 1 raises and takes its time to end; rank 0 loses its peer and exits first, which ends the Job.
VICTIM_FIRST = f"""if [ $JOB_COMPLETION_INDEX = 1 ]; then
  {raised('ValueError: boom, with token=hf_abcdefghijklmnopqrstuvwxyzabcdefgh')}
  trap '' TERM
  sleep 8
  exit 1
fi
sleep 3
{raised('RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.244.0.9]:4711')}
exit 1
"""


def let_read(plane):
    """What the component of the failure summary adds to the operator's rights."""
    meta, role = {"name": NAME}, {"apiGroup": RBAC, "kind": "ClusterRole", "name": NAME}
    plane.client().install([
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta,
         "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": READ},
                   {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]}]},
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": meta, "roleRef": role,
         "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": SYSTEM}]}])


@pytest.fixture
def on(request, make_manager):
    """A namespace and an operator with the switch on: on(plane)."""
    spaces = []

    def go(plane):
        let_read(plane)
        make_manager(plane=plane, settings=SWITCH).start()
        spaces.append(space_on(plane, request))
        return next(spaces[-1]), plane

    yield go
    for space in spaces:
        next(space, None)


def cli(plane, space, *words):
    done = subprocess.run([PROGRAM, *words, "--kubeconfig", plane.kubeconfig(), "-n", space.name], text=True,
                          capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def trainer(space, script, nodes=1, **pod):
    job = boxed(script, space, nodes)
    job["template"]["spec"]["template"]["spec"].update(pod)
    return job


def failed(space, *words):
    """The message of Failed once it says all of it."""
    def says():
        text = condition(space.job(), "Failed") or ""
        return text if all(word in text for word in words) else None

    return wait_for(f"Failed says {words}", says, SECONDS, show=lambda: (space.job() or {}).get("status"))


def events(space, reason):
    return [note for _, why, note in space.events() if why == reason]


def test_the_victim_exits_first(node, on):
    space, plane = on(node)
    space.create(runtime(jobs=[trainer(space, VICTIM_FIRST, 2)]), trainjob(trainer={"numNodes": 2}))
    text = failed(space, "first failure: node-0-1", "ValueError: boom")
    assert text.startswith("True FailedJobs: jobset failed due to one or more job failures"), text
    assert "hf_abc" not in text and "Connection closed" not in text.split("first failure: ")[1].split(";")[0], text
    assert any("node-0-1" in note and "ValueError: boom" in note for note in events(space, "FirstFailure"))
    wait_for("the culprit's pod is gone", lambda: len(space.pods()) == 1, SECONDS)
    failure = cli(plane, space, "describe", "job").split("Failure:\n")[1].splitlines()
    assert "node-0-1" in failure[0] and "ValueError: boom" in failure[0], failure
    assert failure[1] == "  The pods that are left show:" and "node-0-0" in failure[2], failure


def test_an_image_that_is_not_there(node, on):
    space, plane = on(node)
    job = trainer(space, "true")
    job["template"]["spec"]["template"]["spec"]["containers"][0]["image"] = "localhost/none:1"
    space.create(runtime(jobs=[job]), trainjob())
    note = wait_for("the image is named", lambda: [n for n in events(space, "ImagePull")], SECONDS, show=space.events)
    assert "node-0-0" in note[0] and "localhost/none:1" in note[0], note
    assert "localhost/none:1" in cli(plane, space, "describe", "job")


def test_a_failed_initializer(node, on):
    space, plane = on(node)
    init = boxed("echo 'OSError: no such dataset: s3://bucket/x' >&2; exit 3", space, 1)
    init["name"] = "dataset-initializer"
    init["template"]["metadata"]["labels"] = {"trainer.kubeflow.org/trainjob-ancestor-step": "dataset-initializer"}
    init["template"]["spec"]["template"]["spec"]["containers"][0]["name"] = "dataset-initializer"
    node_job = trainer(space, "true")
    node_job["dependsOn"] = [{"name": "dataset-initializer", "status": "Complete"}]
    space.create(runtime(jobs=[init, node_job]), trainjob())
    text = failed(space, "first failure: ", "dataset-initializer", "no such dataset")
    assert "exit code 3" in text, text
    shown = cli(plane, space, "describe", "job")
    assert "dataset-initializer" in shown and "no such dataset" in shown


def test_a_restart_in_place(node, on):
    """The container that failed has been replaced in its pod: the log of the one before says why."""
    space, plane = on(node)
    script = f"{raised('KeyError: lr')}; exit 5"
    job = trainer(space, script, restartPolicy="OnFailure")
    job["template"]["spec"]["backoffLimit"] = 1
    space.create(runtime(jobs=[job]), trainjob())
    text = failed(space, "first failure: node-0-0", "KeyError: lr")
    assert "exit code 5" in text, text
    assert any("KeyError: lr" in note for note in events(space, "FirstFailure"))


def test_a_gang_that_cannot_be_scheduled(gangs, on):
    space, plane = on(gangs)
    job = replicated_job()
    job["template"]["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    space.create(runtime(jobs=[job], podGroupPolicy={"coscheduling": {"scheduleTimeoutSeconds": 10}}),
                 trainjob(trainer={"numNodes": 5}))
    note = wait_for("it says what is missing", lambda: events(space, "Unschedulable"), SECONDS, show=space.events)
    assert "cannot be scheduled" in note[0], note
    assert "cannot be scheduled" in cli(plane, space, "describe", "job")


def test_a_container_that_used_too_much_memory(gangs, on):
    """The cgroups of this machine's kubelet do not limit memory: the status is what a kubelet would write."""
    space, plane = on(gangs)
    space.create(runtime(), trainjob())
    pod = wait_for("it runs", lambda: [p for p in space.pods() if p["status"]["phase"] == "Running"], SECONDS)[0]
    now = pod["status"]["startTime"]
    ended = {"exitCode": 137, "reason": "OOMKilled", "startedAt": now, "finishedAt": now}
    space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"], "status"), {"status": {
        "phase": "Failed", "containerStatuses": [{
            "name": "node", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0,
            "state": {"terminated": ended, "running": None}}]}})
    text = failed(space, "first failure: ", "node-0-0")
    assert "memory" in text or "OOMKilled" in text, text
    shown = cli(plane, space, "describe", "job")
    assert "memory" in shown or "OOMKilled" in shown


def test_logs_of_a_cluster(node, on):
    space, plane = on(node)
    space.create(runtime(jobs=[trainer(space, "for i in $(seq 1 5); do echo line $i of $JOB_COMPLETION_INDEX; sleep 0.2; done", 2)]),
                 trainjob(trainer={"numNodes": 2}))
    shown = cli(plane, space, "logs", "-f", "job").splitlines()
    assert sorted(shown) == sorted(f"[node-0-{n}] line {i} of {n}" for n in (0, 1) for i in range(1, 6)), shown
    space.wait_condition("Complete", "True", seconds=SECONDS)


def test_without_the_right(node, request):
    """Everything else goes on, and the log says once which right is missing."""
    let_read(node)
    node.client().delete(f"{RBAC}/v1", "ClusterRoleBinding", None, NAME)
    operator = Manager(node, folder_of(request), settings=SWITCH).start()  # not make_manager: it asks for what it may not have
    spaces = space_on(node, request)
    try:
        space = next(spaces)
        space.create(runtime(jobs=[trainer(space, "exit 7")]), trainjob())
        job = space.wait_condition("Failed", "True FailedJobs: ", seconds=SECONDS)
        assert "first failure" not in condition(job, "Failed")
        said = [line for line in operator.log().splitlines() if "forbidden" in line and '"error"' in line]
        assert len(said) == 1 and "pods" in said[0], said
    finally:
        next(spaces, None)
        operator.stop()
