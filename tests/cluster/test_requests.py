"""Requests of the Kubernetes client (src/store/kube/kube.h) to a real API server: objects, lists, watches, limits."""
from asking import MANY, config_map, make_namespace, requests
from driver import Driver


def test_one_object(client):
    made = client.ask("CREATE", "configmap", body=config_map("one", a="1"), manager="tests")
    assert (made["r"], made["code"]) == ("0", 201)
    assert made["json"]["metadata"]["managedFields"][0]["manager"] == "tests"
    again = client.ask("CREATE", "configmap", body=config_map("one"))
    assert (again["r"], again["code"], again["reason"]) == ("EEXIST", 409, "AlreadyExists")
    assert again["message"] == 'configmaps "one" already exists'

    body = made["json"] | {"data": {"a": "2"}}
    changed = client.ask("UPDATE", "configmap", name="one", body=body)
    assert changed["r"] == "0" and int(changed["version"]) > int(made["version"])
    stale = client.ask("UPDATE", "configmap", name="one", body=body)
    assert (stale["r"], stale["reason"]) == ("ESTALE", "Conflict")

    merged = client.ask("MERGE", "configmap", name="one", body={"data": {"b": "3"}})
    assert merged["json"]["data"] == {"a": "2", "b": "3"}
    dry = client.ask("MERGE", "configmap", name="one", body={"data": {"b": "4"}}, dry_run=True)
    assert dry["json"]["data"]["b"] == "4"
    got = client.ask("GET", "configmap", name="one")
    assert got["json"]["data"] == {"a": "2", "b": "3"} and got["version"] == merged["version"]
    meta = client.ask("GET", "configmap", name="one", meta=True)
    assert meta["json"]["kind"] == "PartialObjectMetadata" and "data" not in meta["json"]

    missing = client.ask("GET", "configmap", name="none")
    assert (missing["r"], missing["code"], missing["reason"]) == ("ENOENT", 404, "NotFound")
    wrong = client.ask("CREATE", "configmap", body=config_map("Not_A_Name"))
    assert (wrong["r"], wrong["code"], wrong["reason"]) == ("EINVAL", 422, "Invalid")


def test_no_name_is_no_question_about_all(client):
    for verb in ("GET", "DELETE", "MERGE", "UPDATE"):
        answer = client.ask(verb, "configmap", body={})
        assert (answer["r"], answer["code"]) == ("EINVAL", 0), answer
    answer = client.ask("GET", "configmap", ns="", name="x")
    assert answer["message"] == "ConfigMap: the object has no namespace"


def test_apply_conflict_and_force(client):
    first = client.ask("APPLY", "configmap", name="ssa", manager="a", body=config_map("ssa", x="1"))
    assert (first["r"], first["code"]) == ("0", 201)
    other = client.ask("APPLY", "configmap", name="ssa", manager="b", body=config_map("ssa", x="2"))
    assert (other["r"], other["code"], other["reason"]) == ("ESTALE", 409, "Conflict")
    assert 'conflict with "a"' in other["message"]
    forced = client.ask("APPLY", "configmap", name="ssa", manager="b", force=True,
                        body=config_map("ssa", x="2"))
    assert (forced["r"], forced["code"]) == ("0", 200)
    assert forced["json"]["data"] == {"x": "2"}
    without = client.ask("APPLY", "configmap", name="ssa", body=config_map("ssa", x="3"))
    assert without["r"] == "EINVAL" and "field manager" in without["message"]


