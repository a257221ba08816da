"""http(s):// against servers with and without ranges, with and without TLS."""
import hashlib
import http.server
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import warnings
from functools import partial
from pathlib import Path

import pytest
from initialize import noise
from plane import answers, free_ports
from serving import Brake, Files, certificate, tls
from waiting import wait_for

DATA = noise(2_000_000)


@pytest.fixture
def one(files):
    files.files["/d/f.zip"] = DATA
    return f"{files.url}/d/f.zip"


def test_kept_as_it_is(files, one, box):
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": DATA} and box.is_tidy()
    assert box.run("dataset", one).ok().out == f"100%: 1 file, 2.0 MB in {box.to}; 1 was there before\n"
    assert files.sent == len(DATA)
    files.files["/d/f.zip"] = b"new"
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": b"new"}


def test_names_and_paths(files, box):
    files.files["/d%20x/set%20v1.zip"] = b"1"  # the path of the request is as it was written
    box.run("dataset", f"{files.url}/d%20x/set%20v1.zip?version=2").ok()
    assert box.files() == {"set v1.zip": b"1"}
    assert files.seen[0][0] == "/d%20x/set%20v1.zip?version=2"


def test_redirects(files, one, box):
    other = Files({"/final": DATA}, host="127.0.0.2")
    files.files.update({"/a": "/b", "/b": f"{other.url}/final", "/loop": "/loop"})
    box.run("dataset", f"{files.url}/a").ok()
    assert box.files() == {"a": DATA}
    other.close()
    box.run("dataset", f"{files.url}/loop", "--retries", 0).bad("redirects")


@pytest.fixture
def resetting():
    """A server that answers with these bytes and resets the connection; and its address."""
    answer = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    one, _ = listener.accept()
                except OSError:
                    return  # closed
                with one:
                    one.recv(65536)
                    one.sendall(b"".join(answer))
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        threading.Thread(target=serve, daemon=True).start()
        yield answer, f"http://127.0.0.1:{listener.getsockname()[1]}/f"
        listener.shutdown(socket.SHUT_RDWR)


