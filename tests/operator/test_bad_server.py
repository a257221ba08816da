"""The API server is slow, says later, falls over its own feet, or hangs up in the middle: every
TrainJob must end with exactly its objects, and the server must be left in peace meanwhile. It is the
real one; what spoils its answers stands between (between.py)."""
import json
import threading
from datetime import datetime, timedelta

from between import Fault, Once, Proxy, Wire
from kit import API, owner, runtime, stays, trainjob, wait_for
from manager import UPSTREAM
from test_faults import mpi_runtime, objects, secrets, wanted

FAILED = "TrainJobResourcesCreationFailed"
SILENT = "TrainJobs wait: the API server does not answer"
WATCHES = 11  # kinds that the operator watches


def lines(one):
    """Its log, without a last line that is being written."""
    whole = one.log().rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines() if line.startswith("{")]


def errors(one, begins):
    return [x for x in lines(one) if x["level"] == "error" and x["msg"].startswith(begins)]


def child(request):
    """A write of a child of a TrainJob, and not of its status."""
    return request.writes and any(f"/{kind}/" in request.path for kind in (
        "jobsets", "podgroups", "secrets", "configmaps"))


def make_jobs(space, n, of):
    names = [f"job-{i}" for i in range(n)]
    for name in names:
        space.create(trainjob(name, of, suspend=True))
    return names


def wait_done(space, names):
    wait_for("all objects are there", lambda: objects(space) == wanted(names))
    for name in names:
        space.wait_condition("Suspended", "True", name)


def tries(proxy, wanted_by):
    """{(method, path): its requests, oldest first}"""
    every = {}
    for request in proxy.seen(wanted_by):
        every.setdefault(request.what, []).append(request)
    return every


def number(request):
    """Of the TrainJob whose child is written: job-N."""
    return int(request.path.split("/job-")[1].split("?")[0].split("-")[0])


def watched(proxy):
    """How many kinds are."""
    return len({r.path.partition("?")[0] for r in proxy.seen(lambda r: r.watches)})


class ByJob:
    """A rule: the first try of each child of job N gets faults[N % len(faults)]."""

    def __init__(self, *faults):
        self.rules = [Once(fault, child) for fault in faults]

    def __call__(self, request):
        return self.rules[number(request) % len(self.rules)](request) if child(request) else None


def test_later(bare, bare_space, make_manager):
    """Retry-After is a wish that is granted: nothing comes before, and nobody is alarmed."""
    space = bare_space
    space.create(runtime())
    rule = ByJob(Fault(code=429, retry_after=1), Fault(code=503, retry_after=2))
    with Proxy(bare, rule) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy).start()
        names = make_jobs(space, 8, "rt")
        for name in names:
            space.wait_condition("Suspended", "True", name)
            assert owner(space.jobset(name)) == [("TrainJob", name, True)]
        assert len(proxy.faults()) == 2 * len(names)  # JobSet and snapshot
        for what, them in tries(proxy, child).items():
            first, second = them[:2]
            assert first.fault and second.code == 201, them
            assert second.at - first.at > 0.95 * first.fault.retry_after, them
            assert UPSTREAM or len(them) == 2, them  # nothing is written twice
        if not UPSTREAM:
            assert space.events() == [] and errors(one, "could not") == []
        assert one.ready()
        one.stop()


def test_writes_that_fail(bare, bare_space, make_manager):
    """Refused, or done with an answer that never arrives, or half of it."""
    space = bare_space
    space.create(mpi_runtime())
    faults = [Fault(code=500), Fault(cut=0), Fault(cut=40)]
    with Proxy(bare, ByJob(*faults)) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy).start()
        names = make_jobs(space, 9, "mpi")
        wait_done(space, names)
        assert {r.what for r in proxy.faults()} == set(tries(proxy, child))
        keys = secrets(space)
        stays("nothing changes any more", lambda: secrets(space) == keys, 0.5)
        assert objects(space) == wanted(names)
        if not UPSTREAM:
            check_said(one, names, faults, proxy.port)
        one.stop()


def check_said(one, names, faults, port):
    """One line for each write that failed, with the job's name and the reason."""
    for i, name in enumerate(names):
        said = errors(one, f"could not apply JobSet {name}")
        assert len(said) == 1 and said[0]["name"] == name, said
        code, word = (500, "injected InternalError") if faults[i % 3].code else \
            (0, f"https://127.0.0.1:{port}")
        assert said[0]["code"] == code and word in said[0]["error"]


