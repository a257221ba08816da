"""The status API of a local run, used as the SDK's users do: address, CA and token from the environment."""
import json
import sqlite3

from runs import job, needs_mounts

CLIENT = '''
import json, os, ssl, sys, urllib.error, urllib.request

def post(body, url=None, token=None, raw=False):
    url = url or os.environ["KUBEFLOW_TRAINER_SERVER_URL"]
    token = token or open(os.environ["KUBEFLOW_TRAINER_SERVER_TOKEN"]).read()
    trust = ssl.create_default_context(cafile=os.environ["KUBEFLOW_TRAINER_SERVER_CA_CERT"])
    data = body if raw else json.dumps(body).encode()
    ask = urllib.request.Request(url, data=data, method="POST", headers={
        "Authorization": "Bearer " + token, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(ask, context=trust) as r:
            return r.status, json.load(r)
    except urllib.error.HTTPError as e:
        return e.code, json.load(e)

def progress(percent, **more):
    return {"trainerStatus": {"progressPercentage": percent, "lastUpdatedTime": "2026-01-02T03:04:05Z", **more}}

def say(what, answer):
    code, body = answer
    print(what, code, body.get("message", "-"), flush=True)
'''


def client(box, text):
    (box.path / "client.py").write_text(CLIENT + text)
    return "python3 %s" % (box.path / "client.py")


def statuses(box):
    """What the history knows of each TrainJob's own progress."""
    db = sqlite3.connect(str(box.path / "state" / "trainyard" / "trainyard.db"))
    jobs = db.execute("SELECT name, text FROM objects WHERE kind = 'TrainJob'")
    return {name: json.loads(text)["status"].get("trainerStatus") for name, text in jobs}


@needs_mounts
def test_a_job_reports(box):
    code, out, err = box.run(job(client(box, '''
say("first", post(progress(10)))
say("last", post(progress(42, estimatedRemainingSeconds=7, metrics=[{"name": "loss", "value": "0.5"}])))
say("nothing", post({}))
''')))
    assert code == 0, err
    assert [l.split("] ")[1] for l in out.splitlines()] == ["first 200 -", "last 200 -", "nothing 200 -"]
    assert statuses(box) == {"job": {"progressPercentage": 42, "estimatedRemainingSeconds": 7, "metrics": [
        {"name": "loss", "value": "0.5"}], "lastUpdatedTime": "2026-01-02T03:04:05Z"}}


@needs_mounts
def test_what_is_refused(box):
    code, out, err = box.run(job(client(box, '''
url = os.environ["KUBEFLOW_TRAINER_SERVER_URL"]
say("good", post(progress(1)))
say("bad", post(b"rubbish", raw=True))
say("range", post(progress(150)))
say("time", post({"trainerStatus": {"progressPercentage": 5}}))
say("token", post(progress(99), token="x"))
say("foreign", post(progress(99), url=url.replace("/job/", "/other/")))
say("space", post(progress(99), url=url.replace("/default/", "/kube-system/")))
say("path", post(progress(99), url=url + "/x"))
say("size", post(b"x" * 65537, raw=True))
''')))
    assert code == 0, err
    invalid = 'TrainJob.trainer.kubeflow.org "job" is invalid: status.trainerStatus'
    got = [l.split("] ", 1)[1] for l in out.splitlines()]
    assert got[:3] == ["good 200 -", "bad 422 Invalid payload",
                       "range 422 %s.progressPercentage: Invalid value: 150: trainerStatus.progressPercentage in body "
                       "should be less than or equal to 100" % invalid]
    assert got[3].startswith("time 422 " + invalid)
    assert got[3].endswith("lastUpdatedTime is required when trainerStatus is present")
    assert got[4:] == ["token 403 Forbidden", "foreign 403 Forbidden", "space 403 Forbidden", "path 404 Not found",
                       "size 413 Payload too large"]
    assert statuses(box)["job"]["progressPercentage"] == 1


@needs_mounts
def test_two_jobs_cannot_speak_for_each_other(box):
    text = client(box, '''
import time
me = os.environ["HOSTNAME"].split("-node")[0]
other = {"one": "two", "two": "one"}[me]
url = os.environ["KUBEFLOW_TRAINER_SERVER_URL"]
say("mine", post(progress({"one": 1, "two": 2}[me])))
say("its", post(progress(99), url=url.replace("/%s/" % me, "/%s/" % other)))
''')
    one = job(text, name="one")
    two = "---\n" + one.split("---\n")[1].replace("name: one", "name: two")
    code, out, err = box.run(one + two)
    assert code == 0, err
    assert sorted(l.split("] ", 1)[1] for l in out.splitlines()) == ["its 403 Forbidden"] * 2 + ["mine 200 -"] * 2
    assert {k: v["progressPercentage"] for k, v in statuses(box).items()} == {"one": 1, "two": 2}


@needs_mounts
def test_every_node_of_the_trainer_and_nobody_else(box):
    code, out, err = box.run(job(
        "cat $KUBEFLOW_TRAINER_SERVER_TOKEN; echo; ls -l $KUBEFLOW_TRAINER_SERVER_CA_CERT | wc -l; touch "
        "$KUBEFLOW_TRAINER_SERVER_TOKEN 2>/dev/null || echo kept", nodes=2,
        before="""      - name: prep
        template:
          spec:
            template: {spec: {restartPolicy: Never, containers: [{name: p, image: none, command: [sh, -c, 'echo ${KUBEFLOW_TRAINER_SERVER_URL-none}']}]}}"""))
    assert code == 0, err
    lines = out.splitlines()
    assert "[prep-0-0] none" in lines
    tokens = {l.split()[1] for l in lines if l.startswith("[node") and len(l.split()[1]) == 64}
    assert len(tokens) == 1
    assert sum(l.endswith(" kept") for l in lines) == 2


@needs_mounts
def test_the_certificate_is_kept_and_private(box):
    for _ in range(2):
        code, out, err = box.run(job("true"))
        assert code == 0, err
    file = box.path / "state" / "trainyard" / "status-tls.pem"
    assert file.stat().st_mode & 0o777 == 0o600
    first = file.read_text()
    assert first.count("BEGIN CERTIFICATE") == 2 and first.count("PRIVATE KEY") == 2
    file.write_text("rubbish")
    code, out, err = box.run(job(client(box, 'say("x", post(progress(3)))')))
    assert (code, out) == (0, "[node-0-0] x 200 -\n"), err
    assert file.read_text() != first


def test_the_gate_switches_it_off(box):
    code, out, err = box.run(job("echo ${KUBEFLOW_TRAINER_SERVER_URL-none}"), "--feature-gates", "TrainJobStatus=false")
    assert (code, out) == (0, "[node-0-0] none\n"), err
    assert not (box.path / "state" / "trainyard" / "status-tls.pem").exists()
