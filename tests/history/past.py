"""What the tests of the history share: another terminal, and what it shows."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from waiting import wait_for


def say(box, *args, code=0, timeout=120):
    """Another terminal."""
    p = subprocess.run([box.binary, *args], capture_output=True, text=True, env=box.env, cwd=box.path,
                       timeout=timeout)
    assert "Sanitizer" not in p.stderr, p.stderr
    assert p.returncode == code, (args, p.returncode, p.stdout, p.stderr)
    return p.stdout if code == 0 else p.stderr


def seen(box, *args):
    """The same where it may be too early: what is there so far, or nothing."""
    return subprocess.run([box.binary, *args], capture_output=True, text=True, env=box.env, cwd=box.path,
                          timeout=120).stdout


def rows(text):
    """A table as dictionaries by its heading."""
    lines = text.splitlines() or [""]
    starts = [m.start() for m in re.finditer(r"(?:(?<=^)|(?<=   ))\S", lines[0])]
    cut = lambda line: [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
    return [dict(zip(cut(lines[0]), cut(line))) for line in lines[1:]]


def state(box, name, run=None):
    p = subprocess.run([box.binary, "get", "trainjob", name, *(["--run", str(run)] if run else [])],
                       capture_output=True, text=True, env=box.env)
    return rows(p.stdout)[0]["STATE"] if p.returncode == 0 else None


def wait_state(box, wanted, *names):
    """Until the history says so of all of them."""
    wait_for(f"{wanted}: {', '.join(names)}", lambda: all(state(box, name) == wanted for name in names),
             show=lambda: [state(box, name) for name in names])


def until(path):
    """A shell command that waits for a file, so that tests decide when a job goes on."""
    return "while ! test -e %s; do sleep 0.05; done" % path


def root(box):
    return pathlib.Path(box.env["XDG_STATE_HOME"]) / "trainyard"


def has_userns():
    return os.geteuid() == 0 or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


def unshared(box, script):
    """A shell in a mount namespace of its own."""
    return subprocess.run(["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-ec", script],
                          capture_output=True, text=True, env=dict(box.env, T=box.binary), cwd=box.path,
                          timeout=120)


needs_mounts = pytest.mark.skipif(not shutil.which("unshare") or not has_userns(),
                                  reason="no mount namespace of one's own here")
