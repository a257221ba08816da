"""Runs the built program as a user would: TRAINYARD names it (default build-test/trainyard). Helpers of
tests/cli; the fixtures are in conftest.py."""
import json
import os
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
TRAINYARD = Path(os.environ.get("TRAINYARD", ROOT / "build-test" / "trainyard")).resolve()


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        # Whatever was asked: no crash, no sanitizer report.
        assert self.code >= 0, f"died of signal {-self.code}\n{self.err}"
        assert "Sanitizer" not in self.err and "runtime error" not in self.err, self.err

    def ok(self):
        assert self.code == 0, self.err + self.out
        return self

    def docs(self):
        return [d for d in yaml.safe_load_all(self.out) if d is not None]

    def json(self):
        return json.loads(self.out)

    def kind(self, kind, name=None):
        """The one object of that kind (and name) among the YAML documents."""
        found = [d for d in self.docs() if d["kind"] == kind and name in (None, d["metadata"]["name"])]
        assert len(found) == 1, [f"{d['kind']}/{d['metadata']['name']}" for d in self.docs()]
        return found[0]


def run(*args, stdin=None, cwd=None, env=None):
    text = stdin if isinstance(stdin, (bytes, type(None))) else stdin.encode()
    done = subprocess.run([str(TRAINYARD), *map(str, args)], input=text, capture_output=True, cwd=cwd,
                          timeout=120, env=dict(os.environ, **(env or {})))
    done.stdout = done.stdout.decode("utf-8", "replace")
    done.stderr = done.stderr.decode("utf-8", "replace")
    return Result(done)


def rjob(jobset, name="node"):
    return next(j for j in jobset["spec"]["replicatedJobs"] if j["name"] == name)


def pod(jobset, name="node"):
    return rjob(jobset, name)["template"]["spec"]["template"]


def container(jobset, job="node", name="node"):
    return next(c for c in pod(jobset, job)["spec"]["containers"] if c["name"] == name)


def env(c):
    return {e["name"]: e.get("value", e.get("valueFrom")) for e in c.get("env", [])}


JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: train
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: registry.example/train:1
"""
