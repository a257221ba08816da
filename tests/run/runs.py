"""A user's view of `trainyard run`: real processes, a state folder of the test's own."""
import math
import os
import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(os.environ.get("TRAINYARD", ROOT / "build-test" / "trainyard")).resolve())  # jobs run elsewhere

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: rt}}
spec:
  mlPolicy: {{numNodes: {nodes}}}
  template:
    spec:
{policies}
      replicatedJobs:
{before}
      - name: node
{depends}
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            backoffLimit: 0
            template:
              spec:
                restartPolicy: Never
                terminationGracePeriodSeconds: {grace}
                containers: [{{name: node, image: none, command: [sh, -c, {command!r}]{more}}}]
{pod}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec: {{runtimeRef: {{name: rt}}, trainer: {{}}}}
"""

# Ordinary users need a user namespace for them; `run` says so in a note where it has none.
CAN_MOUNT = subprocess.run(["unshare", "-m", *([] if os.geteuid() == 0 else ["-r"]), "true"], capture_output=True).returncode == 0
needs_mounts = pytest.mark.skipif(not CAN_MOUNT, reason="no private mounts here: user namespaces are off")

SLOW = "for i in 1 2 3 4 5 6 7 8; do echo step $i/8 loss 0.$i; sleep 0.15; done"  # a second or so


def job(command, name="job", nodes=1, policies="", before="", depends="", more="", pod="", grace=60):
    """`grace` in seconds: less for those who do not listen."""
    return RUNTIME.format(command=command, name=name, nodes=nodes, policies=policies, before=before,
                          depends=depends, more=more, pod=pod, grace=grace)


def finish(p, timeout=120):
    """The end of a process: its code and what it said; nothing may have been found by the sanitizers."""
    try:
        out, err = p.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        p.kill()
        raise
    assert "Sanitizer" not in err, err
    return p.returncode, out, err


class Box:
    binary = BINARY

    def __init__(self, path):
        self.path = path
        self.env = dict(os.environ, XDG_STATE_HOME=str(path / "state"),
                        ASAN_OPTIONS="detect_leaks=1", NO_COLOR="1")

    def start(self, text, *args, **popen):
        file = self.path / "job.yaml"
        file.write_text(text)
        return subprocess.Popen([BINARY, "run", str(file), *args], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.path, env=self.env, **popen)

    def run(self, text, *args, timeout=240):
        return finish(self.start(text, *args), timeout)

    def limit(self, least, command="true", nodes=1):
        """A time limit in whole seconds within which such a process does what it has to, however busy the machine is:
        five times as long as it takes now."""
        began = time.monotonic()
        code, _, err = self.run(job(command, nodes=nodes))
        assert code == 0, err
        return max(least, math.ceil(5 * (time.monotonic() - began)))
