"""Commands with --cluster and an API server that misbehaves. tests/operator has a real one."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from program import run


class Endless(BaseHTTPRequestHandler):
    """Each page of a list is empty and promises another one."""
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body in one packet

    def do_GET(self):
        page = json.dumps({"metadata": {"resourceVersion": "1", "continue": "more"}, "items": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *words):
        pass


@pytest.fixture
def kubeconfig(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "u", "user": {"token": "t"}}]}))
    yield path
    server.shutdown()
    server.server_close()


def test_a_list_without_end(kubeconfig):
    r = run("get", "--kubeconfig", kubeconfig)
    assert r.code == 1
    assert r.err == ('error: cannot list TrainJobs in the cluster of context "c": the list has more than 2000 pages; '
                     "name an object, or choose a namespace with -n\n")