def test_status_and_delete(client):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "finalizers": ["tests/hold"]},
           "spec": {"containers": [{"name": "c", "image": "i"}]}}
    made = client.ask("CREATE", "pod", body=pod)
    assert made["r"] == "0", made
    status = {"status": {"conditions": [{"type": "Tested", "status": "True"}]}, "spec": {"priority": 7}}
    changed = client.ask("MERGE", "pod", name="p", sub="status", body=status)
    assert [c["type"] for c in changed["json"]["status"]["conditions"]] == ["Tested"]
    assert changed["json"]["spec"].get("priority") != 7  # only the status is taken

    for wrong in ({"uid": "11111111-1111-1111-1111-111111111111"}, {"version": made["version"]}):
        refused = client.ask("DELETE", "pod", name="p", **wrong)
        assert (refused["r"], refused["code"]) == ("ESTALE", 409), refused
    right = {"uid": made["json"]["metadata"]["uid"], "version": changed["version"]}
    deleted = client.ask("DELETE", "pod", name="p", propagation="Background", **right)
    assert deleted["r"] == "0" and deleted["json"]["metadata"]["deletionTimestamp"]
    free = client.ask("MERGE", "pod", name="p", body={"metadata": {"finalizers": None}})
    assert free["r"] in ("0", "ENOENT")
    assert client.ask("DELETE", "pod", name="p")["r"] in ("0", "ENOENT")


def test_reviews(client, server):
    review = client.ask("CREATE", "tokenreview", body={
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
        "spec": {"token": server.tokens["manager-1"]}})
    assert review["json"]["status"]["user"]["username"] == "manager-1"
    assert client.ask("GET", path="/readyz")["r"] == "EPROTO"  # "ok" is not JSON


# ---- lists

def test_list_in_pages(client, many):
    def listed(**more):
        which = client.do("list", kind="configmap", ns=many, **more)
        names = []
        while True:
            event = client.next(which)
            if event["event"] == "answer":
                assert event["r"] == "0" and int(event["version"]) > 0, event
                return names
            assert event["same"] and event["event"] == "object"
            names.append(event["name"])

    expected = [f"m{i:04}" for i in range(MANY)]
    before = requests(client)
    assert sorted(listed(page=500)) == expected
    assert requests(client) - before == 3  # pages
    assert sorted(listed(page=7000, meta=True)) == expected
    assert sorted(listed(version="0", page=100)) == expected
    assert listed(fields="metadata.name=m0042") == ["m0042"]
    assert listed(labels="no=such") == []


def test_list_begins_anew_when_its_version_is_gone(server, many, odd):
    # One request a second, so that there is time to compact between two pages.
    with Driver("--kubeconfig", odd, "--qps", 1, "--burst", 1) as client:
        which = client.do("list", kind="configmap", ns=many, page=200)
        client.next(which, "object")
        # Another's write and etcd's compaction: what the list began with cannot be read any more.
        assert server.client().request("PATCH", f"/api/v1/namespaces/{many}/configmaps/m0000",
                                       {"data": {"changed": "1"}}, "application/merge-patch+json")[0] == 200
        server.compact()
        client.next(which, "again")
        last = client.next(which, "answer")
        assert (last["r"], last["n"]) == ("0", MANY)


# ---- watches

def test_watch_sees_changes_in_order_and_a_bookmark(client):
    ns = make_namespace(client, "watched")
    listed = client.next(client.do("list", kind="configmap", ns=ns), "answer")
    which = client.do("watch", kind="configmap", ns=ns, version=listed["version"])
    for i in range(20):
        assert client.ask("CREATE", "configmap", ns=ns, body=config_map(f"w{i}", n="0"))["r"] == "0"
        client.ask("MERGE", "configmap", ns=ns, name=f"w{i}", body={"data": {"n": "1"}})
        client.ask("DELETE", "configmap", ns=ns, name=f"w{i}")
    seen = [client.next(which) for _ in range(60)]
    assert [(e["event"], e["name"], e["data"]["n"]) for e in seen] == [
        (what, f"w{i}", n) for i in range(20)
        for what, n in (("ADDED", "0"), ("MODIFIED", "1"), ("DELETED", "1"))]
    assert all(e["same"] for e in seen)
    versions = [int(e["version"]) for e in seen]
    assert versions == sorted(set(versions))
    assert any(bookmark(client, ns, versions[-1]) for _ in range(5))


