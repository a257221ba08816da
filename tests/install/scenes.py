"""For each right of the operator a scene that needs it: what is done, and what comes of it when the right
is there. Keys are (resource[/subresource], verb)."""
import ssl
import urllib.error
import urllib.request

import pytest

from client import MERGE, Refused, path_of
from kit import API, COSCHEDULING, VOLCANO, condition, runtime, trainjob
from neighbours import END
from running import ADMISSION, HOOKS

FINALIZER = "trainer.kubeflow.org/resource-in-use"
GANGS = {"scheduling.x-k8s.io": ("coscheduling", COSCHEDULING),
         "scheduling.volcano.sh": ("volcano", VOLCANO)}


class Scene:
    """One right, one namespace."""

    def __init__(self, right, space, operator):
        self.right, self.space, self.operator = right, space, operator
        self.api = operator.api

    restart = False  # only an operator that has just been started needs it

    def prepare(self):
        """With all rights."""

    def act(self):
        """What makes the operator use the right."""

    def again(self):
        """With all rights again: what has to be done once more."""

    def works(self):
        """What is so only if it had the right."""
        raise NotImplementedError


class Child(Scene):
    """A TrainJob's object, made by apply: that asks for `patch`, and for `create` where there is none."""

    policy, child = {}, (None, None, None)

    def act(self):
        self.space.create(runtime(**self.policy), trainjob())

    def works(self):
        return self.space.get(*self.child) is not None


class JobSet(Child):
    child = "jobset.x-k8s.io/v1alpha2", "JobSet", "job"


class Snapshot(Child):
    child = "v1", "ConfigMap", "job-runtime-snapshot"


class Judge(Scene):
    """A job whose runtime is gone is judged by its snapshot, of which the watch tells only that it is
    there: an operator that did not write it reads it, or nobody can resume the job."""

    restart = True

    def prepare(self):
        self.space.create(runtime(), trainjob(suspend=True))
        self.space.wait_jobset(suspended=True)
        self.space.api.delete(API, "TrainingRuntime", self.space.name, "rt")

    def works(self):
        path = self.space.path(API, "TrainJob", "job")
        code, _ = self.api.request("PATCH", path, {"spec": {"suspend": False}}, MERGE)
        return code == 200

    act = works


class Key(Child):
    policy = {"mlPolicy": {"numNodes": 1, "mpi": {"mpiImplementation": "OpenMPI"}}}
    child = "v1", "Secret", "job-mpi-ssh-auth"


class Gang(Child):
    def __init__(self, right, *more):
        super().__init__(right, *more)
        field, version = GANGS[right.group]
        self.policy, self.child = {"podGroupPolicy": {field: {}}}, (version, "PodGroup", "job")


class Status(Scene):
    def act(self):
        self.space.create(runtime(), trainjob(suspend=True))

    def works(self):
        return condition(self.space.job(), "Suspended") is not None


class Expiry(Scene):
    def act(self):
        self.space.create(runtime(annotations={END: "succeed"}),
                          trainjob(ttlSecondsAfterFinished=0))

    def works(self):
        return self.space.job() is None


class Deadline(Scene):
    def act(self):
        self.space.create(runtime(), trainjob(activeDeadlineSeconds=1))
        self.space.wait_jobset()

    def works(self):
        return self.space.jobset() is None


class Finalizer(Scene):
    """Older versions left one on runtimes."""

    def __init__(self, right, *more):
        super().__init__(right, *more)
        self.kind = {"trainingruntimes": "TrainingRuntime",
                     "clustertrainingruntimes": "ClusterTrainingRuntime"}[right.resource]

    def act(self):
        doc = runtime("held", kind=self.kind)
        doc["metadata"]["finalizers"] = [FINALIZER]
        self.space.create(doc)

    def works(self):
        live = self.space.get(API, self.kind, "held")
        return not live["metadata"].get("finalizers")


class Lookup(Finalizer):
    """A webhook is asked about a runtime that the watch has not told of: it must look itself. That this one
    is not there is what it finds out only if it may."""

    def act(self):
        """The words with which it is refused."""
        with pytest.raises(Refused) as refused:
            self.space.api.create(trainjob("job", "nowhere", self.kind), self.space.name)
        return str(refused.value)

    def works(self):
        said = self.act()
        assert ("must be created before" in said) != ("cannot be read" in said), said
        return "must be created before" in said


class Told(Scene):
    """A pass that fails is told in an Event. One that was denied is not told again: the next one is."""

    job = "job"

    def act(self):
        self.space.create({"apiVersion": "v1", "kind": "ConfigMap",
                           "metadata": {"name": f"{self.job}-runtime-snapshot"}, "data": {}},
                          trainjob(self.job))

    def prepare(self):
        self.space.create(runtime())

    def again(self):
        self.job = "next"
        self.act()

    def events(self):
        return [e for e in self.api.list("events.k8s.io/v1", "Event", self.space.name)
                if e["regarding"]["name"] == self.job]

    def works(self):
        return self.events() != []


class ToldAgain(Told):
    """The same again is a series of the first."""

    def works(self):
        return any(e.get("series") for e in self.events())


class Bundle(Scene):
    """Somebody overwrites the CA of a webhook: it is put back."""

    def hooks(self):
        kind, name = next(hook for hook in HOOKS if hook[0].lower() + "s" == self.right.resource)
        return path_of(ADMISSION, kind, None, name)

    def act(self):
        live = self.api.must("GET", self.hooks())
        self.good = live["webhooks"][0]["clientConfig"]["caBundle"]
        for hook in live["webhooks"]:
            hook["clientConfig"]["caBundle"] = None
        self.api.must("PUT", self.hooks(), live)

    def works(self):
        return all(hook["clientConfig"].get("caBundle") == self.good
                   for hook in self.api.must("GET", self.hooks())["webhooks"])


class Metrics(Scene):
    """With metrics.auth.enabled the API server is asked who wants to see them, and whether it may."""

    def works(self):
        request = urllib.request.Request(f"https://127.0.0.1:{self.operator.metrics}/metrics", headers={
            "Authorization": f"Bearer {self.operator.plane.tokens['admin']}"})
        try:
            with urllib.request.urlopen(request, timeout=30,
                                        context=ssl._create_unverified_context()) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as e:
            assert e.code == 500
            return False

    act = works


SCENES = {
    ("jobsets", "create"): JobSet, ("jobsets", "patch"): JobSet, ("jobsets", "delete"): Deadline,
    ("trainjobs/finalizers", "update"): JobSet,
    ("configmaps", "create"): Snapshot, ("configmaps", "patch"): Snapshot,
    ("configmaps", "get"): Judge,
    ("secrets", "create"): Key, ("secrets", "patch"): Key,
    ("podgroups", "create"): Gang, ("podgroups", "patch"): Gang,
    ("trainjobs/status", "patch"): Status, ("trainjobs", "delete"): Expiry,
    ("trainingruntimes", "patch"): Finalizer, ("clustertrainingruntimes", "patch"): Finalizer,
    ("trainingruntimes", "get"): Lookup, ("clustertrainingruntimes", "get"): Lookup,
    ("events", "create"): Told, ("events", "patch"): ToldAgain,
    ("mutatingwebhookconfigurations", "update"): Bundle,
    ("validatingwebhookconfigurations", "update"): Bundle,
    ("tokenreviews", "create"): Metrics, ("subjectaccessreviews", "create"): Metrics,
}
