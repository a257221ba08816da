"""docs/upgrade.md, "Keep your own changes", with kubectl on a real control plane: what it reports, what stays
and what is applied all the same."""
import json
import os
import shutil
import subprocess

import pytest

from client import path_of
from printed import PROGRAM, docs, install, program, said
from running import NAME, SYSTEM, remove

CONFIG = "kubeflow-trainer-config"
FILE = "controller_manager_config.yaml"


class Admin:
    def __init__(self, plane, folder):
        self.api = plane.client()
        self.env = dict(os.environ, KUBECONFIG=str(plane.kubeconfig()), HOME=str(folder))

    def kubectl(self, *words, text=None):
        return subprocess.run([program("kubectl"), *words], env=self.env, input=text, text=True, capture_output=True,
                              timeout=300)

    def apply(self, version, *words, text=None):
        text = text or said(PROGRAM, "install", "--no-crds", "--no-runtimes", "--version", version, *words)
        return self.kubectl("apply", "--server-side", "-f", "-", text=text)

    def config(self):
        return self.api.get("v1", "ConfigMap", SYSTEM, CONFIG)["data"][FILE]

    def image(self):
        live = self.api.get("apps/v1", "Deployment", SYSTEM, NAME)
        return live["spec"]["template"]["spec"]["containers"][0]["image"]


@pytest.fixture
def admin(plane, tmp_path):
    one = Admin(plane, tmp_path)
    one.api.install(docs(said(PROGRAM, "crds")))
    first = one.apply("1.0")
    assert first.returncode == 0, first.stderr
    yield one
    remove(one.api, install("--no-crds", "--no-runtimes"))


def test_a_configuration_that_was_edited(admin):
    mine = f"{admin.config()}\n# mine\n"
    patch = json.dumps({"data": {FILE: mine}})
    assert admin.kubectl("-n", SYSTEM, "patch", "configmap", CONFIG, "-p", patch).returncode == 0
    done = admin.apply("2.0")
    assert done.returncode == 1 and done.stderr.count("Apply failed with ") == 1, done.stderr
    assert f".data.{FILE}" in done.stderr and "kubectl-patch" in done.stderr
    assert (admin.config(), admin.image()) == (mine, "trainyard:2.0")  # all but that is applied


def own_config(text):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG, "namespace": SYSTEM},
                       "data": {FILE: text}})


@pytest.mark.parametrize("how", [["--server-side"], []])
def test_a_configuration_that_kubectl_takes_for_its_own(admin, how):
    """Applied without a field manager's name it is overwritten, and nothing is reported."""
    was = admin.config()
    done = admin.kubectl("apply", *how, "-f", "-", text=own_config(f"{was}\n# mine\n"))
    assert done.returncode == 0 and admin.config() != was, done.stderr
    done = admin.apply("2.0")
    assert (done.returncode, admin.config()) == (0, was), done.stderr


def test_a_configuration_that_is_applied_apart(admin):
    """Under a name of its own it is reported; filtered out there is nothing to report."""
    if not shutil.which("jq"):
        pytest.skip("there is no jq")
    text = f"{admin.config()}\n# mine\n"
    own = own_config(text)
    done = admin.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=platform-team", "-f", "-",
                         text=own)
    assert done.returncode == 0, done.stderr
    done = admin.apply("2.0")
    assert done.returncode == 1 and '"platform-team"' in done.stderr, done.stderr
    assert (admin.config(), admin.image()) == (text, "trainyard:2.0")
    printed = said(PROGRAM, "install", "--no-crds", "--no-runtimes", "--version", "3.0", "-o", "json")
    left = said("jq", f'del(.items[] | select(.kind == "ConfigMap" and .metadata.name == "{CONFIG}"))', input=printed)
    assert len(json.loads(left)["items"]) == len(json.loads(printed)["items"]) - 1
    done = admin.apply("3.0", text=left)
    assert done.returncode == 0, done.stderr
    assert (admin.config(), admin.image()) == (text, "trainyard:3.0")


def test_replicas_that_were_scaled(admin):
    """A conflict is one of the whole Deployment: it keeps its image, too, until the number is given."""
    assert admin.kubectl("-n", SYSTEM, "scale", "deployment", NAME, "--replicas=3").returncode == 0
    done = admin.apply("2.0")
    assert done.returncode == 1 and ".spec.replicas" in done.stderr, done.stderr
    assert admin.image() == "trainyard:1.0"
    done = admin.apply("2.0", "--replicas", "3")
    assert done.returncode == 0, done.stderr
    assert admin.image() == "trainyard:2.0"
    assert admin.api.must("GET", path_of("apps/v1", "Deployment", SYSTEM, NAME))["spec"]["replicas"] == 3
