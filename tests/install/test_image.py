"""The image's file system (tools/rootfs): the operator in it, read-only and as nobody in particular,
does its work on a real API server; nothing else is in it."""
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from kit import runtime, trainjob, wait_for
from neighbours import END
from printed import ROOT, install
from running import Operator, apply, complete, create, remove, trainjobs

USER = 65532
LIMIT = 15 * 1000 * 1000  # bytes, compressed


def release():
    """The program as it is shipped, not the one with sanitizers; built if there is a build for it."""
    program = Path(os.environ.get("TRAINYARD_RELEASE", ROOT / "build/trainyard"))
    if not program.exists():
        subprocess.run(["make", "-s", "-C", ROOT], check=True, timeout=900)
    return program


@pytest.fixture(scope="module")
def rootfs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    for up in (folder, *folder.parents[:2]):
        up.chmod(0o755)
    subprocess.run([ROOT / "tools/rootfs", release(), folder / "root"], check=True, timeout=120)
    (folder / "root").chmod(0o755)
    return folder / "root"


def inside(root, *words):
    """The command that runs `words` in the file system: read-only, as nobody, without privileges."""
    script = (f"mount --bind {root} {root} && mount -o remount,bind,ro {root} && "
              f"exec chroot --userspec={USER}:{USER} {root} \"$@\"")
    return ["unshare", "--mount", "sh", "-c", script, "sh", *map(str, words)]


def need_root():
    if os.geteuid() != 0:
        pytest.skip("mounts and chroot need root")


def test_small_and_bare(rootfs, tmp_path):
    with tarfile.open(tmp_path / "image.tar.gz", "w:gz") as tar:
        tar.add(rootfs, ".")
    size = (tmp_path / "image.tar.gz").stat().st_size
    print(f"image: {size / 1e6:.1f} MB compressed")
    assert size < LIMIT
    programs = [p.name for p in rootfs.rglob("bin/*")]
    assert programs == ["trainyard"]
    assert not list(rootfs.rglob("sh")) and not list(rootfs.rglob("*python*"))


def test_containerfile_uses_it():
    text = (ROOT / "Containerfile").read_text()
    assert "FROM scratch" in text and "tools/rootfs" in text and f"USER {USER}:{USER}" in text
    assert re.search(r'ENTRYPOINT \["/usr/bin/trainyard", "operator"\]', text)


def test_read_only(rootfs):
    need_root()
    done = subprocess.run(inside(rootfs, "/usr/bin/trainyard", "--version"), capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("trainyard "), done.stderr
    done = subprocess.run(inside(rootfs, "/usr/bin/trainyard", "crds"), capture_output=True)
    assert done.returncode == 0
    writes = ["unshare", "--mount", "sh", "-c", f"mount --bind {rootfs} {rootfs} && "
              f"mount -o remount,bind,ro {rootfs} && ! touch {rootfs}/x"]
    assert subprocess.run(writes, stderr=subprocess.DEVNULL).returncode == 0


def run_in(plane, root):
    """Installed, run from the image, one TrainJob to its end."""
    api, objects = plane.client(), install("--no-runtimes")
    api.install([doc for doc in objects if doc["kind"] == "CustomResourceDefinition"])
    apply(api, objects)
    work = root / "run"  # what a kubelet would mount: configuration, token, CA
    work.mkdir(exist_ok=True)
    operator = Operator(plane, work)
    config = operator.account_kubeconfig()
    text = config.read_text().replace(str(plane.folder / "pki/apiserver.crt"), "/run/ca.crt")
    shutil.copy(plane.folder / "pki/apiserver.crt", work / "ca.crt")
    operator.account_kubeconfig = lambda: config.write_text(text) and "/run/kubeconfig"
    real = operator.configuration
    operator.configuration = lambda: real() and "/run/config.yaml"
    operator.start(inside(root, "/usr/bin/trainyard", "operator"))
    status = Path(f"/proc/{operator.child.pid}/status").read_text()
    assert re.search(rf"^Uid:\t{USER}\t{USER}\t{USER}", status, re.M)
    assert re.search(r"^CapEff:\t0+$", status, re.M)
    create(api, runtime("image", {END: "succeed"}))
    create(api, trainjob("image", "image"))
    wait_for("the TrainJob is complete", lambda: complete(api, "image"))
    operator.stop()
    remove(api, trainjobs(api))


def test_operator_in_the_image(plane, rootfs, nothing_denied):
    need_root()
    run_in(plane, rootfs)
