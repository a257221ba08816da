"""get, describe and events of the command line on a real control plane: the same columns and words as
for a run of this machine."""
import json
import os
import re
import select
import signal
import subprocess

import pytest
import yaml

from kit import API, Space, replicated_job, runtime, trainjob, wait_for
from manager import PROGRAM
from neighbours import END, EXIT_CODE
from plane import free_ports

pytestmark = pytest.mark.ours("v2.3.0 has no command line")
LOCAL_ONLY = {"Run", "Command", "Process", "Folder"}


class Cli:
    """The program with a state folder and a configuration folder of the test's own."""

    def __init__(self, folder, kubeconfig):
        self.folder = folder
        self.env = dict(os.environ, XDG_STATE_HOME=str(folder / "state"), NO_COLOR="1",
                        XDG_CONFIG_HOME=str(folder / "config"), KUBECONFIG=str(kubeconfig))

    def run(self, *words, code=0, program=PROGRAM):
        done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, text=True, timeout=240,
                              capture_output=True, check=False, cwd=self.folder, env=self.env)
        assert "Sanitizer" not in done.stderr, done.stderr
        assert done.returncode == code, done.stderr + done.stdout
        return done.stderr if code else done.stdout

    def start(self, *words):
        return subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, text=True, cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)


@pytest.fixture
def cli(tmp_path, cluster):
    return Cli(tmp_path, cluster.kubeconfig())


def documents(how):
    """A runtime and a TrainJob that end in the same way as processes and as pods of kwok."""
    rt = runtime(annotations={END: "succeed" if how == 0 else "fail", EXIT_CODE: str(how)})
    pod = rt["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod["containers"][0]["command"] = ["sh", "-c", f"exit {how}"]
    return rt, trainjob("ddp", trainer={"numNodes": 2})


def cells(table):
    """Rows of a table, by the columns of its heading."""
    lines = [line for line in table.splitlines() if line.strip()]
    starts = [m.start() for m in re.finditer(r"(?:(?<=   )|^ *)\S", lines[0])]
    starts[0] = 0
    return [[line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])] for line in lines]


def blocks(text):
    """The parts of a description: {"Name": its value, "Conditions:": its lines}."""
    found, at = {}, None
    for line in text.splitlines():
        head, _, value = line.partition(":")
        if line.startswith(" "):
            found[at].append(line)
        elif value:
            found[head] = value.strip()
        else:
            at = head + ":"
            found[at] = []
    return found


def plain(lines):
    """Without ages."""
    return [re.sub(r"\s+\d\w* ago$", "", line) for line in lines]


