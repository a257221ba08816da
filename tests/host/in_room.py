"""Runs in the room (see `room`): runs jobs as the given user, then prints, as JSON, what they said and what of this
machine's files is not as before, without the state directory and caches.

    in_room.py BINARY UID JOBS.json       {name: the text of a job, or the path of an example}
"""
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGES = Path("/room/changes")  # the upper layer of /
HOME = Path("/home/ty-room")
REPOSITORY = HOME / "trainyard"
MAY_CHANGE = (HOME / ".local/state/trainyard", HOME / ".cache", REPOSITORY / "build")


def existed(path):
    """A directory of the lower layer is in the upper one when something in it was."""
    try:
        os.getxattr(path, "trusted.overlay.origin", follow_symlinks=False)
        return True
    except OSError:
        return False


def look():
    """Every file that is not as in the lower layer; all of /dev and /run, which are fresh."""
    found = {}
    for top in CHANGES, Path("/dev"), Path("/run"):
        for folder, names, files in os.walk(top):
            for name in names + files:
                path = Path(folder, name)
                st = path.lstat()
                is_dir = stat.S_ISDIR(st.st_mode)
                if top == CHANGES and is_dir and existed(path):
                    continue
                shown = "/" + str(path.relative_to(CHANGES)) if top == CHANGES else str(path)
                found[shown] = (stat.filemode(st.st_mode), st.st_uid, 0 if is_dir else (st.st_size, st.st_mtime_ns))
    return found


def may_change(path):
    """Also Python's byte code, which root writes beside the sources."""
    path = Path(path)
    return "__pycache__" in path.parts or any(path == top or top in path.parents or path in top.parents for top in MAY_CHANGE)


def prepare(binary, uid, jobs):
    shutil.copytree(ROOT / "examples", REPOSITORY / "examples")
    (REPOSITORY / "build").mkdir()
    shutil.copy(binary, REPOSITORY / "build/trainyard")
    for name, text in jobs.items():
        if "\n" in text:
            (REPOSITORY / f"{name}.yaml").write_text(text)
            jobs[name] = f"{name}.yaml"
    for folder, names, files in os.walk(HOME):
        for name in [".", *names, *files]:
            os.lchown(Path(folder, name), uid, uid)


def main():
    binary, uid, jobs = sys.argv[1], int(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
    os.umask(0o022)
    prepare(binary, uid, jobs)
    env = {"HOME": str(HOME), "PATH": os.environ["PATH"], "USER": "someone", "LANG": "C.UTF-8"}
    fresh = not os.path.exists("/run/secrets") and not os.path.exists("/dev/termination-log")
    before = look()
    said = {}
    for name, file in jobs.items():
        p = subprocess.run(["build/trainyard", "run", file, "-e", "STEPS=40"], cwd=REPOSITORY, env=env, user=uid, group=uid, extra_groups=[],
                           capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
        said[name] = [p.returncode, p.stdout[-4000:], p.stderr[-4000:]]
    after = look()
    changed = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p) and not may_change(p))
    print(json.dumps({"fresh": fresh, "said": said, "changed": changed}))


if __name__ == "__main__":
    main()