def test_a_connection_that_is_reset(resetting, box):
    """The error is the kernel's, and an answer that came before the reset counts."""
    answer, url = resetting
    box.run("dataset", url, "--retries", 0).bad("Connection reset by peer")
    answer.append(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    for _ in range(10):
        box.run("dataset", url, "--retries", 0).bad("the server answers 403")


def test_headers_without_end(files, one, box):
    files.fault("/d/f.zip", status=200, headers={"X": "a" * 200_000})
    said = box.run("dataset", one).bad("f.zip: the server's headers are too large\n")
    assert "trying again" not in said.err


def test_a_file_that_is_larger_than_the_disk(resetting, box):
    """Its size is known from the answer alone: nothing of it is fetched, and nobody tries again."""
    answer, url = resetting
    answer.append(b"HTTP/1.1 200 OK\r\nContent-Length: 4000000000000000000\r\n\r\nhi")
    said = box.run("dataset", url).bad("no room on the disk of", "4000000000000000000 bytes are to come")
    assert "trying again" not in said.err and box.files() == {} and box.parts() == 0


@pytest.mark.parametrize("answer, words, again", [
    (b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
     "the proxy answers 407: put user:password@ before the host in the proxy's address", False),
    (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "the proxy answers 403", False),
    (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "the proxy answers 503", True),
    (b"SSH-2.0-OpenSSH_9.2\r\n", "what answers there does not speak HTTP", False),
    (b"\0\1garbage\r\n\r\n", "what answers there does not speak HTTP", False),
    (b"", "", True),  # it may have been restarted
], ids=["407", "403", "503", "ssh", "garbage", "nothing"])
def test_a_proxy_that_refuses(resetting, box, answer, words, again):
    list_of_one, url = resetting
    list_of_one.append(answer)
    said = box.run("dataset", "https://nowhere.invalid/f", "--retries", 1, https_proxy=url[:-2]).bad(words)
    assert ("trying again" in said.err) == again, said.err


def test_a_proxy_that_wants_a_password_for_http(resetting, box):
    answer, url = resetting
    answer.append(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
    box.run("dataset", "http://nowhere.invalid/f", http_proxy=url[:-2]).bad("the proxy answers 407: put user:")


def test_a_proxy_over_tls(tmp_path, box):
    """SSL_CERT_FILE is for all peers, and nothing else is trusted."""
    ours, theirs = (certificate(tmp_path, name) for name in ("ours", "theirs"))
    for pair, good in ((ours, True), (theirs, False)):
        proxy = Files({"http://nowhere.invalid/f": DATA}, context=tls(*pair))
        said = box.run("dataset", "http://nowhere.invalid/f", http_proxy=proxy.url, SSL_CERT_FILE=ours[0])
        said.ok() if good else said.bad("certificate verification failed")
        proxy.close()


def test_old_tls(tmp_path, box):
    pair = certificate(tmp_path, "old")
    context = tls(*pair)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    server = Files({"/f": DATA}, context=context)
    said = box.run("dataset", f"{server.url}/f", SSL_CERT_FILE=pair[0]).bad("the peer knows no TLS 1.2 or later")
    assert "trying again" not in said.err
    server.close()


def test_tls_to_a_server_without(files, one, box):
    said = box.run("dataset", one.replace("http:", "https:")).bad("the peer does not speak TLS")
    assert "trying again" not in said.err


def test_not_modified_without_a_file(resetting, box):
    answer, url = resetting
    answer.append(b"HTTP/1.1 304 Not Modified\r\n\r\n")
    box.run("dataset", url, "--retries", 0).bad("answers 304, but there is no complete file")


def test_killed_and_resumed(files, one, box):
    files.fault("/d/f.zip", hold=600_000)
    box.kill_after(box.start("dataset", one), 500_000)
    had = box.parts()
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": DATA}
    headers = files.seen[-1][1]
    assert int(headers["Range"][6:-1]) >= had and headers["If-Range"].startswith('"')


def test_changed_in_between(files, one, box):
    files.fault("/d/f.zip", hold=600_000)
    box.kill_after(box.start("dataset", one), 500_000)
    files.files["/d/f.zip"] = new = noise(1_500_000, 4)
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": new}


def test_killed_between_the_last_byte_and_the_name(files, one, box):
    """All bytes are there, only the name is missing: one question, no bytes."""
    box.run("dataset", one).ok()
    entry = (box.to / ".trainyard/done.jsonl").read_text()
    digest = hashlib.sha256(b"f.zip").hexdigest()[:32]
    (box.to / "f.zip").rename(box.to / ".trainyard" / f"{digest}.part")
    tag = json.loads(entry)["tag"]
    (box.to / ".trainyard" / f"{digest}.tag").write_text(json.dumps({"name": "f.zip", "tag": tag, "size": len(DATA)}))
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": DATA} and files.sent == len(DATA)


def test_a_checksum_in_the_uri(one, box):
    right = hashlib.sha256(DATA).hexdigest()
    box.run("dataset", f"{one}#sha256={'0' * 64}").bad("sha256 checksum is " + right)
    assert box.files() == {}
    box.run("dataset", f"{one}#sha256={right}").ok()
    assert box.files() == {"f.zip": DATA}
    said = box.run("dataset", f"{one}#sha256={right}").ok()
    assert said.out == f"100%: 1 file, 2.0 MB in {box.to}; 1 was there before\n"


def test_without_length(files, one, box):
    files.fault("/d/f.zip", chunked=True)
    box.run("dataset", one).ok()
    assert box.files() == {"f.zip": DATA}


def test_passwords_are_not_shown(files, box):
    url = files.url.replace("://", "://me:secret@") + "/none?sig=secret2"
    said = box.run("dataset", url).bad("the server answers 404")
    assert "secret" not in said.err + said.out


def test_a_server_without_ranges(tmp_path, box):
    """Python's own server knows neither Range nor ETag: it starts over, and is right in the end."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www/f").write_bytes(DATA)
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "www")
    handler.func.log_message = lambda *_: None
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{httpd.server_address[1]}"
    brake = Brake(url, 600_000)
    box.kill_after(box.start("dataset", brake.url + "/f"), 500_000)
    brake.close()
    box.run("dataset", url + "/f").ok()
    assert box.files() == {"f": DATA}
    assert "1 was there before" in box.run("dataset", url + "/f").ok().out  # by its date
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture
def nginx(tmp_path):
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin")
    if not program:
        pytest.skip("no nginx on this machine")
    port = free_ports(1)[0]
    (tmp_path / "www").mkdir()
    tmp_path.chmod(0o755)
    (tmp_path / "nginx.conf").write_text(f"""
daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; worker_processes 1;
events {{ }}
http {{
  access_log off;
  client_body_temp_path {tmp_path}/t1; proxy_temp_path {tmp_path}/t2; fastcgi_temp_path {tmp_path}/t3;
  uwsgi_temp_path {tmp_path}/t4; scgi_temp_path {tmp_path}/t5;
  server {{ listen 127.0.0.1:{port}; root {tmp_path}/www;
            location /slow/ {{ alias {tmp_path}/www/; limit_rate 500k; }} }}
}}""")
    user = ["-g", "user root;"] if os.geteuid() == 0 else []
    process = subprocess.Popen([program, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), *user],
                               stderr=subprocess.DEVNULL)
    wait_for("nginx listens", lambda: answers(port), child=process)
    yield f"http://127.0.0.1:{port}", tmp_path / "www"
    process.terminate()
    process.wait(30)


def test_nginx_killed_and_resumed(nginx, box):
    url, www = nginx
    (www / "f").write_bytes(DATA)
    box.kill_after(box.start("dataset", f"{url}/slow/f"), 300_000)
    box.run("dataset", f"{url}/slow/f").ok()
    assert box.files() == {"f": DATA}
    assert "1 was there before" in box.run("dataset", f"{url}/slow/f").ok().out


def test_nginx_changed_in_between(nginx, box):
    url, www = nginx
    (www / "f").write_bytes(DATA)
    box.kill_after(box.start("dataset", f"{url}/slow/f"), 300_000)
    new = noise(2_100_000, 8)
    (www / "f").write_bytes(new)
    box.run("dataset", f"{url}/slow/f").ok()
    assert box.files() == {"f": new}


def test_tls(tmp_path, box):
    ours, key = certificate(tmp_path, "ours")
    others, _ = certificate(tmp_path, "others")
    context = tls(ours, key)
    plain = Files({"/f": b"plain"})
    server = Files({"/f": DATA, "/down": f"{plain.url}/f"}, context=context)
    said = box.run("dataset", f"{server.url}/f", SSL_CERT_FILE=others).bad("certificate")
    assert "trying again" not in said.err
    box.run("dataset", f"{server.url}/f", SSL_CERT_FILE=ours).ok()
    assert box.files() == {"f": DATA}
    box.run("dataset", f"{server.url}/down", SSL_CERT_FILE=ours).bad("down: ")  # never from https to http
    assert not plain.seen
    server.close()
    plain.close()


def test_without_libcurl(box, tmp_path):
    """It is loaded by name with the first request: one that is no library, and one without its functions."""
    library = tmp_path / "libcurl-gnutls.so.4"
    needed = "HTTP requests need libcurl (Debian: libcurl3-gnutls): "
    for name in (library, tmp_path / "libcurl.so.4"):
        name.write_text("")
    box.run("dataset", "http://127.0.0.1:9/f", LD_LIBRARY_PATH=tmp_path).bad(needed)
    library.unlink()
    library.symlink_to(next(Path("/usr/lib").glob("*/libuv.so.1")))
    box.run("dataset", "http://127.0.0.1:9/f", LD_LIBRARY_PATH=tmp_path).bad(
        needed + "what is installed is too old, it has no curl_global_init")
