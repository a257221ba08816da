"""What `make release` writes: every file is checked as one who downloaded it would, and making it twice gives
the same bytes. That the program itself is the same from two places takes two builds: `make test-release`."""
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

import binaries
import test_deb
import twice
from printed import ROOT, docs, install, program, said
from test_files import SYSTEM, plain, same
from test_image import LIMIT, USER, inside, need_root, release

VERSION = twice.version()


def run(tree, version, out, *words, **more):
    return subprocess.run([tree / "tools/release", version, out, *words], capture_output=True, text=True,
                          timeout=900, **more)


def make(tree, out, **more):
    done = run(tree, VERSION, out, release(), **more)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return twice.stage(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def made(tree, tmp_path_factory):
    return make(tree, tmp_path_factory.mktemp("release") / "out")


@pytest.fixture(scope="module")
def tarball(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tarball")
    with tarfile.open(next(made.glob("*-linux-*.tar.gz"))) as archive:
        archive.extractall(folder)
    return folder / f"trainyard-{VERSION}"


# ---- the same bytes

def test_twice_is_the_same(tree, made, tmp_path):
    """Of another clone at another place, by somebody else."""
    other = tmp_path / "a/clone"
    twice.git(tmp_path, "clone", "-q", tree, other)
    again = make(other, tmp_path / "out", umask=0o077, env=dict(
        os.environ, TZ="Asia/Tokyo", DEBFULLNAME="Somebody", CFLAGS="-O0", TMPDIR=str(tmp_path)))
    assert (again / "SHA256SUMS").read_text() == (made / "SHA256SUMS").read_text()
    assert sorted(p.name for p in again.iterdir()) == sorted(p.name for p in made.iterdir())


def test_checksums(made):
    listed = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    assert sorted([*listed, "SHA256SUMS"]) == sorted(p.name for p in made.iterdir())
    assert len(listed) == 10
    done = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=made)
    assert done.returncode == 0


def test_no_trace_of_this_machine(made, tree, tarball):
    """Neither where it was built nor by whom: in no file, packed or not."""
    places = [str(p).encode() for p in (ROOT, tree, made.parent)]
    for path in made.iterdir():
        data = path.read_bytes()
        parts = [data]
        if path.name.endswith((".tgz", ".tar.gz", ".oci.tar")):
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                members = archive.getmembers()
                assert {(m.uid, m.gid) for m in members} == {(0, 0)}
                assert len({m.mtime for m in members}) == 1
                assert [m.name for m in members] == sorted(m.name for m in members)
                parts = [archive.extractfile(m).read() for m in members if m.isreg()]
        for part in parts:
            part = gzip.decompress(part) if part[:2] == b"\x1f\x8b" else part
            assert not [place for place in places if place in part], path.name


# ---- each file

def test_tarball_runs(tarball):
    assert said(tarball / "bin/trainyard", "version").startswith(f"trainyard {VERSION} (")
    for name in ("LICENSE", "share/man/man1/trainyard-run.1", "share/zsh/site-functions/_trainyard",
                 "share/bash-completion/completions/trainyard", "include/trainyard/plugin.h",
                 "lib/systemd/system/trainyard-operator.service"):
        assert (tarball / name).stat().st_size > 0


def test_package(made):
    package = next(made.glob("trainyard_*.deb"))
    assert test_deb.field(package, "Version") == VERSION
    test_deb.test_lintian_has_nothing_to_say(package)


def blobs(path):
    """{name: bytes} of an OCI archive, whose digests hold."""
    with tarfile.open(path) as archive:
        found = {m.name: archive.extractfile(m).read() for m in archive if m.isreg()}
    for name, data in found.items():
        if name.startswith("blobs/sha256/"):
            assert hashlib.sha256(data).hexdigest() == name.rpartition("/")[2]
    return found


def blob(found, descriptor):
    data = found["blobs/" + descriptor["digest"].replace(":", "/")]
    assert len(data) == descriptor["size"]
    return data


def test_image(made, tarball, tmp_path):
    path = next(made.glob("*.oci.tar"))
    assert path.stat().st_size < LIMIT
    found = blobs(path)
    assert json.loads(found["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    index = json.loads(found["index.json"])["manifests"]
    assert [m["annotations"]["org.opencontainers.image.ref.name"] for m in index] == [
        f"docker.io/library/trainyard:{VERSION}"]
    manifest = json.loads(blob(found, index[0]))
    config = json.loads(blob(found, manifest["config"]))
    assert config["config"]["User"] == f"{USER}:{USER}"
    assert config["config"]["Entrypoint"] == ["/usr/bin/trainyard", "operator"]
    assert config["created"] == f"{twice.DAY}T12:00:00Z"
    layer = gzip.decompress(blob(found, manifest["layers"][0]))
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(layer).hexdigest()}"]
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        assert {(m.uid, m.gid) for m in archive} == {(0, 0)}
        archive.extractall(tmp_path)
    assert (tmp_path / "usr/bin/trainyard").read_bytes() == (tarball / "bin/trainyard").read_bytes()
    need_root()
    for up in (tmp_path, *tmp_path.parents[:2]):
        up.chmod(0o755)
    done = subprocess.run(inside(tmp_path, "/usr/bin/trainyard", "version"), capture_output=True, text=True)
    assert done.stdout.startswith(f"trainyard {VERSION} ("), done.stderr


def test_image_trusts_public_authorities_only(made, tmp_path):
    """Not those that the machine of the release was told to trust."""
    found = blobs(next(made.glob("*.oci.tar")))
    layer = max(found.values(), key=len)
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(layer))) as archive:
        text = archive.extractfile("etc/ssl/certs/ca-certificates.crt").read().decode()
    public = "".join(p.read_text() for p in sorted(
        Path("/usr/share/ca-certificates/mozilla").glob("*.crt")))
    assert text == public and text.count("BEGIN CERTIFICATE") > 50


