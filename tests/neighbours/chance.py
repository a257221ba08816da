"""Random cases: runtimes, TrainJobs and what happens to them, in the form of the files of
tests/golden/cases. A case is made from a seed and its number alone, so it can be made again.

What docs/differences.md lists is avoided here, each time with its id: everything that is left must be
the same with v2.3.0 and with ours.
"""
import random

from chance_pods import fields, labels, pod, requests, variables
from chance_steps import steps
from kit import ANCESTOR, API

POLICIES = ("none", "plain", "torch", "torch", "tune", "mpi", "mpi", "jax", "xgboost", "flux")
MODELS = ("llama3.2-1b", "llama3.2-3b", "llama3.3-70b", "qwen2.5-1.5b", "llama9-1b")
TUNE_ARGS = ("model.lora_attn_modules=[q_proj]", "model.quantize_base=True", "model.use_dora=true",
             "epochs=3", "batch_size=", "output_dir=/elsewhere", "dataset=a.b", "=x")
CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "sandbox",
         "overhead": {"podFixed": {"cpu": "250m", "memory": "64Mi"}}}
PRIORITY = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 7}
LIMITS = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits"}, "spec": {
    "limits": [{"type": "Container", "default": {"cpu": "2"}, "defaultRequest": {"cpu": "300m"}}]}}


class Dice(random.Random):
    def maybe(self, chance=0.5):
        return self.random() < chance

    def some(self, items, chance=0.5):
        """Each of them by chance, in their order."""
        return [item for item in items if self.maybe(chance)]


class Draw:
    """What has been decided about one case."""

    def __init__(self, seed, number):
        self.dice = Dice(f"{seed}/{number}")
        d = self.dice
        self.number = number
        self.policy = d.choice(POLICIES)
        self.gang = d.choice(("", "", "coscheduling", "volcano", "both"))
        self.kind = d.choice(("TrainingRuntime", "ClusterTrainingRuntime"))
        self.runtime = f"rt-of-case-{number}"
        self.job = d.choice(("job", "j", "train-me-2"))
        if self.policy == "tune":  # the name says the model, so it is not one of its own
            self.kind, self.runtime = "TrainingRuntime", f"torchtune-{d.choice(MODELS)}"
        self.own_class = self.gang and d.maybe(0.2)
        self.priority = self.gang and d.maybe(0.2) and f"priority-of-case-{number}"
        self.resources = {d.choice(("runtime", "job", ""))}  # who says them
        if self.policy in ("plain", "jax") and d.maybe():  # else they count processes, of one (B6)
            self.resources = {"runtime", "job"}


# ---- the runtime

def replicated_job(draw, name, ancestor, container, **settings):
    d = draw.dice
    job = fields(d, {"backoffLimit": [0, 3], "activeDeadlineSeconds": [600],
                     "ttlSecondsAfterFinished": [0, 60], "completionMode": ["Indexed"],
                     "podReplacementPolicy": ["Failed"], "suspend": [True, False],
                     "parallelism": [0, 1, 2, 3], "completions": [2]}, 0.15)
    metadata = {"labels": {ANCESTOR: ancestor, **labels(d, 0.2)}} if ancestor else \
        {"labels": labels(d, 0.3)}
    template = {"spec": pod(draw, container, trainer=ancestor == "trainer")}
    if d.maybe(0.4):
        template["metadata"] = {"labels": labels(d), "annotations": labels(d)}
    return {"name": name, "template": {"metadata": metadata, "spec": {**job, "template": template}},
            **settings}


def initializers(draw):
    """Jobs that fetch before the trainer starts. A gang does not count them (B11)."""
    d = draw.dice
    if draw.gang:
        return []
    return [replicated_job(draw, name, name if d.maybe(0.9) else None, name)
            for name in d.some(("dataset-initializer", "model-initializer"), 0.35)]


