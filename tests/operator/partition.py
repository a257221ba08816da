"""A network partition between a manager and the real API server: what the manager sends does not arrive,
what the API server sends does. HTTP/2 and TLS pass as they are.

A partition drops packets, and a kernel sends them again for as long as their socket lives. Here they wait in
the receive buffer instead. When the partition heals, the bytes of a socket that was reset meanwhile (RST) are
thrown away, because nobody would send them again; those of a socket that is open, or was only closed (FIN),
arrive: that is what a kernel does with its send buffer.
"""
import json
import socket
import threading
from pathlib import Path

from between import Wire

TCP_CLOSE = 7  # tcpi_state of a socket that was reset


class Partition(Wire):
    """connect: it is an HTTP proxy (CONNECT), through which HTTP/1.1 is spoken."""

    def __init__(self, plane, connect=False):
        self.whole, self.connect, self.managers = threading.Event(), connect, set()
        self.whole.set()
        super().__init__(plane)

    def kubeconfig(self, user):
        if not self.connect:
            return super().kubeconfig(user)
        config = json.loads(self.plane.kubeconfig(user).read_text())
        config["clusters"][0]["cluster"]["proxy-url"] = f"http://127.0.0.1:{self.port}"
        path = self.plane.folder / f"kubeconfig-{user}-proxied"
        path.write_text(json.dumps(config))
        return path

    def begin(self):
        self.whole.clear()

    def heal(self):
        self.whole.set()

    def unread(self):
        """The bytes that a manager has received and not read, of each connection where there are some."""
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        sizes = [int(row[4].split(":")[1], 16) for row in rows if int(row[2].split(":")[1], 16) == self.port]
        return [size for size in sizes if size]

    def __exit__(self, *args):
        self.heal()
        super().__exit__(*args)

    def _join(self, here, there):
        try:
            if self.connect:
                self._answer(here)
        except OSError:
            return  # it has changed its mind
        self.managers.add(here)
        super()._join(here, there)

    @staticmethod
    def _answer(here):
        head = b""
        while b"\r\n\r\n" not in head and (more := here.recv(4096)):
            head += more
        here.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")

    def _carry(self, one, other):
        super()._carry(Held(self.whole, one) if one in self.managers else one, other)


class Held:
    """A socket of the manager's: it gives nothing while there is a partition."""

    def __init__(self, whole, end):
        self.whole, self.end = whole, end
        self.shutdown, self.close = end.shutdown, end.close

    def __hash__(self):
        return hash(self.end)

    def __eq__(self, other):
        return other is self.end

    def recv(self, size):
        self.end.recv(1, socket.MSG_PEEK)
        self.whole.wait()
        state = self.end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        return b"" if state == TCP_CLOSE else self.end.recv(size)
