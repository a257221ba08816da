"""The Kubernetes client (src/store/kube.h, reflect.h) against a real API server, through a driver."""
import base64
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from binaries import build, why_not
from driver import ClientPlane, Driver, Relay, Tunnel
from plane import openssl

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRAINYARD", ROOT / "build/trainyard")).parent / "kubeclient"
MANY = 1200
UNCHECKED = {"insecure-skip-tls-verify": True, "certificate-authority": None}


@pytest.fixture(scope="module")
def server():
    if why_not():
        pytest.skip(why_not())
    build()
    plane = ClientPlane(PROGRAM.parent / "cluster-client").start()
    yield plane
    plane.stop()


@pytest.fixture
def config(server, tmp_path):
    return server.config(tmp_path / "config", {"token": server.tokens["manager-0"]})


@pytest.fixture
def odd(server, tmp_path):
    """A kubeconfig of the second server."""
    return server.config(tmp_path / "odd", {"token": server.tokens["manager-0"]}, server.odd_port,
                         **UNCHECKED)


@pytest.fixture
def client(config):
    with Driver(PROGRAM, "--kubeconfig", config) as driver:
        yield driver


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def make_namespace(client, name):
    answer = client.ask("CREATE", "namespace", body={
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    assert answer["r"] in ("0", "EEXIST"), answer
    return name


@pytest.fixture(scope="module")
def many(server):
    """A namespace with many objects."""
    with Driver(PROGRAM, "--kubeconfig", server.kubeconfig("admin")) as client:
        ns = make_namespace(client, "many")
        made = client.ask_all({"verb": "CREATE", "kind": "configmap", "ns": ns,
                               "body": config_map(f"m{i:04}", text="x" * 100)} for i in range(MANY))
        assert {answer["r"] for answer in made} == {"0"}
    return ns


# ---- one object

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


def test_discovery_and_reviews(client, server):
    assert client.next(client.do("served", kind="configmap"))["r"] == "0"
    none = client.next(client.do("served", kind="trainjob"))
    assert (none["r"], none["code"]) == ("ENOENT", 404)
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


def requests(client):
    client.do("requests", id="")
    return client.next("", "requests")["n"]


def test_list_begins_anew_when_its_version_is_gone(server, many, odd):
    # One request a second, so that there is time to compact between two pages.
    with Driver(PROGRAM, "--kubeconfig", odd, "--qps", 1, "--burst", 1) as client:
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
    with Driver(PROGRAM, "--kubeconfig", odd) as client:
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


# ---- the reflector

def test_reflector_tells_each_state_once(client):
    ns = make_namespace(client, "reflected")
    client.ask("CREATE", "configmap", ns=ns, body=config_map("before", n="0"))
    which = client.do("reflect", kind="configmap", ns=ns)
    assert [client.next(which)["event"] for _ in range(2)] == ["ADDED", "SYNCED"]
    # The answer of our own write is told before the watch says it, and not twice.
    made = client.ask("CREATE", "configmap", ns=ns, body=config_map("after", n="0"))
    client.do("wrote", id=which, object=made["json"])
    merged = client.ask("MERGE", "configmap", ns=ns, name="after", body={"data": {"n": "1"}})
    client.do("wrote", id=which, object=merged["json"])
    client.do("wrote", id=which, object=made["json"])  # an old answer that comes late
    client.ask("DELETE", "configmap", ns=ns, name="after")
    client.ask("DELETE", "configmap", ns=ns, name="before")
    seen = client.until(which, "GONE", "before")
    assert [(e["event"], e["name"]) for e in seen] == [
        ("ADDED", "after"), ("CHANGED", "after"), ("GONE", "after"), ("GONE", "before")]
    client.do("wrote", id=which, object=merged["json"])  # deleted since
    assert client.quiet(which) == []


def test_reflector_of_a_kind_that_comes_and_goes(client, server):
    api = server.client()
    which = client.do("reflect", kind="trainjob")
    absent = client.next(which)
    assert (absent["event"], absent["code"]) == ("ABSENT", 404)
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "trainjobs.trainer.kubeflow.org"},
           "spec": {"group": "trainer.kubeflow.org", "scope": "Namespaced",
                    "names": {"kind": "TrainJob", "plural": "trainjobs"},
                    "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {
                        "openAPIV3Schema": {"type": "object",
                                            "x-kubernetes-preserve-unknown-fields": True}}}]}}
    assert api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)[0] == 201
    while not [e for e in client.kept if e["id"] == which]:
        client.do("hurry", id=which)
        client.quiet(which)
    client.next(which, "SYNCED")
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "j"},
           "spec": {"runtimeRef": {"name": "r"}}}
    assert client.ask("CREATE", "trainjob", body=job)["r"] == "0"
    assert client.next(which)["event"] == "ADDED"
    name = crd["metadata"]["name"]
    api.request("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
    gone = client.next(which, "GONE")
    assert gone["name"] == "j"
    assert client.next(which, "ABSENT")["code"] == 404


def test_api_server_killed_and_back(server, client):
    ns = make_namespace(client, "restart")
    for i in range(5):
        client.ask("CREATE", "configmap", ns=ns, body=config_map(f"r{i}"))
    which = client.do("reflect", kind="configmap", ns=ns)
    assert len(client.until(which, "SYNCED", None)) == 6
    server.end("kube-apiserver", kill=True)
    trouble = client.next(which, "TROUBLE")
    assert (trouble["r"], trouble["code"]) == ("EAGAIN", 0) and server.url in trouble["message"]
    lost = client.ask("GET", path="/version", timeout_ms=5000)
    assert (lost["r"], lost["code"]) == ("EAGAIN", 0) and lost["message"]
    server.start_apiserver()
    server.wait_ready()
    api = server.client()
    path = f"/api/v1/namespaces/{ns}/configmaps"
    assert api.request("DELETE", f"{path}/r0")[0] == 200
    assert api.request("POST", path, config_map("r5"))[0] == 201
    client.do("hurry", id=which)
    seen = [(e["event"], e["name"]) for e in seen_all_of(client, which, ("GONE", "r0"), ("ADDED", "r5"))]
    assert sorted(seen) == [("ADDED", "r5"), ("GONE", "r0")]
    assert [e for e in client.quiet(which) if "uid" in e] == []


def seen_all_of(client, which, *changes):
    """The changes of a reflector until all of these have come."""
    seen, missing = [], set(changes)
    while missing:
        event = client.next(which)
        if "uid" in event:
            seen.append(event)
            missing.discard((event["event"], event["name"]))
    return seen


def test_silent_peer(server, tmp_path):
    with Relay(server.port) as relay:
        config = server.config(tmp_path / "relay", {"token": server.tokens["manager-0"]}, relay.port)
        with Driver(PROGRAM, "--kubeconfig", config, "--idle-ms", 4000, "--timeout-ms", 4000) as client:
            ns = make_namespace(client, "silent")
            which = client.do("reflect", kind="configmap", ns=ns)
            client.next(which, "SYNCED")
            relay.play_dead()
            path = f"/api/v1/namespaces/{ns}/configmaps"
            assert server.client().request("POST", path, config_map("s"))[0] == 201
            lost = client.ask("GET", path="/version")
            assert lost["r"] == "EAGAIN" and "imed out" in lost["message"]
            assert client.ask("GET", path="/version")["r"] == "0"  # over a new connection
            assert "nothing for" in client.next(which, "TROUBLE")["message"]
            assert client.next(which, "ADDED")["name"] == "s"
            assert 4 <= relay.made < 10  # two, and two new ones; a slow machine may need another


@pytest.mark.parametrize("piece", [7, 1000])
def test_bytes_in_small_pieces(server, many, tmp_path, piece):
    """Records of TLS and frames of HTTP/2 come as the network likes: nothing waits for more than it needs."""
    with Relay(server.port, piece) as relay:
        config = server.config(tmp_path / "relay", {"token": server.tokens["manager-0"]}, relay.port)
        with Driver(PROGRAM, "--kubeconfig", config) as client:
            ns = make_namespace(client, "pieces")
            which = client.do("reflect", kind="configmap", ns=many if piece > 100 else ns)
            client.next(which, "SYNCED")
            for i in range(3):
                name = f"p{piece}-{i}"
                made = client.ask("CREATE", "configmap", ns=ns, body=config_map(name, text="x" * 20_000))
                assert made["r"] == "0", made
                assert client.ask("GET", "configmap", ns=ns, name=name)["json"]["data"]["text"] == "x" * 20_000
            assert client.ask("GET", "configmap", ns=ns, name="nobody")["code"] == 404


def test_watch_begins_anew_after_compaction(server, tmp_path):
    """What happened while nobody could hear it, and is forgotten by etcd, is found by a list."""
    with Relay(server.odd_port) as relay:
        config = server.config(tmp_path / "relay", {"token": server.tokens["manager-0"]}, relay.port,
                               **UNCHECKED)
        with Driver(PROGRAM, "--kubeconfig", config, "--idle-ms", 1500) as client:
            ns = make_namespace(client, "compacted")
            for name in ("stays", "goes"):
                client.ask("CREATE", "configmap", ns=ns, body=config_map(name))
            which = client.do("reflect", kind="configmap", ns=ns)
            client.next(which, "SYNCED")
            relay.open = False  # or it is back before all is forgotten
            relay.play_dead()
            api, path = server.client(), f"/api/v1/namespaces/{ns}/configmaps"
            uid = next(o["metadata"]["uid"] for o in api.request("GET", path)[1]["items"]
                       if o["metadata"]["name"] == "goes")
            assert api.request("DELETE", f"{path}/goes")[0] == 200
            assert api.request("POST", path, config_map("comes"))[0] == 201
            server.compact()
            relay.open = True
            seen = client.until(which, "SYNCED", None)
            seen = [(e["event"], e["name"], e["uid"]) for e in seen if "uid" in e]
            assert sorted(e[:2] for e in seen[2:]) == [("ADDED", "comes"), ("GONE", "goes")]
            assert ("GONE", "goes", uid) in seen


def test_too_many_requests_are_tried_again(many, odd):
    ask = {"verb": "GET", "path": f"/api/v1/namespaces/{many}/configmaps?limit=300"}
    with Driver(PROGRAM, "--kubeconfig", odd) as client:
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


def test_goodbyes(odd):
    """A server that sends its clients away, so that others get their share: nothing fails, nothing is
    done twice, and the watch misses nothing."""
    with Driver(PROGRAM, "--kubeconfig", odd) as client:
        ns = make_namespace(client, "goodbyes")
        watch = client.do("reflect", kind="configmap", ns=ns)
        client.next(watch, "SYNCED")
        names, used = [], set()
        while len(used) < 5:  # of them one for the watch, at least
            assert len(names) < 20_000, used
            for _ in range(20):
                names.append(f"g{len(names)}")
                made = client.ask("CREATE", "configmap", ns=ns, body=config_map(names[-1]))
                assert made["r"] == "0", made
            used |= {line.split()[3] for line in connections(client)}
        told = client.until(watch, "ADDED", names[-1])
        assert sorted(e["name"] for e in told if e["event"] == "ADDED") == sorted(names)


def test_own_limit(config):
    with Driver(PROGRAM, "--kubeconfig", config, "--qps", 4, "--burst", 2) as client:
        answers = client.ask_all({"verb": "GET", "path": "/version", "timeout_ms": 1000}
                                 for _ in range(12))
        # Two at once, four a second, and what could not be sent in its second is told so.
        assert [e["r"] for e in answers].count("0") <= 7
        late = [e for e in answers if e["r"] == "EAGAIN"]
        assert late and all("qps" in e["message"] or "imed out" in e["message"] for e in late)


# ---- who we are

def test_client_certificate(server, tmp_path):
    cert, key = server.client_certificate("someone", "managers")
    as_data = {"client-certificate-data": base64.b64encode(cert.read_bytes()).decode(),
               "client-key-data": base64.b64encode(key.read_bytes()).decode()}
    for user in ({"client-certificate": str(cert), "client-key": str(key)}, as_data):
        config = server.config(tmp_path / "config", user)
        with Driver(PROGRAM, "--kubeconfig", config) as client:
            assert who(client) == "someone"


def reviewed(client):
    return client.ask("CREATE", path="/apis/authentication.k8s.io/v1/selfsubjectreviews", body={
        "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})


def who(client):
    review = reviewed(client)
    return review["json"]["status"]["userInfo"]["username"] if review["r"] == "0" else review["code"]


def test_rotated_token_file(server, tmp_path):
    token = tmp_path / "token"
    token.write_text("no-such-token\n")
    config = server.config(tmp_path / "config", {"tokenFile": "token"})
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        refused = client.ask("GET", "configmap", name="x")
        assert (refused["r"], refused["code"], refused["reason"]) == ("EACCES", 401, "Unauthorized")
        token.write_text(server.tokens["manager-1"] + "\n")
        assert who(client) == "manager-1"


def test_rotated_client_certificate(server, tmp_path):
    """The API server looks at the certificate of a connection with every request: one that it does not
    take any more, or never did, is replaced in its file, and the next request goes over a new connection."""
    cert, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(cert),
            "-subj", "/O=managers/CN=stranger", "-days", "30")
    config = server.config(tmp_path / "config", {"client-certificate": str(cert), "client-key": str(key)})
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        assert who(client) == 401 and who(client) == 401
        for name in ("rotated-first", "rotated-again"):
            for new, old in zip(server.client_certificate(name, "managers"), (cert, key)):
                part = old.with_suffix(".part")
                part.write_bytes(new.read_bytes())
                part.rename(old)
            if name == "rotated-first":
                assert who(client) == name
        assert who(client) == "rotated-first"  # it is still good, so its connection is


EXEC = """#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >> "$LOG"
{body}
"""


def exec_config(server, tmp_path, body, **more):
    script = tmp_path / "plugin"
    script.write_text(EXEC.replace("{body}", body))
    script.chmod(0o755)
    return server.config(tmp_path / "config", {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin",
        "args": [str(tmp_path / "credential")], "interactiveMode": "IfAvailable",
        "provideClusterInfo": True, "env": [{"name": "LOG", "value": str(tmp_path / "log")}], **more}})


def credential(**status):
    return json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                       "status": status})


