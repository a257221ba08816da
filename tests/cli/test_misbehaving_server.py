"""Commands with --cluster and an API server that misbehaves. tests/operator has a real one."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest
from program import run


class Handler(BaseHTTPRequestHandler):
    """Answers with what the test's server.answer(path, query) returns: an object, or text of a log or watch; None is 404."""
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body in one packet

    def do_GET(self):
        url = urlsplit(self.path)
        found = self.server.answer(url.path, dict(parse_qsl(url.query)))
        status = {"kind": "Status", "code": 404, "reason": "NotFound", "message": "not found"}
        text = found if isinstance(found, str) else json.dumps(found or status)
        self.send_response(200 if found is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


@pytest.fixture
def serve(tmp_path):
    """Starts a server with that answer function; returns its kubeconfig."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True

    def start(answer):
        server.answer = answer
        threading.Thread(target=server.serve_forever, daemon=True).start()
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
            "users": [{"name": "u", "user": {"token": "t"}}]}))
        return path

    yield start
    server.shutdown()
    server.server_close()


def test_a_list_without_end(serve):
    kubeconfig = serve(lambda path, query: {"metadata": {"resourceVersion": "1", "continue": "more"}, "items": []})
    r = run("get", "--kubeconfig", kubeconfig)
    assert r.code == 1
    assert r.err == ('error: cannot list TrainJobs in the cluster of context "c": the list has more than 2000 pages; '
                     "name an object, or choose a namespace with -n\n")


class Expiring:
    """Every watch expires at once (410 Gone). The job is over, and its pod, when both were listed three times."""
    expired = json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired",
                                                      "message": "too old resource version"}}) + "\n"

    def __init__(self):
        self.lists = {"trainjobs": 0, "pods": 0}

    def over(self):
        return min(self.lists.values()) >= 3

    def job(self):
        ends = [{"type": "Complete", "status": "True", "message": "done"}] if self.over() else []
        return {"metadata": {"name": "t", "namespace": "team", "uid": "j", "resourceVersion": "1" if not ends else "2"},
                "status": {"conditions": ends}}

    def pod(self):
        state = {"terminated": {"exitCode": 0}} if self.over() else {"running": {}}
        return {"metadata": {"name": "t-node-0-0-x", "namespace": "team", "uid": "p", "resourceVersion": "1" if not self.over() else "2"},
                "spec": {"hostname": "t-node-0-0", "containers": [{"name": "node"}]},
                "status": {"phase": "Succeeded" if self.over() else "Running",
                           "containerStatuses": [{"name": "node", "restartCount": 0, "state": state}]}}

    def __call__(self, path, query):
        kind = path.rsplit("/", 1)[1]
        if kind == "log":
            return "2026-11-17T18:40:01.000000000Z one\n2026-11-17T18:40:02.000000000Z two\n"
        if "watch" in query:
            return self.expired
        if kind in self.lists:
            self.lists[kind] += 1
            return {"metadata": {"resourceVersion": "1"}, "items": [self.job() if kind == "trainjobs" else self.pod()]}
        return self.job() if path.endswith("/trainjobs/t") else None


def test_logs_while_watches_expire(serve):
    server = Expiring()
    r = run("logs", "t", "-f", "--kubeconfig", serve(server))
    assert (r.code, r.out, r.err) == (0, "[node-0-0] one\n[node-0-0] two\n", "")
    assert server.over()


def test_wait_while_watches_expire(serve):
    server = Expiring()
    server.lists["pods"] = 3  # wait does not list them
    r = run("wait", "t", "--kubeconfig", serve(server))
    assert (r.code, r.out, r.err) == (0, "trainjob.trainer.kubeflow.org/t condition met\n", "")
    assert server.lists["trainjobs"] >= 3
