#!/usr/bin/env python3
"""Programs and manifests of other people that the cluster tests run, built from source once.

usage: binaries.py build [NAME...]   compile what is missing (many minutes, once); default: what
                                     `make test-cluster` runs; `neighbours`: what `make test-neighbours` does
       binaries.py missing NAME...   those that are not built, in one line
       binaries.py list              what there is, and where it comes from

A program comes from KUBEBUILDER_ASSETS if it is there, else from the cache
(${XDG_CACHE_HOME:-~/.cache}/trainyard/k8s-VERSION/bin), where `build` puts it if there is a Go 1.26
or later. Manifests (CRDs, webhooks) lie beside in manifests/. With TRAINYARD_BUILD=never nothing is
built or downloaded: a test that needs what is missing is skipped.
"""
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

K8S = "1.36.3"
OLDEST_K8S = "1.32.2"  # the oldest API server that we support: JobSet 0.12's CRD needs a 1.32
OLDEST = f"kube-apiserver-{OLDEST_K8S}"
ETCD = "v3.7.3"
JOBSET = "sigs.k8s.io/jobset@v0.12.0"
KWOK = "sigs.k8s.io/kwok@v0.8.0"
TRAINER = "github.com/kubeflow/trainer/v2@v2.3.0"
SCHEDULER_PLUGINS = "sigs.k8s.io/scheduler-plugins@v0.35.4-devel"
KUEUE = "sigs.k8s.io/kueue@v0.15.0"
COREDNS = "github.com/coredns/coredns@v1.14.2"
HELM = "helm.sh/helm/v3@v3.22.0"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / f"trainyard/k8s-{K8S}"


class Program(NamedTuple):
    module: str  # MODULE@VERSION
    package: str


def kubernetes(version, name):
    return Program(f"k8s.io/kubernetes@v{version}", f"k8s.io/kubernetes/cmd/{name}")


PROGRAMS = {
    "kube-apiserver": kubernetes(K8S, "kube-apiserver"),
    "kube-controller-manager": kubernetes(K8S, "kube-controller-manager"),
    "kube-scheduler": kubernetes(K8S, "kube-scheduler"),
    "kubectl": kubernetes(K8S, "kubectl"),
    "kubelet": kubernetes(K8S, "kubelet"),
    "kube-apiserver-named": kubernetes(K8S, "kube-apiserver"),  # knows its version: Kueue asks
    OLDEST: kubernetes(OLDEST_K8S, "kube-apiserver"),
    "etcd": Program(f"go.etcd.io/etcd/server/v3@{ETCD}", "go.etcd.io/etcd/server/v3"),
    "jobset": Program(JOBSET, "sigs.k8s.io/jobset"),
    "kwok": Program(KWOK, "sigs.k8s.io/kwok/cmd/kwok"),
    "upstream-trainer": Program(
        TRAINER, "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager"),
    "kueue": Program(KUEUE, "sigs.k8s.io/kueue/cmd/kueue"),
    "coscheduler": Program(SCHEDULER_PLUGINS, "sigs.k8s.io/scheduler-plugins/cmd/scheduler"),
    "coredns": Program(COREDNS, "github.com/coredns/coredns"),
    "helm": Program(HELM, "helm.sh/helm/v3/cmd/helm"),
}
SERVER = ("etcd", "kube-apiserver")
FULL = SERVER + ("kube-controller-manager", "kube-scheduler", "kubectl", "jobset", "kwok")
SUITE = FULL + ("upstream-trainer",)  # what `make test-cluster` runs, and what it is compared with
NEIGHBOURS = ("kueue", "kube-apiserver-named", "coscheduler", "kubelet", "coredns", OLDEST)

MANIFESTS = {  # name in the cache: (module, file or folder in it)
    "jobset-crds": (JOBSET, "config/components/crd/bases"),
    "jobset-webhooks": (JOBSET, "config/components/webhook/manifests.yaml"),
    "podgroup-crd": (SCHEDULER_PLUGINS,
                     "config/crd/bases/scheduling.x-k8s.io_podgroups.yaml"),
    "trainer-crds": (TRAINER, "manifests/base/crds"),
    "kueue-crds": (KUEUE, "config/components/crd/bases"),
    "kueue-webhooks": (KUEUE, "config/components/webhook/manifests.yaml"),
}
SUITE_MANIFESTS = ("jobset-crds", "jobset-webhooks", "podgroup-crd", "trainer-crds")


# ---- what is there

def find(name):
    """The program's path, or None."""
    for folder in (os.environ.get("KUBEBUILDER_ASSETS"), CACHE / "bin"):
        if folder and os.access(Path(folder, name), os.X_OK):
            return Path(folder, name)
    return None


def missing(names):
    return [name for name in names if not find(name)]


def ready(names=SUITE, manifests=SUITE_MANIFESTS):
    """Whether these programs and manifests are there, so that nothing need be built or fetched."""
    return not missing(names) and all((CACHE / "manifests" / f"{name}.yaml").exists() for name in manifests)


def never_builds():
    return os.environ.get("TRAINYARD_BUILD") == "never"


def find_go():
    """A Go that is new enough for Kubernetes, or None."""
    for go in (shutil.which("go"), "/usr/local/go/bin/go"):
        if not go or not os.access(go, os.X_OK):
            continue
        said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True).stdout
        version = re.match(r"go(\d+)\.(\d+)", said)
        if version and (int(version[1]), int(version[2])) >= (1, 26):
            return go
    return None


def why_not(names=SERVER):
    """Why these programs cannot be had here, or None."""
    if not missing(names):
        return None
    if never_builds():
        return f"not built: {', '.join(missing(names))} (`make test-cluster` builds them)"
    if find_go():
        return None
    return (f"no {', '.join(missing(names))} in {CACHE}/bin or KUBEBUILDER_ASSETS, "
            "and no Go 1.26 or later to build them with")


