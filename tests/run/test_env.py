"""The environment of containers: what the caller has, --env, --env-file."""
import json

import pytest

from runs import job

ALL = job("env")


@pytest.fixture
def home(box):
    """A caller without variables of the host's that pass."""
    for name in list(box.env):
        if name.lower().endswith("_proxy") or name.startswith(("HF_", "WANDB_", "MLFLOW_", "AWS_", "CUDA_", "NCCL_", "OMP_")):
            del box.env[name]
    return box


def variables(out):
    return dict(line.removeprefix("[node-0-0] ").split("=", 1) for line in out.splitlines() if "=" in line)


def test_what_passes(home):
    passed = {"https_proxy": "http://p.example:3128", "no_proxy": ".corp", "HF_TOKEN": "hf-secret", "WANDB_MODE": "offline",
              "MLFLOW_TRACKING_URI": "http://m", "AWS_REGION": "eu", "NCCL_DEBUG": "INFO", "OMP_NUM_THREADS": "3",
              "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    home.env.update(passed, NCCL_SOCKET_IFNAME="eth9", CUDA_VISIBLE_DEVICES="5", EDITOR="vi")
    code, out, err = home.run(ALL)
    assert code == 0, err
    got = variables(out)
    local = ".corp,localhost,127.0.0.1,127.0.0.0/8,.job,.svc.cluster.local"  # pods reach each other without the proxy
    assert {k: got.get(k) for k in passed} == dict(passed, no_proxy=local)
    assert got["NO_PROXY"] == local
    assert got["NCCL_SOCKET_IFNAME"] == "lo"
    assert "EDITOR" not in got and "CUDA_VISIBLE_DEVICES" not in got


def test_who_wins(home):
    home.env.update(HF_HOME="caller", OMP_NUM_THREADS="1", WANDB_MODE="caller")
    text = ALL.replace("command:", "env: [{name: HF_HOME, value: yaml}], command:")
    (home.path / "x.env").write_text("# ours\nOMP_NUM_THREADS=2\nHF_HOME=file\nWANDB_MODE=file\n")
    code, out, err = home.run(text, "--env-file", "x.env", "-e", "OMP_NUM_THREADS=3", "--env", "HF_HOME=word")
    assert code == 0, err
    got = variables(out)
    assert (got["HF_HOME"], got["OMP_NUM_THREADS"], got["WANDB_MODE"]) == ("yaml", "3", "file")


def test_a_name_alone(home):
    home.env["MY_TOKEN"] = "a b=c"
    code, out, err = home.run(ALL, "-e", "MY_TOKEN")
    assert code == 0, err
    assert variables(out)["MY_TOKEN"] == "a b=c"
    code, out, err = home.run(ALL, "-e", "NOT_SET_HERE")
    assert code == 2
    assert "--env NOT_SET_HERE: NOT_SET_HERE is not set in your environment: write NOT_SET_HERE=VALUE" in err


def test_a_bad_file(home):
    (home.path / "x.env").write_text("A=1\n\nexport B=2\n")
    code, out, err = home.run(ALL, "--env-file", "x.env")
    assert code == 2
    assert 'x.env:3: the name "export B" has a space' in err


def test_secrets_stay_out(home):
    """Neither the history nor the JSON has a value of the environment."""
    home.env.update(HF_TOKEN="secret-of-the-caller", MY_TOKEN="secret-by-name")
    (home.path / "x.env").write_text("FILE_TOKEN=secret-of-the-file\n")
    code, out, err = home.run(job("test -n $HF_TOKEN && test -n $MY_TOKEN && test -n $FILE_TOKEN && test -n $WORD_TOKEN"), "-o", "json",
                              "-e", "MY_TOKEN", "--env-file", "x.env", "-e", "WORD_TOKEN=secret-of-the-word")
    assert code == 0, err
    assert [json.loads(line) for line in out.splitlines()]
    assert "secret-" not in out + err
    state = home.path / "state"
    for file in (f for f in state.rglob("*") if f.is_file()):
        assert b"secret-" not in file.read_bytes(), file
