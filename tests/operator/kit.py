"""Small words that the scenarios are told in."""
from client import Refused, path_of
from waiting import WAIT_SECONDS, at_rest, stays, wait_for  # noqa: F401: the scenarios have them from here

API, JOBSET_API = "trainer.kubeflow.org/v1alpha1", "jobset.x-k8s.io/v1alpha2"
COSCHEDULING, VOLCANO = "scheduling.x-k8s.io/v1alpha1", "scheduling.volcano.sh/v1beta1"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"


def replicated_job(name="node", ancestor="trainer", annotations=None, **spec):
    template = {"metadata": {"annotations": annotations or {}},
                "spec": {"containers": [{"name": name if ancestor != "trainer" else "node",
                                         "image": "registry.example/train:1"}],
                         "restartPolicy": "Never"}}
    return {"name": name, "template": {
        "metadata": {"labels": {ANCESTOR: ancestor}} if ancestor else {},
        "spec": {"backoffLimit": 0, "template": template, **spec}}}


def runtime(name="rt", annotations=None, jobs=None, kind="TrainingRuntime", template=None, **spec):
    """A runtime whose only job is the trainer; `annotations` go to its pods."""
    inner = {"replicatedJobs": jobs or [replicated_job(annotations=annotations)],
             **(template or {})}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name},
            "spec": {"mlPolicy": {"numNodes": 1}, "template": {"spec": inner}, **spec}}


def trainjob(name="job", runtime="rt", kind="TrainingRuntime", **spec):
    return {"apiVersion": API, "kind": "TrainJob", "metadata": {"name": name},
            "spec": {"runtimeRef": {"name": runtime, "kind": kind}, **spec}}


def condition(obj, kind):
    """A condition as "True Reason: message", or None."""
    for c in ((obj or {}).get("status") or {}).get("conditions") or []:
        if c["type"] == kind:
            return f"{c['status']} {c['reason']}: {c['message']}"
    return None


def owner(obj):
    refs = obj["metadata"].get("ownerReferences") or []
    return [(r["kind"], r["name"], r.get("controller")) for r in refs]


def create_known(api, path, doc, namespace):
    """(status, answer) of a create. A webhook that looks into its cache may not know yet of a
    runtime that is there: asked again."""
    def attempt():
        code, answer = api.request("POST", path, doc)
        if code == 403 and "must be created before" in answer["message"]:
            ref = doc["spec"]["runtimeRef"]
            if api.get(API, ref.get("kind", "ClusterTrainingRuntime"), namespace, ref["name"]):
                return None
        return code, answer

    return wait_for("the webhook knows of a runtime that is there", attempt)


class Space:
    """A namespace of one test, seen through an API client."""

    def __init__(self, api, name):
        self.api, self.name = api, name
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def create(self, *docs):
        """Creates them in turn; gives the last one."""
        for doc in docs:
            path = path_of(doc["apiVersion"], doc["kind"], self.name)
            code, answer = create_known(self.api, path, doc, self.name)
            if code != 201:
                raise Refused(code, answer)
        return answer

    def path(self, api_version, kind, name, sub=None):
        return path_of(api_version, kind, self.name, name, sub)

    # -- what there is

    def job(self, name="job"):
        return self.api.get(API, "TrainJob", self.name, name)

    def jobset(self, name="job"):
        return self.api.get(JOBSET_API, "JobSet", self.name, name)

    def get(self, api_version, kind, name):
        return self.api.get(api_version, kind, self.name, name)

    def pods(self):
        return self.api.list("v1", "Pod", self.name)

    def events(self):
        """(type, reason, note) of the manager's events in this namespace, without doubles."""
        seen = self.api.list("events.k8s.io/v1", "Event", self.name)
        return sorted({(e["type"], e["reason"], e.get("note", "")) for e in seen
                       if e["regarding"]["kind"] == "TrainJob"
                       and e["reportingController"] == "trainer-trainjob-controller"})

    # -- what is waited for

    def wait_jobset(self, name="job", suspended=None):
        def look():
            live = self.jobset(name)
            return live if live and suspended in (None, live["spec"].get("suspend")) else None

        return wait_for(f"JobSet {name} is there (suspend: {suspended})", look)

    def wait_condition(self, kind, begins, name="job", seconds=WAIT_SECONDS):
        """Until the TrainJob has that condition; gives the TrainJob."""
        def look():
            job = self.job(name)
            return job if (condition(job, kind) or "").startswith(begins) else None

        return wait_for(f"condition {kind} of {name} is {begins}", look, seconds,
                        show=lambda: (self.job(name) or {}).get("status"))

    def comes_back(self, api_version, kind, name):
        """It is deleted, and made again: what happened to its kind before that is known by then, too."""
        def uid():
            return (self.get(api_version, kind, name) or {"metadata": {}})["metadata"].get("uid")

        old = wait_for(f"{kind} {name} is there", uid)
        self.api.delete(api_version, kind, self.name, name)
        wait_for(f"another {kind} {name}", lambda: uid() not in (None, old))

    def suspend(self, value, name="job"):
        return self.api.merge(self.path(API, "TrainJob", name), {"spec": {"suspend": value}})

    def patch_job(self, patch, name="job"):
        return self.api.merge(self.path(API, "TrainJob", name), patch)

    def clean(self):
        """No TrainJob of this test keeps a later manager busy."""
        for job in self.api.list(API, "TrainJob", self.name):
            self.api.delete(API, "TrainJob", self.name, job["metadata"]["name"])
