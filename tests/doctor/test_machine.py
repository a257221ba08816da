"""`trainyard doctor` on this machine: with less and less of it."""
import os
import sqlite3
import subprocess
from pathlib import Path

from asked import ask
from manager import PROGRAM

ROOT = Path(__file__).resolve().parents[2]

NAMES = {"python", "mpi", "namespaces", "cgroups", "state", "limits", "ports", "shm", "devices",
         "libraries"}


def checks(said):
    return {c["name"]: c for c in said.json["checks"]}


def machine(*words, **env):
    return ask(None, "doctor", "--machine", "-o", "json", *words, env=env)


def test_every_line_has_a_level_and_what_is_bad_a_fix():
    said = machine()
    assert NAMES <= set(checks(said)), said
    for one in said.json["checks"]:
        assert one["area"] == "machine" and one["level"] in ("ok", "warn", "fail")
        assert one["level"] == "ok" or one["fix"], one


def program(folder, name, text="#!/bin/sh\nexit 1\n"):
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_no_python(tmp_path):
    said = machine(PATH=str(tmp_path))
    assert said.code == 0, said  # other jobs can run
    one = checks(said)["python"]
    assert one["level"] == "warn" and "no python3 in PATH" in one["what"]
    assert "install python3" in one["fix"] and "torch" not in checks(said)
    assert checks(said)["mpi"]["level"] == "warn"


def test_python_without_torch(tmp_path):
    program(tmp_path, "python3")
    said = machine(PATH=str(tmp_path))
    assert checks(said)["python"]["what"] == f"python3 is {tmp_path}/python3"
    assert checks(said)["torch"]["level"] == "warn"
    assert "pip install torch" in checks(said)["torch"]["fix"]


def test_python_with_torch(tmp_path):
    program(tmp_path, "python3", "#!/bin/sh\necho 2.9.1\n")
    program(tmp_path, "mpirun")
    said = machine(PATH=str(tmp_path))
    assert checks(said)["torch"]["what"] == "PyTorch 2.9.1"
    assert checks(said)["mpi"]["what"] == f"mpirun is {tmp_path}/mpirun"


def test_torch_is_looked_for_where_torchrun_finds_it(tmp_path):
    """The first python3 may be another one: of pyenv, or of a virtual environment without torch."""
    program(tmp_path, "python3")
    theirs = program(tmp_path, "python3.11", "#!/bin/sh\necho 1.13.0\n")
    for first in (f"#!{theirs}", f"#! {theirs} -E", "#!/usr/bin/env python3.11"):
        program(tmp_path, "torchrun", f"{first}\nimport torch\n")
        one = checks(machine(PATH=str(tmp_path)))["torch"]
        assert one["level"] == "ok" and one["what"] == f"PyTorch 1.13.0, torchrun runs {theirs}", one
    for first in ("#!/bin/sh", "", "#!", "#!/usr/bin/env", "#!/usr/bin/env nobody"):
        program(tmp_path, "torchrun", f"{first}\n")
        one = checks(machine(PATH=str(tmp_path)))["torch"]
        assert one["what"].startswith(f"{tmp_path}/python3 has no PyTorch"), one


def test_a_damaged_history(tmp_path):
    home = tmp_path / "trainyard"
    home.mkdir(mode=0o700)
    history = home / "trainyard.db"
    assert "history" not in checks(machine(XDG_STATE_HOME=str(tmp_path)))
    assert not history.exists()
    history.write_bytes(b"not a database" * 1000)
    one = checks(machine(XDG_STATE_HOME=str(tmp_path)))["history"]
    assert one["level"] == "warn" and str(history) in one["what"] and f"mv {history}" in one["fix"], one
    history.unlink()
    subprocess.run([PROGRAM, "run", ROOT / "examples/plain.yaml"], check=True, timeout=60, cwd=ROOT,
                   env={**os.environ, "XDG_STATE_HOME": str(tmp_path)}, capture_output=True)
    assert "history" not in checks(machine(XDG_STATE_HOME=str(tmp_path)))
    with sqlite3.connect(history) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = history.read_bytes()
    history.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    one = checks(machine(XDG_STATE_HOME=str(tmp_path)))["history"]
    assert one["level"] == "warn" and ("damaged" in one["what"] or "malformed" in one["what"]), one


def test_state_that_cannot_be_kept(tmp_path):
    (tmp_path / "file").write_text("")
    said = machine(XDG_STATE_HOME=str(tmp_path / "file"))
    one = checks(said)["state"]
    assert one["level"] == "warn" and "XDG_STATE_HOME" in one["fix"], one
    said = machine(XDG_STATE_HOME=str(tmp_path / "not/yet/there"))
    assert checks(said)["state"]["level"] != "fail" and not (tmp_path / "not").exists()


def test_devices_that_are_told(tmp_path):
    assert "2 GPUs (nvidia.com/gpu)" in checks(machine(TRAINYARD_GPUS="0,3"))["devices"]["what"]


def test_no_kubeconfig(tmp_path):
    home = {"KUBECONFIG": "", "HOME": str(tmp_path), "KUBERNETES_SERVICE_HOST": ""}
    said = ask(None, "doctor", env=home)
    assert said.code == 0 and "no kubeconfig: " in said.out and "machine\n" in said.out, said
    asked = ask(None, "doctor", "--cluster", env=home)
    assert asked.code == 1 and asked.out.startswith("cluster\nfail  no kubeconfig: "), asked
    assert "-- fix: name a file with --kubeconfig or KUBECONFIG" in asked.out
    assert asked.out.splitlines()[-1] == "0 ok, 0 warnings, 1 failed"


def test_a_server_that_does_not_answer(tmp_path):
    config = tmp_path / "config"
    config.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                      "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                      "contexts: [{name: c, context: {cluster: c}}]\n")
    said = ask(config, "doctor", "--cluster")
    assert said.code == 1 and "fail  https://127.0.0.1:1 does not answer: cannot connect" in said.out, said
    assert len(said.out.splitlines()) == 4  # nothing else is guessed


def test_usage():
    assert ask(None, "doctor", "x").code == 2
    assert ask(None, "doctor", "--machine", "--cluster").code == 2
    assert ask(None, "doctor", "-n", "Not_A_Name").code == 2


def test_colour_only_where_it_is_wanted(tmp_path):
    """On a terminal, and not with NO_COLOR."""
    import pty
    for env, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        us, them = pty.openpty()
        subprocess.run([PROGRAM, "doctor", "--machine"], stdout=them, check=True, timeout=60,
                       env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **env})
        os.close(them)
        said = os.read(us, 65536)
        os.close(us)
        assert (b"\033[32mok" in said) == coloured, said
