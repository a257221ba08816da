"""Families that speak wrongly: random bytes, another TLS, another HTTP, too much of it, too often."""
import ssl
import struct
import warnings

from holding import LARGEST, client_hello, request
from wire import PATIENCE, answer, dial, exchange, knock, part, secure, send

BRIEF = 0.5  # seconds: to half a request nobody answers, and others want their turn
warnings.filterwarnings("ignore", category=DeprecationWarning)  # old TLS is what is wanted


def noise(g, n):
    return g.rng.randbytes(n)


def after(conn, pieces, patience=PATIENCE):
    """Sends on a connection that is there; the outcome."""
    conn.settimeout(patience)
    send(conn, pieces)
    outcome = answer(conn)
    part(conn)
    return outcome


def on(opening, pieces, patience=PATIENCE):
    """The same, where opening it may fail."""
    try:
        return after(opening(), pieces, patience)
    except TimeoutError:
        return "silent"
    except (OSError, ValueError):
        return "cut"


# ---- bytes

def random_bytes(ground):
    def attempt(g, target):
        data = noise(g, g.rng.choice((1, 7, 300, 5000, 70_000)))
        inside = g.rng.random() < 0.5
        if g.rng.random() < 0.3:
            data = b"GET " + data
        return on(lambda: dial(target) if inside else knock(target), data + b"\r\n\r\n", BRIEF)

    ground.each(attempt)


# ---- TLS

def contexts(spec):
    """Ways to shake hands, by name."""
    def made(**more):
        context = ssl._create_unverified_context()
        for name, value in more.items():
            setattr(context, name, value)
        return context

    def old(version):
        context = made()
        try:
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
        except (ValueError, ssl.SSLError):
            return None  # this machine's OpenSSL does not know it any more
        return context

    other, many, mine = made(), made(), made()
    other.set_alpn_protocols(["h2", "spdy/3"])
    many.set_alpn_protocols([f"protocol-{i}" for i in range(1000)])
    mine.load_cert_chain(*spec["certificate"])
    found = [old(ssl.TLSVersion.TLSv1), old(ssl.TLSVersion.TLSv1_1), old(ssl.TLSVersion.TLSv1_2),
             other, many, mine, made()]
    return [context for context in found if context]


def bad_hello(g):
    """A first message that is none, or nearly one."""
    hello = bytearray(client_hello(name="x" * g.rng.randrange(1, 60)))
    kind = g.rng.randrange(5)
    if kind == 0:  # some bytes changed
        for _ in range(g.rng.randrange(1, 20)):
            hello[g.rng.randrange(len(hello))] = g.rng.randrange(256)
    elif kind == 1:  # a record of random content
        body = noise(g, g.rng.randrange(1, 16384))
        hello = struct.pack(">BHH", g.rng.choice((20, 21, 22, 23, 24)), 0x0301, len(body)) + body
    elif kind == 2:  # one byte a record
        hello = b"".join(struct.pack(">BHHB", 22, 0x0301, 1, b) for b in hello[5:])
    elif kind == 3:  # SSL 2
        hello = b"\x80\x2e\x01\x00\x02" + noise(g, 43)
    else:  # longer than it says, and the same again
        hello = hello + hello + noise(g, 500)
    return bytes(hello)


def wrong_tls(ground):
    ways = contexts(ground.spec)

    def attempt(g, target):
        kind = g.rng.choice(("context", "hello", "plain", "goodbye"))
        if not target.tls:
            return on(lambda: knock(target), bad_hello(g), BRIEF)
        if kind == "context":
            way = g.rng.choice(ways)
            return on(lambda: secure(knock(target), way, g.rng.choice((None, "x", "a" * 60))), request(target))
        if kind == "goodbye":  # shakes hands and says goodbye
            return on(lambda: secure(knock(target)).unwrap(), b"", BRIEF)
        return on(lambda: knock(target), request(target) if kind == "plain" else bad_hello(g), BRIEF)

    ground.each(attempt)


# ---- HTTP

LENGTHS = ("-1", "+5", "0x10", "1e3", "99999999999999999999", "18446744073709551616", "9223372036854775807",
           "5, 5", "5\r\nContent-Length: 6", " ", "5 5", "\t5", "")
