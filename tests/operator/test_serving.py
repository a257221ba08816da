"""What the manager serves beside its work: probes, metrics, and webhooks to clients that mean no good."""
import json
import re
import signal
import socket
import ssl
import urllib.error
import urllib.request

import pytest

from kit import runtime, trainjob, wait_for

ANY = ssl._create_unverified_context()
VALIDATE = "/validate-trainer-kubeflow-org-v1alpha1-trainjob"


def ask(url, body=None, token=None):
    """(status, text) of a GET, or of a POST where there is a body."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=120, context=ANY) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode(errors="replace")


def metric(text, name, **labels):
    """The sum of the series that have these labels; None if there is none."""
    total = None
    for line in text.splitlines():
        match = re.match(r"(\w+)(?:\{(.*)\})? (\S+)$", line)
        if match and match[1] == name and all(
                f'{k}="{v}"' in (match[2] or "") for k, v in labels.items()):
            total = (total or 0) + float(match[3])
    return total


def test_probes(manager):
    for path in ("healthz", "readyz"):
        assert ask(f"http://127.0.0.1:{manager.health}/{path}") == (200, "ok")


def test_metrics_count(manager, space):
    url = f"http://127.0.0.1:{manager.metrics}/metrics"
    name, who = "controller_runtime_reconcile_total", {"controller": "trainjob_controller"}
    before = metric(ask(url)[1], name, **who) or 0
    space.create(runtime(), *[trainjob(f"job-{i}") for i in range(4)])
    for i in range(4):
        space.wait_jobset(f"job-{i}")
    wait_for("four passes are counted",  # when they are over, after their writes
             lambda: (metric(ask(url)[1], name, **who) or 0) >= before + 4)
    text = ask(url)[1]
    asked = metric(text, "controller_runtime_webhook_requests_total", webhook=VALIDATE)
    assert asked >= 4
    assert metric(text, "process_resident_memory_bytes") > 1e6


@pytest.mark.ours("metrics.auth is not in v2.3.0's configuration")
def test_metrics_for_those_who_may(make_manager, cluster):
    one = make_manager(settings={"metrics": {"secureServing": True, "auth": {"enabled": True}}}).start()
    url = f"https://127.0.0.1:{one.metrics}/metrics"
    assert ask(url)[0] == 401
    assert ask(url, token="no-such-token")[0] == 401
    assert ask(url, token=cluster.tokens["manager-7"])[0] == 403
    code, text = ask(url, token=cluster.tokens["admin"])
    assert code == 200 and metric(text, "process_resident_memory_bytes") > 1e6


# ---- bad clients

def refused(answer):
    """Not a yes: an HTTP error, or a review that says no."""
    code, text = answer
    return 400 <= code < 500 or code == 200 and json.loads(text)["response"]["allowed"] is False


@pytest.mark.parametrize("body", [
    b"", b"garbage", b"{}", b"[]", b"null", b'{"kind":"AdmissionReview"}', b"\xff\xfe\x00" * 100,
    b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1",'
    b'"object":{"spec":[]}}}', b'{"a":' * 20000, b'"' + b"x" * (10 << 20) + b'"'],
    ids=["nothing", "words", "object", "list", "null", "no-request", "binary", "wrong-type", "deep",
         "10MB"])
def test_garbage_to_a_webhook(manager, space, body):
    try:
        assert refused(ask(f"https://127.0.0.1:{manager.port}{VALIDATE}", body))
    except (urllib.error.URLError, ConnectionError, ssl.SSLError):
        assert len(body) > 1 << 20  # it may hang up on what is too long
    assert manager.child.poll() is None
    space.create(runtime())
    space.create(trainjob())
    space.wait_jobset()


def test_slow_clients_hold_up_nobody(manager, space):
    """Half-sent requests and half-made handshakes, while the API server is served as ever."""
    held = []
    try:
        for i in range(60):
            raw = socket.create_connection(("127.0.0.1", manager.port), 60)
            held.append(raw)
            if i % 2:
                tls = ANY.wrap_socket(raw)
                tls.sendall(f"POST {VALIDATE} HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{{"
                            .encode())
                held[-1] = tls
        space.create(runtime(), *[trainjob(f"job-{i}") for i in range(5)])
        for i in range(5):
            space.wait_jobset(f"job-{i}")
        assert manager.ready()
    finally:
        for one in held:
            one.close()


@pytest.mark.ours("v2.3.0 ends at a SIGHUP")
def test_sighup_reads_the_configuration_again(manager, space):
    manager.settings = {"clientConnection": {"qps": 40, "burst": 80}}
    manager.command()  # writes the file
    manager.child.send_signal(signal.SIGHUP)
    wait_for("it says so", lambda: "clientConnection.qps" in manager.log())
    manager.settings = {"webhok": {}}
    manager.command()
    manager.child.send_signal(signal.SIGHUP)
    wait_for("it says what is wrong", lambda: "webhok" in manager.log())
    space.create(runtime(), trainjob())
    space.wait_jobset()