def test_a_jobset_that_cannot_be_stored(bare, bare_space, make_manager):
    """The tries come further and further apart. They are one Event, though its creation fails, too,
    and then its answer is lost; and the manager, ended meanwhile, still writes it."""
    space = bare_space
    space.create(runtime())
    jobset = Once(Fault(code=500), lambda r: child(r) and "/jobsets/" in r.path, times=8)
    event = [Once(fault, lambda r: r.method == "POST" and "/events" in r.path)
             for fault in (Fault(code=500, delay=0.3), Fault(cut=0))]
    with Proxy(bare, lambda r: jobset(r) or event[0](r) or event[1](r)) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy).start()
        space.create(trainjob())
        space.wait_jobset()  # it may be there before its answer has passed the proxy
        wait_for("all are answered", lambda: all(r.end for r in proxy.seen(jobset.wanted)))
        them = next(iter(tries(proxy, jobset.wanted).values()))
        assert [r.code for r in them] == [500] * 8 + [201]
        assert them[-1].at - them[-2].at > 0.3
        one.stop()
    told = space.api.list("events.k8s.io/v1", "Event", space.name)
    assert [(e["type"], e["reason"]) for e in told] == [("Warning", FAILED)]
    assert "injected InternalError" in told[0]["note"]
    if not UPSTREAM:
        assert told[0]["series"]["count"] == 8
        assert errors(one, "an event") == []


def test_slow_answers_hold_up_nobody(bare, bare_space, make_manager):
    """While the server sits on every write, webhooks and probes are answered as ever."""
    space = bare_space
    with Proxy(bare) as proxy:
        one = make_manager(plane=bare, through=proxy).start()
        space.create(mpi_runtime())
        let_go = threading.Event()
        proxy.rule = lambda r: Fault(until=let_go) if child(r) and "/configmaps/" in r.path else None
        names = make_jobs(space, 6, "mpi")
        wait_for("they are held", lambda: len(proxy.faults()) >= (1 if UPSTREAM else 6))
        space.api.must("POST", space.path(API, "TrainJob", None) + "?dryRun=All",
                       trainjob("asked", "mpi"))
        assert one.ready()
        assert not any(r.end for r in proxy.faults())
        proxy.rule = None
        let_go.set()
        wait_done(space, names)
        assert UPSTREAM or all(len(them) == 1 for them in tries(proxy, child).values())
        one.stop()


def test_watches_break_in_the_middle_of_an_event(bare, bare_space, make_manager):
    """They go on from where they were: nothing is missed, nothing is listed again."""
    space, n = bare_space, iter(range(10 ** 6))
    space.create(mpi_runtime())
    with Proxy(bare) as proxy:
        one = make_manager(plane=bare, webhooks=False, through=proxy).start()
        # It is ready before it has listed what it can do without; a list that is cut begins anew.
        wait_for("everything is watched", lambda: UPSTREAM or watched(proxy) == WATCHES)
        proxy.rule = lambda r: Fault(cut=200 + next(n) * 977 % 6000) if r.watches else None
        proxy.cut_all()
        names = make_jobs(space, 12, "mpi")
        for name in names[::2]:
            space.patch_job({"metadata": {"labels": {"touched": "yes"}}}, name)
            space.suspend(False, name)
        wait_for("watches were cut often", lambda: len(proxy.faults()) > 30)
        proxy.rule = None
        wait_for("all objects are there", lambda: objects(space) == wanted(names))
        for name in names[::2]:
            space.wait_jobset(name, suspended=False)
        for name in names[1::2]:
            space.wait_condition("Suspended", "True", name)
        lists = [r.path for r in proxy.seen(lambda r: not r.writes and not r.watches
                                            and "/namespaces/" not in r.path and "limit" in r.path)]
        assert UPSTREAM or sorted(lists) == sorted(set(lists))
        one.stop()


def test_connections_are_cut(bare, bare_space, make_manager):
    """Again and again, wherever they stand, late by a moment; HTTP/2 as without us. Then the server
    cannot be reached at all."""
    space = bare_space
    space.create(mpi_runtime())
    with Wire(bare, delay=0.01) as wire:
        one = make_manager(plane=bare, webhooks=False, through=wire).start()
        assert UPSTREAM or wire.live() < WATCHES, "watches do not share a connection"
        names = make_jobs(space, 20, "mpi")
        for i in range(8):  # the first time in a handshake, then later and later
            before = wire.passed
            wait_for("bytes pass", lambda: wire.passed > before + i * 4000)
            wire.cut()
        wait_done(space, names)
        wire.open = False
        wire.cut()
        space.create(trainjob("later", "mpi", suspend=True))
        if not UPSTREAM:
            wait_for("it says so", lambda: errors(one, "cannot watch"))
            wait_for("and what it means", lambda: errors(one, SILENT))
        assert one.ready(), "it can still judge what the webhooks are asked"
        wire.open = True
        wait_done(space, [*names, "later"])
        if not UPSTREAM:
            assert said_once(errors(one, "cannot watch")) and len(errors(one, SILENT)) == 1
            assert "the API server answers again" in one.log()
        one.stop()


def said_once(said):
    """One line for what ended eleven watches: the same reason is not told again within 30 s."""
    last = {}
    for x in said:
        at = datetime.fromisoformat(x["ts"][:26])
        assert x["error"] not in last or at - last[x["error"]] > timedelta(seconds=29), said
        last[x["error"]] = at
    return True
