"""Mount points: nothing of them is left on the host, and what training writes beside them stays."""
import os
import signal

import pytest

from runs import Box, finish, job, needs_mounts
from waiting import wait_for

pytestmark = needs_mounts
RUNS = int(os.environ.get("TRAINYARD_RACE_RUNS", "3"))  # 50 for a release; see docs/testing.md

CLAIM = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {app.conf: "setting"}
"""


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)


def pod(box, *mounts):
    """A pod's volumes, and a container's mounts of them, as the arguments of job()."""
    return dict(more=", volumeMounts: [" + ", ".join(mounts) + "]", pod=f"""
                volumes:
                - {{name: scratch, emptyDir: {{}}}}
                - {{name: conf, configMap: {{name: conf}}}}
                - {{name: data, persistentVolumeClaim: {{claimName: data}}}}
                - {{name: host, hostPath: {{path: {box.path}/host}}}}
""")


def mount(volume, path, more=""):
    return f"{{name: {volume}, mountPath: {path}{more}}}"


def tree(path):
    return sorted(str(p.relative_to(path)) for p in path.rglob("*"))


def everywhere(box):
    """Mount points that do not exist, in every kind of place."""
    (box.path / "host").mkdir(exist_ok=True)
    return pod(box, mount("scratch", f"{box.path}/out/cache"), mount("conf", f"{box.path}/app.conf", ", subPath: app.conf"),
               mount("data", "/data"), mount("scratch", "/data/tmp/deep"), mount("host", "/ty-host"),
               mount("conf", "/ty-host/conf"), mount("conf", "/etc/ty-app/app.conf", ", subPath: app.conf"),
               mount("conf", "/var/run/secrets/ty-app"), mount("scratch", "/ty-new/dir"))


READ = "cat /ty-host/conf/app.conf app.conf /etc/ty-app/app.conf /var/run/secrets/ty-app/app.conf"


def test_what_is_written_beside_them_stays(box):
    code, out, err = box.run(job(READ + "; echo r >out/result; echo d >/data/kept; echo h >/ty-host/kept; touch /ty-new/dir/x "
                                 "out/cache/x", **everywhere(box)) + CLAIM)
    assert code == 0 and out == "[node-0-0] settingsettingsettingsetting\n", err
    assert tree(box.path / "out") == ["result"]
    assert tree(box.path / "host") == ["kept"]
    assert tree(box.path / "state/trainyard/claims") == ["data", "data/kept"]
    assert not (box.path / "app.conf").exists()
    for path in "/ty-new", "/ty-host", "/data", "/etc/ty-app", "/run/secrets/ty-app":
        assert not os.path.exists(path), path


def test_a_mount_point_that_existed_stays(box):
    (box.path / "mine").mkdir()
    code, _, err = box.run(job("test ! -e mine/x && touch mine/x", **pod(box, mount("scratch", f"{box.path}/mine"))) + CLAIM)
    assert code == 0, err
    assert tree(box.path / "mine") == []


def test_those_of_a_killed_run_are_removed_by_the_next(box):
    p = box.start(job("echo ready; sleep 600", **everywhere(box)) + CLAIM)
    assert "ready" in p.stdout.readline()
    assert (box.path / "out/cache").exists() and (box.path / "app.conf").exists()
    p.send_signal(signal.SIGKILL)
    p.wait()
    code, _, err = box.run(job("true"))
    assert code == 0, err
    assert not (box.path / "out").exists() and not (box.path / "app.conf").exists()
    assert tree(box.path / "host") == [] and tree(box.path / "state/trainyard/claims") == ["data"]


def test_a_run_that_ends_leaves_those_that_another_uses(box):
    """The kernel would unmount the other's volume with its directory."""
    other = Box(box.path)
    other.env = dict(box.env, XDG_STATE_HOME=str(box.path / "other"))
    first = box.start(job("touch first; while ! test -e second; do sleep 0.05; done", name="first", **everywhere(box)) + CLAIM)
    wait_for("the first run", lambda: (box.path / "first").exists(), child=first)
    (box.path / "job.yaml").rename(box.path / "first.yaml")
    second = other.start(job("touch out/cache/x second; while ! test -e go; do sleep 0.05; done; ls out/cache; " + READ, name="second",
                             **everywhere(box)) + CLAIM)
    code, _, err = finish(first)
    assert code == 0, err
    assert (box.path / "out/cache").is_dir()
    (box.path / "go").touch()
    code, out, err = finish(second)
    assert code == 0 and out == "[node-0-0] x\n[node-0-0] settingsettingsettingsetting\n", err
    for each in box, other:  # the first run created them, its user's next run removes them
        code, _, err = each.run(job("true"))
        assert code == 0, err
    assert not (box.path / "out").exists()


def test_a_directory_with_many_entries(box):
    many = box.path / "many"
    many.mkdir()
    for i in range(1100):
        (many / str(i)).touch()
    code, out, err = box.run(job("ls many | wc -l", **pod(box, mount("scratch", f"{many}/new"))) + CLAIM)
    assert code == 0 and out == "[node-0-0] 1101\n", err
    assert len(list(many.iterdir())) == 1100


@pytest.mark.parametrize("at_once", [1, 2])
def test_many_pods_race_for_them(box, at_once):
    """Each pod ends at another time, when others begin: nothing fails, and nothing is left."""
    boxes = [Box(box.path / f"b{i}") for i in range(at_once)]
    for b in boxes:
        b.path.mkdir()
    text = job(READ + " && sleep 0.0$JOB_COMPLETION_INDEX", nodes=24, **everywhere(box)) + CLAIM
    for i in range(max(1, RUNS // at_once)):
        for b in boxes:
            b.env["HOME"] = str(box.path)
        started = [b.start(text, "--workdir", str(box.path), "-q") for b in boxes]
        for p in started:
            code, _, err = finish(p, 240)
            assert code == 0 and "restart" not in err and "File exists" not in err, (i, err)
    for b in boxes:
        code, _, err = b.run(job("true"))
        assert code == 0, err
    assert not (box.path / "out").exists() and not (box.path / "app.conf").exists()
    assert tree(box.path / "host") == []
