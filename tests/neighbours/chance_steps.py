"""What happens to the objects of a random case after they are made, and the mistakes in them."""
import copy
import json

from chance_pods import POD, SOURCES, fields, labels, variables
from kit import ANCESTOR

MANAGERS = ("a.example/one", "kueue.x-k8s.io/manager", "b.example.com/x.y_z")
RESERVED = ("node", "dataset-initializer", "model-initializer")
STEPS = ("trainer", "dataset-initializer", "model-initializer")
PATCHED = ("nodeSelector", "tolerations", "affinity", "serviceAccountName", "securityContext",
           "imagePullSecrets", "schedulingGates", "terminationGracePeriodSeconds")
MUTABLE = ("nodeSelector", "tolerations", "affinity", "schedulingGates")
CONDITIONS = {
    "Completed": ("AllJobsCompleted", "jobset completed successfully"),
    "Failed": ("FailedJobs", "jobset failed due to one or more job failures"),
    "Suspended": ("SuspendedJobs", "jobset is suspended"),
    "StartupPolicyCompleted": ("StartupPolicyCompleted", "all replicated jobs have started")}


# ---- runtimePatches

def patched_variables(dice, one):
    """With values, and not where the runtime has something else: that would stay beside it (B21)."""
    other = [old["name"] for old in one.get("env", []) if "value" not in old]
    return [new for new in variables(dice) if "value" in new and new["name"] not in other]


def container_patch(dice, one, volumes, mark):
    patch = {"name": one["name"]}
    if one["name"] not in RESERVED and dice.maybe(0.6):
        patch["env"] = patched_variables(dice, one)
    if volumes and dice.maybe(0.5):
        patch["volumeMounts"] = [{"name": volumes[0]["name"], "mountPath": f"/patched/{mark}"}]
    return {**patch, **fields(dice, {"securityContext": [{"runAsUser": 5}, {"privileged": True}]}, 0.2)}


def pod_patch(dice, spec, mark):
    """Its volumes are new ones (B21), its containers are there (B2)."""
    patch = fields(dice, {key: POD[key] for key in PATCHED}, 0.3)
    volumes = [{"name": f"patched-{mark}", **dice.choice(SOURCES)}] if dice.maybe(0.3) else []
    if volumes:
        patch["volumes"] = volumes
    for key in ("containers", "initContainers"):
        chosen = [container_patch(dice, one, volumes, mark) for one in dice.some(spec.get(key, []), 0.4)]
        if chosen:
            patch[key] = chosen
    return patch


def metadata_patch(dice, old):
    """Only where there is some: v2.3.0 cannot make it empty again ("empty structs")."""
    there = any(old.get("metadata", {}).values())
    return {"metadata": {"labels": labels(dice), "annotations": labels(dice)}} \
        if there and dice.maybe(0.5) else {}


def job_patch(dice, job, mark):
    patch, old = {"name": job["name"]}, job["template"]
    template, inner = metadata_patch(dice, old), metadata_patch(dice, old["spec"]["template"])
    if dice.maybe(0.7):
        inner["spec"] = pod_patch(dice, job["template"]["spec"]["template"]["spec"], mark)
    if inner or dice.maybe(0.2):
        template["spec"] = {"template": inner}
    return {**patch, "template": template} if template else patch


def runtime_patches(dice, its_runtime):
    all_jobs = its_runtime["spec"]["template"]["spec"]["replicatedJobs"]
    found = []
    for manager in dice.some(MANAGERS, 0.5):
        template = fields(dice, {"metadata": [{"labels": labels(dice), "annotations": labels(dice)}]})
        chosen = [job_patch(dice, job, MANAGERS.index(manager)) for job in dice.some(all_jobs, 0.6)]
        if chosen:
            dice.shuffle(chosen)
            template["spec"] = {"replicatedJobs": chosen}
        patch = {"manager": manager}
        if template:
            patch["trainingRuntimeSpec"] = {"template": template}
        found.append(patch)
    return found


