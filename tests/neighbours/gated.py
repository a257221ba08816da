"""Both managers with the feature gate TrainJobStatus on. v2.3.0's status server wants to live in a pod: it
reads its own token from a fixed place, asks the issuer that this names for its keys, and takes its
certificate from another fixed place. It gets a mount namespace with both, and the API server is the issuer."""
import os
import shutil

from fixtures import running
from kit import API
from manager import FIXED_FOLDER, FOLDER, SECRET, SYSTEM, Manager
from neighbours import VOLCANO_CRD, docs_of
from plane import Plane
from rights import RBAC

POD_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
# Nothing of the machine changes: what is mounted is seen by this process alone, and goes with it.
IN_A_POD = f"""set -e
mount -t tmpfs pod /run && mkdir -p {POD_FOLDER} && cp "$1/token" "$1/namespace" {POD_FOLDER}
mount -t tmpfs pod {FIXED_FOLDER.parent} && cp -r "$2" {FIXED_FOLDER}
shift 2
exec "$@"
"""
DISCOVERY = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "discovery"},
             "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "system:service-account-issuer-discovery"},
             "subjects": [{"kind": "Group", "apiGroup": RBAC, "name": "managers"}]}


def why_not():
    """Why the released status server cannot be run, or None."""
    if os.geteuid() != 0:
        return "not root: v2.3.0's status server needs a mount namespace"
    return None if shutil.which("unshare") else "no unshare (util-linux)"


class IssuerPlane(Plane):
    """Tokens name this API server as their issuer, so that its keys can be asked for there."""

    def _apiserver(self, etcd_port):
        said = super()._apiserver(etcd_port)
        return [f"--service-account-issuer={self.url}" if word.startswith("--service-account-issuer=") else word
                for word in said]


def start_issuer(name, upstream):
    """As start_bare, with the Secret of the webhooks' certificate, whose CA pods are shown."""
    plane = running(IssuerPlane(FOLDER / name), upstream=upstream)
    api = plane.client()
    api.install(docs_of("jobset-crds") + docs_of("podgroup-crd") + [VOLCANO_CRD, DISCOVERY])
    api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": SYSTEM},
               "stringData": {"ca.crt": "a certificate\n"}})
    return plane


def token(api, namespace, audience=None, account="pod", seconds=600):
    """For a pod of that account; it is made if it is not there."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.request("POST", path, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}})
    return api.must("POST", f"{path}/{account}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {
            "expirationSeconds": seconds, **({"audiences": [audience]} if audience else {})}})["status"]["token"]


def audience_of(namespace, job):
    return f"{API}/namespaces/{namespace}/trainjobs/{job}/status"


class GatedManager(Manager):
    """With the gate on, and no limit on reports. `port` is the status server's: pods are told of it."""

    def __init__(self, plane, folder, number, upstream, port=None, **more):
        settings = {"featureGates": {"TrainJobStatus": True}, "statusServer": {"qps": 500, "burst": 500}}
        settings.update(more.pop("settings", {}))
        super().__init__(plane, folder, number, upstream=upstream, settings=settings, **more)
        self.status = port or self.status

    def command(self):
        said = super().command()
        if not self.upstream:
            return said
        pod = self.folder / "pod"
        pod.mkdir(exist_ok=True)
        (pod / "token").write_text(token(self.plane.client(), SYSTEM, account="manager"))
        (pod / "namespace").write_text(SYSTEM)
        FIXED_FOLDER.parent.mkdir(parents=True, exist_ok=True)
        return ["unshare", "--mount", "sh", "-c", IN_A_POD, "sh", pod, self.serving_folder(), *said]

    def stop(self):
        """v2.3.0's status server never says that it has ended (B34): nobody waits half a minute for it."""
        if self.upstream and self.child:
            self.unregister()
            self.kill()
        else:
            super().stop()
