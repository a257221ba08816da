"""submit, logs, wait, suspend, resume, delete and top of the command line on a real control plane."""
import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from kit import API, condition, replicated_job, runtime, trainjob, wait_for
from kubelet import WORDS, Kubelet
from manager import PROGRAM
from neighbours import END, EXIT_CODE
from test_cli_cluster import allow, as_user, attempt, cli  # noqa: F401: a fixture

pytestmark = pytest.mark.ours("v2.3.0 has no command line")
NAMED = "trainjob.trainer.kubeflow.org"


@pytest.fixture
def kubelet(cluster, tmp_path):
    running = Kubelet(cluster, tmp_path)
    yield running
    running.stop()


def write(cli, *docs, name="job.yaml"):
    (cli.folder / name).write_text(yaml.safe_dump_all(docs))
    return name


def there(space):
    return ["--cluster", "-n", space.name]


def end_pods(space, how, code="1"):
    """Running pods end as the annotation says."""
    for pod in space.pods():
        space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"]),
                        {"metadata": {"annotations": {END: how, EXIT_CODE: code}}})


def running(space, n):
    return wait_for(f"{n} pods run", lambda: len([
        p for p in space.pods() if p["status"].get("phase") == "Running" and not p["metadata"].get("deletionTimestamp")]) == n)


# ---- submit

def test_submit_creates_and_waits(manager, space, cli):
    rt = runtime(annotations={END: "succeed"})
    job = trainjob("ddp")
    job["metadata"] = {"generateName": "ddp-"}
    name = write(cli, job, rt)  # the runtime is created first
    made = cli.run("submit", "-f", name, *there(space), "--wait", "--timeout", "2m", "--env", "A=1", "--set",
                   "spec.trainer.numNodes=2").splitlines()
    assert made[0] == "trainingruntime.trainer.kubeflow.org/rt created"
    found = re.fullmatch(NAMED + r"/(ddp-\w{5}) created", made[1])
    live = space.job(found[1])
    assert condition(live, "Complete").startswith("True")
    assert live["spec"]["trainer"] == {"numNodes": 2, "env": [{"name": "A", "value": "1"}]}


def test_submit_waits_for_the_end(manager, space, cli):
    name = write(cli, runtime(annotations={END: "fail"}), trainjob("bad"))
    said = cli.run("submit", name, *there(space), "--wait", code=1)
    assert 'error: trainjob "bad" is Failed: ' in said
    assert 'already exists (--apply changes it)' in cli.run("submit", name, *there(space), code=1)


def test_submit_apply_and_dry_run(manager, space, cli):
    name = write(cli, runtime(), trainjob("one", suspend=True))
    assert cli.run("submit", name, *there(space), "--dry-run=client", "-o", "name").split() == [
        "trainingruntime.trainer.kubeflow.org/rt", f"{NAMED}/one"]
    space.create(runtime())
    only = write(cli, trainjob("one", suspend=True), name="only.yaml")
    assert cli.run("submit", only, *there(space), "--dry-run") == f"{NAMED}/one created (server dry run)\n"
    assert space.job("one") is None
    for _ in range(2):
        assert f"{NAMED}/one serverside-applied" in cli.run("submit", name, *there(space), "--apply")
    managers = {m["manager"] for m in space.job("one")["metadata"]["managedFields"]}
    assert "trainyard-cli" in managers
    shown = json.loads(cli.run("submit", only, *there(space), "--apply", "-o", "json"))
    assert shown["metadata"]["name"] == "one" and shown["spec"]["suspend"] is True


