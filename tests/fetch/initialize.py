"""Runs `trainyard initialize`; TRAINYARD names the program. Helpers of tests/fetch; the fixtures are in
conftest.py."""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
TRAINYARD = Path(os.environ.get("TRAINYARD", ROOT / "build-test" / "trainyard")).resolve()
OURS = ("STORAGE_URI", "IGNORE_PATTERNS", "ACCESS_TOKEN", "ENDPOINT", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY",
        "REGION", "ROLE_ARN", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


def clean_env(**more):
    """The caller's own settings must not reach the tests, nor a proxy the loopback."""
    env = {k: v for k, v in os.environ.items()
           if k not in OURS and not k.startswith(("AWS_", "HF_")) and not k.lower().endswith("_proxy")}
    env.update({k: str(v) for k, v in more.items()})
    return env


class Result:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds
        assert code >= 0, f"died of signal {-code}\n{err}"
        assert "Sanitizer" not in err and "runtime error" not in err, err

    def ok(self):
        assert self.code == 0, self.err + self.out
        return self

    def bad(self, *words, code=1):
        assert self.code == code, self.err + self.out
        for word in words:
            assert word in self.err, self.err
        return self


class Box:
    """A folder; runs fill `to` in it."""

    def __init__(self, path):
        self.path, self.to = path, path / "to"

    def command(self, what, uri, *args):
        return [str(TRAINYARD), "initialize", what, "--uri", uri, "--to", str(self.to), *map(str, args)]

    def run(self, what, uri, *args, prefix=(), **env):
        start = time.monotonic()
        done = subprocess.run([*prefix, *self.command(what, uri, *args)], capture_output=True, text=True,
                              timeout=240, env=clean_env(**env))
        return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def start(self, what, uri, *args, **env):
        return subprocess.Popen(self.command(what, uri, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=clean_env(**env))

    def parts(self):
        """How many bytes of unfinished files there are."""
        try:
            return sum(p.stat().st_size for p in (self.to / ".trainyard").glob("*.part"))
        except FileNotFoundError:
            return 0  # one was finished at this moment

    def kill_after(self, process, size):
        """kill -9 as soon as so many bytes of unfinished files are there."""
        wait_for(f"{size} bytes are there", lambda: self.parts() >= size, show=self.parts, child=process, poll=0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def files(self):
        """What is there under its name: {path: bytes}."""
        found = {}
        for p in sorted(self.to.rglob("*")):
            name = str(p.relative_to(self.to))
            if p.is_file() and not name.startswith(".trainyard"):
                found[name] = p.read_bytes()
        return found

    def is_tidy(self):
        return {p.name for p in (self.to / ".trainyard").iterdir()} == {"lock", "done.jsonl"}


def noise(n, seed=1):
    return random.Random(seed).randbytes(n)