def moved(dice, patches):
    """The same patches with other values in what may be changed."""
    patches = copy.deepcopy(patches)
    for patch in patches:
        spec = patch.get("trainingRuntimeSpec", {}).get("template", {}).get("spec", {})
        for job in spec.get("replicatedJobs", []):
            inner = job.get("template", {}).get("spec", {}).get("template", {}).get("spec")
            if inner is not None:
                inner.update(fields(dice, {key: POD[key] for key in MUTABLE}, 0.4))
    return patches[:-1] if len(patches) > 1 and dice.maybe(0.2) else patches


# ---- steps

def step(op, kind, name, patch=None):
    return {"x-step": {"op": op, "kind": kind, "name": name, **({"patch": patch} if patch else {})}}


def jobset_status(dice, its_runtime):
    names = [job["name"] for job in its_runtime["spec"]["template"]["spec"]["replicatedJobs"]]
    status = {"replicatedJobsStatus": [
        {"name": name, **{key: dice.choice((0, 0, 1, 3)) for key in
                          ("ready", "succeeded", "failed", "active", "suspended")}} for name in names]}
    said = dice.some(CONDITIONS, 0.2)
    if said:
        status["conditions"] = [
            {"type": kind, "status": dice.choice(("True", "True", "False")), "reason": CONDITIONS[kind][0],
             "message": CONDITIONS[kind][1], "lastTransitionTime": "2026-01-02T03:04:05Z"} for kind in said]
    return {"status": status, **({} if dice.maybe(0.9) else {"metadata": {"labels": {"a": "b"}}})}


