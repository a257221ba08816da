"""The Debian package: what is in it, what it needs, and that it works where it is unpacked."""
import gzip
import shutil
import subprocess

import pytest

from printed import ROOT, said
from test_image import release


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deb")
    said(ROOT / "tools/deb", release(), folder)
    return next(folder.glob("trainyard_*.deb"))


@pytest.fixture(scope="module")
def unpacked(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    said("dpkg-deb", "-x", package, folder)
    return folder


def field(package, name):
    return said("dpkg-deb", "-f", package, name).strip()


def test_control(package, unpacked):
    assert field(package, "Version") == said(unpacked / "usr/bin/trainyard", "--version").split()[1]
    needs = field(package, "Depends").split(", ")
    # Linked ones, and libcurl, which is loaded only when it is needed.
    assert {"libc6", "libfyaml0", "libcurl3-gnutls", "libgnutls30", "libmicrohttpd12", "libnghttp2-14"} <= set(needs)
    assert len(needs) == len(set(needs))


def test_everything_belongs_to_root(package):
    listing = said("dpkg-deb", "-c", package).splitlines()
    assert all(line.split()[1] == "root/root" for line in listing)
    assert not [line for line in listing if line[0] != "l" and (line[5] == "w" or line[8] == "w")], "writable by others"
    assert [line for line in listing if line.endswith("./usr/bin/kubectl-trainyard -> trainyard")]


def test_completion_and_manual(unpacked):
    share = unpacked / "usr/share"
    for path in ("bash-completion/completions/trainyard", "zsh/site-functions/_trainyard",
                 "fish/vendor_completions.d/trainyard.fish"):
        assert "trainyard" in (share / path).read_text()
    page = gzip.decompress((share / "man/man1/trainyard-install.1.gz").read_bytes()).decode()
    assert "service\\-monitor" in page


def test_checksums(unpacked, package, tmp_path):
    said("dpkg-deb", "-e", package, tmp_path)
    done = subprocess.run(["md5sum", "-c", "--quiet", tmp_path / "md5sums"], cwd=unpacked)
    assert done.returncode == 0


def needed(name, package):
    if not shutil.which(name):
        pytest.skip(f"no {name} here: apt-get install {package}")
    return name


def test_lintian_has_nothing_to_say(package):
    done = subprocess.run([needed("lintian", "lintian"), "--allow-root", "--fail-on", "error,warning",
                           package], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


UNIT = "lib/systemd/system/trainyard-operator.service"


@pytest.fixture
def machine(unpacked, tmp_path):
    """The package on a machine that has what every one with systemd has."""
    shutil.copytree(unpacked, tmp_path / "root", symlinks=True)
    shutil.copytree("/lib/systemd/system", tmp_path / "root/lib/systemd/system", symlinks=True,
                    dirs_exist_ok=True)
    (tmp_path / "root/bin").mkdir()
    shutil.copy("/bin/kill", tmp_path / "root/bin/kill")
    return tmp_path / "root"


def analyze(verb, root, *words):
    return subprocess.run([needed("systemd-analyze", "systemd"), verb, f"--root={root}", *words,
                           "trainyard-operator.service"], capture_output=True, text=True, timeout=60)


def test_unit(machine):
    assert "ExecStart=/usr/bin/trainyard operator" in (machine / UNIT).read_text()
    done = analyze("verify", machine, "--man=no")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (machine / UNIT).write_text((machine / UNIT).read_text().replace("DynamicUser=", "DynamicUsr="))
    assert "DynamicUsr" in analyze("verify", machine, "--man=no").stderr  # it does look


def test_unit_is_locked_up(machine):
    """Exposure by systemd's own count: 10 is the open sea, below 3 few services get."""
    done = analyze("security", machine, "--offline=true", "--threshold=20")
    assert done.returncode == 0, done.stdout