@pytest.mark.parametrize("how, state", [(0, "Complete"), (3, "Failed")])
def test_the_same_words_on_both_sides(manager, space, cli, how, state):
    rt, job = documents(how)
    space.create(rt, job)
    space.wait_condition(state, "True", "ddp")
    (cli.folder / "job.yaml").write_text(yaml.safe_dump_all([rt, job]))
    cli.run("run", "job.yaml", code=1 if how else 0)
    there = ["--cluster", "-n", space.name]

    here_rows, there_rows = cells(cli.run("get")), cells(cli.run("get", *there))
    assert here_rows[0] == there_rows[0] == ["NAME", "RUNTIME", "NODES", "STATE", "PROGRESS", "RESTARTS",
                                             "STARTED", "DURATION"]
    assert here_rows[1][:6] == there_rows[1][:6] == ["ddp", "rt", "2", state, "", "0"]
    wide_here, wide_there = cells(cli.run("get", "-o", "wide"))[0], cells(cli.run("get", "-o", "wide", *there))[0]
    assert [c for c in wide_here if c not in ("RUN", "FOLDER", "COMMAND")] == wide_there
    for kind in ("jobsets", "jobs", "pods"):
        assert cells(cli.run("get", kind))[0] == cells(cli.run("get", kind, *there))[0], kind

    one, other = blocks(cli.run("describe", "ddp")), blocks(cli.run("describe", "ddp", *there))
    assert [k for k in one if k not in LOCAL_ONLY] == list(other)
    for key in ("Name", "State", "Runtime", "Nodes", "Restarts"):
        assert one[key] == other[key], key
    # The type and the reason; JobSet's message names the Job, and the time.
    assert plain(one["Conditions:"])[0] == plain(other["Conditions:"])[0]
    assert ("Failure:" in one) == (how != 0)
    if how:
        assert re.match(r"  node-0-[01] failed", one["Failure:"][0])
        assert re.match(r"  node-0-[01] failed.*exit code 3", other["Failure:"][0]), other["Failure:"]
    assert one["Nodes:"][0].split() == other["Nodes:"][0].split()  # the heading of the table
    assert one["Timeline:"][0].split() == other["Timeline:"][0].split() == ["PHASE", "DURATION", "BEGAN"]
    assert one["Timeline:"][-1].split()[0] == other["Timeline:"][-1].split()[0] == state.lower()
    assert cells(cli.run("events", "ddp"))[0] == cells(cli.run("events", "ddp", *there))[0] == [
        "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]


def test_objects_names_and_namespaces(manager, space, cli):
    space.create(runtime(), trainjob("ddp"), trainjob("ddp-2", suspend=True))
    wait_for("its pod runs", lambda: any(p["status"].get("phase") == "Running" for p in space.pods()))
    there = ["--cluster", "-n", space.name]
    pod = space.pods()[0]["metadata"]["name"]
    assert cli.run("get", "-o", "name", *there).split() == [
        "trainjob.trainer.kubeflow.org/ddp", "trainjob.trainer.kubeflow.org/ddp-2"]
    assert json.loads(cli.run("get", "ddp", "-o", "json", *there))["metadata"]["uid"] == space.job("ddp")["metadata"]["uid"]
    assert cells(cli.run("get", "pods", *there))[1][0] == pod
    assert cells(cli.run("get", "pods", "ddp", *there))[1][:3] == [pod, "1/1", "Running"]
    assert [row[0] for row in cells(cli.run("get", "--sort-by", ".spec.suspend", *there))[1:]] == ["ddp", "ddp-2"]
    rows = [row for row in cells(cli.run("get", "-A", "--cluster")) if row[0] == space.name]
    assert [row[1] for row in rows] == ["ddp", "ddp-2"]
    for word in ("trainjob/ddp", pod, f"pod/{pod}", pod.rsplit("-", 1)[0]):
        assert blocks(cli.run("describe", word, *there))["Name"] == "ddp"
    assert "pod/" + pod in cli.run("events", "ddp", *there)
    assert "not found" in cli.run("get", "ghost", *there, code=1)
    assert "--run 1: only this machine numbers its runs" in cli.run("get", "--run", "1", *there, code=2)


def test_watch(manager, space, cli):
    one = {"trainer": {"numNodes": 1}}  # else it is unknown until there is a JobSet, and the column becomes wider
    space.create(runtime(), trainjob("ddp", **one), trainjob("with-a-long-name", suspend=True, **one))
    wait_for("it runs", lambda: cells(cli.run("get", "--cluster", "-n", space.name))[1][3] == "Running")
    watch = cli.start("get", "-w", "--cluster", "-n", space.name)
    try:
        lines = iter(watch.stdout.readline, "")
        head = next(lines)
        assert head.split()[0] == "NAME"
        rows = [next(lines), next(lines)]
        assert "Running" in rows[0]
        space.suspend(True, "ddp")
        rows.append(next(lines))
        assert "Suspended" in rows[2]
        space.create(trainjob("later", suspend=True, **one))
        rows.append(next(line for line in lines if not line.startswith("ddp ")))
        assert rows[3].split()[0] == "later"
        space.api.delete(API, "TrainJob", space.name, "later")
        rows.append(next(line for line in lines if line.startswith("later ")))
        # Deleted: the last row again, as kubectl. And all are below the heading.
        assert rows[4].split()[3] == "Suspended" and all(row[head.index("STATE") - 1:].split()[0] in (
            "Running", "Suspended") for row in rows), rows
        space.suspend(False, "ddp")
    finally:
        watch.send_signal(signal.SIGTERM)
        watch.communicate(timeout=60)
    pods = cli.start("get", "pods", "-w", "--cluster", "-n", space.name)
    try:
        lines = (line for line in iter(pods.stdout.readline, "") if line.startswith(("NAME", "ddp-node-0-0-")))
        assert next(lines).split()[:3] == ["NAME", "READY", "STATUS"]
        next(line for line in lines if line.split()[2] == "Running")
        space.api.delete(API, "TrainJob", space.name, "ddp")
        last = None  # twice: it did not change, and is gone
        assert any(line.split()[:4] == last or (last := line.split()[:4]) is None for line in lines)
        assert last[2] == "Terminating"
    finally:
        pods.send_signal(signal.SIGTERM)
        pods.communicate(timeout=60)


def test_watch_events_of_a_job(manager, space, cli):
    """Also those that come after its end."""
    rt = runtime(jobs=[replicated_job("trainer-of-us")])
    space.create(rt, trainjob("ddp", suspend=True), trainjob("other", suspend=True))
    watch = cli.start("get", "events", "ddp", "-w", "--cluster", "-n", space.name)
    try:
        lines = iter(watch.stdout.readline, "")
        space.suspend(False, "ddp")
        assert any("pod/ddp-trainer-of-us-0-0-" in line for line in lines)
        cli.run("delete", "ddp", "--cluster", "-n", space.name)
        space.create({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "late"}, "reason": "Late",
                      "message": "late words", "type": "Normal", "lastTimestamp": "2099-01-02T03:04:05Z",
                      "involvedObject": {"kind": "JobSet", "name": "ddp", "namespace": space.name}})
        assert any("late words" in line for line in lines)
    finally:
        watch.send_signal(signal.SIGTERM)
        _, err = watch.communicate(timeout=60)
    assert err == ""


