"""Who the Kubernetes client says it is: tokens, certificates, exec plugins, and what becomes of them."""
import base64
import json
import os
import pty
import subprocess

import pytest

from driver import PROGRAM, Driver
from plane import openssl


def test_client_certificate(server, tmp_path):
    cert, key = server.client_certificate("someone", "managers")
    as_data = {"client-certificate-data": base64.b64encode(cert.read_bytes()).decode(),
               "client-key-data": base64.b64encode(key.read_bytes()).decode()}
    for user in ({"client-certificate": str(cert), "client-key": str(key)}, as_data):
        config = server.config(tmp_path / "config", user)
        with Driver("--kubeconfig", config) as client:
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
    with Driver("--kubeconfig", config) as client:
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
    with Driver("--kubeconfig", config) as client:
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
    with Driver("--kubeconfig", config) as client:
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
    with Driver("--kubeconfig", config) as client:
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
    with Driver("--kubeconfig", config) as client:
        answer = client.ask("GET", path="/version")
        assert answer["r"] == "EAGAIN" and text in answer["message"], answer


def test_exec_plugin_prompts_on_the_terminal_of_a_command(server, tmp_path):
    """doctor on a terminal: it prints nothing over the prompt, and what is typed reaches the plugin."""
    config = exec_config(server, tmp_path, """
        printf 'Password: ' >&2
        read -r word
        printf "$(cat "$1")" "$word"
    """, interactiveMode="Always")
    (tmp_path / "credential").write_text(credential(token="%s"))
    command = [PROGRAM.parent / "trainyard", "doctor", "--cluster", "--kubeconfig", config, "-o", "json"]
    here, there = pty.openpty()
    try:
        with subprocess.Popen(command, stdin=there, stdout=subprocess.PIPE, stderr=there, text=True) as child:
            prompt = b""
            while b"Password: " not in prompt:
                prompt += os.read(here, 1000)
            os.write(here, server.tokens["manager-1"].encode() + b"\n")
            said = child.communicate(timeout=120)[0]
    finally:
        os.close(here)
        os.close(there)
    assert prompt == b"Password: "
    checks = {check["name"]: check for check in json.loads(said)["checks"]}
    assert checks["server"]["level"] == "ok", said
    assert json.loads((tmp_path / "log").read_text().splitlines()[0])["spec"]["interactive"] is True

    told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert "wants to ask somebody (interactiveMode: Always), and this is not a terminal" in told.stdout


def test_exec_plugin_that_is_not_there(server, tmp_path):
    config = exec_config(server, tmp_path, "", command="no-such-plugin", installHint="install it")
    with Driver("--kubeconfig", config) as client:
        answer = client.ask("GET", path="/version")
        assert answer["message"] == "exec plugin no-such-plugin is not installed: install it"


def test_in_cluster(server, tmp_path):
    (tmp_path / "token").write_text(server.tokens["manager-3"])
    (tmp_path / "ca.crt").write_bytes((server.folder / "pki/apiserver.crt").read_bytes())
    env = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.port),
           "KUBECONFIG": "", "HOME": ""}
    with Driver("--pod-dir", tmp_path, env=env) as client:
        assert who(client) == "manager-3"


def test_certificate_is_checked(server, tmp_path):
    user = {"token": server.tokens["manager-0"]}
    stranger = server.config(tmp_path / "a", user, **{"certificate-authority": str(server.certificates.ca)})
    with Driver("--kubeconfig", stranger) as client:
        answer = client.ask("GET", path="/version")
        assert answer["r"] == "EAGAIN" and "certificate" in answer["message"]
    named = server.config(tmp_path / "b", user, **{"tls-server-name": "kubernetes.default.svc"})
    with Driver("--kubeconfig", named) as client:
        assert who(client) == "manager-0"
    named = server.config(tmp_path / "c", user, **{"tls-server-name": "elsewhere.example"})
    with Driver("--kubeconfig", named) as client:
        assert client.ask("GET", path="/version")["r"] == "EAGAIN"


def test_impersonation(server, tmp_path):
    config = server.config(tmp_path / "config", {
        "token": server.tokens["admin"], "as": "other", "as-groups": ["managers", "more"],
        "as-user-extra": {"example.org/of %41": ["a", "b"]}})
    with Driver("--kubeconfig", config) as client:
        user = reviewed(client)["json"]["status"]["userInfo"]
    assert user["username"] == "other" and user["groups"] == ["managers", "more", "system:authenticated"]
    assert user["extra"] == {"example.org/of %41": ["a", "b"]}
