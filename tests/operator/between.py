"""What can stand between a manager and the real API server, and spoil what passes.

Proxy  ends TLS and speaks HTTP/1.1 to both sides: it sees every request, keeps a record of it, and
       spoils those that a rule picks.
Wire   forwards bytes, so HTTP/2 stays what it is: it makes them late, and cuts connections.
"""
import http.client
import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOLD_SECONDS = 60  # no test holds back a request for so long
HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}  # of one connection only


@dataclass(frozen=True)
class Fault:
    """What is done to one request. Without a code it reaches the API server."""
    code: int = 0          # answered by the proxy, in the words of an API server
    retry_after: int = 0   # seconds, with the code
    delay: float = 0.0     # seconds before anything else
    until: threading.Event = None  # held back until this is set
    cut: int = -1          # the connection is cut after so many bytes of the answer's body


def hang_up(ends):
    """Breaks connections, without a word of TLS."""
    for end in ends:
        try:
            socket.socket.shutdown(end, socket.SHUT_RDWR)
        except OSError:
            pass  # gone by itself


@dataclass
class Request:
    """One line of the record. Times are those of time.monotonic."""
    method: str
    path: str
    at: float
    fault: Fault = None
    code: int = 0
    end: float = 0.0

    @property
    def watches(self):
        return "watch=true" in self.path or "watch=1" in self.path

    @property
    def what(self):
        """The same for every try of the same thing."""
        return self.method, self.path

    @property
    def writes(self):
        return self.method != "GET"

    def over(self):
        """Before its last bytes are on the way: what the manager does next comes after it."""
        self.end = time.monotonic()


def refusal(fault):
    """A metav1.Status as an API server that has no time, or fell over its own feet, sends it."""
    reason = {429: "TooManyRequests", 500: "InternalError"}.get(fault.code, "ServiceUnavailable")
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
              "message": f"injected {reason}", "reason": reason, "code": fault.code}
    if fault.retry_after:
        status["details"] = {"retryAfterSeconds": fault.retry_after}
    return json.dumps(status).encode()


class Handler(BaseHTTPRequestHandler):
    """One connection of the manager and its twin to the API server."""
    protocol_version = "HTTP/1.1"
    timeout = 120

    def setup(self):
        super().setup()
        self.there = self.server.owner.connect()

    def finish(self):
        self.server.owner.leave(self.there)
        super().finish()

    def log_message(self, *_):
        """The record is the log."""

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = self.server.owner.note(self.command, self.path)
        fault = request.fault or Fault()
        time.sleep(fault.delay)  # the fault is to be late
        if fault.until:
            fault.until.wait(HOLD_SECONDS)
        try:
            if fault.code:
                self.refuse(request, fault)
            else:
                self.pass_on(request, body, fault.cut)
        except (OSError, http.client.HTTPException):
            self.close_connection = True  # one of the two has gone: so does the other
            request.over()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def refuse(self, request, fault):
        request.code, text = fault.code, refusal(fault)
        self.send_response(fault.code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if fault.retry_after:
            self.send_header("Retry-After", str(fault.retry_after))
        self.end_headers()
        request.over()
        self.wfile.write(text)

    def pass_on(self, request, body, cut):
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP}
        self.there.request(self.command, self.path, body or None, headers)
        answer = self.there.getresponse()
        request.code = answer.status
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        left = cut
        while piece := answer.read1(65536):
            if cut >= 0 and len(piece) > left:
                self.chunk(piece[:left])
                request.over()
                self.hang_up()
                return
            left -= len(piece)
            self.chunk(piece)
        answer.read()  # nothing; but only this frees the connection for the next request
        request.over()
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, piece):
        if piece:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()

    def hang_up(self):
        """As a server that died does: no last chunk, no goodbye of TLS."""
        self.close_connection = True
        socket.socket.shutdown(self.connection, socket.SHUT_RDWR)


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A manager that hangs up in the middle is what some tests are about."""


class Proxy:
    """`rule` gives the Fault of a Request, or None; it may be changed at any time."""

    def __init__(self, plane, rule=None):
        self.plane, self.rule = plane, rule
        self.record, self.lock, self.twins = [], threading.Lock(), set()
        folder = plane.certificates.serving("proxy")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
        context.set_alpn_protocols(["http/1.1"])
        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.server.owner = self
        # The handshake is made by the thread of the connection, when it first reads.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        self.trust = ssl.create_default_context(cafile=plane.folder / "pki/apiserver.crt")
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.cut_all()

    def kubeconfig(self, user):
        return self.plane.kubeconfig(user, f"https://127.0.0.1:{self.port}",
                                     self.plane.certificates.ca)

    # -- of the connections

    def connect(self):
        twin = http.client.HTTPSConnection("127.0.0.1", self.plane.port, context=self.trust)
        with self.lock:
            self.twins.add(twin)
        return twin

    def leave(self, twin):
        with self.lock:
            self.twins.discard(twin)
        twin.close()

    def cut_all(self):
        """Every connection to the API server breaks, and with it the manager's."""
        with self.lock:
            socks = [twin.sock for twin in self.twins]
        hang_up(filter(None, socks))  # a thread may close its twin meanwhile

    def note(self, method, path):
        request = Request(method, path, time.monotonic())
        with self.lock:
            request.fault = self.rule(request) if self.rule else None
            self.record.append(request)
        return request

    # -- of the record

    def seen(self, wanted=lambda _request: True):
        with self.lock:
            return [r for r in self.record if wanted(r)]

    def faults(self):
        return self.seen(lambda r: r.fault)


class Once:
    """A rule: the first `times` tries of everything that `wanted` names get the fault."""

    def __init__(self, fault, wanted, times=1):
        self.fault, self.wanted, self.times, self.tries = fault, wanted, times, {}

    def __call__(self, request):
        if not self.wanted(request):
            return None
        n = self.tries[request.what] = self.tries.get(request.what, 0) + 1
        return self.fault if n <= self.times else None


class Wire:
    """Forwards bytes to a port, `delay` seconds late; open=False: it takes nobody."""

    def __init__(self, plane, delay=0.0):
        self.plane, self.delay, self.open = plane, delay, True
        self.made = self.passed = 0  # connections, bytes
        self.ends, self.lock = set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open = False
        self.listener.close()
        self.cut()

    def kubeconfig(self, user):
        return self.plane.kubeconfig(user, f"https://127.0.0.1:{self.port}")

    def live(self):
        """Connections there are now."""
        with self.lock:
            return len(self.ends) // 2

    def cut(self):
        """Breaks every connection, wherever it stands; gives their number."""
        with self.lock:
            ends = list(self.ends)
        hang_up(ends)
        return len(ends) // 2

    def _accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return  # closed: the test is over
            try:
                if not self.open:
                    raise ConnectionRefusedError
                there = socket.create_connection(("127.0.0.1", self.plane.port))
            except OSError:
                here.close()
                continue
            self._join(here, there)

    def _join(self, here, there):
        with self.lock:
            self.ends |= {here, there}
            self.made += 1
        for one, other in ((here, there), (there, here)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        try:
            while data := one.recv(65536):
                time.sleep(self.delay)  # the wire's own: what a network takes
                other.sendall(data)
                with self.lock:
                    self.passed += len(data)
        except OSError:
            pass  # cut
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other direction was first
        with self.lock:
            self.ends.discard(one)
        one.close()