def test_exec_plugin(server, tmp_path):
    config = exec_config(server, tmp_path, 'cat "$1"')
    said, log = tmp_path / "credential", tmp_path / "log"
    said.write_text(credential(token="expired"))
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        assert who(client) == 401
        assert len(log.read_text().splitlines()) == 2  # the second, because the first was refused
        said.write_text(credential(token=server.tokens["manager-2"]))
        assert who(client) == "manager-2"
        runs = len(log.read_text().splitlines())
        several = client.ask_all({"verb": "GET", "path": "/version"} for _ in range(5))
        assert {answer["r"] for answer in several} == {"0"}
        assert len(log.read_text().splitlines()) == runs  # kept: no expiry was given
    info = json.loads(log.read_text().splitlines()[0])
    assert info["kind"] == "ExecCredential" and info["spec"]["interactive"] is False
    assert info["spec"]["cluster"]["server"] == server.url
    assert base64.b64decode(info["spec"]["cluster"]["certificate-authority-data"]).startswith(b"-----BEGIN")


def test_exec_plugin_that_expires_and_gives_certificates(server, tmp_path):
    config = exec_config(server, tmp_path, 'cat "$1"')
    said, log = tmp_path / "credential", tmp_path / "log"
    said.write_text(credential(token=server.tokens["manager-2"], expirationTimestamp="2001-01-01T00:00:00Z"))
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        assert who(client) == "manager-2" and who(client) == "manager-2"
        assert len(log.read_text().splitlines()) == 2
        for name in ("first", "second"):
            cert, key = server.client_certificate(f"{name}-of-plugin", "managers")
            said.write_text(credential(clientCertificateData=cert.read_text(), clientKeyData=key.read_text(),
                                       expirationTimestamp="2001-01-01T00:00:00Z"))
            assert who(client) == f"{name}-of-plugin"