def test_manifests(made):
    parts = [docs((made / name).read_text()) for name in ("crds.yaml", "install.yaml", "runtimes.yaml")]
    kinds = [{doc["kind"] for doc in part} for part in parts]
    assert kinds[0] == {"CustomResourceDefinition"} and "ClusterTrainingRuntime" in kinds[2]
    assert not kinds[1] & {"CustomResourceDefinition", "ClusterTrainingRuntime"}
    same(sum(parts, []), install())
    deployment = next(doc for doc in parts[1] if doc["kind"] == "Deployment")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == f"trainyard:{VERSION}"


def test_kustomize(made, tmp_path):
    with tarfile.open(next(made.glob("*-manifests.tar.gz"))) as archive:
        archive.extractall(tmp_path)
    built = []
    for overlay in ("manager", "runtimes"):
        built += docs(said(program("kubectl"), "kustomize", tmp_path / "manifests/overlays" / overlay))
    same(install(), built)


def test_chart(made):
    chart = made / f"trainyard-{VERSION}.tgz"
    helm = program("helm")
    about = yaml.safe_load(said(helm, "show", "chart", chart))
    assert (about["version"], about["appVersion"]) == (VERSION, VERSION)
    said(helm, "lint", "--strict", chart)
    rendered = docs(said(helm, "template", "trainer", chart, "--kube-version", binaries.K8S, "--namespace",
                         SYSTEM))
    checked_in = docs(said(helm, "template", "trainer", ROOT / "charts/trainyard", "--kube-version",
                           binaries.K8S, "--namespace", SYSTEM))
    assert rendered == checked_in
    listed = {(doc["kind"], doc["metadata"]["name"]) for doc in map(plain, rendered)}
    want = [doc for name in ("crds.yaml", "install.yaml", "runtimes.yaml")
            for doc in docs((made / name).read_text()) if doc["kind"] != "Namespace"]
    assert {(doc["kind"], doc["metadata"]["name"]) for doc in want} <= listed


def test_release_notes(made, tree):
    text = (made / "RELEASE-NOTES.md").read_text()
    assert text.startswith(f"# trainyard {VERSION} ({twice.DAY})\n\n") and "\n## " not in text
    body = text.split("\n", 2)[2].strip()
    assert body and body in (tree / "CHANGELOG.md").read_text()


# ---- the bill of materials

REQUIRED = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages",
            "relationships"}
PACKAGE = {"SPDXID", "name", "versionInfo", "downloadLocation", "filesAnalyzed", "licenseConcluded",
           "licenseDeclared", "copyrightText", "supplier"}


@pytest.fixture(scope="module")
def sbom(made):
    return json.loads((made / f"trainyard-{VERSION}.spdx.json").read_text())


def test_sbom_is_spdx(sbom):
    """As the specification of SPDX 2.3 wants a document."""
    assert REQUIRED <= set(sbom) and sbom["spdxVersion"] == "SPDX-2.3" and sbom["dataLicense"] == "CC0-1.0"
    assert sbom["SPDXID"] == "SPDXRef-DOCUMENT"
    assert re.fullmatch(r"https://spdx\.org/spdxdocs/[\w.-]+", sbom["documentNamespace"])
    assert sbom["creationInfo"]["created"] == f"{twice.DAY}T12:00:00Z"
    assert all(re.match(r"(Tool|Organization|Person): ", c) for c in sbom["creationInfo"]["creators"])
    for package in sbom["packages"]:
        assert PACKAGE <= set(package), package["name"]
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"])
        for ref in package.get("externalRefs", []):
            assert re.fullmatch(r"pkg:deb/debian/[^@\s+]+@[^\s+]+\?arch=\w+&distro=debian-12",
                                ref["referenceLocator"])
    ids = [package["SPDXID"] for package in sbom["packages"]]
    assert len(ids) == len(set(ids))
    for row in sbom["relationships"]:
        assert {row["spdxElementId"], row["relatedSpdxElement"]} <= {*ids, "SPDXRef-DOCUMENT"}
    own = {row["licenseId"] for row in sbom["hasExtractedLicensingInfos"]}
    used = {word for package in sbom["packages"] for word in package["licenseDeclared"].split()
            if word.startswith("LicenseRef-")}
    assert own == used and all(row["extractedText"].strip() for row in sbom["hasExtractedLicensingInfos"])


