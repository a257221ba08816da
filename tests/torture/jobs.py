"""The TrainJobs that must come out right, whatever else happens: created through the API server by a user who
may, some of them large, some with a pod that reports its progress."""
import json
import threading
import time

import gated
from client import Refused
from kit import API, JOBSET_API, condition, create_known, owner, replicated_job, runtime, trainjob
from manager import SECRET, SYSTEM
from neighbours import END
from payloads import post
from rights import RBAC
from waiting import poll_until
from wire import Target

COUNT = 200
LARGE, LARGE_EVERY = 300_000, 25  # bytes of arguments, each so many
REPORT_EVERY = 20
PERCENT = 37
CREATE_SECONDS = 90  # one TrainJob may be refused for so long by a webhook that does not answer
FINISH_SECONDS = 300


class Jobs:
    """A thread that creates them all in `seconds`, evenly."""

    def __init__(self, plane, operator, seconds):
        self.plane, self.operator, self.seconds = plane, operator, seconds
        self.refused, self.lost, self.created = {}, {}, 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._create_all, daemon=True)

    def start(self):
        self.thread.start()

    @staticmethod
    def spec(number):
        if number % LARGE_EVERY == 0:
            return {"trainer": {"args": ["x" * 10_000] * (LARGE // 10_000)}}
        return {"trainer": {"env": [{"name": "NUMBER", "value": str(number)}]}}

    def _create_all(self):
        api, admin = self.plane.client("alice"), self.plane.client()
        begin = time.monotonic()
        for number in range(COUNT):
            if self.stop.wait(max(0.0, begin + self.seconds * number / COUNT - time.monotonic())):
                break
            name = f"job-{number}"
            self._create(api, name, trainjob(name, "quick", **self.spec(number)))
            if number % REPORT_EVERY == 0 and name not in self.lost:
                self._report(admin, name)

    def _until(self, name, what, attempt):
        """Tries until it is done; what was in the way is remembered."""
        end, why = time.monotonic() + CREATE_SECONDS, None
        while time.monotonic() < end:
            try:
                why = attempt()
            except (AssertionError, OSError, ValueError) as e:
                why = f"{type(e).__name__}: {e}"
            if why is None:
                return
            self.refused[why[:160]] = self.refused.get(why[:160], 0) + 1
            if self.stop.wait(0.5):
                break
        self.lost[name] = f"{what}: {why}"

    def _create(self, api, name, doc):
        def attempt():
            code, said = create_known(api, f"/apis/{API}/namespaces/torture/trainjobs", doc, "torture")
            if code == 201 or code == 409:  # 409: it was stored, only the answer was lost
                self.created += 1
                return None
            return f"{code} {said.get('message')}"

        self._until(name, "not created", attempt)

    def _report(self, admin, name):
        """As its pod would."""
        target = Target("status", self.operator.status, True, "")
        token = gated.token(admin, "torture", gated.audience_of("torture", name), seconds=3600)
        body = json.dumps({"trainerStatus": {"progressPercentage": PERCENT,
                                             "lastUpdatedTime": "2026-01-02T03:04:05Z"}})
        path = f"/apis/{gated.audience_of('torture', name)}"

        def attempt():
            code = post(target, path, body, token)
            return None if code == "200" else f"report: {code}"

        self._until(name, "its report was not taken", attempt)

    # -- the end

    def _listed(self, api, version, kind):
        return {doc["metadata"]["name"]: doc for doc in api.list(version, kind, "torture")}

    def finish(self):
        """Waits for the last of them; {TrainJob: what is wrong with it}."""
        self.thread.join(CREATE_SECONDS + 60)
        self.stop.set()
        api = self.plane.client()

        def over():
            found = self._listed(api, API, "TrainJob")
            return all(condition(job, "Complete") for name, job in found.items() if name.startswith("job-"))

        poll_until(lambda: over() or not self.operator.alive(), FINISH_SECONDS, poll=1.0)
        return self._judge(self._listed(api, API, "TrainJob"), self._listed(api, JOBSET_API, "JobSet"))

    def _judge(self, found, jobsets):
        wrong = dict(self.lost)
        for number in range(COUNT):
            name = f"job-{number}"
            why = self._wrong(number, found.get(name), jobsets.get(name))
            if why:
                wrong.setdefault(name, why)
        return wrong

    @staticmethod
    def _wrong(number, job, jobset):
        if not job:
            return "is not there"
        if not jobset:
            return f"has no JobSet; status: {job.get('status')}"
        if owner(jobset) != [("TrainJob", job["metadata"]["name"], True)]:
            return f"its JobSet belongs to {owner(jobset)}"
        if not (condition(job, "Complete") or "").startswith("True "):
            return f"is not Complete; status: {job.get('status')}"
        counts = (job["status"].get("jobsStatus") or [{}])[0]
        if counts.get("succeeded") != 1:
            return f"counts {counts}"
        percent = (job["status"].get("trainerStatus") or {}).get("progressPercentage")
        if number % REPORT_EVERY == 0 and percent != PERCENT:
            return f"its pod reported {PERCENT} %, its status has {percent}"
        return None


def quick():
    """A runtime whose pods succeed at once. They name their account: no admission plugin does it here, and the
    token with which they report is projected."""
    job = replicated_job(annotations={END: "succeed"})
    job["template"]["spec"]["template"]["spec"]["serviceAccountName"] = "default"
    return runtime("quick", jobs=[job])


def prepare(plane):
    """Namespaces, the runtime, and Alice, who may create and delete TrainJobs in them."""
    api = plane.client()
    api.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": SYSTEM},
               "stringData": {"ca.crt": plane.certificates.ca.read_text()}})
    rules = [{"apiGroups": ["trainer.kubeflow.org"], "resources": ["trainjobs", "trainingruntimes"],
              "verbs": ["create", "get", "list", "delete", "patch"]}]
    for name in ("torture", "attack"):
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        api.create(quick(), name)
        api.create({"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": {"name": "alice"}, "rules": rules}, name)
        api.create({"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding", "metadata": {"name": "alice"},
                    "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "alice"},
                    "subjects": [{"kind": "ServiceAccount", "name": "alice", "namespace": "torture"}]}, name)
    api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "alice"}}, "torture")
    plane.become("alice", "torture", "alice")
    try:
        api.create(trainjob("reporter", "quick", suspend=True), "torture")
    except Refused as e:
        raise RuntimeError(f"the first TrainJob was refused: {e}") from None
