"""Connections of the attackers, and what becomes of each: the code of an answer, "cut" (the operator ended
it), "silent" (no answer while we waited) or "left" (we went first)."""
import copy
import os
import random
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from typing import NamedTuple

HOST = "127.0.0.1"
PATIENCE = 12.0  # seconds for an answer: the operator's own deadline for a request is 10
CONNECT = 3.0
ANY = ssl._create_unverified_context()
ABRUPT = struct.pack("ii", 1, 0)  # SO_LINGER: close sends RST


class Target(NamedTuple):
    name: str  # webhook, status, metrics or health
    port: int
    tls: bool
    path: str  # one that is served there


class Tally:
    """What was tried and what became of it."""

    def __init__(self):
        self.tried, self.outcomes, self.ports, self.held = 0, Counter(), Counter(), 0
        self.notes, self.lock = Counter(), threading.Lock()

    def add(self, target, outcome):
        with self.lock:
            self.tried += 1
            self.ports[target.name] += 1
            self.outcomes[outcome] += 1

    def as_json(self):
        return {"tried": self.tried, "outcomes": self.outcomes, "ports": self.ports, "held": self.held,
                "notes": self.notes}


def knock(target, timeout=CONNECT):
    """A connection without TLS, whatever the port speaks."""
    return socket.create_connection((HOST, target.port), timeout)


def secure(raw, context=ANY, name=None):
    return context.wrap_socket(raw, server_hostname=name)


def dial(target, timeout=CONNECT):
    """A connection as the port speaks."""
    raw = knock(target, timeout)
    try:
        return secure(raw) if target.tls else raw
    except (OSError, ValueError):
        raw.close()
        raise


def part(conn):
    """Leaves, if the connection is still there."""
    try:
        conn.close()
    except OSError:
        pass


def reset(conn):
    """Leaves without a word: not even TLS says goodbye."""
    try:
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABRUPT)
        os.close(conn.detach())
    except OSError:
        pass


def answer(conn):
    """The code of the next answer, which is read to its end."""
    data = b""
    try:
        while b"\r\n\r\n" not in data:
            more = conn.recv(65536)
            if not more:
                return "cut"
            data += more
        head, _, rest = data.partition(b"\r\n\r\n")
        words = head.split(b" ", 2)
        code = words[1].decode("latin-1") if head.startswith(b"HTTP/") and len(words) > 1 else "cut"
        if code == "100":
            return answer(conn)
        lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n")
                   if line.startswith(b"content-length:")]
        left = (int(lengths[0]) if lengths else 0) - len(rest)
        while left > 0:
            more = conn.recv(65536)
            if not more:
                break
            left -= len(more)
        return code
    except TimeoutError:
        return "silent"
    except (OSError, ValueError):
        return "cut"


def send(conn, pieces):
    """Sends what the other side takes; whether it took all. Who is refused early is told so: read on."""
    try:
        for piece in pieces if isinstance(pieces, (list, tuple)) else [pieces]:
            conn.sendall(piece)
        return True
    except (OSError, ValueError):
        return False


def opened(connect, target):
    """The connection that `connect` (dial or knock) makes, or a word for how that ended."""
    try:
        return connect(target)
    except TimeoutError:
        return "silent"
    except (OSError, ValueError):
        return "cut"


def exchange(target, pieces, patience=PATIENCE):
    """One request on a connection of its own, and its outcome."""
    conn = opened(dial, target)
    if isinstance(conn, str):
        return conn
    try:
        conn.settimeout(patience)
        send(conn, pieces)
        return answer(conn)
    finally:
        part(conn)


def ended(conn):
    """The outcome of a connection that does not block, or None while it is open and nothing was said."""
    try:
        data = conn.recv(65536)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return None
    except (OSError, ValueError):
        return "cut"
    if data[:1] == b"\x16":  # a handshake goes on
        return None
    words = data.split(b" ", 2)
    return words[1].decode("latin-1") if data.startswith(b"HTTP/") and len(words) > 1 else "cut"


class Ground:
    """What an attacker works with: its targets, its luck, its time and its tally."""

    MOST = 200_000  # attempts, whatever the time
    THREADS = 4     # most attempts wait for an answer

    def __init__(self, spec, rate):
        self.spec, self.rate, self.tally = spec, rate, Tally()
        self.rng, self.waiting = self._luck(0), []
        self.until = time.monotonic() + spec["seconds"]
        self.targets = [Target(*row) for row in spec["targets"]]

    def going(self):
        return time.monotonic() < self.until and self.tally.tried < self.MOST

    def rest(self, seconds):
        time.sleep(max(0.0, min(seconds, self.until - time.monotonic())))  # no faster than the family's rate

    def at(self, name):
        return next(t for t in self.targets if t.name == name)

    def _luck(self, thread):
        return random.Random(f"{self.spec['seed']} {self.spec['family']} {self.spec['number']} {thread}")

    def each(self, attempt):
        """Attempt after attempt, port by port, a few at a time, no faster than the family's rate."""
        def work(mine, thread):
            turn = thread
            while mine.going():
                target, begin = mine.targets[turn % len(mine.targets)], time.monotonic()
                mine.tally.add(target, attempt(mine, target))
                turn += 1
                mine.rest(begin + mine.THREADS / mine.rate - time.monotonic())

        threads = []
        for number in range(self.THREADS):
            mine = copy.copy(self)
            mine.rng, mine.waiting = self._luck(number), []
            threads.append(threading.Thread(target=work, args=(mine, number), daemon=True))
            threads[-1].start()
        for thread in threads:
            thread.join()

    def hold(self, most, begin, poke=None, at_once=32):
        """Holds so many connections on each port: `begin` opens one or says how that ended, `poke` is done
        to each that is open, every half second. Who is cut comes back."""
        held, poked = {target: [] for target in self.targets}, 0.0
        while self.going():
            for target, conns in held.items():
                self._part_with_ended(target, conns)
                self._open_some(target, conns, min(most, len(conns) + at_once), begin)
            self.tally.held = max(self.tally.held, sum(map(len, held.values())))
            if poke and time.monotonic() - poked > 0.5:
                poked = time.monotonic()
                for conns in held.values():
                    for conn in conns:
                        poke(self, conn)
            self.rest(0.05)
        for target, conns in held.items():
            for conn in conns:
                part(conn)
            self.tally.outcomes["left"] += len(conns)

    def _part_with_ended(self, target, conns):
        for conn in list(conns):
            outcome = ended(conn)
            if outcome:
                self.tally.outcomes[outcome] += 1
                conns.remove(conn)
                part(conn)

    def _open_some(self, target, conns, most, begin):
        while len(conns) < most and self.going():
            conn = begin(self, target)
            self.tally.tried += 1
            self.tally.ports[target.name] += 1
            if isinstance(conn, str):
                self.tally.outcomes[conn] += 1
                return  # it takes no more at the moment
            conn.setblocking(False)
            conns.append(conn)
