"""The programs of others: found, missing, and gone when the tests are."""
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import binaries
from plane import answers
from waiting import wait_for

HERE = Path(__file__).parent


@pytest.fixture
def nothing(monkeypatch, tmp_path):
    """A machine with no Go and nothing built."""
    monkeypatch.setattr(binaries, "CACHE", tmp_path)
    monkeypatch.setattr(binaries, "find_go", lambda: None)
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.delenv("TRAINYARD_BUILD", raising=False)
    return tmp_path


def program(folder, name):
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_says_what_is_missing(nothing, capsys):
    said = binaries.why_not(("etcd", "kwok"))
    assert "no etcd, kwok in " in said and "no Go 1.26 or later" in said
    assert binaries.build(("etcd",)) is False
    assert binaries.main(["binaries.py", "build", "etcd"]) == 0
    assert capsys.readouterr().out.startswith("cluster: SKIPPED: no etcd in ")
    assert binaries.main(["binaries.py", "missing", "etcd", "kwok"]) == 0
    assert capsys.readouterr().out == "etcd kwok\n"
    with pytest.raises(RuntimeError, match="jobset-crds of sigs.k8s.io/jobset@"):
        binaries.manifest("jobset-crds")
    assert list(nothing.iterdir()) == []


def test_never_builds(nothing, monkeypatch):
    monkeypatch.setattr(binaries, "find_go", lambda: "/nowhere/go")
    assert binaries.why_not(("etcd", "kwok")) is None
    monkeypatch.setenv("TRAINYARD_BUILD", "never")
    assert binaries.why_not(("etcd", "kwok")) == "not built: etcd, kwok (`make test-cluster` builds them)"
    assert binaries.build(("etcd",)) is False and list(nothing.iterdir()) == []


def test_ready(nothing):
    assert not binaries.ready(("etcd",), ())
    (nothing / "bin").mkdir()
    program(nothing / "bin", "etcd")
    assert binaries.ready(("etcd",), ()) and not binaries.ready(("etcd",), ("jobset-crds",))
    (nothing / "manifests").mkdir()
    (nothing / "manifests/jobset-crds.yaml").write_text("{}")
    assert binaries.ready(("etcd",), ("jobset-crds",)) and not binaries.ready()


def test_assets_come_first(nothing, monkeypatch, tmp_path_factory):
    (nothing / "bin").mkdir()
    built, assets = program(nothing / "bin", "etcd"), tmp_path_factory.mktemp("assets")
    program(nothing / "bin", "kwok")
    assert binaries.find("etcd") == built
    given = program(assets, "etcd")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    assert binaries.find("etcd") == given
    assert binaries.find("kwok") == nothing / "bin/kwok"
    (assets / "kubectl").write_text("not a program")
    assert binaries.missing(("etcd", "kubectl", "kwok")) == ["kubectl"]


def test_oldest_api_server_is_declared():
    """What is tested is what the chart asks for and the pages tell."""
    minor = ".".join(binaries.OLDEST_K8S.split(".")[:2])
    root = HERE.parents[1]
    assert f'kubeVersion: ">={minor}.0-0"' in (root / "charts/trainyard/Chart.yaml").read_text()
    for page in ("README.md", "docs/install.md", "docs/operator.md", "docs/testing.md"):
        told = set(re.findall(r"Kubernetes (1\.\d+)", (root / page).read_text()))
        assert minor in told, f"{page} tells {told}"


def test_unknown_program():
    with pytest.raises(SystemExit, match="no program is called kubelot; there are: .*kubelet"):
        binaries.main(["binaries.py", "build", "kubelot"])


def test_plane_dies_with_its_parent(tmp_path):
    """kill -9 of the tests leaves no API server behind."""
    if binaries.why_not():
        pytest.skip(binaries.why_not())
    binaries.build()
    child = subprocess.Popen([sys.executable, HERE / "plane.py", "up", tmp_path / "plane"],
                             stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.match(r"https://127.0.0.1:(\d+) token ", child.stdout.readline())[1])
        assert answers(port)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    wait_for(f"nobody listens at port {port}", lambda: not answers(port))
