"""Ports, flags and tokens of the operator, on an API server alone."""
import json
import signal
import socket
import ssl
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from between import Fault, Proxy
from kit import runtime, trainjob, wait_for
from test_serving import ask

pytestmark = pytest.mark.ours("the words and SIGHUP are ours")
PROGRESS = json.dumps({"trainerStatus": {"progressPercentage": 40,
                                         "lastUpdatedTime": "2026-01-02T03:04:05Z"}}).encode()


def lines(one):
    """Its log, where nothing but JSON is."""
    return [json.loads(line) for line in one.log().splitlines()]


def rewrite(one, settings):
    """The same file, changed; SIGHUP."""
    one.settings = settings
    one.command()
    one.child.send_signal(signal.SIGHUP)


def test_sighup_takes_over_names_and_auth(bare, make_manager):
    one = make_manager(plane=bare, webhooks=False).start()
    health, metrics = (f"http://127.0.0.1:{p}" for p in (one.health, one.metrics))
    assert ask(f"{metrics}/metrics")[0] == 200
    rewrite(one, {"health": {"readinessEndpointName": "am-i-ready", "livenessEndpointName": "alive"},
                  "metrics": {"auth": {"enabled": True}}})
    wait_for("the new name", lambda: ask(f"{health}/am-i-ready")[0] == 200)
    assert ask(f"{health}/alive")[0] == 200
    assert ask(f"{health}/readyz")[0] == 200, "as v2.3.0, which does not look at the name"
    assert ask(f"{metrics}/metrics")[0] == 401
    rewrite(one, {})  # and back, which frees what the first one brought
    wait_for("the name is gone", lambda: ask(f"{health}/am-i-ready")[0] == 404)
    assert ask(f"{health}/readyz")[0] == 200
    assert ask(f"{metrics}/metrics")[0] == 200


def test_sighup_takes_over_protection(bare, bare_space, make_manager):
    bare_space.create(runtime("kept"))
    one = make_manager(plane=bare, webhooks=False).start()
    bare_space.create(trainjob("job", "kept", suspend=True))
    bare_space.wait_jobset("job")
    rewrite(one, {"runtimeProtection": "finalizer",
                  "controller": {"groupKindConcurrency": {"TrainJob.trainer.kubeflow.org": 1}}})

    def finalizers():
        live = bare_space.get("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "kept")
        return live["metadata"].get("finalizers") or []

    wait_for("the runtime is held", finalizers)
    rewrite(one, {})
    wait_for("and let go", lambda: not finalizers())


def at_once(requests):
    """How many TrainJobs were being written in one moment, at most: a job is being written from its
    first request to the end of its last."""
    spans = {}
    for r in requests:
        name = r.path.split("/job-")[1].split("?")[0].split("/")[0].split("-")[0]
        first, last = spans.get(name, (r.at, r.end))
        spans[name] = min(first, r.at), max(last, r.end)
    return max(sum(first <= at < last for first, last in spans.values())
               for at, _ in spans.values())


@pytest.mark.parametrize("workers, most", [(1, 1), (3, 3), (None, 8)])
def test_how_many_at_a_time(bare, bare_space, make_manager, workers, most):
    """By what reached the server, which answers nothing until as many are there as may be, and then
    takes a while for each; 8 are all there are."""
    bare_space.create(runtime(), *[trainjob(f"job-{i}", suspend=True) for i in range(8)])
    kinds = {"TrainJob.trainer.kubeflow.org": workers} if workers else {}
    writes = [f"/{kind}/job-" for kind in ("jobsets", "configmaps", "trainjobs")]

    def written(request):
        return request.writes and any(kind in request.path for kind in writes)

    go = threading.Event()
    with Proxy(bare, lambda r: Fault(delay=0.05, until=go) if written(r) else None) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy, settings={
            "controller": {"groupKindConcurrency": kinds}}).start()
        wait_for("they are there", lambda: len(proxy.seen(written)) == most)
        go.set()
        for i in range(8):
            bare_space.wait_condition("Suspended", "True", f"job-{i}")
        one.stop()
        assert len(proxy.seen(written)) == 8 * 3
        assert at_once(proxy.seen(written)) == most


@pytest.mark.parametrize("which, field", [
    ("port", "webhook.port"), ("health", "health.healthProbeBindAddress"),
    ("metrics", "metrics.bindAddress")])
def test_port_in_use(bare, make_manager, which, field):
    one = make_manager(plane=bare, webhooks=False)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        setattr(one, which, held.getsockname()[1])
        one.start(wait=False)
        assert one.child.wait(120) == 1
    one.child = None
    said = [x for x in lines(one) if x["level"] == "error"]
    assert len(said) == 1 and said[0]["msg"] == "cannot start"
    assert field in said[0]["error"] and str(getattr(one, which)) in said[0]["error"]
    assert "in use" in said[0]["error"]


def handshake(port, cipher):
    """Whether a TLS 1.2 handshake with only this cipher is taken."""
    context = ssl._create_unverified_context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(cipher)
    try:
        with socket.create_connection(("127.0.0.1", port), 60) as raw, context.wrap_socket(raw):
            return True
    except (ssl.SSLError, ConnectionError):
        return False


CBC, GCM = "ECDHE-RSA-AES256-SHA", "ECDHE-RSA-AES256-GCM-SHA384"
SUITES = ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_NO_SUCH"]


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_lists_of_the_configuration(bare, make_manager, n):
    """Lists of any length: ciphers, protocols, plugins."""
    one = make_manager(plane=bare, webhooks=False, settings={
        "tls": {"minVersion": "1.2", "cipherSuites": SUITES[:n],
                "nextProtos": ["h2", "http/1.1", "http/1.0", "spdy/3"][:n]},
        "plugins": {"disabledPlugins": ["MPI", "CoScheduling", "Volcano", "Flux"][:n]}}).start()
    assert handshake(one.port, GCM)
    assert handshake(one.port, CBC) == (n == 0)
    assert ('\\"TLS_NO_SUCH\\" is unknown' in one.log()) == (n == 4)


