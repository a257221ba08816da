"""Every example that runs on one machine does so from the repository's root, and does what it says."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from runs import BINARY, finish
from waiting import wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOCAL = sorted(p.stem for p in (ROOT / "examples").glob("*.yaml"))


class Example:
    def __init__(self, state):
        self.env = dict(os.environ, XDG_STATE_HOME=str(state), NO_COLOR="1")
        self.env.setdefault("ASAN_OPTIONS", "detect_leaks=1")

    def start(self, name, *args):
        return subprocess.Popen([BINARY, "run", f"examples/{name}.yaml", *args], cwd=ROOT, env=self.env,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, name, *args):
        return finish(self.start(name, *args), timeout=480)


@pytest.fixture
def example(tmp_path):
    return Example(tmp_path)


def needs(module):
    found = subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True)
    return pytest.mark.skipif(found.returncode != 0, reason=f"/usr/bin/python3 cannot import {module}: "
                              "tools/deps test installs it on Debian 12")


def has_open_mpi():
    said = shutil.which("mpicc") and shutil.which("mpirun") and subprocess.run(
        ["mpirun", "--version"], capture_output=True, text=True).stdout
    return bool(said) and "Open MPI" in said


def test_all_are_tried_here():
    tried = {n[5:].replace("_", "-") for n in globals() if n.startswith("test_")}
    assert set(LOCAL) <= tried, "an example without a test"


@needs("torch.distributed")
def test_torch_ddp(example):
    code, out, err = example.run("torch-ddp")
    assert code == 0, err
    losses = [float(x) for x in re.findall(r"loss ([0-9.]+)", out)]
    assert len(losses) == 10 and losses[-1] < losses[0] / 10, out
    assert re.findall(r"(\d+)%", out) == [str(10 * i) for i in range(1, 11)]
    assert sorted(re.findall(r"(node-0-\d)\] \[default\d\]:rank (\d) of 4 done", out)) == [
        ("node-0-0", "0"), ("node-0-0", "1"), ("node-0-1", "2"), ("node-0-1", "3")]


@needs("xgboost")
def test_xgboost(example):
    code, out, err = example.run("xgboost")
    assert code == 0, err
    errors = [float(x) for x in re.findall(r"rmse ([0-9.]+)", out)]
    assert len(errors) == 4 and errors == sorted(errors, reverse=True)
    models = re.findall(r"\[node-0-(\d)\] rank (\d) of 3: model (\w+)", out)
    assert sorted((n, r) for n, r, _ in models) == [("0", "0"), ("1", "1"), ("2", "2")]
    assert len({m for _, _, m in models}) == 1  # everybody's trees


@pytest.mark.skipif(not has_open_mpi(), reason="no Open MPI: tools/deps test installs it on Debian 12")
def test_mpi(example):
    code, out, err = example.run("mpi")
    assert code == 0, err
    ranks = sorted(re.findall(r"rank (\d) of 6 on (\S+): pi is 3.141592654", out))
    assert [r for r, _ in ranks] == list("012345")
    assert {h for _, h in ranks} == {"pi-node-0-0", "pi-node-0-1", "pi-launcher-0-0"}


@pytest.mark.parametrize("nodes", [4, 8])
def test_plain(example, nodes):
    code, out, err = example.run("plain", "--set", f"spec.trainer.numNodes={nodes}")
    assert code == 0, err
    assert len(re.findall(rf"process \d of {nodes} on plain-node-0-\d", out)) == nodes
    parts = re.findall(r"process (\d): (\d+)", out)
    assert len(parts) == nodes and sum(int(p) for _, p in parts) == 500500


def test_failing(example):
    code, out, err = example.run("failing")
    assert code == 1
    assert "[node-0-1] KeyError: 1" in out + err
    assert "failing-node-0" in err  # the Job that the cluster's own words name
    assert not re.search(r"\[node-0-1\] rank 1 trains", out)


def test_initializers(example):
    for there in range(2):  # again: what is there is not fetched again
        code, out, err = example.run("initializers")
        assert code == 0, err
        lines = out.splitlines()
        ready = [i for i, l in enumerate(lines) if re.search(r"-initializer-0-0\] 100%", l)]
        assert len(ready) == 2
        assert out.count("1 was there before") == 2 * there
        assert lines.index("[node-0-0] 6 of 6 right") > max(ready)


def suspended(example):
    p, said = example.start("suspend"), ""
    while "TrainJob is suspended" not in said:
        line = p.stderr.readline()
        assert line, said
        said += line
    return p


def test_suspend(example):
    p = suspended(example)

    def resume():
        done = subprocess.run([BINARY, "resume", "patient"], env=example.env, text=True, capture_output=True)
        return None if "not found" in done.stderr else done

    done = wait_for("the history, written in batches, says where it runs", resume)
    assert done.returncode == 0, done.stderr
    out, err = p.communicate(timeout=120)
    assert p.returncode == 0, err
    assert sorted(out.splitlines()) == [f"[node-0-{i}] node {i} goes on" for i in range(2)]


def test_suspend_and_give_up(example):
    p = suspended(example)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=120)
    assert p.returncode == 130, err
    assert "goes on" not in out


def test_cluster_examples_render(example):
    files = sorted((ROOT / "examples/cluster").glob("*.yaml"))
    assert len(files) >= 7
    for file in files:
        done = subprocess.run([BINARY, "render", "-f", file, "-o", "name"], env=example.env, text=True,
                              capture_output=True)
        assert done.returncode == 0 and "jobset.jobset.x-k8s.io/" in done.stdout, (file, done.stderr)


def test_local_examples_are_valid_on_a_cluster(example):
    for name in LOCAL:
        done = subprocess.run([BINARY, "validate", "-f", f"examples/{name}.yaml"], cwd=ROOT, env=example.env,
                              text=True, capture_output=True)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