def jobs(draw):
    d, first = draw.dice, initializers(draw)
    names = [job["name"] for job in first]
    waits = {"dependsOn": [{"name": name, "status": "Complete"} for name in names]} \
        if names and d.maybe(0.8) else {}
    if draw.policy == "mpi":
        both = [replicated_job(draw, "launcher", "trainer" if d.maybe(0.9) else None, "node", **waits),
                replicated_job(draw, "node", None, "node")]
        both[0]["template"]["spec"].pop("parallelism", None)  # there is one launcher (B27)
        if not any(ANCESTOR in job["template"]["metadata"]["labels"] for job in first + both):
            both[0]["template"]["metadata"]["labels"][ANCESTOR] = "trainer"  # B28
        return first + d.sample(both, 2)
    # The address of the master names the job `node` (B10).
    name = d.choice(("node", "workers")) if draw.policy in ("none", "plain") else "node"
    more = []
    if d.maybe(0.25):  # others, each once (B11)
        more = [replicated_job(draw, "watcher", d.choice((None, "something-else")), "watch")]
    return first + [replicated_job(draw, name, "trainer", "node", **waits)] + more


def ml_policy(draw, all_jobs):
    d, name = draw.dice, draw.policy
    if name == "none":
        return {}
    policy = {}
    if name != "mpi" and d.maybe(0.7):  # under mpi it multiplies launchers (B27)
        policy["numNodes"] = d.choice((1, 2, 3, 5, 0, -1))
    if name == "mpi":
        policy["mpi"] = fields(d, {"numProcPerNode": [1, 2, 4], "mpiImplementation": ["OpenMPI"],
                                   "sshAuthMountPath": ["/home/mpi/.ssh"],
                                   "runLauncherAsNode": [True, False]})
        if "runtime" in draw.resources:  # then slots do not follow the GPUs (B6)
            policy["mpi"]["numProcPerNode"] = d.choice((2, 4))
    elif name == "flux":
        policy["flux"] = fields(d, {"numProcPerNode": [1, 2, 4]})
    elif name in ("torch", "tune"):
        policy["torch"] = {}
        targets = [{"jobName": job["name"], "containerNames": others} for job in all_jobs
                   for others in [[c["name"] for c in containers_of(job) if c["name"] != "node"]]
                   if others]
        if targets and d.maybe(0.4):
            policy["torch"]["envInjection"] = {"targets": targets}
    elif name != "plain":
        policy[name] = {}
    return {"mlPolicy": policy}


def containers_of(job):
    spec = job["template"]["spec"]["template"]["spec"]
    return spec.get("initContainers", []) + spec["containers"]


def gang_policy(draw):
    d, policy = draw.dice, {}
    if draw.gang in ("coscheduling", "both"):
        policy["coscheduling"] = fields(d, {"scheduleTimeoutSeconds": [0, 30, 600]})
    if draw.gang in ("volcano", "both"):
        policy["volcano"] = d.choice(({}, {"networkTopology": {}}, {
            "networkTopology": {"mode": "soft", "highestTierAllowed": 2}}))
    return {"podGroupPolicy": policy} if policy else {}


