import errno
import http.client
import socket
import ssl
import threading
import time

import pytest

from waiting import wait_for


def plain(peer):
    return http.client.HTTPConnection("127.0.0.1", peer.port, timeout=60)


def secure(peer):
    return http.client.HTTPSConnection("localhost", peer.port, timeout=60, context=peer.trust())


def raw(peer):
    return socket.create_connection(("127.0.0.1", peer.port), timeout=60)


def read_all(s):
    """What comes until the other side ends it, in whichever way."""
    got = b""
    try:
        while piece := s.recv(65536):
            got += piece
    except (ConnectionResetError, BrokenPipeError):
        pass
    return got


def send(s, data):
    """As much of it as the other side takes before it hangs up."""
    try:
        s.sendall(data)
    except (ConnectionResetError, BrokenPipeError):
        pass


def half_close(s):
    """Nothing more will be sent; the other side may have hung up already."""
    try:
        s.shutdown(socket.SHUT_WR)
    except OSError as e:
        if e.errno != errno.ENOTCONN:
            raise


def ask(c, method="GET", path="/echo", body=None, headers={}, **more):
    c.request(method, path, body=body, headers=headers, **more)
    r = c.getresponse()
    return r.status, r.read()


@pytest.mark.parametrize("how", ["plain", "tls"])
def test_keep_alive(start, how):
    peer = start(how)
    c = plain(peer) if how == "plain" else secure(peer)
    assert ask(c, path="/echo?a=b%20c", headers={"X-Mark": "m"}) == (200, b"GET /echo a=b%20c 0 chunked m\n")
    port = c.sock.getsockname()
    for i in range(20):
        assert ask(c, "POST", body=b"x" * i) == (200, b"POST /echo  %d announced -\n" % i + b"x" * i)
    assert c.sock.getsockname() == port
    c.request("HEAD", "/echo")
    r = c.getresponse()
    assert (r.status, r.read(), r.getheader("X-Peer")) == (200, b"", "yes")
    assert ask(c, path="/count") == (200, b"1")


def test_pipelined(start):
    peer = start("plain")
    with raw(peer) as s:
        s.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" * 9 +
                  b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = read_all(s)
    assert got.count(b"HTTP/1.1 200 OK\r\n") == 10
    assert got.count(b"GET /a ") == 9 and b"GET /last " in got


@pytest.mark.parametrize("how", ["plain", "tls"])
def test_answers_that_come_later(start, how):
    peer = start(how)
    c = plain(peer) if how == "plain" else secure(peer)
    for _ in range(3):
        assert ask(c, path="/later?30") == (200, b"later\n")
    fast = plain(peer) if how == "plain" else secure(peer)
    c.request("GET", "/later?500")
    assert ask(fast)[0] == 200  # nobody waits for the slow one
    assert c.getresponse().read() == b"later\n"


@pytest.mark.parametrize("first", [
    b"",                                         # not a byte
    b"GET /echo HTTP/1.1\r\nX-A: ",              # headers without an end
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
    b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
    b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\nGET /ec",  # a second request that never comes
])
def test_slow_client_is_cut(start, first):
    """Every byte is in time for an idle time-out; the whole is not for the deadline."""
    peer = start("plain", 600, 600)
    other = plain(peer)
    begin = time.monotonic()
    with raw(peer) as s:
        s.sendall(first)
        s.settimeout(0.1)
        ended = False
        while not ended and time.monotonic() - begin < 60:
            try:
                s.sendall(b"b")
                ended = s.recv(4096) == b""
            except socket.timeout:
                pass
            except OSError:
                ended = True
        assert ended
        assert time.monotonic() - begin >= 0.5
    assert ask(other)[0] == 200  # others are served meanwhile


def test_slow_handshake_is_cut(start):
    peer = start("tls", 2000)
    with raw(peer) as s:
        s.sendall(b"\x16\x03\x01")
        assert read_all(s) == b""
    assert ask(secure(peer))[0] == 200


def test_handler_that_never_answers(start):
    peer = start("plain", 2000)
    c = plain(peer)
    assert ask(c, path="/never") == (503, b"the answer took too long\n")
    assert ask(plain(peer))[0] == 200


