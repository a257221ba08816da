"""JobSet, Job and pod policies with real processes. Every process appends words to `events`, so the order of
its lines is the order of what really happened."""
import json
import signal
import subprocess

import pytest

from past import wait_state
from waiting import wait_for


def write(word):
    return f"echo {word} >>events"


def container(command, name="main", **more):
    return {"name": name, "image": "none", "command": ["sh", "-c", command], **more}


def rjob(name, command, replicas=1, pods=1, depends=None, job=None, pod=None, ready=None, **more):
    """A replicated job of pods without retries; `ready` is a command of the readiness probe."""
    if ready:
        more["readinessProbe"] = {"exec": {"command": ["sh", "-c", ready]}, "periodSeconds": 1}
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 60,  # nobody here needs them
            "containers": [container(command, **more)], **(pod or {})}
    template = {"spec": {"backoffLimit": 0, "parallelism": pods, "completions": pods, **(job or {}),
                         "template": {"spec": spec}}}
    return {"name": name, "replicas": replicas, "template": template,
            **({"dependsOn": depends} if depends else {})}


def jobset(*rjobs, suspend=False, **policies):
    # Only what is run under the trainer's label may be scaled; nothing here is.
    runtime = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
               "metadata": {"name": "rt"},
               "spec": {"mlPolicy": {"numNodes": 1},
                        "template": {"spec": {"replicatedJobs": list(rjobs), **policies}}}}
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "job"},
           "spec": {"runtimeRef": {"name": "rt"}, "suspend": suspend}}
    return json.dumps(runtime) + "\n---\n" + json.dumps(job)


def events(box):
    file = box.path / "events"
    return file.read_text().split("\n")[:-1] if file.exists() else []


# ---- failure policies ----

ATTEMPT = {"name": "ATTEMPT", "valueFrom": {"fieldRef": {
    "fieldPath": "metadata.labels['jobset.sigs.k8s.io/restart-attempt']"}}}


def test_max_restarts(box):
    code, out, err = box.run(jobset(rjob("a", write("$ATTEMPT") + "; exit 3", env=[ATTEMPT]),
                                    failurePolicy={"maxRestarts": 2}))
    assert code == 1
    assert events(box) == ["0", "1", "2"]
    assert "ReachedMaxRestarts" in err


def test_a_restart_takes_everybody(box):
    """The one that did not fail is stopped, and both run again."""
    text = jobset(
        rjob("good", f"trap '{write('good-stopped')}; exit 1' TERM; {write('good-$ATTEMPT')}; "
             "[ $ATTEMPT = 1 ] && exit 0; while :; do sleep 0.05; done", env=[ATTEMPT]),
        rjob("bad", f"until grep -q good-$ATTEMPT events; do sleep 0.05; done; {write('bad-$ATTEMPT')}; "
             "[ $ATTEMPT = 1 ]", env=[ATTEMPT]),
        failurePolicy={"maxRestarts": 1})
    code, out, err = box.run(text)
    assert code == 0, err
    seen = events(box)
    assert seen[:2] == ["good-0", "bad-0"] and seen[-2:] == ["good-1", "bad-1"]
    assert seen[2:-2] == ["good-stopped"]


def on_code(action, code, **more):
    return {"rules": [{"action": action, "onExitCodes": {"operator": "In", "values": [code]}, **more}]}


