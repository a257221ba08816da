"""Speaks JSON to an API server: one request at a time over one kept connection. Not for two threads."""
import base64
import http.client
import json
import ssl
import tempfile
import time
import urllib.parse
from pathlib import Path

import yaml

from waiting import wait_for

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
CLUSTER_WIDE = {
    "Namespace", "Node", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding",
    "ClusterTrainingRuntime", "PriorityClass", "RuntimeClass", "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding", "ClusterQueue", "ResourceFlavor"}
ESTABLISH_SECONDS = 120


class Refused(Exception):
    """The API server said no."""

    def __init__(self, code, answer):
        super().__init__(f"{code} {answer.get('message', answer)}")
        self.code, self.answer = code, answer


def plural(kind):
    """TrainJob: trainjobs, RuntimeClass: runtimeclasses, ...Policy: ...policies."""
    word = kind.lower()
    if word.endswith("y"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith("s") else "s")


def path_of(api_version, kind, namespace=None, name=None, sub=None):
    """The path of an object, or of all of its kind."""
    path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    if namespace and kind not in CLUSTER_WIDE:
        path += f"/namespaces/{namespace}"
    path += "/" + plural(kind)
    for part in (name, sub):
        path += f"/{part}" if part else ""
    return path


def path_of_doc(doc, namespace=None, name=True):
    meta = doc["metadata"]
    return path_of(doc["apiVersion"], doc["kind"], meta.get("namespace") or namespace,
                   meta["name"] if name else None)


class Client:
    def __init__(self, url, ca=None, token=None, certificate=None):
        context = ssl.create_default_context(cafile=str(ca) if ca else None)
        if certificate:
            context.load_cert_chain(*certificate)
        self.token = token
        self.url, self.ca = url, ca
        at = urllib.parse.urlsplit(url)
        self.prefix = at.path.rstrip("/")
        self.http = http.client.HTTPSConnection(at.hostname, at.port or 443, timeout=60,
                                                context=context)
        self.warnings = []  # of the last request

    def request(self, method, path, body=None, content_type="application/json", raw=False,
                accept="*/*"):
        """Returns (status, decoded answer)."""
        headers = {"Content-Type": content_type, "Accept": accept}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        text = json.dumps(body, separators=(",", ":")) if body is not None else None
        try:
            answer = self._send(method, path, text, headers)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError,
                ssl.SSLError):
            # An idle connection was closed, or the server restarted: once more.
            answer = self._send(method, path, text, headers)
        text = answer.read()
        if answer.status == 429:  # not done: the server begins to serve a kind, or is too busy
            time.sleep(float(answer.getheader("Retry-After") or 1))  # as the server asks for
            return self.request(method, path, body, content_type, raw, accept)
        self.warnings = [v for k, v in answer.getheaders() if k.lower() == "warning"]
        return answer.status, text if raw else json.loads(text)

    def _send(self, method, path, text, headers):
        try:
            self.http.request(method, self.prefix + path, text, headers)
            return self.http.getresponse()
        except (OSError, http.client.HTTPException):
            self.http.close()
            raise

    def must(self, method, path, body=None, content_type="application/json"):
        """The answer of a request that may not fail."""
        code, answer = self.request(method, path, body, content_type)
        if code >= 300:
            raise Refused(code, answer)
        return answer

    # -- objects

    def create(self, doc, namespace=None):
        return self.must("POST", path_of_doc(doc, namespace, name=False), doc)

    def get(self, api_version, kind, namespace, name):
        """The object, or None."""
        code, answer = self.request("GET", path_of(api_version, kind, namespace, name))
        if code == 404:
            return None
        if code != 200:
            raise Refused(code, answer)
        return answer

    def list(self, api_version, kind, namespace=None, query=""):
        return self.must("GET", path_of(api_version, kind, namespace) + query)["items"]

    def merge(self, path, patch):
        return self.must("PATCH", path, patch, MERGE)

    def apply(self, doc, namespace=None, manager="tests", force=True):
        query = f"?fieldManager={manager}" + ("&force=true" if force else "")
        return self.must("PATCH", path_of_doc(doc, namespace) + query, doc, APPLY)

    def delete(self, api_version, kind, namespace, name, propagation="Background"):
        code, answer = self.request("DELETE", path_of(api_version, kind, namespace, name),
                                    {"propagationPolicy": propagation})
        if code not in (200, 202, 404):
            raise Refused(code, answer)
        return code != 404

    def install(self, docs):
        """Applies CRDs and whatever else there is, in order; returns when the CRDs are served, and
        are found by those who look for them in discovery: most controllers do, once."""
        crds = [doc for doc in docs if doc["kind"] == "CustomResourceDefinition"]
        for doc in docs:
            self.apply(doc)

        def all_served():
            found = self.discovered()
            crds[:] = [crd for crd in crds if not paths_of(crd) <= found or not self.served(crd)]
            return not crds

        wait_for("the CRDs are served", all_served, ESTABLISH_SECONDS,
                 show=lambda: f"not served: {[crd['metadata']['name'] for crd in crds]}")

    def discovered(self):
        """The paths of all kinds in the server's discovery document."""
        code, groups = self.request("GET", "/apis", accept=DISCOVERY)
        if code != 200:
            return set()
        return {f"/apis/{group['metadata']['name']}/{version['version']}/{kind['resource']}"
                for group in groups["items"] for version in group["versions"]
                for kind in version.get("resources") or []}

    def served(self, crd):
        """Whether the paths of all served versions answer."""
        return all(self.request("GET", f"{path}?limit=1", raw=True)[0] == 200
                   for path in paths_of(crd))


def paths_of(crd):
    """The paths of a CRD's served versions."""
    spec = crd["spec"]
    return {f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"
            for version in spec["versions"] if version["served"]}


def from_kubeconfig(path):
    """A client for the current context of a kubeconfig: token or client certificate, no plugins."""
    config = yaml.safe_load(Path(path).read_text())

    def pick(kind):
        return {entry["name"]: entry[kind] for entry in config[kind + "s"]}

    context = pick("context")[config["current-context"]]
    cluster, user = pick("cluster")[context["cluster"]], pick("user")[context["user"]]
    folder = tempfile.mkdtemp(prefix="kubeconfig-")

    def file_of(entry, name):
        if entry.get(name + "-data"):
            target = Path(folder, name)
            target.write_bytes(base64.b64decode(entry[name + "-data"]))
            return target
        return Path(path).parent / entry[name] if entry.get(name) else None

    pair = (file_of(user, "client-certificate"), file_of(user, "client-key"))
    return Client(cluster["server"], file_of(cluster, "certificate-authority"), user.get("token"),
                  pair if all(pair) else None)
