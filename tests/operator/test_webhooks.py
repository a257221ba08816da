"""Admission through the API server: on, off, with certificates from files and with its own."""
import base64
import ssl
import socket
import threading

import pytest

import manager as managers
from between import Fault, Proxy
from kit import API, replicated_job, runtime, trainjob, wait_for
from client import Refused

DEPRECATED = {"trainer.kubeflow.org/support": "deprecated"}


def refusal(space, doc):
    with pytest.raises(Refused) as caught:
        space.create(doc)
    return caught.value.code, caught.value.answer["message"]


def test_missing_runtime(manager, space):
    said = refusal(space, trainjob())
    assert said == (403, (
        'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: '
        'spec.runtimeRef: Invalid value: {"name":"rt","apiGroup":"trainer.kubeflow.org",'
        '"kind":"TrainingRuntime"}: TrainingRuntime.trainer.kubeflow.org "rt" not found: '
        'specified trainingRuntime must be created before the TrainJob is created'))


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
def test_wrong_runtime(manager, space, kind):
    job = dict(replicated_job(), replicas=2)
    code, said = refusal(space, runtime("wrong", jobs=[job], kind=kind))
    assert code == 403
    assert said == (f'admission webhook "validator.{kind.lower()}.trainer.kubeflow.org" denied the '
                    'request: spec.template.spec.replicatedJobs[0].replicas: Invalid value: 2: '
                    'always must be 1')
    unchecked = runtime("unchecked", jobs=[job], kind=kind)
    unchecked["metadata"]["labels"] = {"trainer.kubeflow.org/webhook-validation": "disabled"}
    space.create(unchecked)
    space.api.delete(API, kind, space.name, "unchecked")


def test_deprecated_runtime_warns(manager, space):
    doc = runtime("deprecated", kind="ClusterTrainingRuntime")
    doc["metadata"]["labels"] = DEPRECATED
    try:
        space.create(doc)
        assert len(space.api.warnings) == 1
        assert 'ClusterTrainingRuntime \\"deprecated\\" is deprecated' in space.api.warnings[0]
        space.create(trainjob(runtime="deprecated", kind="ClusterTrainingRuntime"))
        assert len(space.api.warnings) == 1
        assert 'Referenced ClusterTrainingRuntime \\"deprecated\\" is deprecated' \
            in space.api.warnings[0]
    finally:
        space.api.delete(API, "ClusterTrainingRuntime", None, "deprecated")


def accepted(space):
    path = f"/apis/{API}/namespaces/{space.name}/trainjobs?dryRun=All"
    return space.api.request("POST", path, trainjob("probe"))[0] == 201


def test_patches_are_stamped(manager, space):
    """CREATE stamps; an UPDATE stamps what changed and nothing else."""
    def patch(name, value):
        return {"manager": f"tests.dev/{name}", "trainingRuntimeSpec": {"template": {
            "metadata": {"labels": {"v": value}}}}}

    space.create(runtime())
    old = dict(patch("a", "1"), time="2020-01-01T00:00:00Z")
    made = space.create(trainjob(suspend=True, runtimePatches=[old, patch("b", "1")]))
    times = {p["manager"]: p["time"] for p in made["spec"]["runtimePatches"]}
    assert times["tests.dev/a"] == "2020-01-01T00:00:00Z"
    assert times["tests.dev/b"] > "2026"
    changed = space.patch_job({"spec": {"runtimePatches": [patch("a", "2"), patch("b", "1")]}})
    later = {p["manager"]: p["time"] for p in changed["spec"]["runtimePatches"]}
    assert later["tests.dev/a"] > "2026"
    assert later["tests.dev/b"] == times["tests.dev/b"]


def test_off(make_manager, space):
    """Not registered: nobody is asked, so both are stored, which a webhook would refuse."""
    make_manager(webhooks=False).start()
    space.create(trainjob(), runtime(jobs=[dict(replicated_job(), replicas=2)]))
    space.wait_jobset()


