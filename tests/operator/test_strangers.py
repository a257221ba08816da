"""Clients that nobody knows, at the operator's ports: they may get nothing, may cost little, and may not
keep others out."""
import resource
import select
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from between import Fault, Proxy
from kit import create_known, runtime, trainjob, wait_for
from test_operator_ports import PROGRESS, audience, token
from test_serving import ANY, ask, metric

pytestmark = pytest.mark.ours("limits and the cache of accepted tokens are ours")
GATE = {"featureGates": {"TrainJobStatus": True}, "statusServer": {"qps": 50, "burst": 50}}
REVIEW, DEADLINE = "/apis/authentication.k8s.io/v1/tokenreviews", 10.0  # seconds for a request


def status_path(ns, job="job"):
    return f"/apis/trainer.kubeflow.org/v1alpha1/namespaces/{ns}/trainjobs/{job}/status"


def forged(good, i=0):
    """As long, as plausible, and signed by nobody."""
    head, payload, signature = good.split(".")
    fake = f"{i:08x}" + "A" * (len(signature) - 8)
    return ".".join((head, payload, fake))


def reviews(proxy):
    return proxy.seen(lambda r: r.path.startswith(REVIEW))


def writes(proxy):
    return proxy.seen(lambda r: "fieldManager=trainer-status" in r.path)


class Report:
    """A report whose last byte is sent when the test says so."""

    def __init__(self, one, path, bearer):
        self.sock = ANY.wrap_socket(socket.create_connection(("127.0.0.1", one.status), 120))
        self.sock.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\n"
                          f"Content-Length: {len(PROGRESS)}\r\n\r\n".encode() + PROGRESS[:-1])

    def finish(self):
        self.sock.sendall(PROGRESS[-1:])

    def answer(self):
        """All of it: the server has closed the connection."""
        got = b""
        try:
            while piece := self.sock.recv(65536):
                got += piece
        except (ConnectionError, ssl.SSLError):
            pass
        return got


def test_a_review_that_outlives_its_connection_vouches_for_nobody_else(bare, bare_space, make_manager):
    """The TokenReview is answered after the request's deadline has closed the connection, while another
    connection, in the same memory, shows a token of the same length."""
    api, ns, answer = bare.client(), bare_space.name, threading.Event()
    bare_space.create(runtime(), trainjob("job", suspend=True))
    with Proxy(bare, lambda r: Fault(until=answer) if r.path.startswith(REVIEW) else None) as proxy:
        one = make_manager(plane=bare, webhooks=False, certificates="managed", through=proxy,
                           settings=GATE).start()
        bare_space.wait_jobset("job")
        good = token(api, ns, audience(ns))
        junk = forged(good)
        assert len(junk) == len(good) and junk != good
        first = Report(one, status_path(ns), good)
        # A TokenReview may take 5 s, and must be pending when the 10 s of the request are over.
        threading.Timer(0.7 * DEADLINE, first.finish).start()
        assert b" 503 " in first.answer()
        assert len(reviews(proxy)) == 1, "it was asked, and is not answered"
        second = Report(one, status_path(ns), junk)
        answer.set()
        wait_for("the first review is over", lambda: reviews(proxy)[0].end)
        url = f"https://127.0.0.1:{one.status}{status_path(ns)}"
        assert ask(url, PROGRESS, good)[0] == 200
        written = len(writes(proxy))
        assert ask(url, PROGRESS, junk)[0] == 403
        second.finish()
        assert second.sock.recv(65536).startswith(b"HTTP/1.1 403 ")
        assert len(writes(proxy)) == written
        answer.clear()
        last, asked = Report(one, status_path(ns), forged(good, 1)), len(reviews(proxy))
        last.finish()
        wait_for("it is asked", lambda: len(reviews(proxy)) > asked)
        one.stop()  # in peace, and without a leak, although the answer never comes
        answer.set()