def test_dry_run_of_a_job_with_its_runtime(manager, space, cli):
    """The server cannot check the job, because it has stored no runtime; this machine can."""
    rt, job = runtime(), trainjob("one", suspend=True)
    name = write(cli, rt, job)
    line = (cli.folder / name).read_text().split("---\n")[0].count("\n") + 2
    for how, done in (([], "created"), (["--apply"], "serverside-applied")):
        dry = subprocess.run([PROGRAM, "submit", name, *there(space), "--dry-run", *how], cwd=cli.folder, env=cli.env,
                             capture_output=True, text=True, check=False)
        assert dry.stdout == f"trainingruntime.trainer.kubeflow.org/rt {done} (server dry run)\n"
        assert dry.stderr == (
            f'job.yaml:{line}: TrainJob one: the server cannot check it: TrainingRuntime "rt" is in the same input '
            "(job.yaml:1) and not in the cluster yet, and a server dry run stores nothing "
            "(--dry-run=client checks it against that runtime)\n")
        assert dry.returncode == 1  # as kubectl
    # Another mistake is still the server's to tell.
    both = write(cli, rt, trainjob("one", runtime="ghost"), name="both.yaml")
    assert "has no such TrainingRuntime" in cli.run("submit", both, *there(space), "--dry-run", code=1)

    # Here, the namespace of the context says which runtime the job means.
    config = yaml.safe_load(Path(cli.env["KUBECONFIG"]).read_text())
    config["contexts"][0]["context"]["namespace"] = space.name
    (cli.folder / "config.yaml").write_text(yaml.safe_dump(config))
    name = write(cli, dict(rt, metadata={"name": "rt", "namespace": space.name}), job)
    assert f"{NAMED}/one created (dry run)\n" in cli.run(
        "submit", name, "--kubeconfig", "config.yaml", "--dry-run=client")
    assert "not found" in cli.run("submit", name, "--cluster", "--dry-run=client", code=1)  # context of "default"
    # And a cluster is not needed.
    assert f"{NAMED}/one created (dry run)\n" in cli.run(
        "submit", write(cli, rt, job), "--kubeconfig", "nowhere.yaml", "--dry-run=client")


def test_apply_after_other_verbs(manager, space, cli):
    """create, suspend and apply are one field manager; others are named, with the line of the field."""
    rt, job = runtime(), trainjob("one", suspend=True)

    def submit(*words, code=0):
        (cli.folder / "job.yaml").write_text(yaml.safe_dump_all([rt, job], sort_keys=False))
        return cli.run("submit", "job.yaml", *there(space), *words, code=code)

    def there_now():
        return space.api.get(API, "TrainingRuntime", space.name, "rt")["spec"]

    submit()
    rt["spec"]["mlPolicy"]["numNodes"] = 2
    submit("--apply")
    assert there_now()["mlPolicy"]["numNodes"] == 2
    cli.run("resume", "one", *there(space))
    submit("--apply")
    assert space.job("one")["spec"]["suspend"] is True
    theirs = json.loads(json.dumps(rt))
    theirs["spec"]["mlPolicy"]["numNodes"] = 3
    theirs["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["backoffLimit"] = 3
    space.api.apply(theirs, space.name, manager="somebody")
    said = submit("--apply", code=1)
    lines = (cli.folder / "job.yaml").read_text().splitlines()
    for path, field in (("spec.mlPolicy.numNodes", "numNodes: 2"),
                        ('spec.template.spec.replicatedJobs[name="node"].template.spec.backoffLimit', "backoffLimit: 0")):
        line = next(i for i, have in enumerate(lines, 1) if have.strip() == field)
        assert re.search(rf"^job\.yaml:{line}:\d+: {re.escape(path)}: Conflict: it belongs to field manager "
                         r'"somebody".* \(--force-conflicts takes it over\)$', said, re.M), said
    assert there_now()["mlPolicy"]["numNodes"] == 3
    submit("--apply", "--force-conflicts")
    assert there_now()["mlPolicy"]["numNodes"] == 2


def test_submit_says_where(manager, space, cli):
    """Wrong here, unknown there, and refused by the webhook."""
    bad = trainjob("bad", trainer={"numNodes": -1})
    (cli.folder / "job.yaml").write_text(yaml.safe_dump(bad, sort_keys=False))
    said = cli.run("submit", "job.yaml", *there(space), code=1)
    assert re.search(r'job\.yaml:\d+:\d+: spec\.runtimeRef\.name: Invalid value: "rt": the cluster of .* has no such '
                     "TrainingRuntime", said), said
    space.create(runtime())
    said = cli.run("submit", "job.yaml", *there(space), code=1)
    assert re.search(r"job\.yaml:\d+:\d+: spec\.trainer\.numNodes: Invalid value: -1", said), said
    assert space.job("bad") is None
    # A rule that only this cluster has.
    rule = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "no-fridays"}, "spec": {
                "matchConstraints": {"resourceRules": [{"apiGroups": ["trainer.kubeflow.org"], "apiVersions": ["*"],
                                                        "operations": ["CREATE"], "resources": ["trainjobs"]}]},
                "validations": [{"expression": "!object.metadata.name.startsWith('friday')",
                                 "message": "not on Fridays"}]}}
    bind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": "no-fridays"}, "spec": {"policyName": "no-fridays", "validationActions": ["Deny"]}}
    group = "/apis/admissionregistration.k8s.io/v1"
    for path, doc in (("validatingadmissionpolicies", rule), ("validatingadmissionpolicybindings", bind)):
        assert space.api.request("POST", f"{group}/{path}", doc)[0] == 201
    try:
        name = write(cli, trainjob("friday", suspend=True))
        refused = wait_for("the policy is in force", lambda: next(iter(re.findall(
            r"job\.yaml:\d+.*not on Fridays", subprocess.run(
                [PROGRAM, "submit", name, *there(space), "--dry-run"], cwd=cli.folder, env=cli.env,
                capture_output=True, text=True, check=False).stderr)), None))
        assert refused
    finally:
        for path in ("validatingadmissionpolicies", "validatingadmissionpolicybindings"):
            space.api.request("DELETE", f"{group}/{path}/no-fridays")


