"""The files of `make release`, and nothing else of this tree, on a real node: the image is imported, the
manifests or the chart are applied as docs/install.md says, and the operator runs TrainJobs from its own pods."""
import json
import subprocess

import pytest

import twice
from fixtures import FOLDER, space_on
from kit import runtime, trainjob, wait_for
from client import Refused
from parts import why_no_node
from printed import docs, program
from running import NAME, SYSTEM, remove
from starting import need_built, started_bare
from test_node import MEET, boxed
from test_release import VERSION, make
from whole import WholePlane

IMAGE = f"docker.io/library/trainyard:{VERSION}"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return make(twice.stage(tmp_path_factory.mktemp("tree")), tmp_path_factory.mktemp("release") / "out")


@pytest.fixture(scope="module")
def node(files):
    """With the image in it, and nobody to pull another from."""
    need_built("kubelet", "coredns", "helm")
    if why_no_node():
        pytest.skip(why_no_node())
    for plane in started_bare(WholePlane(FOLDER / "whole")):
        done = plane.ctr("images", "import", next(files.glob("*.oci.tar")))
        assert done.returncode == 0, done.stderr
        assert IMAGE in plane.ctr("images", "ls", "-q").stdout.split()
        yield plane


class ByKubectl:
    """The CRDs first: kubectl must know a kind before it applies one."""

    def __init__(self, plane, files):
        self.plane, self.files = plane, files

    def kubectl(self, *words):
        return tell(program("kubectl"), f"--kubeconfig={self.plane.kubeconfig()}", *words)

    def install(self):
        for name in ("crds", "install", "runtimes"):
            self.kubectl("apply", "--server-side", "-f", self.files / f"{name}.yaml")
            if name == "crds":
                self.kubectl("wait", "--for=condition=Established", "--timeout=120s", "-f", self.files / "crds.yaml")

    def uninstall(self):
        """The pods first: an operator that is about to end makes its Secret again when it is deleted."""
        api = self.plane.client()
        kept = ("Namespace", "ClusterTrainingRuntime")  # these go with their CRD
        objects = [doc for name in ("crds", "install", "runtimes")
                   for doc in docs((self.files / f"{name}.yaml").read_text()) if doc["kind"] not in kept]
        remove(api, [doc for doc in objects if doc["kind"] == "Deployment"])
        wait_for("the operator's pods are gone", lambda: not api.list("v1", "Pod", SYSTEM))
        remove(api, objects)


class ByHelm:
    def __init__(self, plane, files):
        self.plane, self.files = plane, files

    def helm(self, *words):
        return tell(program("helm"), *words, "-n", SYSTEM, "--kubeconfig", self.plane.kubeconfig())

    def install(self):
        self.helm("install", "trainyard", self.files / f"trainyard-{VERSION}.tgz", "--create-namespace", "--wait",
                  "--timeout", "4m")

    def uninstall(self):
        self.helm("uninstall", "trainyard", "--wait")
        remove(self.plane.client(), docs((self.files / "crds.yaml").read_text()))


def tell(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def manager_pods(api):
    """Both replicas, ready."""
    pods = [p for p in api.list("v1", "Pod", SYSTEM) if p["metadata"]["name"].startswith(NAME)]
    ready = [p for p in pods for c in p["status"].get("conditions") or []
             if c["type"] == "Ready" and c["status"] == "True"]
    return ready if len(ready) == len(pods) == 2 else None


def state(api):
    """For who has to find out why they are not."""
    return json.dumps([(p["status"], p["metadata"]["name"]) for p in api.list("v1", "Pod", SYSTEM)])[-3000:]


@pytest.mark.parametrize("how", [ByKubectl, ByHelm])
def test_a_trainjob_by_the_released_operator(node, files, how, request):
    api, way = node.client(), how(node, files)
    way.install()
    try:
        pods = wait_for("both replicas are ready", lambda: manager_pods(api))
    except AssertionError as e:
        raise AssertionError(f"{e}: {state(api)}") from None
    for pod in pods:
        assert [s["image"] for s in pod["status"]["containerStatuses"]] == [IMAGE]
        assert pod["spec"]["containers"][0]["securityContext"]["readOnlyRootFilesystem"]
    for space in space_on(node, request):
        wait_for("the webhook refuses what it must", lambda: refuses(space))
        space.create(runtime(jobs=[boxed(MEET, space, 2)]), trainjob(trainer={"numNodes": 2}))
        space.wait_condition("Complete", "True AllJobsCompleted")
        assert [p["status"]["phase"] for p in space.pods()] == ["Succeeded"] * 2
        space.clean()
        wait_for("its pods go with it", lambda: not space.pods())
    assert manager_pods(api), "none of them was restarted or replaced"
    assert [s["restartCount"] for p in manager_pods(api) for s in p["status"]["containerStatuses"]] == [0, 0]
    way.uninstall()
    wait_for("the operator's pods are gone", lambda: not api.list("v1", "Pod", SYSTEM))


def refuses(space):
    """By the operator in its pod, over TLS: the API server itself does not know which runtimes there are."""
    try:
        space.create(trainjob("job", "nowhere"))
    except Refused as e:
        assert e.code in (403, 500), e
        return e.code == 403 and "nowhere" in str(e)
    raise AssertionError("a TrainJob without a runtime was taken")