@pytest.mark.parametrize("body, text", [
    ("exit 3", "failed with exit code 3"),
    ("kill -9 $$", "was ended by signal 9"),
    ("echo hello", "did not print JSON"),
    ('echo "{}"', "did not print an ExecCredential"),
])
def test_exec_plugin_that_fails(server, tmp_path, body, text):
    config = exec_config(server, tmp_path, body)
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        answer = client.ask("GET", path="/version")
        assert answer["r"] == "EAGAIN" and text in answer["message"], answer


def test_exec_plugin_that_is_not_there(server, tmp_path):
    config = exec_config(server, tmp_path, "", command="no-such-plugin", installHint="install it")
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        answer = client.ask("GET", path="/version")
        assert answer["message"] == "exec plugin no-such-plugin is not installed: install it"


def test_in_cluster(server, tmp_path):
    (tmp_path / "token").write_text(server.tokens["manager-3"])
    (tmp_path / "ca.crt").write_bytes((server.folder / "pki/apiserver.crt").read_bytes())
    env = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.port),
           "KUBECONFIG": "", "HOME": ""}
    with Driver(PROGRAM, "--pod-dir", tmp_path, env=env) as client:
        assert who(client) == "manager-3"


def test_certificate_is_checked(server, tmp_path):
    user = {"token": server.tokens["manager-0"]}
    stranger = server.config(tmp_path / "a", user, **{"certificate-authority": str(server.certificates.ca)})
    with Driver(PROGRAM, "--kubeconfig", stranger) as client:
        answer = client.ask("GET", path="/version")
        assert answer["r"] == "EAGAIN" and "certificate" in answer["message"]
    named = server.config(tmp_path / "b", user, **{"tls-server-name": "kubernetes.default.svc"})
    with Driver(PROGRAM, "--kubeconfig", named) as client:
        assert who(client) == "manager-0"
    named = server.config(tmp_path / "c", user, **{"tls-server-name": "elsewhere.example"})
    with Driver(PROGRAM, "--kubeconfig", named) as client:
        assert client.ask("GET", path="/version")["r"] == "EAGAIN"