def test_submit_into_no_namespace(space, cli):
    """The kind is served; the namespace is not there."""
    ghost = ["--cluster", "-n", "ghost"]
    said = cli.run("submit", write(cli, runtime(), name="rt.yaml"), *ghost, code=1)
    assert said == 'error: cannot create TrainingRuntime "rt": namespace "ghost" not found in the cluster of context "c"\n'
    said = cli.run("submit", write(cli, trainjob("one")), *ghost, code=1)
    assert 'has no such TrainingRuntime in namespace "ghost"' in said


def test_interrupted_submit_leaves_the_job(manager, space, cli):
    name = write(cli, runtime(), trainjob("long"))
    waiting = cli.start("submit", name, *there(space), "--wait")
    assert "Ctrl-C stops waiting" in waiting.stderr.readline()
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 130, err
    assert 'trainjob "long" goes on in the cluster' in err and "trainyard delete long" in err
    assert space.job("long")


def test_submit_here_is_run_detach(cli):
    rt = runtime()
    pod = rt["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["command"] = ["true"]
    name = write(cli, rt, trainjob("here"))
    assert "here" in cli.run("submit", name)
    assert cli.run("wait", "here", "--local", "--timeout", "1m") == f"{NAMED}/here condition met\n"
    assert "--wait" in cli.run("submit", name, "--wait", code=2)


# ---- logs

def test_logs_through_broken_streams_and_restarts(manager, space, cli, kubelet):
    space.create(runtime(template={"failurePolicy": {"maxRestarts": 1}}), trainjob("ddp", trainer={"numNodes": 2}))
    following = cli.start("logs", "-f", "ddp", *there(space))
    running(space, 2)
    first = {p["metadata"]["name"] for p in space.pods()}
    wait_for("their streams broke and were resumed", lambda: len([a for a in kubelet.asked if "sinceTime" in a[1]]) >= 2)
    end_pods(space, "fail")
    names = wait_for("the second attempt", lambda: (
        lambda now: now if len(now - first) == 2 else None)({p["metadata"]["name"] for p in space.pods()}))
    running(space, 2)
    wait_for("their logs are read", lambda: {a[0] for a in kubelet.asked} >= names - first)
    end_pods(space, "succeed")
    out, err = following.communicate(timeout=120)
    assert following.returncode == 0, err
    seen = {}
    for line in out.splitlines():
        node, word, pod = re.fullmatch(r"\[(node-0-[01])\] (\w+) of (ddp-node-0-[01]-\w+)\x1b\[2J\x1b\[32m", line).groups()
        assert pod.startswith(f"ddp-{node}-")
        seen.setdefault(pod, []).append(word)
    assert seen.keys() == first | names
    assert all(words == list(WORDS) for words in seen.values()), seen
    # Afterwards, those of the last attempt.
    again = cli.run("logs", "ddp", *there(space))
    assert [line.split()[0] for line in again.splitlines()] == ["[node-0-0]"] * 4 + ["[node-0-1]"] * 4
    last = cli.run("logs", "ddp", "node-0-1", *there(space), "--tail", "1", "--timestamps")
    assert re.fullmatch(r"2026-11-\S+Z four of ddp-node-0-1-\w+\x1b\[2J\x1b\[32m\n", last)
    assert "it has: node-0-0, node-0-1" in cli.run("logs", "ddp", "node-9", *there(space), code=1)
    assert "has no earlier log" in cli.run("logs", "ddp", *there(space), "--previous", code=1)
    assert "not found" in cli.run("logs", "gone", *there(space), code=1)


def test_logs_that_do_not_exist(manager, space, cli, kubelet):
    """A pod that waits for a node, a wrong container and a wrong attempt are three different things."""
    space.create(runtime(), trainjob("ddp"), trainjob("large", trainer={"resourcesPerNode": {"requests": {"cpu": "5k"}}}))
    running(space, 1)
    assert wait_for("it cannot be scheduled", lambda: (lambda said: said if "Insufficient cpu" in said else None)(
        cli.run("logs", "large", *there(space), code=1))).startswith(
            'error: trainjob "large" has no log yet: node-0-0 cannot be scheduled: ')
    assert cli.run("logs", "ddp", "-c", "side", *there(space), code=1) == (
        'error: trainjob "ddp" has no container "side"; it has: node\n')
    assert cli.run("logs", "ddp", "node-0-0", "--attempt", "9", *there(space), code=1) == (
        'error: node "node-0-0" has no pod of attempt 9; it has: 1\n')


def test_logs_of_a_pod_that_was_replaced(manager, space, cli, kubelet):
    """The Job controller keeps the pod that failed beside the one that it creates for it."""
    space.create(runtime(jobs=[replicated_job(backoffLimit=1)]), trainjob("ddp"))
    running(space, 1)
    old = space.pods()[0]["metadata"]["name"]
    end_pods(space, "fail")
    new = wait_for("another pod runs", lambda: next((
        p["metadata"]["name"] for p in space.pods()
        if p["metadata"]["name"] != old and p["status"].get("phase") == "Running"), None))
    shown = subprocess.run([PROGRAM, "logs", "ddp", *there(space)], stdin=subprocess.DEVNULL, text=True, timeout=240,
                           capture_output=True, check=True, cwd=cli.folder, env=cli.env)
    assert old not in shown.stdout and f"[node-0-0] four of {new}" in shown.stdout
    assert shown.stderr == "note: node-0-0 has an older pod: --previous prints its log\n"
    before = cli.run("logs", "ddp", *there(space), "--previous")
    assert new not in before and [line.split()[1] for line in before.splitlines()] == list(WORDS)


def test_submit_follows_logs_on_a_terminal(manager, space, cli, kubelet):
    """The initializer's first. Escape sequences of a container do not reach the terminal."""
    first = replicated_job("dataset-initializer", "dataset-initializer", {END: "succeed"})
    then = {**replicated_job(annotations={END: "succeed"}),
            "dependsOn": [{"name": "dataset-initializer", "status": "Complete"}]}
    docs = runtime(jobs=[first, then]), trainjob("one")
    for doc in docs:
        doc["metadata"]["namespace"] = space.name  # not the context's
    name = write(cli, *docs)
    ours, theirs = pty.openpty()
    done = subprocess.Popen([PROGRAM, "submit", name, "--cluster", "--logs"], stdin=subprocess.DEVNULL, stdout=theirs,
                            stderr=subprocess.PIPE, cwd=cli.folder, env=cli.env)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:
        pass  # the other end is closed
    err = done.communicate(timeout=60)[1].decode()
    assert done.returncode == 0, err
    assert 'note: trainjob "one" is Complete' in err
    lines = text.decode().replace("\r", "").splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("[")] == [
        [node, word] for node in ("[dataset-initializer-0-0]", "[node-0-0]") for word in WORDS]
    assert b"\x1b[2J" not in text and b"\x1b[32m\x1b[0m" in text, text  # colors stay, and end with their line