CHUNKS = (b"-1\r\nx\r\n", b"ffffffffffffffff\r\nx", b"fffffffffffffffff\r\nx", b"1\r\nxx\r\n0\r\n\r\n", b"g\r\n",
          b"\r\n", b"0x1\r\nx\r\n0\r\n\r\n", b"1;" + b"e" * 40_000 + b"\r\nx\r\n0\r\n\r\n", b"1\nx\n0\n\n",
          b"0\r\nTrailer: " + b"t" * 40_000 + b"\r\n\r\n", b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n")
LINES = (b"GET / HTTP/0.9\r\n\r\n", b"GET /\r\n", b"GET / HTTP/9.9\r\n\r\n", b"get / http/1.1\r\n\r\n",
         b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00", b"CONNECT x:1 HTTP/1.1\r\n\r\n",
         b"TRACE / HTTP/1.1\r\n\r\n", b"OPTIONS * HTTP/1.1\r\n\r\n", b"GET http://x/ HTTP/1.1\r\n\r\n",
         b"GET /%00%ff%zz/../../etc HTTP/1.1\r\n\r\n", b"GET /\x00\xff HTTP/1.1\r\n\r\n", b" \r\n\r\n\r\n\r\n",
         b"X" * 100_000 + b" / HTTP/1.1\r\n\r\n", b"GET /" + b"p" * 100_000 + b" HTTP/1.1\r\n\r\n",
         b"GET /?" + b"a=b&" * 20_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"\r\n" * 5000)
HEADERS = (b"A: " + b"v" * 100_000 + b"\r\n", b"A: b\r\n" * 10_000, b"no colon\r\n", b": no name\r\n", b"A\x00: b\r\n",
           b"A: b\r\n " + b"folded" * 50 + b"\r\n", b"Host: y\r\n" * 50, b"Upgrade: h2c\r\nConnection: upgrade\r\n",
           b"Connection: " + b"close, " * 2000 + b"\r\n", b"Range: bytes=0-1,2-3\r\n", b"Cookie: " + b"a=b; " * 4000 + b"\r\n",
           b"Authorization: Bearer " + b"t" * 30_000 + b"\r\n", b"Authorization: Basic " + b"=" * 9000 + b"\r\n")


def wrong_length(g, target):
    if g.rng.random() < 0.5:
        return request(target, "POST", f"Content-Length: {g.rng.choice(LENGTHS)}\r\n") + b"12345"
    both = "Content-Length: 3\r\n" if g.rng.random() < 0.3 else ""
    return request(target, "POST", f"{both}Transfer-Encoding: {g.rng.choice(('chunked', 'gzip, chunked', 'x'))}\r\n") + \
        g.rng.choice(CHUNKS)


def expecting(g, target):
    """Expect: with a body that comes, does not come, or is too long to be wanted."""
    size = g.rng.choice((5, 60_000, LARGEST + 1, 1 << 40))
    word = g.rng.choice(("100-continue", "200-ok", "", "100-continue, 100-continue"))
    return request(target, "POST", f"Expect: {word}\r\nContent-Length: {size}\r\n") + b"x" * min(size, 5)


def wrong_http(ground):
    def attempt(g, target):
        kind = g.rng.randrange(5)
        if kind == 0:
            return exchange(target, g.rng.choice(LINES), BRIEF)
        if kind == 1:
            head, _ = request(target).split(b"\r\n\r\n")
            return exchange(target, head + b"\r\n" + g.rng.choice(HEADERS) + b"\r\n", BRIEF)
        if kind == 2:
            return exchange(target, wrong_length(g, target), BRIEF)
        if kind == 3:
            return exchange(target, expecting(g, target), BRIEF)
        return pipelined(g, target)

    ground.each(attempt)


def pipelined(g, target, most=200):
    """Many requests in one go, whose answers are read, or not."""
    n = g.rng.randrange(2, most)
    try:
        conn = dial(target)
    except (OSError, ValueError):
        return "cut"
    conn.settimeout(5.0)
    send(conn, request(target, g.rng.choice(("GET", "HEAD", "POST"))) * n)
    outcome = answer(conn) if g.rng.random() < 0.7 else "left"
    part(conn)
    return outcome


# ---- too much

SIZES = (65535, 65536, 65537, 1 << 20, 2 << 20, (3 << 20) + 1, LARGEST - 1, LARGEST, LARGEST + 1, 10 << 20, 16 << 20)


def large(ground):
    """Bodies as large as is allowed, and larger, announced or in chunks."""
    blocks = [b" " * 65536, b"[" * 65536, b'{"a":' * 13107 + b"0", b'"' + b"\\u0041" * 10922 + b"a",
              b"0," * 32768, bytes(65536), b"\xff" * 65536]

    def attempt(g, target):
        size, block = g.rng.choice(SIZES), g.rng.choice(blocks)
        head = f"POST {target.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        if g.rng.random() < 0.6:
            return exchange(target, [f"{head}Content-Length: {size}\r\n\r\n".encode(),
                                     *[block] * (size // len(block)), block[:size % len(block)]])
        return exchange(target, [f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(),
                                 *[b"%x\r\n%s\r\n" % (len(block), block)] * (size // len(block)), b"0\r\n\r\n"])

    ground.each(attempt)


def scrapes(ground):
    """What is served to everybody, as often as it can be asked for."""
    def attempt(g, target):
        if g.rng.random() < 0.3:
            return pipelined(g, target, 50)
        more = g.rng.choice(("", "?verbose", "?" + "exclude=cache&" * 2000, "/" + "x" * 2000, "?verbose&" + "a" * 20_000))
        return exchange(target._replace(path=target.path + more), request(target._replace(path=target.path + more)))

    ground.each(attempt)
