"""Credentials go to the server that the user has named, and to no other: not by a link, not by a redirect."""
import pytest
from hub import Hub
from serving import Files, certificate, tls

TOKEN = "hf_secret"


class Ear(Files):
    """Any other server: it has every path, and remembers who asked with what."""

    def handle(self, request):
        self.reply(request, 200, b"[]")

    def heard(self):
        return [name for _, headers in self.seen for name in headers
                if name.lower() in ("authorization", "cookie") or name.lower().startswith("x-amz")]


@pytest.fixture
def secure(tmp_path):
    """The certificate that the runs believe, and the context of servers that have it."""
    ours, key = certificate(tmp_path, "ours")
    return ours, tls(ours, key)


@pytest.fixture
def others(secure):
    """By what differs from the Hub on http://127.0.0.1:PORT."""
    servers = {"host": Ear(host="127.0.0.2"), "port": Ear(), "scheme": Ear(context=secure[1])}
    yield servers
    for server in servers.values():
        server.close()


def fetch(box, hub, ca):
    return box.run("dataset", "hf://o/n", "--retries", 0, HF_ENDPOINT=hub.url, HF_TOKEN=TOKEN, SSL_CERT_FILE=ca)


def fill(hub):
    hub.page = 10
    hub.add("datasets", "o/n", {f"f{i}": b"x" for i in range(25)}, token=TOKEN)


@pytest.mark.parametrize("what", ["host", "port", "scheme"])
def test_the_next_page_is_on_another_server(hub, others, secure, box, what):
    fill(hub)
    hub.elsewhere = others[what].url
    said = fetch(box, hub, secure[0]).bad("the next page of the Hub's listing is at", hub.url)
    assert TOKEN not in said.err + said.out
    assert not others[what].seen and box.files() == {}


def test_the_next_page_is_no_longer_secure(secure, box):
    hub = Hub(context=secure[1])
    fill(hub)
    fetch(box, hub, secure[0]).ok()
    plain = Ear()
    for elsewhere in (plain.url, hub.url.replace("https", "http")):
        hub.elsewhere = elsewhere
        fetch(box, hub, secure[0]).bad("the next page of the Hub's listing is at http://127.0.0.1:")
    assert not plain.seen
    plain.close()
    hub.close()


@pytest.mark.parametrize("what", ["host", "port", "scheme"])
@pytest.mark.parametrize("path", ["/api/datasets/o/n/revision/main", "/datasets/o/n/resolve/{}/f0"])
def test_redirected_to_another_server(hub, others, secure, box, what, path):
    fill(hub)
    path = path.format(hub.repos["datasets", "o/n"].names["main"])
    hub.fault(path, status=302, headers={"Location": others[what].url + path})
    fetch(box, hub, secure[0]).bad()  # it says other things than the Hub
    assert others[what].seen and not others[what].heard()


def test_redirected_to_what_is_not_secure(secure, box):
    hub, plain = Hub(context=secure[1]), Ear()
    fill(hub)
    path = "/api/datasets/o/n/revision/main"
    hub.fault(path, status=302, headers={"Location": plain.url + path})
    fetch(box, hub, secure[0]).bad("rotocol")
    assert not plain.seen
    plain.close()
    hub.close()


@pytest.mark.parametrize("what", ["host", "port", "scheme"])
def test_a_signed_request_is_not_redirected(others, secure, box, what):
    store = Files({"/b": f"{others[what].url}/b"})
    key = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK", "AWS_SESSION_TOKEN": "ST"}
    box.run("dataset", "s3://b", "--retries", 0, ENDPOINT=store.url, SSL_CERT_FILE=secure[0], **key).bad("302")
    assert len(store.seen) == 1 and not others[what].seen
    store.close()
