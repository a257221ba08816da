"""The Debian package: what is in it, what it needs, and that it works where it is unpacked."""
import gzip
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
    # Linked ones, and those that are loaded only when they are needed.
    assert {"libc6", "libfyaml0", "libcurl3-gnutls", "libgnutls30", "libmicrohttpd12"} <= set(needs)
    assert len(needs) == len(set(needs))


def test_everything_belongs_to_root(package):
    listing = said("dpkg-deb", "-c", package).splitlines()
    assert all(line.split()[1] == "root/root" for line in listing)
    assert not [line for line in listing if line[5] == "w" or line[8] == "w"], "writable by others"


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


def test_unit(unpacked):
    unit = (unpacked / "lib/systemd/system/trainyard-operator.service").read_text()
    assert "ExecStart=/usr/bin/trainyard operator" in unit and "DynamicUser=yes" in unit
    assert (unpacked / "usr/bin/trainyard").exists()