def test_fail_jobset_by_reason(box):
    rules = [{"name": "lost", "action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}]
    code, out, err = box.run(jobset(
        rjob("a", write("once") + "; exit 42", job={"podFailurePolicy": on_code("FailJob", 42)}),
        failurePolicy={"maxRestarts": 5, "rules": rules}))
    assert code == 1
    assert events(box) == ["once"]
    assert "failed with exit code 42 matching FailJob rule at index 0" in err
    assert "FailJobSet" in err


def test_restart_jobset_by_target(box):
    """A failure of a restarts, one of b does not."""
    rules = [{"name": "again", "action": "RestartJobSet", "targetReplicatedJobs": ["a"]},
             {"name": "over", "action": "FailJobSet", "targetReplicatedJobs": ["b"]}]
    text = jobset(
        rjob("a", write("a-$ATTEMPT") + "; [ $ATTEMPT = 1 ]", env=[ATTEMPT]),
        rjob("b", f"[ $ATTEMPT = 1 ] || exec sleep 60; until grep -q a-1 events; do sleep 0.05; done; "
             f"{write('b-1')}; exit 5", env=[ATTEMPT]),
        failurePolicy={"maxRestarts": 3, "rules": rules})
    code, out, err = box.run(text)
    assert code == 1
    assert events(box) == ["a-0", "a-1", "b-1"]
    assert "FailJobSet" in err


def test_restarts_that_do_not_count(box):
    rules = [{"name": "free", "action": "RestartJobSetAndIgnoreMaxRestarts"}]
    code, out, err = box.run(jobset(rjob("a", write("$ATTEMPT") + "; [ $ATTEMPT = 3 ]", env=[ATTEMPT]),
                                    failurePolicy={"maxRestarts": 1, "rules": rules}))
    assert code == 0, err
    assert events(box) == ["0", "1", "2", "3"]


# ---- order ----

def test_depends_on_ready(box):
    """b waits for the readiness of both pods of a, not only for their start."""
    text = jobset(
        rjob("a", f"{write('a-up')}; sleep 0.5; {write('a-open')}; touch open.$JOB_COMPLETION_INDEX; "
             "until [ -e b-done ]; do sleep 0.05; done", pods=2, ready="[ -e open.$JOB_COMPLETION_INDEX ]"),
        rjob("b", write("b") + "; touch b-done", depends=[{"name": "a", "status": "Ready"}]))
    code, out, err = box.run(text)
    assert code == 0, err
    assert sorted(events(box)[:4]) == ["a-open", "a-open", "a-up", "a-up"]
    assert events(box)[4:] == ["b"]


def test_depends_on_complete(box):
    text = jobset(
        rjob("a", "sleep 0.3; " + write("a"), pods=2),
        rjob("b", write("b"), depends=[{"name": "a", "status": "Complete"}]),
        rjob("c", write("c"), depends=[{"name": "b", "status": "Complete"}]))
    code, out, err = box.run(text)
    assert code == 0, err
    assert events(box) == ["a", "a", "b", "c"]


def test_startup_in_order(box):
    def server(name, after):
        return rjob(name, f"{write(name + '-up')}; sleep 0.3; {write(name + '-open')}; touch {name}.open; "
                    f"until [ -e {after}.open ]; do sleep 0.05; done", ready=f"[ -e {name}.open ]")
    code, out, err = box.run(jobset(server("a", "c"), server("b", "c"), server("c", "c"),
                                    startupPolicy={"startupPolicyOrder": "InOrder"}))
    assert code == 0, err
    assert events(box) == ["a-up", "a-open", "b-up", "b-open", "c-up", "c-open"]


# ---- success ----

FOREVER = f"trap '{write('stopped')}; exit 0' TERM; touch up.$JOB_COMPLETION_INDEX; while :; do sleep 0.05; done"


@pytest.mark.parametrize("policy", [{"operator": "Any", "targetReplicatedJobs": ["chief"]},
                                    {"operator": "Any"},
                                    {"operator": "All", "targetReplicatedJobs": ["chief"]}])
def test_success_without_all(box, policy):
    """The chief is done: the others, who would run for ever, are asked to stop."""
    code, out, err = box.run(jobset(
        rjob("ps", FOREVER, pods=2),
        rjob("chief", f"until [ -e up.0 ] && [ -e up.1 ]; do sleep 0.05; done; {write('chief')}"),
        successPolicy=policy))
    assert code == 0, err
    assert events(box) == ["chief", "stopped", "stopped"]


def test_all_of_a_target(box):
    """All of two replicas, not the first of them."""
    code, out, err = box.run(jobset(
        rjob("ps", FOREVER, pods=1),
        rjob("chief", f"sleep 0.$((5 * $INDEX)); {write('chief-$INDEX')}", replicas=2, env=[{
            "name": "INDEX", "valueFrom": {"fieldRef": {
                "fieldPath": "metadata.labels['jobset.sigs.k8s.io/job-index']"}}}]),
        successPolicy={"operator": "All", "targetReplicatedJobs": ["chief"]}))
    assert code == 0, err
    assert sorted(events(box)[:2]) == ["chief-0", "chief-1"]


# ---- Jobs ----

def test_restarts_inside_a_pod_count(box):
    """As in Kubernetes the first restart reaches a limit of 1: the pod is stopped as its second process begins, which
    may get to write or not, and there is no third."""
    code, out, err = box.run(jobset(rjob("a", write("try") + "; exit 1", pod={"restartPolicy": "OnFailure"},
                                         job={"backoffLimit": 1})))
    assert code == 1
    assert events(box) in (["try"], ["try", "try"])
    assert "BackoffLimitExceeded" in err


def test_fail_index(box):
    """Exit code 3 gives up index 1 at once, its retries notwithstanding; the others go on to their end."""
    code, out, err = box.run(jobset(rjob(
        "a", f"{write('$JOB_COMPLETION_INDEX')}; [ $JOB_COMPLETION_INDEX = 1 ] && exit 3; sleep 1; "
        + write("done-$JOB_COMPLETION_INDEX"), pods=3,
        job={"backoffLimit": None, "backoffLimitPerIndex": 5, "podFailurePolicy": on_code("FailIndex", 3)})))
    assert code == 1
    assert sorted(events(box)) == ["0", "1", "2", "done-0", "done-2"]
    assert "FailedIndexes" in err


def test_deadline(box):
    """Long enough for a process to begin, wherever: one that has not cannot tell that it was stopped."""
    limit = box.limit(2)
    code, out, err = box.run(jobset(rjob("a", FOREVER, job={"activeDeadlineSeconds": limit, "backoffLimit": 6})))
    assert code == 1
    assert events(box) == ["stopped"]
    assert "DeadlineExceeded" in err


def test_deadlines_beyond_all_time(box):
    """Of the TrainJob, its Jobs and their pods, as far away as 64 bits go: none is passed."""
    far = {"activeDeadlineSeconds": 2 ** 63 - 1}
    text = jobset(rjob("a", "sleep 0.3; " + write("done"), job=far, pod=far))
    code, out, err = box.run(text.replace('"suspend": false', '"suspend": false, ' + json.dumps(far)[1:-1]))
    assert code == 0 and events(box) == ["done"]
    assert "runtime error" not in err


def test_a_finished_job_with_a_short_life_runs_again(box):
    """As on the cluster: the Job is gone, so the JobSet makes it anew. It is said before."""
    code, out, err = box.run(jobset(
        rjob("short", write("short"), job={"ttlSecondsAfterFinished": 1}),
        rjob("long", "until [ $(grep -c short events) -ge 2 ]; do sleep 0.05; done")))
    assert "the Job will be deleted and run again if the JobSet is still running" in err
    assert events(box).count("short") >= 2
    assert code == 0, err


def test_retries_after_a_while(box):
    """Three jobs whose second try comes after the back-off of 10 s, waiting side by side."""
    once = "[ -e {0}.$JOB_COMPLETION_INDEX ] && exit 0; touch {0}.$JOB_COMPLETION_INDEX; exit {1}"
    text = jobset(
        rjob("limit", write("limit") + "; " + once.format("limit", 1), job={"backoffLimit": 1}),
        rjob("ignored", write("ignored") + "; " + once.format("ignored", 43),
             job={"backoffLimit": 0, "podFailurePolicy": on_code("Ignore", 43)}),
        rjob("index", write("index-$JOB_COMPLETION_INDEX") + "; [ $JOB_COMPLETION_INDEX = 0 ] && exit 0; "
             + once.format("index", 1), pods=2, job={"backoffLimit": None, "backoffLimitPerIndex": 1}))
    code, out, err = box.run(text)
    assert code == 0, err
    seen = events(box)
    assert {w: seen.count(w) for w in seen} == {"limit": 2, "ignored": 2, "index-0": 1, "index-1": 2}


# ---- suspension ----

def test_suspended_at_start(box):
    p = box.start(jobset(rjob("a", write("ran")), suspend=True))
    said = ""
    while "Suspended" not in said:
        line = p.stderr.readline()
        assert line, said
        said += line
    wait_state(box, "Suspended", "job")  # of what runs the history knows by then, too
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    assert p.returncode == 130
    assert events(box) == []


def test_suspended_and_resumed_while_running(box):
    """Suspended: the processes are stopped; resumed: they begin again, and the job ends well."""
    def order(verb):
        def ask():
            done = subprocess.run([box.binary, verb, "job"], env=box.env, text=True, capture_output=True)
            return done.returncode == 0
        wait_for(f"{verb} finds the run", ask)  # the history that says where it runs is written in batches
    p = box.start(jobset(rjob(
        "a", f"trap '{write('stopped')}; exit 1' TERM; {write('up')}; until [ -e go ]; do sleep 0.05; done", pods=2)))
    wait_for("both pods are up", lambda: events(box) == ["up"] * 2, show=lambda: events(box))
    order("suspend")
    wait_for("both are stopped", lambda: events(box) == ["up"] * 2 + ["stopped"] * 2, show=lambda: events(box))
    (box.path / "go").touch()
    order("resume")
    out, err = p.communicate(timeout=60)
    assert p.returncode == 0, err
    assert events(box) == ["up"] * 2 + ["stopped"] * 2 + ["up"] * 2


# ---- pods ----

def test_init_containers_come_first(box):
    inits = [container("sleep 0.3; " + write("first"), "first"), container(write("second"), "second")]
    code, out, err = box.run(jobset(rjob("a", write("main"), pod={"initContainers": inits})))
    assert code == 0, err
    assert events(box) == ["first", "second", "main"]


def test_a_failing_init_container(box):
    inits = [container(write("first") + "; exit 9", "first"), container(write("second"), "second")]
    code, out, err = box.run(jobset(rjob("a", write("main"), pod={"initContainers": inits})))
    assert code == 1
    assert events(box) == ["first"]
    assert "exit code 9" in err


def test_sidecar(box):
    """Up before the main container, stopped after it, and not waited for."""
    sidecar = container(f"trap '{write('side-stopped')}; exit 0' TERM; {write('side-up')}; touch up; "
                        "while :; do sleep 0.05; done", "side", restartPolicy="Always",
                        startupProbe={"exec": {"command": ["test", "-e", "up"]}, "periodSeconds": 1,
                                      "timeoutSeconds": 30, "failureThreshold": 60})
    code, out, err = box.run(jobset(rjob("a", write("main"), pod={"initContainers": [sidecar]})))
    assert code == 0, err
    assert events(box) == ["side-up", "main", "side-stopped"]


def test_liveness(box):
    """Alive when it is asked first, then not: killed and started again."""
    live = {"exec": {"command": ["sh", "-c", "touch asked; [ ! -e dead ]"]}, "initialDelaySeconds": 2,
            "periodSeconds": 1, "failureThreshold": 1}
    code, out, err = box.run(jobset(rjob(
        "a", f"trap '{write('killed')}; exit 1' TERM; {write('try')}; [ $(grep -c try events) -ge 2 ] && exit 0; "
        "until [ -e asked ]; do sleep 0.05; done; touch dead; while :; do sleep 0.05; done", livenessProbe=live,
        pod={"restartPolicy": "OnFailure"}, job={"backoffLimit": 3})))
    assert code == 0, err
    assert events(box) == ["try", "killed", "try"]


def test_startup_probe_gives_up(box):
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 4}
    code, out, err = box.run(jobset(rjob("a", FOREVER.replace("exit 0", "exit 1"), startupProbe=probe)))
    assert code == 1
    assert events(box) == ["stopped"]
    assert "Startup probe failed" in err


def test_readiness_by_port(box):
    """The port opens late; who depends on it starts after that and can connect."""
    server = ("import socket, time, os; time.sleep(1.5); s = socket.socket(); "  # later than a probe
              "s.bind((os.environ['POD_IP'], 7070)); open('events', 'a').write('open\\n'); s.listen(); "
              "[s.accept() for _ in iter(int, 1)]")  # until it is stopped
    ip = {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    a = rjob("a", "", env=[ip])
    main = a["template"]["spec"]["template"]["spec"]["containers"][0]
    main["command"] = ["python3", "-c", server]
    main["ports"] = [{"containerPort": 7070}]
    main["readinessProbe"] = {"tcpSocket": {"port": 7070}, "periodSeconds": 1}
    client = ("python3 -c \"import socket; socket.create_connection(('job-a-0-0.job', 7070))\" && "
              + write("connected"))
    code, out, err = box.run(jobset(a, rjob("b", client, depends=[{"name": "a", "status": "Ready"}]),
                                    successPolicy={"operator": "All", "targetReplicatedJobs": ["b"]}))
    assert code == 0, err
    assert events(box) == ["open", "connected"]
