"""`make run`, and jobs that mount in every place, leave nothing on the machine but the state directory and caches."""
import json
import os
import subprocess

import pytest

from runs import BINARY, ROOT, job
from test_mount_points import CLAIM

RELEASE = os.environ.get("TRAINYARD_RELEASE", BINARY)
HOME = "/home/ty-room"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a copy of this machine's files (tests/host/room) needs root")

MOUNTS = f""", terminationMessagePath: /var/ty/message, volumeMounts: [
                    {{name: conf, mountPath: /etc/ty.conf, subPath: app.conf}}, {{name: conf, mountPath: /etc/ty/app}},
                    {{name: secret, mountPath: /var/run/secrets/ty}}, {{name: secret, mountPath: /usr/share/ty/token, subPath: token}},
                    {{name: data, mountPath: /data}}, {{name: scratch, mountPath: /data/in/volume}},
                    {{name: scratch, mountPath: /tmp/ty/scratch}}, {{name: scratch, mountPath: {HOME}/.ssh}},
                    {{name: scratch, mountPath: {HOME}/trainyard/out/cache}}]"""
VOLUMES = """
                volumes:
                - {name: scratch, emptyDir: {}}
                - {name: conf, configMap: {name: conf}}
                - {name: secret, secret: {secretName: secret}}
                - {name: data, persistentVolumeClaim: {claimName: data}}
"""
SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: secret}
stringData: {token: hidden}
"""
COMMAND = ("cat /etc/ty.conf /etc/ty/app/app.conf /var/run/secrets/ty/token /usr/share/ty/token && test -s "
           "$KUBEFLOW_TRAINER_SERVER_TOKEN && touch /data/in/volume/x ~/.ssh/x out/cache/x && echo why >/var/ty/message")


def has_torch():
    return subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode == 0


@pytest.mark.parametrize("uid", [0, 65534], ids=["root", "ordinary user"])
def test_nothing_is_left(tmp_path, uid):
    jobs = {"mounts": job(COMMAND, nodes=4, more=MOUNTS, pod=VOLUMES) + CLAIM + SECRET, "plain": "examples/plain.yaml",
            "initializers": "examples/initializers.yaml", "failing": "examples/failing.yaml"}
    if has_torch():
        jobs["make run"] = "examples/torch-ddp.yaml"
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    (tmp_path / "room").mkdir()
    p = subprocess.run([ROOT / "tests/host/room", tmp_path / "room", "/usr/bin/python3", "-B", ROOT / "tests/host/in_room.py",
                        RELEASE, str(uid), tmp_path / "jobs.json"], capture_output=True, text=True, timeout=900)
    assert p.returncode == 0, p.stderr
    result = json.loads(p.stdout.splitlines()[-1])
    assert result["fresh"]
    for name, (code, out, err) in result["said"].items():
        assert code == (1 if name == "failing" else 0), (name, out, err)
        assert "File exists" not in err, (name, err)
    assert result["said"]["mounts"][1].count("settingsettinghiddenhidden") == 4
    assert result["changed"] == []