def test_bad_tokens_cost_little(bare, bare_space, make_manager):
    """What cannot be good is refused without a question, the same bad token is asked about once, and
    questions that stay open delay neither those who were let in nor the controllers."""
    api, ns, answer = bare.client(), bare_space.name, threading.Event()
    bare_space.create(runtime(), trainjob("job", suspend=True))
    with Proxy(bare) as proxy:
        one = make_manager(plane=bare, webhooks=False, certificates="managed", through=proxy,
                           settings=GATE).start()
        bare_space.wait_jobset("job")
        url = f"https://127.0.0.1:{one.status}{status_path(ns)}"
        good = token(api, ns, audience(ns))
        for bad in ("junk", "a.b.c", token(api, ns, audience(ns, "other")),
                    token(api, "default", audience(ns))):
            assert ask(url, PROGRESS, bad)[0] == 403
        assert reviews(proxy) == []
        assert [ask(url, PROGRESS, forged(good))[0] for _ in range(20)] == [403] * 20
        assert 1 <= len(reviews(proxy)) < 10, "it is remembered for some seconds"
        assert ask(url, PROGRESS, good)[0] == 200
        before = len(reviews(proxy))
        proxy.rule = lambda r: Fault(until=answer) if r.path.startswith(REVIEW) else None
        with ThreadPoolExecutor(40) as pool:
            posts = [pool.submit(ask, url, PROGRESS, forged(good, i)) for i in range(1, 41)]
            wait_for("there are too many", lambda: any(p.done() for p in posts))
            assert ask(url, PROGRESS, good)[0] == 200
            bare_space.create(trainjob("meanwhile", suspend=True))
            bare_space.wait_jobset("meanwhile")
            answer.set()
            codes = [p.result()[0] for p in posts]
        assert set(codes) <= {403, 429, 500} and codes.count(429) >= 20, codes
        assert len(reviews(proxy)) - before <= 20
        numbers = ask(f"http://127.0.0.1:{one.metrics}/metrics")[1]
        assert metric(numbers, "trainyard_http_connections", server="status") is not None
        one.stop()


# ---- connections

def room_for(n):
    """This process needs so many descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < n + 200:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, n + 200), hard))


def keep_alive(port):
    """A client that has been answered once, and stays."""
    s = ANY.wrap_socket(socket.create_connection(("127.0.0.1", port), 10))
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert s.recv(65536)
    return s


def half_open(port):
    """A client that begins a handshake, and stays."""
    s = socket.create_connection(("127.0.0.1", port), 10)
    s.sendall(b"\x16\x03\x01\x02\x00\x01")
    return s


def is_closed(sock):
    """By the other side; what it has sent is thrown away."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
        return True
    except (ssl.SSLWantReadError, BlockingIOError):
        return False
    except OSError:
        return True


class Crowd:
    """So many clients that do nothing. Who is sent away comes `again`: what costs the client nothing may
    go on for ever."""

    def __init__(self, n, open_one, again):
        room_for(n)
        self.n, self.open_one, self.again, self.held, self.came = n, open_one, again, [], 0
        self.full, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.is_set():
            self.leave_closed()
            while len(self.held) < self.n and not self.over.is_set() and (
                    self.again or self.came < self.n):
                try:
                    self.held.append(self.open_one())
                    self.came += 1
                except OSError:
                    break  # its turn never came
            if self.came >= self.n:
                self.full.set()
            self.over.wait(0.05)

    def leave_closed(self):
        poll = select.poll()
        by_fd = {s.fileno(): s for s in self.held}
        for fd in by_fd:
            poll.register(fd, select.POLLIN | select.POLLHUP)
        gone = {fd for fd, _ in poll.poll(0) if is_closed(by_fd[fd])}
        for fd in gone:
            by_fd[fd].close()
        self.held = [s for fd, s in by_fd.items() if fd not in gone]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for s in self.held:
            s.close()


def create(space, doc):
    """Each asks a webhook, for which the API server has no more than this."""
    path = space.path(doc["apiVersion"], doc["kind"], None)
    code, answer = create_known(space.api, f"{path}?timeout=5s", doc, space.name)
    assert code == 201, answer


@pytest.mark.parametrize("stay,n,again", [(keep_alive, 1100, False), (half_open, 3000, True)])
def test_idle_connections_keep_nobody_out(manager, space, stay, n, again):
    """More than the webhook's port takes. The API server comes after them, and gets its answers."""
    with Crowd(n, lambda: stay(manager.port), again) as crowd:
        assert crowd.full.wait(120), f"the server stopped at {crowd.came}"
        for i in range(5):
            create(space, runtime(f"rt-{i}"))
            create(space, trainjob(f"job-{i}", f"rt-{i}"))
        for i in range(5):
            space.wait_jobset(f"job-{i}")
        assert manager.ready()
        numbers = ask(f"http://127.0.0.1:{manager.metrics}/metrics")[1]
        assert metric(numbers, "trainyard_http_connections", server="webhook") <= 1024
        if stay is keep_alive:  # of half-open ones a server that rests may not take enough for a crowd
            assert metric(numbers, "trainyard_http_connections_closed_total", server="webhook",
                          reason="crowded") > 0
        assert metric(numbers, "trainyard_memory_budget_used_bytes") > 1e6
