import os
import pathlib
import signal
import time

import pytest

from runs import job, needs_mounts
from waiting import wait_for


def survivors(marker):
    """Processes whose environment carries the marker."""
    found = []
    for p in pathlib.Path("/proc").iterdir():
        if p.name.isdigit():
            try:
                if marker.encode() in (p / "environ").read_bytes():
                    found.append(int(p.name))
            except OSError:
                pass
    return found


@needs_mounts
def test_nodes_know_each_other(box):
    code, out, err = box.run(job(
        "echo $HOSTNAME $(hostname) $JOB_COMPLETION_INDEX; getent hosts job-node-0-1.job | cut -d' ' -f1",
        nodes=2))
    assert code == 0, err
    lines = sorted(out.splitlines())
    assert "[node-0-0] job-node-0-0 job-node-0-0 0" in lines
    assert "[node-0-1] job-node-0-1 job-node-0-1 1" in lines
    addresses = {l.split()[1] for l in lines if " 127." in l}
    assert len(addresses) == 1
    assert "Complete: jobset completed successfully" in err


def test_the_job_may_come_before_its_runtime(box):
    runtime, trainjob = job("echo ran").split("---\n")
    code, out, err = box.run(trainjob + "---\n" + runtime)
    assert code == 0 and out == "[node-0-0] ran\n", err


def test_a_failure_ends_the_job(box):
    code, out, err = box.run(job("test $JOB_COMPLETION_INDEX = 0 && sleep 60; echo oops; exit 7", nodes=2))
    assert code == 1
    assert "node-0-1: node failed with exit code 7" in err
    assert "node-0-0: node ended by signal 15, as asked" in err
    assert "first failed job: job-node-0" in err


def test_a_refused_run_leaves_no_folder(box):
    gpus = ", resources: {limits: {nvidia.com/gpu: 99}}"
    code, _, err = box.run(job("true", more=gpus))
    assert code == 1 and "wants 99 nvidia.com/gpu" in err
    assert list((box.path / "state/trainyard/runs").iterdir()) == []


def test_restart_and_dependencies(box):
    mark = box.path / "again"
    code, out, err = box.run(job(
        "test -e %s && exit 0; touch %s; exit 3" % (mark, mark),
        policies="      failurePolicy: {maxRestarts: 1}",
        before="""      - name: prep
        template:
          spec:
            backoffLimit: 0
            template: {spec: {restartPolicy: Never, containers: [{name: p, image: none, command: [echo, ready]}]}}""",
        depends="        dependsOn: [{name: prep, status: Complete}]"))
    assert code == 0, err
    assert out.count("[prep-0-0] ready") == 2  # a global restart runs the whole chain again
    assert "applying RestartJobSet failure policy action" in err


@needs_mounts
def test_volume_at_a_path_that_does_not_exist(box):
    code, out, err = box.run(job(
        "echo data > /nowhere/yet/file; cat /nowhere/yet/file",
        more=", volumeMounts: [{name: v, mountPath: /nowhere/yet}]",
        pod="                volumes: [{name: v, emptyDir: {}}]"))
    assert (code, out) == (0, "[node-0-0] data\n"), err
    assert not os.path.exists("/nowhere")


def test_command_that_does_not_exist(box):
    code, out, err = box.run(job("x").replace("[sh, -c, 'x']", "[no-such-program]"))
    assert code == 1
    assert "no-such-program: No such file or directory" in err


def test_missing_secret_is_found_before_anything_starts(box):
    code, out, err = box.run(job("echo started", more=", envFrom: [{secretRef: {name: keys}}]"))
    assert code == 1
    assert "started" not in out
    assert "Secret default/keys was not supplied" in err


def test_set_and_env(box):
    code, out, err = box.run(job("echo $COLOUR"), "--set", "spec.trainer.numNodes=3", "--env", "COLOUR=blue")
    assert code == 0, err
    assert sorted(out.splitlines()) == ["[node-0-%d] blue" % i for i in range(3)]


def test_set_of_a_label_names_the_option(box):
    code, out, err = box.run(job("true"), "--set", "metadata.labels.a=1")
    assert code != 0 and err.startswith("--set metadata.labels.a=1: json: cannot unmarshal number into Go struct field "), err
    assert err.endswith(' (write "1" in quotes)\n'), err


def test_timeout(box):
    code, out, err = box.run(job("sleep 60"), "--timeout", "1")
    assert code == 124


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_gracefully(box, sig):
    p = box.start(job("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"))
    assert p.stdout.readline() == "[node-0-0] up\n"
    p.send_signal(sig)
    out, err = p.communicate(timeout=60)
    assert p.returncode == 130
    assert "[node-0-0] bye" in out


@pytest.mark.parametrize("moment", [0.05, 0.2, 0.6])
def test_nothing_survives_kill_9(box, moment):
    marker = "TY_TEST_MARK=%d-%s" % (os.getpid(), moment)
    p = box.start(job("sleep 300 & setsid sleep 300 & (trap '' TERM; sleep 300) & sleep 300", nodes=3),
                  "--env", marker)
    time.sleep(moment)  # any moment is meant, not one that could be waited for
    p.kill()
    p.communicate(timeout=60)
    wait_for("nothing survives", lambda: not survivors(marker), show=lambda: survivors(marker))
    code, out, err = box.run(job("echo fine"))
    assert (code, out) == (0, "[node-0-0] fine\n"), err


@needs_mounts
def test_the_scratch_directory_has_a_short_path(box):
    """Sockets are made there, and their paths must fit into 108 bytes, wherever the state folder is."""
    box.env["XDG_STATE_HOME"] = str(box.path / ("deep-" * 20) / ("deeper-" * 10))
    (box.path / "bind.py").write_text("import os, socket\n"
                                      "socket.socket(socket.AF_UNIX).bind(os.environ['TMPDIR'] + '/' + 40 * 'x')\n")
    code, out, err = box.run(job("/usr/bin/python3 bind.py && ls $TMPDIR | wc -l", nodes=2))
    assert code == 0, err
    assert sorted(out.splitlines()) == ["[node-0-0] 1", "[node-0-1] 1"]  # each has its own


@pytest.mark.parametrize("word, said", [
    ("spec.trainer.numNodes=two", "spec.trainer.numNodes: Invalid value"),
    ("spec.trainer.numNode=2", "spec.trainer.numNode: unknown field (did you mean spec.trainer.numNodes?)"),
    ("spec.foo.bar=1", "spec.foo: unknown field"),
    ("spec.trainer.numNodes=-1", "spec.trainer.numNodes: Invalid value: -1: "),
    ("spec.trainer.env[0]={nme: x}", "spec.trainer.env[0].nme: unknown field"),
    ("spec.runtimeRef.name=nope", "spec.RuntimeRef: Invalid value: "),
    (r"spec.trainer.resourcesPerNode.limits.example\.com/x=6", "spec.trainer.resourcesPerNode.limits[example.com/x]: "),
    ("spec.managedBy=kueue.x-k8s.io/multikueue", "spec.managedBy: TrainJob job is managed by ")],
    ids=lambda v: v.split("=")[0])
def test_mistakes_of_set_name_the_option(box, word, said):
    code, out, err = box.run(job("echo started"), "--set", word)
    assert (code, out) == (1, "")
    assert f"--set {word}: {said}" in err and "job.yaml" not in err