def as_user(cluster, folder, user):
    """A kubeconfig that impersonates the user."""
    config = json.loads(cluster.kubeconfig().read_text())
    config["users"][0]["user"]["as"] = user
    path = folder / f"kubeconfig-{user}"
    path.write_text(json.dumps(config))
    return path


def allow(space, user, rules):
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": user},
            "rules": [{"apiGroups": [g], "resources": r, "verbs": v} for g, r, v in rules]}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": user},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user},
               "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]}
    space.create(role, binding)


def test_rights(manager, space, cluster, cli):
    rt, job = documents(3)
    space.create(rt, job)
    space.wait_condition("Failed", "True", "ddp")
    where = ["--kubeconfig", str(as_user(cluster, cli.folder, "reader")), "-n", space.name]
    said = cli.run("get", *where, code=1)
    assert said == (f'error: cannot list TrainJobs: you may not list trainjobs.trainer.kubeflow.org in namespace '
                    f'"{space.name}" of context "c"; to check: kubectl {" ".join(where[:2])} --context c auth '
                    f'can-i list trainjobs.trainer.kubeflow.org -n {space.name}\n')
    allow(space, "reader", [("trainer.kubeflow.org", ["trainjobs"], ["get", "list"])])
    text = wait_for("the role counts", lambda: attempt(cli, "describe", "ddp", *where))
    parts = blocks(text)
    assert parts["State"] == "Failed" and "Restarts" not in parts
    table = cells(cli.run("get", *where))
    assert table[1][table[0].index("RESTARTS")] == ""  # unknown is not 0
    assert "you may not list pods" in text and "you may not list events" in text
    allow(space, "second", [("trainer.kubeflow.org", ["trainjobs"], ["get", "list"]),
                            ("", ["pods", "events"], ["get", "list"])])
    where = ["--kubeconfig", str(as_user(cluster, cli.folder, "second")), "-n", space.name]
    text = wait_for("the role counts", lambda: attempt(cli, "describe", "ddp", *where))
    failure = "\n".join(blocks(text)["Failure:"])
    assert "exit code 3" in failure and "you may not get pods/log" in failure
    said = [line for line in cli.run("get", "-w", *where, code=1).splitlines() if "list JobSets" not in line]
    assert len(said) == 1 and said[0].startswith("error: cannot watch trainjobs: you may not watch "), said


def test_watch_without_the_right_to_jobsets(manager, space, cluster, cli):
    """Which pods and Jobs belong to TrainJobs is unknown then: all that JobSets own are shown."""
    allow(space, "watcher", [("", ["pods"], ["list", "watch"]), ("batch", ["jobs"], ["list", "watch"])])
    where = ["--kubeconfig", str(as_user(cluster, cli.folder, "watcher")), "-n", space.name]
    wait_for("the role counts", lambda: attempt(cli, "get", "jobs", *where) is not None)
    space.create(runtime(), trainjob("ddp"))
    wait_for("its pod runs", lambda: any(p["status"].get("phase") == "Running" for p in space.pods()))
    watches = [cli.start("get", kind, "-w", *where) for kind in ("pods", "jobs")]
    said = dict.fromkeys(watches, b"")

    def has(word):
        for watch in watches:
            said[watch] += watch.stdout.buffer.read1() if select.select([watch.stdout], [], [], 0)[0] else b""
        return all(word in text for text in said.values())
    try:
        wait_for("the list", lambda: has(b"\nddp-node-0"))
        space.create(trainjob("later"))
        wait_for("the change", lambda: has(b"\nlater-node-0"), show=lambda: said)
    finally:
        for watch in watches:
            watch.send_signal(signal.SIGTERM)
            watch.communicate(timeout=60)