class Story:
    """Draws steps; knows what has been asked for, not what came of it."""

    def __init__(self, draw, its_runtime, job):
        self.dice, self.draw, self.runtime, self.job = draw.dice, draw, its_runtime, job
        self.name, self.runtime_kind = job["metadata"]["name"], its_runtime["kind"].lower()
        self.runtime_gone = self.held = self.failed = self.damaged = False
        self.suspended = job["spec"].get("suspend") is True

    def jobs_own(self, patch):
        """A TrainJob whose runtime is gone can be updated with ours alone (B12). One that is held while it is
        deleted steers its JobSet no more (B33). One that cannot be rendered is not called resumed (B39)."""
        if self.runtime_gone or self.held and "spec" in patch:
            return None
        if self.damaged and patch.get("spec", {}).get("suspend", True) is not True:
            return None
        self.suspended = self.suspended and patch.get("spec", {}).get("suspend", True) is True
        return step("patch", "trainjob", self.name, patch)

    def taken(self, kind, name):
        """A child is deleted: it is made again, if not for one that is held (B33)."""
        return None if self.held else step("delete", kind, name)

    def suspend(self):
        return self.jobs_own({"spec": {"suspend": True}})

    def resume(self):
        return self.jobs_own({"spec": {"suspend": False}})

    def relabel(self):
        return self.jobs_own({"metadata": {"labels": {"team": self.dice.choice(("green", None))},
                                           "annotations": {"note": self.dice.choice(("n", None))}}})

    def repatch(self):
        now = moved(self.dice, self.job["spec"].get("runtimePatches", [])) if self.dice.maybe(0.6) else \
            runtime_patches(self.dice, self.runtime)
        patch = {"spec": {"runtimePatches": now}}
        if self.dice.maybe(0.5):
            patch["spec"]["suspend"] = self.dice.choice((True, False))
        return self.jobs_own(patch)

    def drop_patches(self):
        return self.jobs_own({"spec": {"runtimePatches": None}})

    def change_fixed(self):
        return self.jobs_own({"spec": self.dice.choice((
            {"trainer": {"image": "registry.example/new:1"}}, {"runtimeRef": {"name": "other"}},
            {"activeDeadlineSeconds": 5000}, {"managedBy": "kueue.x-k8s.io/multikueue"},
            {"initializer": {"model": {"storageUri": "hf://c/d"}}}, {"suspend": None},
            {"activeDeadlineSeconds": None}))})

    def jobset_says(self):
        patch = jobset_status(self.dice, self.runtime)
        said = patch["status"].get("conditions")
        if said:
            self.failed = any(c["type"] == "Failed" and c["status"] == "True" for c in said)
        return step("status-patch", "jobset", self.name, patch)

    def jobset_silent(self):
        """Its counts stay: v2.3.0 cannot empty a status (B32)."""
        self.failed = False
        return step("status-patch", "jobset", self.name, {"status": {"conditions": None}})

    def job_status(self):
        """Somebody else writes into the status."""
        past = {"reason": "Mine", "message": "by hand", "lastTransitionTime": "2026-01-02T03:04:05Z"}
        return step("status-patch", "trainjob", self.name, {"status": self.dice.choice((
            {"conditions": None}, {"jobsStatus": None}, None,
            {"conditions": [{"type": "Complete", "status": "True", **past}]},
            {"conditions": [{"type": "Suspended", "status": "True", **past}]},
            {"conditions": [{"type": "Other", "status": "Unknown", **past}]},
            {"trainerStatus": {"progressPercentage": 7, "lastUpdatedTime": "2026-01-02T03:04:05Z"}}))})

    def jobset_goes(self):
        """Work that has failed would start again (B31)."""
        return None if self.failed else self.taken("jobset", self.name)

    def jobset_edited(self):
        return None if self.held else step("patch", "jobset", self.name, self.dice.choice((
            {"metadata": {"labels": {"seen": "yes", "team": "grey"}}}, {"spec": {"suspend": True}},
            {"spec": {"suspend": False}},
            {"metadata": {"annotations": {"team": None}}}, {"spec": {"ttlSecondsAfterFinished": 9}})))

    def runtime_edited(self):
        """Jobs that have begun keep their snapshot."""
        return step("patch", self.runtime_kind, self.draw.runtime, self.dice.choice((
            {"metadata": {"labels": {"changed": "yes"}}}, {"spec": {"mlPolicy": {"numNodes": 4}}},
            {"spec": {"template": {"metadata": {"labels": {"changed": "yes"}}}}},
            {"spec": {"template": {"spec": {"network": {"subdomain": "changed"}}}}},
            {"metadata": {"finalizers": ["trainer.kubeflow.org/resource-in-use", "example.com/mine"]}})))

    def runtime_broken(self):
        """v2.3.0 looks at updates of the cluster's runtimes alone; in a gang it would not count the others
        (B11). The last one is no initializer."""
        if self.runtime_kind == "trainingruntime" and "podGroupPolicy" in self.runtime["spec"]:
            return None
        jobs = copy.deepcopy(self.runtime["spec"]["template"]["spec"]["replicatedJobs"])
        jobs[-1].update(self.dice.choice(({"replicas": 2}, {"replicas": 0})))
        return step("patch", self.runtime_kind, self.draw.runtime, {
            "spec": {"template": {"spec": {"replicatedJobs": jobs}}}})

    def runtime_goes(self):
        self.runtime_gone = True
        return step("delete", self.runtime_kind, self.draw.runtime)

    def snapshot_goes(self):
        return self.taken("configmap", f"{self.name}-runtime-snapshot")

    def snapshot_edited(self):
        """Of a suspended job: ours does not read that of a running one, which needs nothing."""
        if not self.suspended or self.held:
            return None
        other = copy.deepcopy(self.runtime)
        other["metadata"]["name"] = "another"
        changed = copy.deepcopy(self.runtime)
        changed["spec"]["template"].setdefault("metadata", {})["labels"] = {"from": "snapshot"}
        damaged = {"data": {"runtime": json.dumps({**self.runtime, "kind": "Pod"})}}
        patch = self.dice.choice((
            {"data": {"runtime": None}}, {"data": {"runtime": json.dumps(other)}},
            {"data": {"runtime": json.dumps(changed)}}, {"metadata": {"ownerReferences": None}}, damaged))
        self.damaged = patch is damaged
        return step("patch", "configmap", f"{self.name}-runtime-snapshot", patch)

    def child_edited(self):
        name = self.dice.choice((f"{self.name}-mpi-hostfile", f"{self.name}-flux-entrypoint"))
        return None if self.held else step("patch", "configmap", name, {
            "data": {"hostfile": "mine", "more": "x"}})

    def child_goes(self):
        kind, name = self.dice.choice((("configmap", "mpi-hostfile"), ("configmap", "flux-entrypoint"),
                                       ("secret", "mpi-ssh-auth"), ("secret", "flux-curve")))
        return self.taken(kind, f"{self.name}-{name}")

    def podgroup_goes(self):
        return self.taken(self.dice.choice(("podgroup", "volcanopodgroup")), self.name)

    def job_goes(self):
        """A finalizer of somebody else's may hold it."""
        self.held = "finalizers" in self.job["metadata"]
        return step("delete", "trainjob", self.name)


    # -- only in long histories

    def job_goes_slowly(self):
        """Nobody collects garbage here: it is held until the end."""
        self.held = True
        return {"x-step": {"op": "delete", "kind": "trainjob", "name": self.name, "options": {
            "propagationPolicy": self.dice.choice(("Foreground", "Orphan"))}}}

    def child_orphaned(self):
        """The manager's own, and nobody's: it is taken back. A JobSet that runs is not written, and v2.3.0 no
        longer hears how it fares (B29)."""
        kind, name = self.dice.choice((("jobset", self.name), ("configmap", f"{self.name}-mpi-hostfile"),
                                       ("podgroup", self.name)))
        return None if self.held or kind == "jobset" and not self.suspended else step("patch", kind, name, {"metadata": {"ownerReferences": None}})

    def jobset_runs(self):
        """Its pods are up, as its controller tells it."""
        names = [job["name"] for job in self.runtime["spec"]["template"]["spec"]["replicatedJobs"]]
        active = self.dice.choice((0, 1))
        return step("status-patch", "jobset", self.name, {"status": {"replicatedJobsStatus": [
            {"name": name, "ready": active, "active": active, "succeeded": 0, "failed": 0, "suspended": 0}
            for name in names]}})


