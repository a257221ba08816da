"""The ways to the API server: HTTP/2 and HTTP/1.1, through a proxy, over how many connections."""
from asking import at_rest, config_map, connections, make_namespace
from driver import Driver, Tunnel


def test_goodbyes(odd):
    """A server that sends its clients away, so that others get their share: nothing fails, nothing is
    done twice, and the watch misses nothing."""
    with Driver("--kubeconfig", odd) as client:
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


def test_http1(config, server):
    with Driver("--kubeconfig", config, "--http1", 1) as client:
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
        with Driver("--kubeconfig", config) as client:
            lists_watches_and_writes(client, "proxied")
        assert set(tunnel.asked) == {f"127.0.0.1:{server.port}"}
        made = tunnel.made
        config = server.config(tmp_path / "direct", user)
        with Driver("--kubeconfig", config, env={"HTTPS_PROXY": url}) as client:
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
    with Driver("--kubeconfig", config, "--http1", 1) as client:
        for _ in range(10):
            assert client.ask("GET", path="/version")["r"] == "0"
        assert len(at_rest(client)) == 1
        for _ in range(500):  # on a busy machine a hundred may be answered one by one
            ask_together(client)
            if len(connections(client)) > 1:
                break
        assert 1 < len(connections(client)) <= 8