def test_impersonation(server, tmp_path):
    config = server.config(tmp_path / "config", {
        "token": server.tokens["admin"], "as": "other", "as-groups": ["managers", "more"],
        "as-user-extra": {"example.org/of %41": ["a", "b"]}})
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        user = reviewed(client)["json"]["status"]["userInfo"]
    assert user["username"] == "other" and user["groups"] == ["managers", "more", "system:authenticated"]
    assert user["extra"] == {"example.org/of %41": ["a", "b"]}


def test_http1(config, server):
    with Driver(PROGRAM, "--kubeconfig", config, "--http1", 1) as client:
        ns = make_namespace(client, "old-http")
        kinds = ("configmap", "secret", "pod", "service")
        watching = {kind: client.do("reflect", kind=kind, ns=ns) for kind in kinds}
        for which in watching.values():
            client.next(which, "SYNCED")
        client.ask("CREATE", "configmap", ns=ns, body=config_map("x"))
        assert client.next(watching["configmap"], "ADDED")["name"] == "x"


def lists_watches_and_writes(client, name):
    ns = make_namespace(client, name)
    which = client.do("reflect", kind="configmap", ns=ns)
    client.next(which, "SYNCED")
    assert client.ask("CREATE", "configmap", ns=ns, body=config_map("x"))["r"] == "0"
    assert client.next(which, "ADDED")["name"] == "x"
    assert client.ask("CREATE", "configmap", ns=ns, body=config_map("x"))["code"] == 409