OFTEN = (Story.suspend, Story.resume, Story.repatch, Story.jobset_says, Story.relabel)
SELDOM = (Story.drop_patches, Story.change_fixed, Story.jobset_goes, Story.jobset_edited,
          Story.runtime_edited, Story.runtime_goes, Story.snapshot_goes, Story.child_edited,
          Story.child_goes, Story.podgroup_goes, Story.job_goes, Story.jobset_silent, Story.job_status,
          Story.job_status, Story.runtime_broken, Story.snapshot_edited)


LONG = (Story.child_orphaned, Story.jobset_runs, Story.jobset_runs, Story.suspend, Story.resume)


def long_history(story):
    """So many steps that a job goes through several lives; it is deleted late, if at all."""
    dice, early = story.dice, [one for one in SELDOM if one not in (Story.job_goes, Story.runtime_goes)]
    drawn = [dice.choice(OFTEN if dice.maybe(0.5) else LONG if dice.maybe(0.4) else early)(story)
             for _ in range(dice.choice((10, 12, 14)))]
    last = (Story.job_goes, Story.job_goes_slowly, Story.runtime_goes, Story.relabel)
    return drawn + [dice.choice(last)(story), story.jobset_says(), story.relabel()]


def steps(draw, its_runtime, job, long=False):
    """Patches the job first, so that steps can change what it has."""
    dice = draw.dice
    if dice.maybe(0.5):
        found = runtime_patches(dice, its_runtime)
        if found:
            job["spec"]["runtimePatches"] = found
    if dice.maybe(0.15):
        dice.choice(MISTAKES)(dice, its_runtime, job)
    story = Story(draw, its_runtime, job)
    drawn = long_history(story) if long else [dice.choice(OFTEN if dice.maybe(0.6) else SELDOM)(story)
             for _ in range(dice.choice((0, 1, 2, 3, 4)))]
    return [one for one in drawn if one]


# ---- mistakes

def reserved_variable(dice, _runtime, job):
    names = ("PET_NNODES", "PET_MASTER_ADDR", "DMLC_TASK_ID", "DMLC_NUM_WORKER", "JAX_PROCESS_ID",
             "OMPI_MCA_plm_rsh_args", "OMPI_MCA_orte_set_default_slots")
    env = job["spec"].setdefault("trainer", {"numNodes": 1}).setdefault("env", [])
    env[:0] = [{"name": name, "value": "1"} for name in dice.some(names, 0.6)]