def test_gone_manager_means_refused(make_manager, space):
    """failurePolicy Fail: nothing enters unseen while no manager answers."""
    one = make_manager().start()
    space.create(runtime())
    one.kill()
    code, said = refusal(space, trainjob())
    assert code == 500 and "failed calling webhook" in said
    one.start()
    wait_for("it answers again", lambda: accepted(space))
    space.create(trainjob())
    space.wait_jobset()


# ---- certificates

def served(port, name=None):
    """The certificate that is served there, as PEM."""
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", port), 60) as raw:
        with context.wrap_socket(raw, server_hostname=name) as tls:
            return ssl.DER_cert_to_PEM_cert(tls.getpeercert(binary_form=True))


def test_new_certificate_without_restart(make_manager, space, cluster):
    one = make_manager().start()
    old = served(one.port)
    fresh = cluster.certificates.serving("fresh")
    for name in ("tls.key", "tls.crt"):
        (one.serving_folder() / name).write_bytes((fresh / name).read_bytes())
    wait_for("the new one is served", lambda: served(one.port) != old)
    assert served(one.port).split() == (fresh / "tls.crt").read_text().split()
    assert refusal(space, trainjob())[0] == 403


@pytest.fixture
def system(cluster):
    """The Service and the empty Secret that upstream's manifests bring. The Service leads to this
    machine, so the API server calls as it would in production, by name and with the CA."""
    api = cluster.client()
    api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {
        "name": managers.SECRET, "namespace": managers.SYSTEM}})
    api.apply({"apiVersion": "v1", "kind": "Service", "metadata": {
        "name": managers.SERVICE, "namespace": managers.SYSTEM},
        "spec": {"type": "ExternalName", "externalName": "localhost"}})
    yield api
    api.delete("v1", "Secret", managers.SYSTEM, managers.SECRET)


def bundles(api):
    found = []
    for kind, name in managers.CONFIGURATIONS.items():
        doc = api.get(managers.ADMISSION, f"{kind}WebhookConfiguration", None, name)
        found += [hook["clientConfig"].get("caBundle") for hook in (doc or {}).get("webhooks", [])]
    return found


def secret_data(api):
    data = api.get("v1", "Secret", managers.SYSTEM, managers.SECRET).get("data") or {}
    return {name: base64.b64decode(value).decode() for name, value in data.items()}


def start_managed(make_manager, api, number=0, **settings):
    one = make_manager(number, certificates="managed", **settings)
    for doc in managers.webhook_configurations(one._client_config):
        if one.webhooks:
            api.apply(doc)  # v2.3.0 waits for them before it is ready
    return one.start()


def test_own_certificates(make_manager, space, system):
    one = start_managed(make_manager, system)
    data = wait_for("the Secret is filled", lambda: secret_data(system))
    assert sorted(data) == ["ca.crt", "ca.key", "tls.crt", "tls.key"]
    ca = base64.b64encode(data["ca.crt"].encode()).decode()
    wait_for("all four have the CA", lambda: bundles(system) == [ca] * 4)
    name = f"{managers.SERVICE}.{managers.SYSTEM}.svc"
    wait_for("it is served", lambda: served(one.port, name).split() == data["tls.crt"].split())
    assert refusal(space, trainjob())[0] == 403
    space.create(runtime())
    space.create(trainjob())
    space.wait_jobset()


def test_replicas_and_restarts_agree_on_certificates(make_manager, space, system):
    one = start_managed(make_manager, system)
    data = wait_for("the Secret is filled", lambda: secret_data(system))
    two = start_managed(make_manager, system, 1, webhooks=False)
    name = f"{managers.SERVICE}.{managers.SYSTEM}.svc"
    wait_for("both serve the same", lambda: served(two.port, name) == served(one.port, name))
    two.stop()
    one.stop()
    again = start_managed(make_manager, system)
    assert secret_data(system) == data
    wait_for("the same again",
             lambda: served(again.port, name).split() == data["tls.crt"].split())


