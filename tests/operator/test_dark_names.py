"""No name server answers: whoever ends does not wait for the resolver. Without a cluster; in namespaces
where dark.py is the only name server."""
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

import dark
from manager import PROGRAM

UNSHARE = ["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-n", "-m"]

pytestmark = [
    pytest.mark.ours("it is ours that ends"),
    pytest.mark.skipif(not shutil.which("unshare") or subprocess.run([*UNSHARE, "true"], capture_output=True).returncode,
                       reason="no namespaces of one's own here")]


def kubeconfig(server, **cluster):
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": server, "insecure-skip-tls-verify": True, **cluster}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]})


def in_the_dark(folder, stop, *command):
    """(exit code, output) of the command, which is sent the signal once it has asked for a name."""
    (folder / "resolv.conf").write_text(dark.RESOLV_CONF)
    (folder / "nsswitch.conf").write_text("hosts: files dns\n")
    script = ("mount --bind resolv.conf /etc/resolv.conf; mount --bind nsswitch.conf /etc/nsswitch.conf; "
              'exec "$@"')
    said = subprocess.run([*UNSHARE, "sh", "-ec", script, "-", sys.executable, dark.__file__, stop, *command],
                          cwd=folder, capture_output=True, text=True, timeout=dark.RESOLVER_SECONDS * 2)
    assert said.returncode == 0, said.stdout + said.stderr
    return json.loads(said.stdout)


@pytest.mark.parametrize("cluster", [
    {"server": "https://dark.example:6443"},                                               # our own connections
    {"server": "https://dark.example:6443", "proxy-url": "http://dark-proxy.example:3128"},  # libcurl's
], ids=["direct", "proxy"])
@pytest.mark.parametrize("stop", ["SIGTERM", "SIGINT"])
def test_operator_ends_without_the_resolver(tmp_path, cluster, stop):
    (tmp_path / "kubeconfig").write_text(kubeconfig(**cluster))
    (tmp_path / "config.yaml").write_text(json.dumps({
        "apiVersion": "config.trainer.kubeflow.org/v1alpha1", "kind": "Configuration"}))
    code, said = in_the_dark(tmp_path, stop, PROGRAM.resolve(), "operator", "--config", "config.yaml",
                             "--kubeconfig", "kubeconfig")
    assert code == 0, said
    assert '"msg":"stopped"' in said


@pytest.mark.parametrize("command", ["doctor", "adopt"])
def test_interrupted_reader_ends_without_the_resolver(tmp_path, command):
    (tmp_path / "kubeconfig").write_text(kubeconfig("https://dark.example:6443"))
    code, said = in_the_dark(tmp_path, "SIGINT", PROGRAM.resolve(), command, "--kubeconfig", "kubeconfig")
    assert code == -signal.SIGINT, said


def test_reader_gives_up_before_the_resolver(tmp_path):
    """It has a time of its own for the cluster, and says which name it was."""
    (tmp_path / "kubeconfig").write_text(kubeconfig("https://dark.example:6443"))
    code, said = in_the_dark(tmp_path, "", PROGRAM.resolve(), "doctor", "--kubeconfig", "kubeconfig")
    assert code == 1, said
    assert "dark.example" in said
