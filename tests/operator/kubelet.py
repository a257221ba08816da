"""A kubelet that serves container logs and nothing else, for the nodes of kwok, which have none. It breaks off every
first stream in the middle of a line, and honors sinceTime in whole seconds, as the real one gets it from the API server."""
import ssl
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from neighbours import NODES
from plane import openssl
from waiting import poll_until

WORDS = ("one", "two", "three", "four")
ENDS = ("Succeeded", "Failed")
SECONDS = 60


def log_of(pod, uid):
    """The lines of a log: two in each second, each with its time; the third has escape sequences."""
    began = datetime(2026, 11, 17, 18, 0, tzinfo=timezone.utc).timestamp() + int(uid[:4], 16)
    for i, word in enumerate(WORDS):
        at = datetime.fromtimestamp(began + i // 2, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
        yield int(began + i // 2), f"{at}.{i % 2}00000000Z {word} of {pod}\x1b[2J\x1b[32m\n".encode()


class LogHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def chunk(self, text):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        self.wfile.flush()

    def do_GET(self):
        url = urlsplit(self.path)
        ask = {key: values[0] for key, values in parse_qs(url.query).items()}
        _, _, namespace, pod, _ = url.path.split("/")
        self.server.asked.append((pod, ask))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        api = self.server.plane.client()  # of this thread
        live = api.get("v1", "Pod", namespace, pod)
        since = 0
        if "sinceTime" in ask:
            since = datetime.fromisoformat(ask["sinceTime"].replace("Z", "+00:00")).timestamp()
        lines = [line for at, line in log_of(pod, live["metadata"]["uid"]) if at >= since]
        text = b"".join(lines[-int(ask["tailLines"]):] if "tailLines" in ask else lines)
        if ask.get("follow") == "true" and (namespace, pod) not in self.server.broken:
            self.server.broken.add((namespace, pod))
            self.chunk(text[:len(text) // 2])
            self.close_connection = True
            return
        self.chunk(text)
        if ask.get("follow") == "true" and live:
            poll_until(lambda: (api.get("v1", "Pod", namespace, pod) or {"status": {"phase": "Failed"}})["status"]["phase"] in ENDS,
                       SECONDS, 0.1)
        self.chunk(b"")


class Kubelet:
    def __init__(self, plane, folder):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "cert", "-subj", "/CN=node",
                cwd=folder)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(folder / "cert", folder / "key")
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), LogHandler)
        self.server.daemon_threads = True
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.server.asked, self.server.broken, self.server.plane = [], set(), plane
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        status = {"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                             "daemonEndpoints": {"kubeletEndpoint": {"Port": self.server.server_address[1]}}}}
        for node in NODES:
            code, said = plane.client().request("PATCH", f"/api/v1/nodes/{node}/status", status,
                                                "application/merge-patch+json")
            assert code == 200, said

    @property
    def asked(self):
        return self.server.asked

    def stop(self):
        self.server.shutdown()