def test_submit_without_the_right_to_logs(cluster, manager, space, cli):
    """They are an error message; the exit code is that of the TrainJob."""
    every = ["get", "list", "watch", "create"]
    allow(space, "submitter", [("trainer.kubeflow.org", ["trainjobs", "trainingruntimes"], every),
                               ("", ["pods"], ["list", "watch"])])
    where = ["--kubeconfig", str(as_user(cluster, cli.folder, "submitter")), "-n", space.name]
    wait_for("the role counts", lambda: attempt(cli, "get", "trainjobs", *where) is not None)
    for end, code in (("succeed", 0), ("fail", 1)):
        name = write(cli, runtime(f"rt-{end}", annotations={END: end}), trainjob(end, runtime=f"rt-{end}"))
        done = subprocess.run([PROGRAM, "submit", name, *where, "--logs"], stdin=subprocess.DEVNULL, text=True,
                              timeout=240, capture_output=True, check=False, cwd=cli.folder, env=cli.env)
        assert "you may not get pods/log" in done.stderr, done.stderr
        assert done.returncode == code, done.stderr


# ---- wait, suspend, resume, delete, top

def test_wait_suspend_resume_delete(manager, space, cli):
    space.create(runtime(), trainjob("ddp"))
    running(space, 1)
    for verb, done in (("suspend", "suspended"), ("resume", "resumed")):
        assert cli.run(verb, "ddp", *there(space)) == f"{NAMED}/ddp {done}\n"
        assert space.job("ddp")["spec"]["suspend"] is (verb == "suspend")
        want = "suspended" if verb == "suspend" else "condition=Suspended=False"
        assert cli.run("wait", "ddp", "--for", want, *there(space)) == f"{NAMED}/ddp condition met\n"
    assert "timed out waiting for the condition on trainjobs/ddp" in cli.run(
        "wait", "ddp", *there(space), "--timeout", "1s", code=1)
    gone = cli.start("wait", "ddp", "--for", "delete", *there(space))
    running(space, 1)
    end_pods(space, "succeed")
    assert cli.run("wait", "trainjob/ddp", *there(space)) == f"{NAMED}/ddp condition met\n"
    assert "is Complete: the condition cannot be met any more" in cli.run(
        "wait", "ddp", "--for", "failed", *there(space), code=1)
    assert "does not run: it is Complete" in cli.run("suspend", "ddp", *there(space), code=1)
    assert "delete works on TrainJobs" in cli.run("delete", "pods", "ddp", *there(space), code=2)
    assert cli.run("delete", "ddp", *there(space), "--dry-run") == f'{NAMED} "ddp" deleted (dry run)\n'
    assert "nothing was deleted" in cli.run("delete", "deployment", "ddp", *there(space), code=1)
    assert "works on TrainJobs" in cli.run("wait", "jobset/ddp", "--for", "delete", *there(space), code=2)
    assert space.job("ddp")
    assert cli.run("delete", "ddp", *there(space)) == f'{NAMED} "ddp" deleted\n'
    assert space.job("ddp") is None and space.jobset("ddp") is None  # it has waited for both
    assert gone.communicate(timeout=60)[0] == f"{NAMED}/ddp condition met\n"
    assert cli.run("wait", "ddp", "--for", "delete", *there(space)) == f"{NAMED}/ddp condition met\n"  # as kubectl
    assert 'trainjobs.trainer.kubeflow.org "ddp" not found' in cli.run("delete", "ddp", *there(space), code=1)


