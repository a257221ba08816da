#!/usr/bin/env python3
"""usage: twice.py RESULTS

Makes the release of this tree in two clones at two places, each compiled from nothing, by users whose umask,
language and time zone differ, and compares every file. The counts are left in RESULTS for .ci/run.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DAY = "2026-01-31"  # of the release that is played
GIT = ("git", "-c", "user.name=tests", "-c", "user.email=tests@example.org", "-c", "init.defaultBranch=main")
WHEN = {"GIT_AUTHOR_DATE": f"{DAY}T12:00:00Z", "GIT_COMMITTER_DATE": f"{DAY}T12:00:00Z"}
PLACES = (("here", "here/tmp", {"LC_ALL": "C", "TZ": "UTC"}, 0o022),
          ("somewhere/else/entirely", "t", {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}, 0o077))


def git(folder, *words):
    return subprocess.run([*GIT, *words], cwd=folder, check=True, text=True, stdout=subprocess.PIPE,
                          env=dict(os.environ, **WHEN)).stdout


def version():
    return re.search(r"^  version: '(.+)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def stage(folder):
    """A repository of one commit: the files of this tree as they are, and the version has its day."""
    names = git(ROOT, "ls-files", "-co", "--exclude-standard", "-z").split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_symlink() or (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    path = folder / "CHANGELOG.md"
    text, found = re.subn(rf"^(## {re.escape(version())}) \(.*\)$", rf"\1 ({DAY})", path.read_text(), flags=re.M)
    assert found == 1, "CHANGELOG.md has a section for the version of meson.build"
    path.write_text(text)
    git(folder, "init", "-q")
    commit(folder, "the release")
    return folder


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def make(folder, tmp, env, mask):
    """`make release`; nobody's compiler cache helps, or it would be compared with itself."""
    tmp.mkdir(parents=True)
    subprocess.run(["make", "-s", "release", f"VERSION={version()}"], cwd=folder, check=True, umask=mask,
                   env={**os.environ, **env, "TMPDIR": str(tmp), "CCACHE_DISABLE": "1"})
    return {path.name: path.read_bytes() for path in (folder / "build/release").iterdir()}


def main(results):
    with tempfile.TemporaryDirectory(prefix="twice-") as top:
        first = stage(Path(top, "origin"))
        made = []
        for place, tmp, env, mask in PLACES:
            git(top, "clone", "-q", first, place)
            made.append(make(Path(top, place), Path(top, "tmp-of", tmp), env, mask))
    names = sorted(set(made[0]) | set(made[1]))
    differ = [name for name in names if made[0].get(name) != made[1].get(name)]
    for name in differ:
        print(f"release: {name} differs")
    print(f"release: {len(names) - len(differ)} of {len(names)} files are the same in both clones")
    Path(results).write_text(f"release\t{len(names) - len(differ)}\t{len(differ)}\t0\n")
    return 1 if differ or not names else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
