"""Files over HTTP as real servers give them: ranges, validators, redirects; and faults on demand."""
import hashlib
import re
import select
import socket
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Fault:
    """What goes wrong with one answer. `times`: with that many; then all is well. `hold`: after so many
    bytes nothing more comes until go() is called, or the other side has hung up."""

    def __init__(self, times=1, status=None, headers=(), cut=None, corrupt=False, rate=None, hang=False,
                 chunked=False, length=True, hold=None):
        self.times, self.status, self.headers = times, status, dict(headers)
        self.cut, self.corrupt, self.rate, self.hang = cut, corrupt, rate, hang
        self.chunked, self.length, self.hold = chunked, length, hold

    def go(self):
        self.hold = None

    def wait(self, connection):
        """Whoever asks says nothing before the answer is over: what can be read then is its end."""
        while self.hold is not None:
            if select.select([connection], [], [], 0.02)[0]:
                raise ConnectionResetError


class Server:
    """One port. Subclasses answer in `handle(request)`; every request is kept in `seen`."""

    def __init__(self, host="127.0.0.1", context=None):
        server = self
        self.seen, self.faults, self.sent = [], {}, 0
        self.lock, self.now, self.most = threading.Lock(), 0, 0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with server.lock:
                    server.seen.append((self.path, dict(self.headers)))
                    server.now += 1
                    server.most = max(server.most, server.now)
                try:
                    server.handle(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with server.lock:
                        server.now -= 1

            def log_message(self, *args):
                pass

        self.httpd = ThreadingHTTPServer((host, 0), Handler)
        self.httpd.daemon_threads = True
        if context:
            self.httpd.socket = context.wrap_socket(self.httpd.socket, server_side=True)
        scheme = "https" if context else "http"
        self.url = f"{scheme}://{host}:{self.httpd.server_address[1]}"
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.httpd.shutdown()
        self.httpd.server_close()

    def fault(self, path, **kw):
        self.faults[path] = fault = Fault(**kw)
        return fault

    def take_fault(self, path):
        fault = self.faults.get(path)
        if fault:
            fault.times -= 1
            if fault.times <= 0:
                del self.faults[path]
        return fault

    def reply(self, request, status, body=b"", headers=()):
        request.send_response(status)
        for name, value in dict(headers).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def serve(self, request, data, etag=None, fault=None):
        """The bytes, or a range of them, with the fault that was ordered."""
        fault = fault or Fault()
        if fault.hang:
            select.select([request.connection], [], [])  # until the other side has hung up
            raise ConnectionResetError
        if fault.status:
            return self.reply(request, fault.status, b"no", fault.headers)
        etag = etag or '"' + hashlib.sha1(data).hexdigest() + '"'
        if request.headers.get("If-None-Match") == etag:
            return self.reply(request, 304, headers={"ETag": etag})
        start, status = 0, 200
        asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        if asked and request.headers.get("If-Range", etag) == etag:
            start, status = int(asked[1]), 206
            if start >= len(data):
                return self.reply(request, 416, headers={"Content-Range": f"bytes */{len(data)}"})
        body = data[start:]
        request.send_response(status)
        request.send_header("ETag", etag)
        request.send_header("Accept-Ranges", "bytes")
        if status == 206:
            request.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        if fault.chunked:
            request.send_header("Transfer-Encoding", "chunked")
        elif fault.length:
            request.send_header("Content-Length", str(len(body)))
        if not fault.length or fault.cut is not None:
            request.send_header("Connection", "close")
            request.close_connection = True
        request.end_headers()
        if fault.corrupt:
            body = body[:-1] + bytes([body[-1] ^ 1])
        self.send(request, body if fault.cut is None else body[:fault.cut], fault)

    def send(self, request, body, fault):
        piece = max(1, fault.rate // 20) if fault.rate else 1 << 14
        for at in range(0, len(body), piece):
            part = body[at:at + piece]
            if fault.hold is not None and at >= fault.hold:
                request.wfile.flush()
                fault.wait(request.connection)
            if fault.chunked:
                request.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            else:
                request.wfile.write(part)
            with self.lock:
                self.sent += len(part)
            if fault.rate:
                request.wfile.flush()
                time.sleep(1 / 20)  # the rate that was ordered
        if fault.chunked:
            request.wfile.write(b"0\r\n\r\n")


class Files(Server):
    """{"/path": bytes}; a str is where to redirect to."""

    def __init__(self, files=None, **kw):
        self.files = files or {}
        super().__init__(**kw)

    def handle(self, request):
        path = request.path.partition("?")[0]
        data = self.files.get(path)
        if data is None:
            return self.reply(request, 404)
        if isinstance(data, str):
            return self.reply(request, 302, headers={"Location": data})
        return self.serve(request, data, fault=self.take_fault(path))


def certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / f"{name}.key",
                    "-out", folder / f"{name}.pem"], check=True, capture_output=True)
    return folder / f"{name}.pem", folder / f"{name}.key"


def tls(certificate_file, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key)
    return context


class Brake:
    """A TCP relay in front of a server: counts what comes from there, and after `hold` bytes lets nothing
    more through until go() is called."""

    def __init__(self, url, hold):
        host, port = url.rpartition("/")[2].split(":")
        self.to, self.hold, self.passed, self.open = (host, int(port)), hold, 0, True
        self.released = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while self.open:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(self.to)
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def go(self):
        self.released.set()

    def pump(self, source, sink, counted):
        try:
            while data := source.recv(16384):
                if counted and self.passed >= self.hold:
                    self.released.wait()
                sink.sendall(data)
                self.passed += len(data) if counted else 0
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.open = False
        self.released.set()
        self.listener.close()
