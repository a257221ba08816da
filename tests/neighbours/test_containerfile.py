"""The Containerfile, built by buildah, and the operator run from what it makes.

There is no registry here, and none is asked: `debian:bookworm` is an image without files into which the
packages of this machine are mounted, which must be a Debian 12, too. All else is as anywhere: the steps of
the Containerfile, in a chroot of their own."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/install"))
import rights  # noqa: E402
from audit import Audit  # noqa: E402
from fixtures import FOLDER, need, trainer_crds  # noqa: E402
import binaries  # noqa: E402
from running import AuditedPlane  # noqa: E402
from test_image import LIMIT, USER, run_in  # noqa: E402

BASE = "docker.io/library/debian:bookworm"
MOUNTED = ("/usr", "/etc", "/var/lib/dpkg")
LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # to the same below /usr
BUILD_SECONDS = 1800


def why_not():
    release = Path("/etc/os-release").read_text()
    if "VERSION_CODENAME=bookworm" not in release:
        return "this machine stands in for the base image, and is no Debian 12"
    if os.geteuid() != 0:
        return "mounts and chroot need root"
    return None if shutil.which("buildah") else "no buildah here: tools/deps neighbours"


class Buildah:
    """With a storage of its own, which goes with its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.words = ["buildah", "--root", folder / "storage", "--runroot", folder / "run",
                      "--storage-driver", "vfs"]

    def __call__(self, *words, seconds=300):
        done = subprocess.run([str(w) for w in (*self.words, *words)], capture_output=True, text=True,
                              timeout=seconds)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout.strip()

    def base(self):
        """Only places to mount to."""
        root = self.folder / "base"
        for path in (*MOUNTED, "/proc", "/sys", "/dev", "/tmp", "/root"):
            (root / path[1:]).mkdir(parents=True)
        for name in LINKS:
            if Path("/", name).is_symlink():
                (root / name).symlink_to(os.readlink(f"/{name}"))
        container = self("from", "scratch")
        self("copy", container, root, "/")
        self("commit", container, BASE)


def context(folder):
    """The files that are under version control, as a clone has them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split("\0")
    for name in filter(None, names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


@pytest.fixture(scope="module")
def buildah(tmp_path_factory):
    if why_not():
        pytest.skip(why_not())
    one = Buildah(tmp_path_factory.mktemp("image"))
    one.base()
    mounts = [word for path in MOUNTED for word in ("--volume", f"{path}:{path}:ro")]
    one("build", "--isolation", "chroot", "--pull-never", *mounts, "--tag", "trainyard",
        context(one.folder / "context"), seconds=BUILD_SECONDS)
    return one


def test_image_is_small_and_nobody_s(buildah):
    config = json.loads(buildah("inspect", "--type", "image", "trainyard"))["OCIv1"]["config"]
    assert config["User"] == f"{USER}:{USER}"
    assert config["Entrypoint"] == ["/usr/bin/trainyard", "operator"]
    buildah("push", "trainyard", f"oci:{buildah.folder}/oci:latest")
    size = sum(path.stat().st_size for path in (buildah.folder / "oci").rglob("*") if path.is_file())
    print(f"image: {size / 1e6:.1f} MB as a registry would store it")
    assert size < LIMIT


def test_operator_from_the_image(buildah):
    need(binaries.FULL)
    root = Path(buildah("mount", buildah("from", "--pull-never", "localhost/trainyard")))
    for up in (root, *root.parents[:-2]):
        up.chmod(up.stat().st_mode | 0o055)  # nobody is to come there
    plane = AuditedPlane(FOLDER / "image", trainer_crds()).start()
    try:
        audit = Audit(plane)
        run_in(plane, root)
        assert rights.denied(audit.entries(), plane) == []
    finally:
        plane.stop()