def bad_manager(dice, _runtime, job):
    name = dice.choice(("one", "a/", "/b", "A.example/x", "a.example/x y", "a..b/c", "a.example/x/y"))
    job["spec"].setdefault("runtimePatches", []).append({"manager": name})


def patched_variable(dice, runtime, job):
    first = runtime["spec"]["template"]["spec"]["replicatedJobs"][-1]
    names = [one["name"] for one in first["template"]["spec"]["template"]["spec"]["containers"]]
    job["spec"]["runtimePatches"] = [{"manager": "a.example/env", "trainingRuntimeSpec": {"template": {
        "spec": {"replicatedJobs": [{"name": first["name"], "template": {"spec": {"template": {
            "spec": {"containers": [{"name": dice.choice(names), "env": [{"name": "Z", "value": "1"}]}]}
        }}}}]}}}}]


def wrong_value(dice, _runtime, job):
    where, what = dice.choice((
        ("suspend", "yes"), ("activeDeadlineSeconds", 0), ("managedBy", "me"), ("runtimeRef", {}),
        ("runtimeRef", {"name": "x", "kind": "Pod"}), ("runtimeRef", {"name": "x", "apiGroup": ""}),
        ("trainer", {"env": None}), ("trainer", {"numNodes": 1.5}), ("runtimePatches", {}),
        ("trainer", {"env": [{"name": "A"}, {"name": "A"}]}), ("trainer", {"numNodes": "two"}),
        ("trainer", {"resourcesPerNode": {"requests": {"cpu": "much"}}}),
        ("initializer", {"dataset": {"storageUri": "here"}}), ("runtimePatches", [{}]),
        ("runtimePatches", [{"manager": "a.b/c", "trainingRuntimeSpec": {"template": {"spec": {
            "replicatedJobs": [{"template": {}}]}}}}])))
    job["spec"][where] = what


def no_such_runtime(dice, _runtime, job):
    job["spec"]["runtimeRef"]["name"] = dice.choice(("missing", "missing-2.x"))


def many_replicas(dice, runtime, _job):
    """Of a job that may not have them, if there is a gang: it would count the others (B11)."""
    jobs = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    single = [job for job in jobs if job["template"]["metadata"]["labels"].get(ANCESTOR) in STEPS]
    dice.choice(single if "podGroupPolicy" in runtime["spec"] else jobs)["replicas"] = dice.choice((0, 2))


def lost_container(dice, runtime, _job):
    for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]:
        for one in job["template"]["spec"]["template"]["spec"]["containers"]:
            if dice.maybe(0.4):
                one["name"] += "-x"


def lost_target(_dice, runtime, _job):
    policy = runtime["spec"].get("mlPolicy", {}).get("torch")
    if policy is not None:
        policy["envInjection"] = {"targets": [{"jobName": "node", "containerNames": ["gone", "side"]},
                                              {"jobName": "lost", "containerNames": ["gone"]}]}


def taken_init_container(_dice, runtime, _job):
    for job in runtime["spec"]["template"]["spec"]["replicatedJobs"]:
        job["template"]["spec"]["template"]["spec"].setdefault("initContainers", []).append(
            {"name": "flux-installer", "image": "registry.example/flux:1"})


def wrong_template(dice, runtime, _job):
    spec = runtime["spec"]["template"]["spec"]
    dice.choice((lambda: spec.update(failurePolicy={"maxRestarts": "3"}),
                 lambda: spec["replicatedJobs"].append(copy.deepcopy(spec["replicatedJobs"][0])),
                 lambda: spec["replicatedJobs"][0].update(dependsOn=[{"name": "x", "status": "Gone"}]),
                 lambda: runtime["spec"].update(mlPolicy={"torch": {}, "jax": {}}),
                 lambda: runtime["spec"].update(podGroupPolicy={"volcano": {
                     "networkTopology": {"mode": "odd"}}})))()


MISTAKES = (reserved_variable, bad_manager, patched_variable, wrong_value, no_such_runtime, many_replicas,
            lost_container, lost_target, taken_init_container, wrong_template)