def manifest(name):
    """The text of a manifest, all files of it as one multi-document YAML."""
    path = CACHE / "manifests" / f"{name}.yaml"
    if not path.exists():
        fetch_manifest(name)
    return path.read_text()


# ---- building

def go_env():
    return dict(os.environ, GOFLAGS=os.environ.get("GOFLAGS", "") + " -mod=mod -buildvcs=false")


def ask_go(go, work, *words):
    return json.loads(subprocess.run([go, "mod", *words], cwd=work, check=True, text=True,
                                     stdout=subprocess.PIPE, env=go_env()).stdout)


def fetch_manifest(name):
    module, inside = MANIFESTS[name]
    go, work = find_go(), CACHE / "src/manifests"
    if not go:
        raise RuntimeError(f"the manifest {name} of {module} is not in {CACHE}/manifests, and "
                           "there is no Go 1.26 or later to fetch it with")
    work.mkdir(parents=True, exist_ok=True)
    (work / "go.mod").write_text("module build\ngo 1.26.0\n")
    source = Path(ask_go(go, work, "download", "-json", module)["Dir"], inside)
    files = sorted(source.glob("*.*_*.yaml")) if source.is_dir() else [source]
    target = CACHE / "manifests" / f"{name}.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{name}.{os.getpid()}")
    part.write_text("\n---\n".join(f.read_text() for f in files))
    part.rename(target)


def kubernetes_module(go, work, version):
    """Writes a go.mod that has k8s.io/kubernetes with the released versions of its own libraries,
    which its own go.mod replaces by folders of its repository."""
    (work / "go.mod").write_text("module build\ngo 1.26.0\n")
    said = ask_go(go, work, "download", "-json", f"k8s.io/kubernetes@v{version}")
    theirs = ask_go(go, work, "edit", "-json", said["GoMod"])
    staging = "v0." + version.split(".", 1)[1]
    lines = ["module build", "go 1.26.0", f"require k8s.io/kubernetes v{version}"]
    for need in theirs["Require"]:
        taken = staging if need["Version"] == "v0.0.0" else need["Version"]
        lines.append(f"require {need['Path']} {taken}")
    for swap in theirs.get("Replace") or []:
        lines.append(f"replace {swap['Old']['Path']} => {swap['Old']['Path']} {staging}")
    (work / "go.mod").write_text("\n".join(lines) + "\n")


def plain_module(go, work, module):
    """Writes a go.mod that has the module with the versions, and the replacements, of its own."""
    path, version = module.split("@")
    (work / "go.mod").write_text("module build\ngo 1.26.0\n")
    theirs = ask_go(go, work, "edit", "-json", ask_go(go, work, "download", "-json",
                                                      module)["GoMod"])
    lines = ["module build", "go 1.26.0", f"require {path} {version}"]
    for swap in theirs.get("Replace") or []:
        if swap["New"].get("Version"):  # a folder of its own repository is not in the module
            lines.append(f"replace {swap['Old']['Path']} => {swap['New']['Path']} "
                         f"{swap['New']['Version']}")
    (work / "go.mod").write_text("\n".join(lines) + "\n")


def version_flags(version):
    """Kubernetes' programs know their version only if the linker is told."""
    major, minor, _ = version.split(".")
    told = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    return "".join(f" -X k8s.io/component-base/version.{k}={v}" for k, v in told.items())


def build_one(go, name):
    program = PROGRAMS[name]
    module, version = program.module.split("@v")
    of_kubernetes = module == "k8s.io/kubernetes"
    work = CACHE / "src" / (f"kubernetes-{version}" if of_kubernetes else name)
    work.mkdir(parents=True, exist_ok=True)
    if of_kubernetes:
        kubernetes_module(go, work, version)
    else:
        plain_module(go, work, program.module)
    part = CACHE / "bin" / f".{name}.part"  # a half-written binary is never left
    flags = "-ldflags=-s -w" + (version_flags(version) if of_kubernetes else "")
    print(f"cluster: building {name} (minutes, once)", flush=True)
    subprocess.run([go, "build", flags, "-o", part, program.package], cwd=work,
                   env=go_env(), check=True)
    part.rename(CACHE / "bin" / name)


def build(names=SERVER, manifests=()):
    """Builds what is missing. Returns whether all of it is there now."""
    if missing(names) and why_not(names):
        return False
    if missing(names):
        (CACHE / "bin").mkdir(parents=True, exist_ok=True)
        with open(CACHE / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be building: then nothing is left
            for name in missing(names):
                build_one(find_go(), name)
    for name in manifests:
        manifest(name)
    return True


def named(words):
    """Programs by name; `neighbours` stands for all of them."""
    names = [n for word in words for n in (NEIGHBOURS if word == "neighbours" else (word,))]
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        sys.exit(f"cluster: no program is called {unknown[0]}; there are: {' '.join(PROGRAMS)}")
    return tuple(names)


def main(argv):
    command, names = argv[1:2], named(argv[2:])
    if command == ["build"]:
        wanted = names or SUITE
        theirs = [m for m in MANIFESTS if m.partition("-")[0] in names]
        if not build(wanted, theirs if names else SUITE_MANIFESTS):
            print(f"cluster: SKIPPED: {why_not(wanted)}")
        return 0
    if command == ["missing"] and names:
        print(" ".join(missing(names)))
        return 0
    if command == ["list"]:
        for name, program in PROGRAMS.items():
            print(f"{name:24} {program.module:48} {find(name) or 'not built'}")
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
