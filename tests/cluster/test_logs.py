"""Container logs through a real API server (ty_kube_log of src/store/kube/kube.h). The node's kubelet is scripted, so that
it can be silent, break off and refuse, in the words of the real one (pkg/kubelet/kubelet_pods.go)."""
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from driver import Driver
from plane import openssl

BIG = 3_000_000
SAID = {"said": b"one\ntwo\n", "big": b"x" * BIG, "nothing": b""}


class Kubelet(BaseHTTPRequestHandler):
    """The container's name says what becomes of its log."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def chunk(self, text):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()

    def answer(self, code, text=b"", end=True):
        self.send_response(code)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if text:
            self.chunk(text)
        if end:
            self.chunk(b"")

    def do_GET(self):
        path, _, query = self.path.partition("?")
        name = path.rsplit("/", 1)[-1]
        self.server.asked.append(self.path)
        if name == "waiting":
            self.answer(400, b'container "waiting" in pod "p" is waiting to start: ContainerCreating')
        elif "previous=true" in query:
            self.answer(400, b'previous terminated container "said" in pod "p" not found')
        elif name == "silent":  # no status before the first line, as the real one
            self.server.heard.set()
            self.server.speaks.wait(120)
            self.answer(200, b"at last\n")
        elif name == "breaks":
            self.answer(200, b"one\n", end=False)
            self.close_connection = True
        else:
            self.answer(200, SAID[name])


@pytest.fixture(scope="module")
def kubelet(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kubelet")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "cert", "-subj", "/CN=node",
            cwd=folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "cert", folder / "key")
    running = ThreadingHTTPServer(("127.0.0.1", 0), Kubelet)
    running.daemon_threads = True
    running.socket = tls.wrap_socket(running.socket, server_side=True)
    running.asked, running.heard, running.speaks = [], threading.Event(), threading.Event()
    threading.Thread(target=running.serve_forever, daemon=True).start()

    api = server.client()
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "scripted"}}
    assert api.request("POST", "/api/v1/nodes", node)[0] == 201
    node["status"] = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                      "daemonEndpoints": {"kubeletEndpoint": {"Port": running.server_address[1]}}}
    code, said = api.request("PATCH", "/api/v1/nodes/scripted/status", node, "application/merge-patch+json")
    assert code == 200, said
    names = [*SAID, "waiting", "silent", "breaks"]
    for name, more in {"p": {"nodeName": "scripted"}, "nowhere": {}}.items():
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
               "spec": {"containers": [{"name": c, "image": "i"} for c in names], **more}}
        code, said = api.request("POST", "/api/v1/namespaces/default/pods", pod)
        assert code == 201, said
    yield running
    running.speaks.set()
    for path in ("namespaces/default/pods/p?gracePeriodSeconds=0", "namespaces/default/pods/nowhere?gracePeriodSeconds=0",
                 "nodes/scripted"):
        api.request("DELETE", f"/api/v1/{path}")
    running.shutdown()


@pytest.fixture(params=["http2", "http1"])
def reader(request, config):
    with Driver("--kubeconfig", config, "--http1", int(request.param == "http1")) as driver:
        yield driver


def read(client, pod, container="", **more):
    """The text of a log, and its end."""
    which, text = client.do("log", ns="default", pod=pod, container=container, **more), ""
    while True:
        event = client.next(which)
        if event["event"] == "answer":
            return text, event
        text += event["text"]


def test_text(reader, kubelet):
    for name, said in SAID.items():
        for follow in (False, True):
            text, end = read(reader, "p", name, follow=follow)
            assert (end["r"], end["code"], end["n"]) == ("0", 200, len(said)), end
            assert text == said.decode()
    read(reader, "p", "said", tail=5, timestamps=True)
    assert kubelet.asked[-1] == "/containerLogs/default/p/said?tailLines=5&timestamps=true"


@pytest.mark.parametrize("pod, container, more, want", [
    ("none", "", {}, ("ENOENT", 404, "NotFound", 'pods "none" not found')),
    ("p", "", {}, ("EINVAL", 400, "BadRequest", "a container name must be specified for pod p")),
    ("p", "other", {}, ("EINVAL", 400, "BadRequest", "container other is not valid for pod p")),
    ("p", "waiting", {}, ("EINVAL", 400, "BadRequest", "is waiting to start: ContainerCreating")),
    ("p", "said", {"previous": True}, ("EINVAL", 400, "BadRequest", 'previous terminated container "said"')),
    ("p", "said", {"tail": -7}, ("0", 200, "", "")),
    ("nowhere", "said", {}, ("0", 204, "", "")),
])
def test_status(reader, kubelet, pod, container, more, want):
    _, end = read(reader, pod, container, **more)
    assert (end["r"], end["code"], end["reason"]) == want[:3] and want[3] in end["message"], end


def test_forbidden(server, kubelet, tmp_path):
    config = server.config(tmp_path / "stranger", {"token": server.tokens["admin"], "as": "stranger"})
    with Driver("--kubeconfig", config) as client:
        text, end = read(client, "p", "said")
    assert (text, end["r"], end["code"], end["reason"]) == ("", "EACCES", 403, "Forbidden")
    assert 'User "stranger" cannot get resource "pods/log"' in end["message"]


def test_unauthorized(server, kubelet, tmp_path):
    with Driver("--kubeconfig", server.config(tmp_path / "nobody", {"token": "wrong"})) as client:
        text, end = read(client, "p", "said")
    assert (text, end["r"], end["code"]) == ("", "EACCES", 401)


def test_breaks_off(reader, kubelet):
    text, end = read(reader, "p", "breaks", follow=True)
    assert text == "one\n" and end["r"] in ("0", "EAGAIN"), end  # the API server decides whether it tells


def test_silence(config, kubelet):
    """A followed container says nothing for longer than the timeout, and is still followed."""
    kubelet.speaks.clear()
    with Driver("--kubeconfig", config, "--timeout-ms", 1500) as client:
        followed = client.do("log", ns="default", pod="p", container="silent", follow=True)
        assert kubelet.heard.wait(60)
        _, end = read(client, "p", "silent")
        assert end["r"] == "EAGAIN" and "has said nothing for 1 s" in end["message"], end
        assert client.quiet(followed) == []
        kubelet.speaks.set()
        assert client.next(followed)["text"] == "at last\n"
        assert client.next(followed)["r"] == "0"