def test_a_job_that_is_being_deleted(manager, space, cli):
    """A finalizer keeps it; the API server would accept changes of its spec."""
    name = write(cli, trainjob("one", suspend=True))
    space.create(runtime(), trainjob("one", suspend=True))
    space.patch_job({"metadata": {"finalizers": ["tests.dev/hold"]}}, "one")
    cli.run("delete", "one", *there(space), "--wait=false")
    try:
        for verb in ("suspend", "resume"):
            assert cli.run(verb, "one", *there(space), code=1) == (
                f'error: cannot {verb} trainjob "one": it is being deleted\n')
        for how in ([], ["--apply"], ["--apply", "--dry-run"]):
            assert cli.run("submit", name, *there(space), *how, code=1) == (
                "job.yaml:1: TrainJob one: it is being deleted (submit it again when it is gone: "
                f"trainyard wait one --for delete --context c -n {space.name})\n")
    finally:
        space.patch_job({"metadata": {"finalizers": None}}, "one")


def test_delete_all_asks(manager, space, cli):
    space.create(runtime(), trainjob("one", suspend=True), trainjob("two", suspend=True))
    assert "add --yes" in cli.run("delete", "--all", *there(space), code=1)
    assert "not found" in cli.run("delete", "trainjob/", "", *there(space), code=1)
    assert len(space.api.list(API, "TrainJob", space.name)) == 2
    cli.run("delete", "--all", "--yes", "--wait=false", *there(space))
    wait_for("both are gone", lambda: space.job("one") is None and space.job("two") is None)


def test_kubeconfig_alone_changes_nothing(manager, space, cli):
    """KUBECONFIG is set: delete still means this machine."""
    space.create(runtime(), trainjob("ddp", suspend=True))
    cli.run("delete", "ddp", code=1)
    cli.run("suspend", "ddp", code=1)
    assert space.job("ddp")


def test_top_without_metrics(manager, space, cli):
    space.create(runtime(), trainjob("ddp"))
    running(space, 1)
    assert "metrics-server is not installed" in cli.run("top", "ddp", *there(space), code=1)


def test_no_rights(cluster, manager, space, cli):
    space.create(runtime(), trainjob("ddp", suspend=True))
    config = as_user(cluster, cli.folder, "stranger")
    for words, verb in ((("logs", "ddp"), "get"), (("suspend", "ddp"), "get"), (("delete", "ddp"), "delete"),
                        (("wait", "ddp"), "get")):
        said = cli.run(*words, "--kubeconfig", str(config), "-n", space.name, code=1)
        assert f"you may not {verb} trainjobs.trainer.kubeflow.org in namespace" in said, said
        assert "kubectl" in said and "auth can-i" in said
    assert space.job("ddp")