def jobset_spec(draw, all_jobs):
    d, names = draw.dice, [job["name"] for job in all_jobs]
    network = [{"enableDNSHostnames": True}, {"publishNotReadyAddresses": False}]
    if draw.policy in ("none", "plain", "mpi"):  # B10
        network.append({"subdomain": "ring", "enableDNSHostnames": True})
    spec = fields(d, {
        "network": network, "suspend": [True, False], "ttlSecondsAfterFinished": [0, 100],
        "successPolicy": [{"operator": "All", "targetReplicatedJobs": names[-1:]},
                          {"operator": "Any"}],
        "failurePolicy": [{"maxRestarts": 2}, {"maxRestarts": 0, "restartStrategy": "BlockingRecreate"},
                          {"rules": [{"name": "first", "action": "RestartJobSet",
                                      "onJobFailureReasons": ["BackoffLimitExceeded"],
                                      "targetReplicatedJobs": names[:1]}]}],
        "coordinator": [{"replicatedJob": names[-1], "jobIndex": 0, "podIndex": 0}],
        "managedBy": ["jobset.sigs.k8s.io/jobset-controller"]}, 0.15)
    if d.maybe(0.1) and not any("dependsOn" in job for job in all_jobs):
        spec["startupPolicy"] = {"startupPolicyOrder": d.choice(("InOrder", "AnyOrder"))}
    if d.maybe(0.1):
        spec["volumeClaimPolicies"] = [{"templates": [{
            "metadata": {"name": "initializer"}, "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "10Gi"}}}}]}]
    return {**spec, "replicatedJobs": all_jobs}


def runtime(draw):
    d, all_jobs = draw.dice, jobs(draw)
    template = {"spec": jobset_spec(draw, all_jobs)}
    if d.maybe(0.4):
        template["metadata"] = {"labels": labels(d), "annotations": labels(d)}
        if "volcano" in draw.gang or draw.gang == "both":
            template["metadata"]["annotations"]["scheduling.volcano.sh/queue-name"] = \
                d.choice(("queue-1", "queue-2", ""))
    metadata = {"name": draw.runtime, "labels": labels(d, 0.3), "annotations": labels(d, 0.3)}
    if d.maybe(0.05):
        metadata["labels"]["trainer.kubeflow.org/webhook-validation"] = "disabled"
    if draw.kind == "ClusterTrainingRuntime" and d.maybe(0.1):  # B20: only its warnings are the same
        metadata["labels"]["trainer.kubeflow.org/support"] = d.choice(("deprecated", "stable"))
    return {"apiVersion": API, "kind": draw.kind, "metadata": metadata,
            "spec": {**ml_policy(draw, all_jobs), **gang_policy(draw), "template": template}}


# ---- the TrainJob

def trainer(draw):
    """B8, B4: the policies that set variables want spec.trainer, flux a number of nodes as well."""
    d = draw.dice
    if draw.policy in ("none", "plain", "mpi") and d.maybe(0.2):
        return {}
    nodes = [1, 2, 4] if draw.gang else [0, 1, 2, 4, -1]  # a gang of none is refused, sooner or later (B14)
    one = fields(d, {"image": ["registry.example/mine:2"], "command": [["python", "-m", "train"], []],
                     "args": [["--fast", "$(X)"], []], "numNodes": nodes,
                     "numProcPerNode": [1, 2, 8, 0, -1]})
    if draw.policy == "tune" and d.maybe(0.8):
        one["command"] = ["tune", "run"]
        one["args"] = d.some(TUNE_ARGS, 0.3)
    if draw.policy == "flux":
        one["numNodes"] = d.choice((1, 2, 4))
    if d.maybe(0.5):
        one["env"] = variables(d, canonical=True)
    if draw.policy != "none" and "job" in draw.resources:  # B9
        one["resourcesPerNode"] = requests(d, canonical=True)
    return {"trainer": one}


def initializer(draw, spec):
    d, one = draw.dice, {}
    names = [job["name"] for job in spec["template"]["spec"]["replicatedJobs"]]
    for key in ("dataset", "model"):
        if f"{key}-initializer" in names and d.maybe(0.7) or d.maybe(0.03):
            one[key] = fields(d, {"storageUri": ["hf://a/b", "s3://bucket/x", ""],
                                  "secretRef": [{"name": "token"}, {}]})
            if d.maybe(0.5):
                one[key]["env"] = variables(d, canonical=True)
    return {"initializer": one} if one else {}


def trainjob(draw, its_runtime):
    d = draw.dice
    spec = {"runtimeRef": {"name": draw.runtime, "kind": draw.kind, "apiGroup": "trainer.kubeflow.org"}}
    if draw.kind == "ClusterTrainingRuntime" and d.maybe():
        del spec["runtimeRef"]["kind"], spec["runtimeRef"]["apiGroup"]
    spec.update(trainer(draw))
    spec.update(initializer(draw, its_runtime["spec"]))
    spec.update(fields(d, {"suspend": [True, True, False], "activeDeadlineSeconds": [100000]}, 0.4))
    if d.maybe(0.04):
        spec["managedBy"] = "kueue.x-k8s.io/multikueue"
    metadata = {"name": draw.job, "labels": labels(d, 0.3), "annotations": labels(d, 0.3)}
    if d.maybe(0.1):
        metadata["finalizers"] = ["example.com/hold"]
    return {"apiVersion": API, "kind": "TrainJob", "metadata": metadata, "spec": spec}


def case(seed, number, long=False):
    """The documents of one case; a long one has a history of a dozen steps."""
    draw = Draw(seed, number)
    its_runtime = runtime(draw)
    job = trainjob(draw, its_runtime)
    before = []
    if draw.own_class:
        before.append({**CLASS, "metadata": {"name": f"class-of-case-{number}"}})
    if draw.gang and draw.dice.maybe(0.3):
        before.append(LIMITS)
    if draw.priority and draw.dice.maybe(0.8):
        before.append({**PRIORITY, "metadata": {"name": draw.priority}})
    return [*before, its_runtime, job, *steps(draw, its_runtime, job, long)]
