"""Devices of the machine: who waits for them, who gets them. Nobody opens them, so TRAINYARD_GPUS may name any."""
import pytest

from runs import RUNTIME, finish
from waiting import wait_for


@pytest.fixture
def two(box):
    box.env["TRAINYARD_GPUS"] = "0,1"
    return box


def job(name, command, nodes=1, gpus=1):
    text = RUNTIME.format(command=command, name=name, nodes=nodes, policies="", before="", depends="", pod="", grace=60,
                          more=f", resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}")
    return text.replace("{name: rt}", f"{{name: rt-{name}}}")


def meet(name):
    """Two ranks, neither of which ends without the other."""
    return (f"touch {name}-$JOB_COMPLETION_INDEX; until [ -e {name}-0 ] && [ -e {name}-1 ]; do sleep 0.05; done; "
            f"echo {name} has $CUDA_VISIBLE_DEVICES")


def test_gangs_behind_a_large_pod(two):
    """Both ranks of a gang begin when the large one is over, and two gangs come one after the other."""
    large = "touch large; until [ -e go ]; do sleep 0.05; done"
    p = two.start("---\n".join([job("large", large, gpus=2), job("a", meet("a"), nodes=2), job("b", meet("b"), nodes=2)]))
    wait_for("the large one runs", lambda: (two.path / "large").exists())
    assert not (two.path / "a-0").exists()
    (two.path / "go").touch()
    code, out, err = finish(p)
    assert code == 0, err
    for name in "ab":
        assert {f"{name} has 0", f"{name} has 1"} <= {line.split("] ")[-1].rstrip() for line in out.splitlines()}, out


def test_more_than_the_machine_has(two):
    code, out, err = two.run(job("a", "touch began", nodes=3))
    assert code == 1
    assert "wants 3 nvidia.com/gpu at once, host has 2" in err
    assert not (two.path / "began").exists()


def test_stopped_while_a_job_waits(two):
    """Ctrl-C ends the one that runs; the one that waits does not begin in its place."""
    p = two.start("---\n".join([job("a", "touch a; exec sleep 600", gpus=2), job("b", "touch b", gpus=2)]))
    wait_for("a runs", lambda: (two.path / "a").exists())
    p.send_signal(2)
    code, out, err = finish(p)
    assert code == 130
    assert not (two.path / "b").exists()