def test_oversize(start):
    peer = start("plain")
    c = plain(peer)
    limit = 65536
    assert ask(c, "POST", body=b"x" * limit)[0] == 200
    assert ask(c, "POST", body=b"x" * (limit + 1)) == (413, b"POST /echo  0 announced too big -\n")
    assert ask(c, "POST", body=b"x" * (1 << 20))[0] == 413  # read to its end, thrown away
    assert ask(c)[0] == 200  # on the same connection
    with raw(peer) as s:  # too much to read: answered before the body, and closed
        s.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n")
        assert read_all(s).startswith(b"HTTP/1.1 413 ")
    with raw(peer) as s:  # who asks first is told no, without "100 Continue"
        s.sendall(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\nExpect: 100-continue\r\n\r\n")
        assert read_all(s).startswith(b"HTTP/1.1 413 ")
    with raw(peer) as s:  # headers have a ceiling, too
        send(s, b"GET /echo HTTP/1.1\r\nX-A: " + b"a" * 100000)
        assert b" 431 " in read_all(s)[:20]


def chunks(n, size):
    for _ in range(n):
        yield b"c" * size


def test_chunked(start):
    peer = start("plain")
    c = plain(peer)
    assert ask(c, "POST", body=chunks(10, 100), encode_chunked=True, headers={"Transfer-Encoding": "chunked"}) == (
        200, b"POST /echo  1000 chunked -\n" + b"c" * 1000)
    assert ask(c, "POST", body=chunks(70, 1000), encode_chunked=True,
               headers={"Transfer-Encoding": "chunked"}) == (413, b"POST /echo  0 chunked too big -\n")
    assert ask(c)[0] == 200
    with pytest.raises(OSError):  # without an end: cut
        ask(plain(peer), "POST", body=chunks(100000, 1000), encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"})
    assert ask(c)[0] == 200


def test_garbage(start):
    for how in "plain", "tls":
        peer = start(how, 3000)
        for text in (b"\x00\x01\x02" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"\r\n\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                     b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with raw(peer) as s:
                send(s, text)
                half_close(s)
                assert not read_all(s).startswith(b"HTTP/1.1 200")
        assert ask(plain(peer) if how == "plain" else secure(peer))[0] == 200


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # old TLS is the point
def test_tls_is_checked_by_the_client(start):
    peer = start("tls")
    with pytest.raises(ssl.SSLCertVerificationError):
        ask(http.client.HTTPSConnection("localhost", peer.port, context=ssl.create_default_context()))
    old = peer.trust()
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.raises(OSError):
        ask(http.client.HTTPSConnection("localhost", peer.port, context=old))
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        t = peer.trust()
        t.minimum_version = t.maximum_version = version
        assert ask(http.client.HTTPSConnection("localhost", peer.port, context=t))[0] == 200
    assert ask(secure(peer))[0] == 200


def test_alpn(start):
    peer = start("tls")
    for offer, agreed in ((["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), ([], None)):
        t = peer.trust()
        if offer:
            t.set_alpn_protocols(offer)
        with t.wrap_socket(raw(peer), server_hostname="localhost") as s:
            assert s.selected_alpn_protocol() == agreed
    t = peer.trust()
    t.set_alpn_protocols(["h2"])
    with pytest.raises(OSError):
        t.wrap_socket(raw(peer), server_hostname="localhost")


def serial(peer):
    with peer.trust().wrap_socket(raw(peer), server_hostname="localhost") as s:
        return s.getpeercert()["serialNumber"]


def test_certificate_changes_while_running(start):
    peer = start("tls")
    c = secure(peer)
    assert ask(c)[0] == 200
    before = serial(peer)
    assert serial(peer) == before
    assert ask(c, path="/rotate") == (200, b"")
    assert serial(peer) != before
    assert ask(c)[0] == 200  # the old connection goes on
    assert c.sock.getpeercert()["serialNumber"] == before


@pytest.mark.parametrize("how", ["plain", "tls"])
def test_a_thousand_requests_on_fifty_connections(start, how):
    peer = start(how)
    bad = []

    def client(k):
        try:
            c = plain(peer) if how == "plain" else secure(peer)
            for i in range(20):
                body = b"%d-%d" % (k, i) * 50
                path = "/later?1" if i % 5 == 4 else "/echo"
                status, got = ask(c, "POST", path, body=body)
                if status != 200 or (path == "/echo" and not got.endswith(body)):
                    bad.append((k, i, status, got))
            c.close()
        except Exception as e:
            bad.append((k, e))

    threads = [threading.Thread(target=client, args=(k,)) for k in range(50)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert bad == []


def test_more_clients_than_connections(start):
    peer = start("plain", 0, 0, 3)
    held = [plain(peer) for _ in range(3)]
    for c in held:
        assert ask(c)[0] == 200
    waiting = plain(peer)
    waiting.request("GET", "/count")  # the kernel has it; nobody reads it yet
    held[0].close()
    assert waiting.getresponse().read() == b"3"


@pytest.mark.parametrize("how", ["plain", "tls"])
def test_client_that_vanishes(start, how):
    peer = start(how, 3000)
    c = plain(peer) if how == "plain" else secure(peer)
    for text in (b"GET /later?200 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /never HTTP/1.1\r\nHost: x\r\n\r\n",
                 b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc",
                 b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n" * 500):
        s = raw(peer)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        if how == "tls":
            s = peer.trust().wrap_socket(s, server_hostname="localhost")
        s.sendall(text)
        until(c, "/count", b"2")
        s.close()  # a reset, not a polite end
        until(c, "/count", b"1")  # connections of clients that are gone do not stay


def until(c, path, wanted):
    """Asks until that is the answer."""
    wait_for(f"{path} is {wanted}", lambda: ask(c, path=path) == (200, wanted), show=lambda: ask(c, path=path))


def refuses(peer):
    try:
        raw(peer).close()
        return False
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:  # it was waiting to be taken when the door was closed
        return False


def test_shutdown_lets_a_request_finish(start):
    peer = start("plain")
    idle, busy = plain(peer), plain(peer)
    busy.request("GET", "/later?1500")
    until(idle, "/held", b"1")
    peer.end()
    wait_for("it takes nobody", lambda: refuses(peer))
    assert idle.sock.recv(1) == b""  # told to go at once
    r = busy.getresponse()
    assert (r.status, r.read(), r.getheader("Connection")) == (200, b"later\n", "close")


def test_shutdown_does_not_wait_for_ever(start):
    peer = start("plain", 60000)
    c = plain(peer)
    c.request("GET", "/never")
    until(plain(peer), "/held", b"1")
    peer.end()
    assert c.getresponse().status == 503
