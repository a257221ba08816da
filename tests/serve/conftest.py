"""The server of src/net/http_server.h in a process of its own (peer.c), and clients that are not ours."""
import os
import pathlib
import signal
import ssl
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRAINYARD", str(ROOT / "build-test" / "trainyard"))).parent


class Peer:
    def __init__(self, folder, *args):
        self.folder = folder
        env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1")
        self.process = subprocess.Popen([str(BUILD / "serve-peer"), str(folder), *map(str, args)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.stderr.read())
        self.port = int(line)
        self.told = False

    def trust(self):
        return ssl.create_default_context(cafile=str(self.folder / "ca.pem"))

    def end(self):
        if not self.told:
            self.process.send_signal(signal.SIGTERM)
        self.told = True

    def stop(self):
        """Ends as asked, without a leak or a wrong access."""
        self.end()
        _, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err
        assert err == ""


@pytest.fixture
def start(tmp_path):
    peers = []

    def begin(*args):
        peers.append(Peer(tmp_path, *args))
        return peers[-1]

    yield begin
    for p in peers:
        p.stop()
