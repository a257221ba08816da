"""Families that hold connections: idle ones, half of a handshake, requests that come byte by byte, bodies that
lack their last byte. Each wants to take all that the operator has of something."""
import ssl

from wire import ANY, answer, dial, knock, opened, part, reset, send

CONNECTIONS = 512  # on each port, of each of two attackers: 1,024, the operator's own limit for one port
SLOW = 150
BODIES = 16
LARGEST = 8 << 20


def request(target, method="GET", more="", body=b""):
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    return f"{method} {target.path} HTTP/1.1\r\nHost: x\r\n{more}{length}\r\n".encode() + body


def idle(ground):
    """Keep-alive connections that have asked once and ask no more."""
    def begin(g, target):
        conn = opened(dial, target)
        if isinstance(conn, str):
            return conn
        send(conn, request(target))
        outcome = answer(conn)
        if outcome in ("cut", "silent"):
            part(conn)
            return outcome
        g.tally.outcomes[outcome] += 1
        return conn

    ground.hold(CONNECTIONS, begin, at_once=64)


def client_hello(context=ANY, name="x"):
    """The first bytes of a handshake."""
    out = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def handshakes(ground):
    """Nothing, a part or the whole of the first message of a handshake; then silence."""
    hello = client_hello()

    def begin(g, target):
        conn = opened(knock, target)
        if isinstance(conn, str):
            return conn
        send(conn, hello[:g.rng.choice((0, 1, 5, g.rng.randrange(len(hello)), len(hello)))])
        return conn

    ground.hold(CONNECTIONS, begin, at_once=64)


def slow(ground):
    """Headers and bodies that come byte by byte, and never end."""
    def begin(g, target):
        conn = opened(dial, target)
        if isinstance(conn, str):
            return conn
        head = f"POST {target.path} HTTP/1.1\r\nHost: x\r\n"
        if g.rng.random() < 0.5:
            head += f"Content-Length: {g.rng.choice((100, 60000, LARGEST - 1))}\r\n\r\n"
        send(conn, head.encode())
        return conn

    def poke(g, conn):
        try:
            conn.send(g.rng.choice((b"x", b"a: b\r\n", b" ", b"{")))
        except (OSError, ValueError):
            pass  # seen when it is read

    ground.hold(SLOW, begin, poke)


def hoard(ground):
    """Bodies of up to 8 MB which lack their last byte: the operator holds all of them, or says no."""
    block = b'{"a":' + b" " * 65531

    def begin(g, target):
        size = g.rng.choice((LARGEST, LARGEST - 1, 4 << 20, 1 << 20, 65536))
        conn = opened(dial, target)
        if isinstance(conn, str):
            return conn
        head = f"POST {target.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        if g.rng.random() < 0.7:
            pieces = [f"{head}Content-Length: {size}\r\n\r\n".encode(),
                      *[block] * ((size - 1) // len(block)), block[:(size - 1) % len(block)]]
        else:
            chunk = b"%x\r\n%s\r\n" % (len(block), block)
            pieces = [f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), *[chunk] * (size // len(block))]
        if not send(conn, pieces):
            outcome = answer(conn)
            part(conn)
            return outcome
        return conn

    ground.hold(BODIES, begin, at_once=4)


def glance(conn):
    """Reads the first byte of an answer, if there is one soon."""
    conn.settimeout(0.2)
    try:
        conn.recv(1)
    except (OSError, ValueError):
        pass


def resets(ground):
    """Gone in the middle: of a handshake, of headers, of a body, before the answer, in the middle of it."""
    whole = b'{"kind":"AdmissionReview"}' + b" " * 200_000

    def attempt(g, target):
        raw = None
        try:
            raw = knock(target)
            if target.tls and g.rng.random() < 0.3:
                raw.sendall(client_hello()[:g.rng.randrange(1, 200)])
                reset(raw)
                return "left"
            conn = ANY.wrap_socket(raw) if target.tls else raw
            text = request(target, "POST", body=whole[:g.rng.choice((26, 5000, len(whole)))])
            send(conn, text[:g.rng.randrange(1, len(text) + 1)])
            if g.rng.random() < 0.3:
                glance(conn)
            reset(conn)
            return "left"
        except TimeoutError:
            if raw:
                part(raw)
            return "silent"
        except (OSError, ValueError):
            return "cut"

    ground.each(attempt)