def test_through_a_proxy(server, tmp_path):
    """Of the kubeconfig, and of the environment, which does not count for servers of this machine."""
    user = {"token": server.tokens["manager-0"]}
    with Tunnel() as tunnel:
        url = f"http://127.0.0.1:{tunnel.port}"
        config = server.config(tmp_path / "proxied", user, **{"proxy-url": url})
        with Driver(PROGRAM, "--kubeconfig", config) as client:
            lists_watches_and_writes(client, "proxied")
        assert set(tunnel.asked) == {f"127.0.0.1:{server.port}"}
        made = tunnel.made
        config = server.config(tmp_path / "direct", user)
        with Driver(PROGRAM, "--kubeconfig", config, env={"HTTPS_PROXY": url}) as client:
            assert client.ask("GET", path="/version")["r"] == "0"
        assert tunnel.made == made


KINDS = ("configmap", "secret", "pod", "service", "job", "lease", "event", "namespace")


def ask_together(client):
    together = client.ask_all({"verb": "GET", "path": "/version"} for _ in range(100))
    assert {answer["r"] for answer in together} == {"0"}


def test_connections(client):
    """Watches share one, all else shares another, however much is asked at once."""
    for which in [client.do("reflect", kind=kind) for kind in KINDS]:
        client.next(which, "SYNCED")
    for _ in range(10):
        ask_together(client)
    assert len(at_rest(client)) == 2


def test_connections_of_http1(config, server):
    """What is asked one after the other needs one, however often; what is asked at once, some."""
    with Driver(PROGRAM, "--kubeconfig", config, "--http1", 1) as client:
        for _ in range(10):
            assert client.ask("GET", path="/version")["r"] == "0"
        assert len(at_rest(client)) == 1
        for _ in range(500):  # on a busy machine a hundred may be answered one by one
            ask_together(client)
            if len(connections(client)) > 1:
                break
        assert 1 < len(connections(client)) <= 8


def connections(client):
    said = subprocess.run(["ss", "-tnpo"], capture_output=True, text=True).stdout
    return [line for line in said.splitlines() if f"pid={client.child.pid}," in line]


def at_rest(client):
    """The connections when nothing is under way: the timer of each is that of TCP's keepalive, not the
    one for what the server has not acknowledged yet."""
    end = time.monotonic() + 60
    while not all("timer:(keepalive" in line for line in connections(client)):
        assert time.monotonic() < end, connections(client)
        time.sleep(0.05)
    return connections(client)


def test_refusals_before_the_body_is_read(server, tmp_path):
    config = server.config(tmp_path / "config", {"token": "no-such-token"})
    with Driver(PROGRAM, "--kubeconfig", config) as client:
        for size in (10, 30_000) * 10:
            refused = client.ask("CREATE", "configmap", body=config_map("x", text="x" * size))
            assert (refused["r"], refused["code"], refused["message"]) == ("EACCES", 401, "Unauthorized")