def test_restarts_without_the_right_to_jobsets(space, cluster, cli):
    """Unknown is not 0, in the list and in what the watch adds."""
    allow(space, "jobs-only", [("trainer.kubeflow.org", ["trainjobs"], ["list", "watch"])])
    where = ["--kubeconfig", str(as_user(cluster, cli.folder, "jobs-only")), "-n", space.name]
    wait_for("the role counts", lambda: attempt(cli, "get", *where) is not None)
    space.create(trainjob("ddp", suspend=True))
    watch = cli.start("get", "-w", *where)
    try:
        assert "RESTARTS" in watch.stdout.readline()
        first = watch.stdout.readline()
        space.create(trainjob("later", suspend=True))
        then = watch.stdout.readline()
    finally:
        watch.send_signal(signal.SIGTERM)
        watch.communicate(timeout=60)
    assert first.startswith("ddp ") and then.startswith("later "), then
    assert " 0 " not in first + then


def attempt(cli, *words):
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, text=True, timeout=240,
                          capture_output=True, check=False, env=cli.env)
    return done.stdout if done.returncode == 0 else None


def test_the_environment_alone_changes_nothing(space, cli):
    """KUBECONFIG names a cluster with the TrainJob: no command touches it without being told to."""
    space.create(trainjob("precious", suspend=True))
    uid = space.job("precious")["metadata"]["uid"]
    for words in (["get"], ["get", "-n", space.name]):
        assert cli.run(*words) == ""
    for command in ("delete", "suspend", "resume", "describe", "events"):
        said = cli.run(command, "precious", "-n", space.name, code=1)
        assert '"precious" not found' in said and f'exists in namespace "{space.name}"' in said, command
    live = space.job("precious")
    assert live["metadata"]["uid"] == uid and "deletionTimestamp" not in live["metadata"]
    assert live["metadata"]["generation"] == 1


def test_configuration(space, cli):
    space.create(trainjob("ddp", suspend=True))
    folder = cli.folder / "config/trainyard"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"where: cluster\nnamespace: {space.name}\n")
    assert cells(cli.run("get"))[1][0] == "ddp"
    assert cli.run("get", "--local") == ""
    (folder / "config.yaml").write_text("where: cluster\ncontext: missing\n")
    assert "missing" in cli.run("get", code=1)
    (folder / "config.yaml").write_text("wherever: cluster\n")
    assert "config.yaml: wherever: unknown field" in cli.run("get", code=2)


def test_the_kubectl_plugin(space, cli):
    space.create(trainjob("ddp", suspend=True))
    link = cli.folder / "kubectl-trainyard"
    link.symlink_to(PROGRAM.resolve())
    assert cells(cli.run("get", "-n", space.name, program=link))[1][0] == "ddp"
    assert "Usage: kubectl trainyard get [options]" in cli.run("get", "--help", program=link)


def test_no_such_cluster(cli, tmp_path):
    assert "nowhere" in cli.run("get", "--context", "nowhere", code=1)
    assert "none.yaml" in cli.run("get", "--kubeconfig", "none.yaml", code=1)
    dead = tmp_path / "dead.yaml"
    config = json.loads(open(cli.env["KUBECONFIG"]).read())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{free_ports(1)[0]}"
    dead.write_text(json.dumps(config))
    said = cli.run("get", "--kubeconfig", str(dead), code=1)
    assert said.startswith('error: cannot list TrainJobs in the cluster of context "c": ') and said.count("\n") == 1


def test_a_name_that_only_this_machine_has(space, cli):
    rt, job = documents(0)
    (cli.folder / "job.yaml").write_text(yaml.safe_dump_all([rt, job]))
    cli.run("run", "job.yaml")
    for command in ("get", "describe", "events"):
        said = cli.run(command, "ddp", "--cluster", "-n", space.name, code=1)
        assert said.splitlines() == [
            'error: trainjobs.trainer.kubeflow.org "ddp" not found',
            f'note: no TrainJob "ddp" in namespace "{space.name}" of context "c", but a run of this machine has '
            'one: trainyard get ddp --local']