def test_http2_is_not_promised(bare, bare_space, make_manager):
    """A configuration that v2.3.0 serves webhooks over HTTP/2 with: ours speak HTTP/1.1, and say so. The
    API server offers both."""
    one = make_manager(plane=bare, settings={"tls": {"nextProtos": ["h2", "http/1.1"]}}).start()
    bare_space.create(runtime(), trainjob("asked", suspend=True))  # through the webhooks
    bare_space.wait_condition("Suspended", "True", "asked")
    assert 'tls.nextProtos: \\"h2\\" is not spoken here' in one.log()


def run(one, *arguments):
    return subprocess.run([*map(str, one.command()), *arguments], capture_output=True, text=True,
                          timeout=120)


def test_kubeconfig_that_names_nothing(bare, make_manager, tmp_path):
    one = make_manager(plane=bare)
    done = run(one, "--kubeconfig", str(tmp_path / "none"))
    assert done.returncode == 1 and str(tmp_path / "none") in done.stderr
    file = tmp_path / "empty"
    file.write_text("apiVersion: v1\nkind: Config\ncurrent-context: lost\n")
    done = run(one, "--kubeconfig", str(file))
    assert done.returncode == 1 and "lost" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("flag", ["--zap-log-level=loud", "--zap-encoder=xml", "--zap-devel=maybe",
                                  "--zap-time-encoding=sundial"])
def test_zap_flag_with_a_wrong_value(bare, make_manager, flag):
    done = run(make_manager(plane=bare), flag)
    assert done.returncode == 2
    assert flag.split("=")[1] in done.stderr


def test_zap_flags(bare, make_manager):
    one = make_manager(plane=bare, webhooks=False, arguments=(
        "--zap-log-level=debug", "--zap-encoder=console", "--zap-time-encoding=epoch",
        "--zap-stacktrace-level=panic")).start()
    first = one.log().splitlines()[0]
    assert not first.startswith("{") and "starting" in first
    assert abs(float(first.split()[0]) - time.time()) < 600


# ---- the status API, with tokens that the API server made

def audience(space, job="job"):
    return f"trainer.kubeflow.org/v1alpha1/namespaces/{space}/trainjobs/{job}/status"


def token(api, space, for_audience):
    path = f"/api/v1/namespaces/{space}/serviceaccounts"
    api.request("POST", path, {"apiVersion": "v1", "kind": "ServiceAccount",
                               "metadata": {"name": "pod"}})
    answer = api.must("POST", f"{path}/pod/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"audiences": [for_audience], "expirationSeconds": 600}})
    return answer["status"]["token"]


def test_status_with_projected_tokens(bare, bare_space, make_manager):
    api, ns = bare.client(), bare_space.name
    bare_space.create(runtime(), trainjob("job", suspend=True))
    one = make_manager(plane=bare, webhooks=False, certificates="managed", settings={
        "featureGates": {"TrainJobStatus": True}, "statusServer": {"qps": 50, "burst": 50}}).start()
    bare_space.wait_jobset("job")
    url = f"https://127.0.0.1:{one.status}/apis/trainer.kubeflow.org/v1alpha1/namespaces/{ns}" \
          "/trainjobs/job/status"
    good = token(api, ns, audience(ns))
    code, said = ask(url, PROGRESS, good)
    assert code == 200, said
    assert bare_space.job()["status"]["trainerStatus"]["progressPercentage"] == 40
    assert ask(url, PROGRESS)[0] == 403
    assert ask(url, PROGRESS, "no-token")[0] == 403
    assert ask(url, PROGRESS, token(api, ns, audience(ns, "other")))[0] == 403
    assert ask(url, PROGRESS, token(api, "default", audience(ns)))[0] == 403  # another's pod
    assert ask(url, b"{", good)[0] == 422
    gone = url.replace("/job/", "/gone/")
    assert ask(gone, PROGRESS, token(api, ns, audience(ns, "gone")))[0] == 404


def took_its_time(sent, qps, burst):
    """Requests beyond the burst were spread. The proxy may have seen the first one late, hence the half."""
    return sent[-1] - sent[0] > 0.5 * (len(sent) - burst) / qps


def test_status_reports_are_limited(bare, bare_space, make_manager):
    """statusServer.qps and burst: ten reports at once are spread over a second."""
    api, ns, qps, burst = bare.client(), bare_space.name, 5, 4
    bare_space.create(runtime(), trainjob("job", suspend=True))
    with Proxy(bare) as proxy:
        one = make_manager(plane=bare, webhooks=False, certificates="managed", through=proxy, settings={
            "featureGates": {"TrainJobStatus": True},
            "statusServer": {"qps": qps, "burst": burst}}).start()
        bare_space.wait_condition("Suspended", "True")
        url = f"https://127.0.0.1:{one.status}/apis/trainer.kubeflow.org/v1alpha1/namespaces/{ns}" \
              "/trainjobs/job/status"
        good = token(api, ns, audience(ns))
        with ThreadPoolExecutor(10) as pool:
            reports = [pool.submit(ask, url, PROGRESS, good) for _ in range(10)]
        assert [r.result()[0] for r in reports] == [200] * 10
        sent = [r.at for r in proxy.seen(lambda r: "fieldManager=trainer-status" in r.path)]
        assert len(sent) == 10
        assert took_its_time(sent, qps, burst), sent
        one.stop()