def bookmark(client, ns, version):
    """Whether the end of a short watch brought one. The server sends it two seconds before the end, and
    only if something has happened elsewhere since the watch began: so it must have begun, which an
    event of its own shows. A server with much else to do may miss that moment all the same."""
    def create(where):
        return client.ask("CREATE", "configmap", ns=where, body={
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "marked-"}})

    watch = client.do("watch", kind="configmap", ns=ns, version=str(version), seconds=6)
    made = create(ns)
    while client.next(watch)["version"] != made["version"]:
        pass  # of an earlier try
    elsewhere = create("default")
    mark = client.next(watch)
    if mark["event"] == "answer":
        assert mark["r"] == "0"
        return False
    assert mark["event"] == "BOOKMARK" and int(mark["version"]) >= int(elsewhere["version"])
    assert client.next(watch, "answer")["r"] == "0"
    return True


def test_watch_of_an_old_version_is_gone(server, odd):
    server.compact()
    with Driver("--kubeconfig", odd) as client:
        answer = client.next(client.do("watch", kind="configmap", version="1"))
        assert (answer["event"], answer["r"], answer["code"]) == ("answer", "EIDRM", 410)
        assert answer["reason"] in ("Expired", "Gone") and answer["message"]


def test_cancel(client, many):
    for _ in range(5):
        listing = client.do("list", kind="configmap", ns=many, page=100)
        watching = client.do("watch", kind="configmap", ns=many, version="0")
        client.next(listing, "object")
        client.do("cancel", id=listing)
        client.do("cancel", id=watching)
        asked = client.do("ask", verb="GET", path="/version")
        client.do("cancel", id=asked)
        late = client.quiet(asked)
        assert late == []
    freed = client.do("reflect", kind="configmap", ns=many, stop_at=700)
    seen = client.until(freed, "ADDED", "m0699")
    assert len(seen) == 700 and client.quiet(freed) == []


# ---- limits and refusals

def test_too_many_requests_are_tried_again(many, odd):
    ask = {"verb": "GET", "path": f"/api/v1/namespaces/{many}/configmaps?limit=300"}
    with Driver("--kubeconfig", odd) as client:
        client.ask_all({"verb": "GET", "path": "/version"} for _ in range(50))  # connections
        refused = []
        for _ in range(500):  # until two of them meet at the server
            refused = [e for e in client.ask_all({**ask, "tries": -1} for _ in range(16)) if e["r"] != "0"]
            if refused:
                break
        assert {(e["r"], e["code"], e["message"]) for e in refused} == {
            ("EAGAIN", 429, "HTTP 429: Too many requests, please try again later.")}
        for _ in range(500):
            before = requests(client)
            answers = client.ask_all({**ask, "timeout_ms": 60_000} for _ in range(8))
            assert {answer["r"] for answer in answers} == {"0"}
            if requests(client) - before > 8:
                return
        raise AssertionError("nothing was ever tried again")


def test_own_limit(config):
    with Driver("--kubeconfig", config, "--qps", 4, "--burst", 2) as client:
        answers = client.ask_all({"verb": "GET", "path": "/version", "timeout_ms": 1000}
                                 for _ in range(12))
        # Two at once, four a second, and what could not be sent in its second is told so.
        assert [e["r"] for e in answers].count("0") <= 7
        late = [e for e in answers if e["r"] == "EAGAIN"]
        assert late and all("qps" in e["message"] or "imed out" in e["message"] for e in late)


def test_refusals_before_the_body_is_read(server, tmp_path):
    config = server.config(tmp_path / "config", {"token": "no-such-token"})
    with Driver("--kubeconfig", config) as client:
        for size in (10, 30_000) * 10:
            refused = client.ask("CREATE", "configmap", body=config_map("x", text="x" * size))
            assert (refused["r"], refused["code"], refused["message"]) == ("EACCES", 401, "Unauthorized")
