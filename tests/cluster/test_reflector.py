"""The reflector (src/store/kube/reflector.h) on a real API server, and on one that goes, falls silent or forgets."""
import pytest

from asking import UNCHECKED, config_map, make_namespace
from driver import Driver, Relay
from waiting import stays


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
        with Driver("--kubeconfig", config, "--idle-ms", 4000, "--timeout-ms", 4000) as client:
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


def test_silent_watch(server, tmp_path):
    """A kind without changes has no bookmarks; a server that answers pings is not lost."""
    with Relay(server.port) as relay:
        config = server.config(tmp_path / "relay", {"token": server.tokens["manager-0"]}, relay.port)
        with Driver("--kubeconfig", config, "--idle-ms", 6000) as client:
            ns = make_namespace(client, "nothing-new")
            which = client.do("reflect", kind="configmap", ns=ns)
            client.until(which, "SYNCED", None)
            made = relay.made
            stays("silent", lambda: client.quiet(which) == [], 13)  # more than twice the time
            assert relay.made == made
            path = f"/api/v1/namespaces/{ns}/configmaps"
            assert server.client().request("POST", path, config_map("s"))[0] == 201
            assert client.next(which)["event"] == "ADDED"


@pytest.mark.parametrize("piece", [7, 1000])
def test_bytes_in_small_pieces(server, many, tmp_path, piece):
    """Records of TLS and frames of HTTP/2 come as the network likes: nothing waits for more than it needs."""
    with Relay(server.port, piece) as relay:
        config = server.config(tmp_path / "relay", {"token": server.tokens["manager-0"]}, relay.port)
        with Driver("--kubeconfig", config) as client:
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
        with Driver("--kubeconfig", config, "--idle-ms", 1500) as client:
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