def related(sbom, how, one=None, other=None):
    return {(row["spdxElementId"], row["relatedSpdxElement"]) for row in sbom["relationships"]
            if row["relationshipType"] == how and one in (None, row["spdxElementId"])
            and other in (None, row["relatedSpdxElement"])}


def test_sbom_names_what_is_used(sbom, made, tarball):
    """What the package depends on is linked or loaded; what the image holds is listed, version by version."""
    linked = {b for _, b in related(sbom, "DYNAMIC_LINK", "SPDXRef-trainyard")}
    loaded = {a for a, _ in related(sbom, "RUNTIME_DEPENDENCY_OF", other="SPDXRef-trainyard")}
    needs = test_deb.field(next(made.glob("*.deb")), "Depends").split(", ")
    assert linked | loaded == {f"SPDXRef-deb-{name}" for name in needs} and not linked & loaded
    assert loaded == {"SPDXRef-deb-libcurl3-gnutls"}
    assert {f"SPDXRef-deb-{n}" for n in ("libgnutls30", "libmicrohttpd12", "libnghttp2-14")} < linked
    inside_image = {b for _, b in related(sbom, "CONTAINS", "SPDXRef-image")}
    assert linked | loaded < inside_image and "SPDXRef-deb-ca-certificates" in inside_image
    debian = [p for p in sbom["packages"] if p["SPDXID"].startswith("SPDXRef-deb-")]
    assert {p["SPDXID"] for p in debian} == inside_image - {"SPDXRef-trainyard"}
    for package in debian:
        installed = said("dpkg-query", "-W", "-f", "${Version} ${source:Package}@${source:Version}",
                         package["name"])
        assert installed.split() == [package["versionInfo"], package["sourceInfo"].split()[-1]]


def test_sbom_covers_every_library_of_the_image(made, sbom):
    layer = gzip.decompress(max(blobs(next(made.glob("*.oci.tar"))).values(), key=len))
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        names = {m.name for m in archive if m.isreg()}
        listed = {line.split(None, 1)[1]: name for name in names if name.endswith(".md5sums")
                  for line in archive.extractfile(name).read().decode().splitlines()}
    libraries = {n for n in names if ".so" in n}
    assert len(libraries) > 20 and libraries <= set(listed)
    packages = {p["name"] for p in sbom["packages"]}
    assert {os.path.basename(name).removesuffix(".md5sums") for name in listed.values()} <= packages


def test_sbom_has_the_files(sbom, made):
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    files = {p["packageFileName"]: p["checksums"][0]["checksumValue"] for p in sbom["packages"]
             if "packageFileName" in p}
    assert len(files) == 3 and files.items() <= sums.items()


# ---- what is refused

@pytest.mark.parametrize("version", ["", "latest", "1", "1.2", "01.2.3", "1.2.3.4", "V1.2.3", "1.2.3-", "1.2.3-x y",
                                     "1.2.3+4", "../1.2.3", "1.2.3-rc.01"])
def test_what_is_no_version(tree, tmp_path, version):
    done = run(tree, version, tmp_path / "out")
    assert done.returncode != 0 and f'"{version}" is not a version' in done.stderr
    assert not (tmp_path / "out").exists()


def test_another_version_than_the_tree_s(tree, tmp_path):
    done = run(tree, "99.0.0", tmp_path / "out")
    assert done.returncode != 0 and f"meson.build says {VERSION}, not 99.0.0" in done.stderr


def test_program_of_another_version(tree, tmp_path):
    done = run(tree, f"v{VERSION}-rc.1", tmp_path / "out", release())
    assert done.returncode != 0 and f"is version {VERSION}" in done.stderr


@pytest.fixture
def clone(tree, tmp_path):
    twice.git(tmp_path, "clone", "-q", tree, "clone")
    return tmp_path / "clone"


@pytest.mark.parametrize("name", ["README.md", "src/base/new.c"])
def test_dirty_tree(clone, tmp_path, name):
    """A file that nobody has committed would be compiled, too: tools/sources finds it."""
    with open(clone / name, "a") as out:
        out.write("\n")
    done = run(clone, VERSION, tmp_path / "out", release())
    assert done.returncode != 0 and "1 files differ from the commit" in done.stderr and name in done.stderr
    done = run(clone, f"{VERSION}-dev", tmp_path / "out", release())
    assert f"is version {VERSION}" in done.stderr, "the tree is not what it is refused for"


@pytest.mark.parametrize("heading, said_", [
    ("(unreleased)", "give it its date"), ("(soon)", "give it its date"), ("", "has no section")])
def test_changelog(clone, tmp_path, heading, said_):
    path = clone / "CHANGELOG.md"
    path.write_text(path.read_text().replace(f"## {VERSION} ({twice.DAY})", f"## {VERSION} {heading}".rstrip()))
    twice.commit(clone, "no day yet")
    done = run(clone, VERSION, tmp_path / "out", release())
    assert done.returncode != 0 and said_ in done.stderr
    assert not (tmp_path / "out").exists()