@pytest.mark.ours("v2.3.0 is ready only when the configurations exist, and never fills them later")
def test_webhook_configurations_that_come_late_get_the_ca(make_manager, system):
    one = start_managed(make_manager, system, webhooks=False)
    data = wait_for("the Secret is filled", lambda: secret_data(system))
    ca = base64.b64encode(data["ca.crt"].encode()).decode()
    try:
        for doc in managers.webhook_configurations(one._client_config):
            system.apply(doc)
        wait_for("all four have the CA", lambda: bundles(system) == [ca] * 4)
    finally:
        one.webhooks = True  # and are removed with it


class Users(threading.Thread):
    """Creates TrainJobs without end (dry runs: the webhooks are asked), and before each shakes hands
    with the webhook as an API server does that trusts what the configurations carry."""

    def __init__(self, plane, space, port):
        super().__init__(daemon=True)
        self.api, self.space, self.port = plane.client(), space, port
        self.done, self.refused, self.over = 0, [], threading.Event()

    def shake(self):
        for bundle in set(bundles(self.api)):
            context = ssl.create_default_context(cadata=base64.b64decode(bundle).decode())
            name = f"{managers.SERVICE}.{managers.SYSTEM}.svc"
            with socket.create_connection(("127.0.0.1", self.port), 60) as raw:
                context.wrap_socket(raw, server_hostname=name).close()

    def run(self):
        path = f"/apis/{API}/namespaces/{self.space.name}/trainjobs?dryRun=All"
        while not self.over.is_set():
            try:
                self.shake()
            except ssl.SSLError as error:
                self.refused.append(str(error))
            code, answer = self.api.request("POST", path, trainjob("probe"))
            if code != 201:
                self.refused.append(answer.get("message"))
            self.done += 1

    def wait_more(self, n):
        until = self.done + n
        wait_for(f"{n} more were tried", lambda: self.done >= until)


@pytest.mark.ours("v2.3.0 serves what a new CA has signed before the API server knows that CA")
def test_a_deleted_secret_refuses_nobody(make_manager, space, cluster, system):
    """Also while the configurations cannot be written for a while."""
    armed, free = threading.Event(), threading.Event()

    def rule(request):
        held = armed.is_set() and request.method == "PUT" and "webhookconfigurations" in request.path
        return Fault(until=free) if held else None

    with Proxy(cluster, rule) as proxy:
        one = start_managed(make_manager, system, through=proxy)
        first = wait_for("the Secret is filled", lambda: secret_data(system))
        ca = base64.b64encode(first["ca.crt"].encode()).decode()
        wait_for("all four have the CA", lambda: bundles(system) == [ca] * 4)
        space.create(runtime())
        wait_for("it answers", lambda: accepted(space))
        users = Users(cluster, space, one.port)
        users.start()
        try:
            users.wait_more(5)
            armed.set()
            system.delete("v1", "Secret", managers.SYSTEM, managers.SECRET)
            wait_for("the Secret is made again", lambda: system.get(
                "v1", "Secret", managers.SYSTEM, managers.SECRET) and secret_data(system))
            wait_for("the new CA is on its way", proxy.faults)
            users.wait_more(20)
            free.set()
            name = f"{managers.SERVICE}.{managers.SYSTEM}.svc"
            wait_for("a certificate of the new CA is served",
                     lambda: served(one.port, name).split() != first["tls.crt"].split())
            users.wait_more(20)
        finally:
            free.set()
            users.over.set()
            users.join()
        assert users.refused == []
        now, begin = secret_data(system)["ca.crt"], "-----BEGIN CERTIFICATE-----"
        old = begin + first["ca.crt"].split(begin)[1].rstrip()  # the one that had signed
        assert old in now and not now.startswith(old)  # trusted on, behind the new one
        one.stop()
