"""A cluster of somebody's, named by TRAINYARD_TEST_KUBECONFIG. For tests/operator it must run the JobSet
controller and have the CRD of PodGroups; the tests install the CRDs of the trainer and webhooks for
127.0.0.1, so it has to run on this machine, and nobody else's trainer may be there."""
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from client import from_kubeconfig
from plane import Certificates


PATH = os.environ.get("TRAINYARD_TEST_KUBECONFIG")
# A cluster that stays has the namespaces of the run before.
SUFFIX = f"-{secrets.token_hex(3)}" if PATH else ""


class Given:
    restartable = audited = False

    def __init__(self, path):
        self.path = Path(path)
        self.folder = Path(tempfile.mkdtemp(prefix="trainyard-tests-"))
        self.certificates = Certificates(self.folder / "ca")

    def start(self):
        return self

    def stop(self):
        shutil.rmtree(self.folder)

    def client(self, _user="admin"):
        return from_kubeconfig(self.path)

    def kubeconfig(self, _user="admin"):
        return self.path
