"""What the tests of the Kubernetes client ask, and what can be seen of its asking."""
import subprocess

from waiting import wait_for

MANY = 1200
UNCHECKED = {"insecure-skip-tls-verify": True, "certificate-authority": None}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def make_namespace(client, name):
    answer = client.ask("CREATE", "namespace", body={
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    assert answer["r"] in ("0", "EEXIST"), answer
    return name


def requests(client):
    client.do("requests", id="")
    return client.next("", "requests")["n"]


def connections(client):
    said = subprocess.run(["ss", "-tnpo"], capture_output=True, text=True).stdout
    return [line for line in said.splitlines() if f"pid={client.child.pid}," in line]


def at_rest(client):
    """The connections when nothing is under way: the timer of each is that of TCP's keepalive, not the
    one for what the server has not acknowledged yet."""
    wait_for("all is acknowledged", lambda: all("timer:(keepalive" in line for line in connections(client)),
             show=lambda: connections(client))
    return connections(client)