def test_hostile_text(space, cli):
    """Names and messages of others: no escape sequence reaches a terminal."""
    space.create(trainjob("ddp", suspend=True))
    space.api.merge(space.path(API, "TrainJob", "ddp", "status"), {"status": {"conditions": [{
        "type": "Suspended", "status": "True", "reason": "Suspended", "message": "a\x1b]0;title\x07b\x1b[31mc",
        "lastTransitionTime": "2026-01-02T03:04:05Z"}]}})
    words = " ".join([str(PROGRAM), "describe", "ddp", "--cluster", "-n", space.name])
    done = subprocess.run(["script", "-qec", words, "/dev/null"], capture_output=True, text=True, timeout=120,
                          env=cli.env, check=False)
    assert "abc" in done.stdout and "\x1b" not in done.stdout, done.stdout


def test_completion(space, cli):
    space.create(trainjob("ddp", suspend=True), trainjob("eval", suspend=True))

    def offered(*words):
        return cli.run("completion", "names", "--", *words).split()

    assert offered("logs", "--cluster", "-n", space.name) == ["ddp", "eval"]
    assert offered("describe", "--context", "c", f"--namespace={space.name}") == ["ddp", "eval"]
    assert space.name in offered("wait", "--cluster", "-n")
    assert offered("wait", "--context") == ["c"]
    assert offered("logs", "-n", space.name) == []  # of this machine
    (cli.folder / "config" / "trainyard").mkdir(parents=True)
    (cli.folder / "config" / "trainyard" / "config.yaml").write_text(f"where: cluster\nnamespace: {space.name}\n")
    assert offered("delete") == ["ddp", "eval"]


def set_status(space, pod, status):
    space.api.merge(space.path("v1", "Pod", pod["metadata"]["name"], "status"), {"status": status})


def test_why_it_does_not_run(manager, space, cli):
    """A gang that no node has room for; a kill for lack of memory. (kwok starts each pod that is pending on a
    node, so a missing image is shown by cluster_failure_test and the operator's tests.)"""
    space.create(runtime(), trainjob("ddp", trainer={"resourcesPerNode": {"requests": {"cpu": "5k"}}}))
    there = ["--cluster", "-n", space.name]

    def failure(name="ddp"):
        return "\n".join(blocks(cli.run("describe", name, *there)).get("Failure:", []))
    wait_for("it says what is missing", lambda: "node-0-0 cannot be scheduled: " in failure()
             and "Insufficient cpu" in failure(), show=failure)
    assert cells(cli.run("get", *there))[1][3] == blocks(cli.run("describe", "ddp", *there))["State"] == "Starting"
    space.create(trainjob("large"))
    pod = wait_for("its pod runs", lambda: next((p for p in space.pods() if p["metadata"]["name"].startswith("large-")
                                                 and p["status"]["phase"] == "Running"), None))
    killed = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "startedAt": "2026-01-02T03:04:05Z",
                             "finishedAt": "2026-01-02T03:04:06Z"}}
    set_status(space, pod, {"phase": "Failed", "containerStatuses": [{
        "name": "node", "image": "x", "imageID": "", "ready": False, "restartCount": 0, "state": killed}]})
    wait_for("it names the memory", lambda: "memory" in failure("large"), show=lambda: failure("large"))


@pytest.mark.own_cluster
def test_a_watch_survives_the_api_server(stage, tmp_path):
    """Its connection breaks; what happens afterwards is printed."""
    cli = Cli(tmp_path, stage.kubeconfig())
    space = Space(stage.client(), "watched")
    space.create(trainjob("ddp", suspend=True))
    watch = cli.start("get", "-w", "--cluster", "-n", space.name)
    try:
        lines = iter(watch.stdout.readline, "")
        assert next(lines).split()[0] == "NAME" and next(lines).split()[0] == "ddp"
        stage.restart_apiserver()
        space.create(trainjob("later", suspend=True))
        said = next(lines, "")
        assert said.split()[:1] == ["later"], watch.poll() is not None and watch.stderr.read()
    finally:
        watch.send_signal(signal.SIGTERM)
        _, err = watch.communicate(timeout=60)
    assert "Sanitizer" not in err
