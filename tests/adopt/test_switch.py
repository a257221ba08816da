"""A switch strands nobody: every recorded case that ours renders otherwise (tests/golden/differs.yaml), made by
the released v2.3.0 on a real control plane, in every state, through switch, suspend, resume, finish and switch
back. `switch.txt` beside the program has the table: case, state, what adopt said, what happened."""
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

import fixtures
import recorded
from asked import ask
from client import path_of
from kit import JOBSET_API, Space, condition, create_known, wait_for
from manager import FOLDER, PROGRAM, ROOT, Manager
from neighbours import END

sys.path.insert(0, str(recorded.GOLDEN))
import releases  # noqa: E402

# Those that are about a runtime alone have nothing to switch.
DIFFERS = [name for name in sorted(yaml.safe_load((recorded.GOLDEN / "differs.yaml").read_text())["cases"])
           if any(doc.get("kind") == "TrainJob" for doc in recorded.Case(name).docs)]
# Running; suspended after it ran; suspended since it was created; over.
STATES = ("running", "suspended", "waiting", "finished")
MAY_CHANGE = {"metadata": ("labels", "annotations"), "spec": ("nodeSelector", "tolerations", "schedulingGates")}
# Under either manager: the API server refuses it (B35), or it cannot be rendered (B24).
NO_JOBSET = {"patches/patch-unknown-job", "mpi/mpi-empty-implementation"}
# Whose Jobs or pods the API server refuses as v2.3.0 renders them (B21) or at all (B36), or no node here can run.
NO_PODS = {"overrides/set-resource-claims", "patches/patch-variable-source", "patches/patch-volume-same-name",
           "torch/torch-mig-slices", "torch/torch-zero-gpu", "torchtune/tune-qlora-single", "xgboost/xgb-gpu-of-runtime"}
NEVER_RUN = {"torch/torch-zero-nodes"}  # without pods it is over at once, suspended or not
THREADS = 6
SECONDS = 240


class Player:
    """One TrainJob of a recorded case, in a namespace of its own."""

    def __init__(self, plane, case, state, prefix="sw"):
        self.plane, self.case, self.state = plane, case, state
        self.space = Space(plane.client(), f"{prefix}-{re.sub('[^a-z0-9]+', '-', case.split('/')[1])}-{state[:4]}")
        docs = [d for d in recorded.Case(case).docs if "x-step" not in d]
        self.docs = [d for d in docs if d["kind"] != "TrainJob"]
        self.trainjob = next(d for d in docs if d["kind"] == "TrainJob")
        self.name = self.trainjob["metadata"]["name"]
        self.said, self.uid, self.rendering, self.has_run = "", None, None, False

    @property
    def id(self):
        return f"{self.case} {self.state}"

    def job(self):
        return self.space.job(self.name)

    def jobset(self):
        return self.space.jobset(self.name)

    def true(self, kind):
        return (condition(self.job(), kind) or "").split(" ")[0]

    def pods(self):
        """Those that count: not deleted, not over."""
        return [p for p in self.space.pods() if "deletionTimestamp" not in p["metadata"]
                and p["status"].get("phase") not in ("Succeeded", "Failed")]

    def hopeless(self):
        """Why its Jobs or pods cannot be (B21, B36), as the API server or the scheduler says; else ""."""
        if self.case not in NO_PODS:
            return ""  # everybody else must run and finish
        alive = {o["metadata"]["uid"] for o in [self.jobset() or {"metadata": {"uid": ""}},
                                                *self.space.api.list("batch/v1", "Job", self.space.name)]}
        for event in self.space.api.list("events.k8s.io/v1", "Event", self.space.name):
            if event["regarding"].get("uid") in alive and event["reason"] in ("JobCreationFailed", "FailedCreate"):
                return event["note"]
        for pod in self.pods():
            if pod["spec"].get("resourceClaims") and pod["status"]["phase"] == "Pending":
                return "no node here has the devices of its resourceClaims"
            for c in pod["status"].get("conditions") or []:
                if c["type"] == "PodScheduled" and c["status"] == "False":
                    return c["message"]
        return ""

    def create(self):
        for doc in self.docs:
            self.post(doc, (201, 409))  # the runtimes of a case are shared by its states
        doc = dict(self.trainjob, spec=dict(self.trainjob["spec"], suspend=self.state == "waiting"))
        code, answer = self.post(doc, None)
        self.refused = None if code == 201 else answer["message"]

    def post(self, doc, codes):
        path = path_of(doc["apiVersion"], doc["kind"], self.space.name)
        code, answer = create_known(self.space.api, path, doc, self.space.name)
        assert codes is None or code in codes, (self.id, code, answer)
        return code, answer

    def is_recorded(self):
        """Whether v2.3.0 has made its JobSet when the case was recorded."""
        said = json.loads((recorded.GOLDEN / "expected" / f"{self.case}.json").read_text())
        return any(key.startswith("JobSet/") for key in said["stages"][0]["applied"])

    def suspend(self, value):
        self.space.suspend(value, self.name)

    def is_suspended(self):
        jobset = self.jobset()
        return jobset and jobset["spec"].get("suspend") and self.true("Suspended") == "True" and not self.pods()

    def is_running(self):
        """Its JobSet is not suspended, the status says no other, and the controller has made its Jobs."""
        jobset = self.jobset()
        return jobset and not jobset["spec"].get("suspend") and self.true("Suspended") != "True" and \
            "deletionTimestamp" not in jobset["metadata"] and bool(self.pods() or self.hopeless())

    def finish(self):
        """Every pod that comes succeeds, those of later jobs too, until the TrainJob is complete."""
        for pod in self.pods():
            if END not in (pod["metadata"].get("annotations") or {}):
                self.space.api.merge(f"/api/v1/namespaces/{self.space.name}/pods/{pod['metadata']['name']}",
                                     {"metadata": {"annotations": {END: "succeed"}}})
        return self.is_over()

    def is_over(self):
        return self.true("Complete") == "True" or bool(self.hopeless())

    def remember(self):
        jobset = self.jobset()
        self.uid = jobset and jobset["metadata"]["uid"]
        self.rendering = jobset and frozen_part(jobset)
        self.has_run = self.state != "waiting" and bool((jobset or {}).get("status"))  # not if its Jobs are refused


def without_empty(value):
    """v2.3.0 writes structs that are empty, ours leaves them out: to JobSet they are the same."""
    if isinstance(value, dict):
        return {k: v for k, v in ((k, without_empty(v)) for k, v in value.items()) if v != {}}
    return [without_empty(v) for v in value] if isinstance(value, list) else value


def frozen_part(jobset):
    """What must stay as it is: the jobs without what queues may change."""
    jobs = []
    for job in jobset["spec"]["replicatedJobs"]:
        job = yaml.safe_load(yaml.safe_dump(job))
        pod = job["template"]["spec"]["template"]
        for part, keys in MAY_CHANGE.items():
            for key in keys:
                (pod.get(part) or {}).pop(key, None)
        jobs.append(without_empty(job))
    return jobs


def all_of(players, what, act=None, until=None):
    """Everybody does it at once; whoever is not there in time is named."""
    with ThreadPoolExecutor(THREADS) as pool:
        if act:
            list(pool.map(act, players))
    if until:
        left = list(players)

        def look():
            left[:] = [p for p in left if not until(p)]
            return not left
        try:
            wait_for(what, look, SECONDS)
        except AssertionError:
            pytest.fail(f"{what}: stuck are " + "; ".join(
                f"{p.id}: {p.space.events()[-3:]}, "
                f"{(p.job() or {}).get('status')}" for p in left[:5]) + f" ({len(left)} of {len(players)})")


def bring_into_state(players):
    """Under whoever manages now."""
    all_of(players, "created", Player.create)
    made = [p for p in players if not p.refused]
    active = [p for p in made if p.state != "waiting"]
    # What v2.3.0 cannot render at all (B4, B24, B35) has no JobSet: the recording says so.
    all_of([p for p in made if p.is_recorded()], "their JobSets are there", None, Player.jobset)
    there = [p for p in active if p.jobset()]
    all_of([p for p in there if p.state == "suspended"], "suspended", lambda p: p.suspend(True),
           Player.is_suspended)
    all_of([p for p in there if p.state == "finished"], "finished", None, Player.finish)
    all_of([p for p in there if p.state == "running"], "running", None, Player.is_running)
    for p in made:
        p.remember()
    return made


def go_round(players):
    """Suspend what runs, resume all, let all finish."""
    open_ones = [p for p in players if p.state != "finished" or not p.uid]
    all_of([p for p in open_ones if p.state == "running"], "suspended after the switch",
           lambda p: p.suspend(True), Player.is_suspended)
    for p in open_ones:
        if p.uid and p.has_run:
            jobset = p.jobset()
            assert jobset["metadata"]["uid"] == p.uid, f"{p.id}: its JobSet was replaced"
            assert frozen_part(jobset) == p.rendering, f"{p.id}: its rendering was changed"
    all_of(open_ones, "resumed after the switch", lambda p: p.suspend(False), Player.is_running)
    all_of(open_ones, "finished after the switch", None, Player.finish)


def result_of(p):
    if p.refused:
        return "refused by v2.3.0: " + p.refused[:60].replace("\n", " ")
    if not p.jobset():
        return "no JobSet under either: " + next(note for kind, _, note in p.space.events() if kind == "Warning")[:80]
    if p.state == "finished":
        return "untouched" if p.uid else "made after the switch"
    if not p.uid:
        return "made after the switch, complete"
    how = "kept" if p.jobset()["metadata"]["uid"] == p.uid else "re-created"
    end = "complete" if p.true("Complete") == "True" else f"suspends and resumes; no pods: {p.hopeless()[:80]}"
    return f"{how}, {end}"


def write_table(name, players):
    rows = [("CASE", "STATE", "ADOPT", "RESULT")] + [(p.case, p.state, p.said, result_of(p)) for p in players]
    widths = [max(len(r[i]) for r in rows) for i in range(3)]
    text = "".join("  ".join([*(c.ljust(w) for c, w in zip(row, widths)), row[3]]) + "\n" for row in rows)
    (PROGRAM.parent / name).write_text(text)
    print(text)


def switch(plane, manager, to_upstream):
    """One manager's CRDs and process give way to the other's."""
    manager.stop()
    plane.client().install(fixtures.trainer_crds(to_upstream))
    new = Manager(plane, FOLDER / "managers/switch", 5 if to_upstream else 6, upstream=to_upstream).start()
    assert new.is_upstream() is to_upstream
    return new


def versions(players):
    """Of JobSets whose controller could make their Jobs; the others (B21) are re-created when they are looked at."""
    return {p.id: (j["metadata"]["uid"], j["metadata"].get("generation")) for p in players
            if (j := p.jobset()) and j.get("status")}


def test_nobody_is_stranded(cluster):
    manager = Manager(cluster, FOLDER / "managers/switch", 5).start()
    assert manager.is_upstream()
    players = [Player(cluster, case, state) for case in DIFFERS for state in STATES
               if case not in NEVER_RUN or state == "finished"]
    assert len(DIFFERS) >= 28
    try:
        made = bring_into_state(players)
        assert len({p.case for p in made if p.uid}) >= 20
        said = ask(cluster.kubeconfig(), "adopt", "-A", "-o", "json")
        results = {(o.get("namespace"), o["name"]): o for o in said.json["objects"] if o["kind"] == "TrainJob"}
        for p in made:
            p.said = results[p.space.name, p.name]["result"]
        same = [p for p in made if p.said != "differs"]  # of those adopt says that labels would change (B11)
        before = versions(same)
        manager = switch(cluster, manager, False)
        # What is not rendered by v2.3.0 at all is made now; nobody else is touched by the switch itself.
        assert {k: v for k, v in versions(same).items() if k in before} == before
        wait_for("what had no JobSet has one, or says why not", lambda: all(
            p.jobset() or any(kind == "Warning" for kind, _, _ in p.space.events()) for p in made), SECONDS)
        able = [p for p in made if p.jobset() and p.said not in ("fails", "refused")]
        assert {p.case for p in made} - {p.case for p in able} <= NO_JOBSET
        go_round(able)
        manager = switch(cluster, manager, True)
        all_of(able, "still complete after the switch back", None, Player.is_over)
        write_table("switch.txt", players)
        for p in able:  # adopt had said so
            if p.uid and p.has_run and p.state != "finished":
                assert p.said in ("kept", "running", "same", "differs"), (p.id, p.said)
    finally:
        manager.stop()
        for p in players:
            p.space.clean()
        cluster.client().install(fixtures.trainer_crds(True))


# ---- from one release of ours to the next

# One of every kind of runtime.
UPGRADED = ["basics/several-replicated-jobs", "basics/sidecars-and-init", "gang/cosched-basic", "gang/volcano-basic",
            "initializers/init-both-then-node", "jax/jax-many-nodes", "mpi/mpi-launcher-separate",
            "mpi/mpi-one-node-as-launcher", "overrides/set-everything", "patches/patch-volumes-mounts",
            "torch/torch-gpu-auto", "torch/torch-int-processes", "xgboost/xgb-cpu-workers", "flux/flux-two-nodes"]


def build_plugin(folder):
    """A release that renders otherwise: the example's plugin gives every trainer three more variables."""
    shutil.copytree(ROOT / "examples/plugin", folder, ignore=shutil.ignore_patterns("*.so"))
    subprocess.run(["make", "-C", folder, f"CPPFLAGS=-I{ROOT}/include"], check=True, capture_output=True,
                   env={k: v for k, v in os.environ.items() if k != "MAKEFLAGS"})
    return folder


class New(Player):
    """A job that the example's plugin renders otherwise."""

    def __init__(self, plane, case, state, prefix):
        super().__init__(plane, case, state, prefix)
        self.trainjob["metadata"].setdefault("annotations", {})["wandb.example.org/project"] = "vision"
        self.said = "-"

    def create(self):
        super().create()
        assert not self.refused, (self.id, self.refused)


class Old(New):
    """As the last release has left it: its JobSet is data (tests/golden/releases)."""

    def create(self):
        super().create()
        self.apply(self.state == "waiting")

    def apply(self, suspend):
        job = self.job()
        spec = dict(releases.last()[1][self.case][self.name], suspend=suspend)
        self.space.api.apply({
            "apiVersion": JOBSET_API, "kind": "JobSet",
            "metadata": {"name": self.name, "ownerReferences": [
                {"apiVersion": job["apiVersion"], "kind": "TrainJob", "name": self.name, "controller": True,
                 "uid": job["metadata"]["uid"], "blockOwnerDeletion": True}]},
            "spec": spec}, self.space.name, "trainer")


def test_an_upgrade_strands_nobody(cluster, tmp_path):
    plugin = build_plugin(tmp_path / "plugin")
    cluster.client().install(fixtures.trainer_crds(False))
    players = [Old(cluster, case, state, "up") for case in UPGRADED for state in STATES[:3]]
    manager = None
    try:
        all_of(players, "created", Old.create)
        all_of([p for p in players if p.state != "waiting"], "its pods run", None, Player.pods)
        all_of([p for p in players if p.state == "suspended"], "its pods are gone",
               lambda p: (p.suspend(True), p.apply(True)), lambda p: not p.pods())
        for p in players:
            p.remember()
        manager = Manager(cluster, FOLDER / "managers/upgrade", 6, upstream=False,
                          arguments=["--plugin-dir", plugin]).start()
        go_round(players)
        write_table("upgrade.txt", players)
        replaced = [p for p in players if p.jobset()["metadata"]["uid"] != p.uid]
        assert replaced and not any(p.has_run for p in replaced)
        kept = [p for p in players if any(reason == "RenderingKept" for _, reason, _ in p.space.events())]
        assert len(kept) > len(UPGRADED), "the plugin has changed nothing"
    finally:
        if manager:
            manager.stop()
        for p in players:
            p.space.clean()
        cluster.client().install(fixtures.trainer_crds(True))


def test_a_rollback_strands_nobody(cluster, tmp_path):
    """The other way: made by the operator that renders otherwise, and left to one that does not."""
    plugin = build_plugin(tmp_path / "plugin")
    cluster.client().install(fixtures.trainer_crds(False))
    players = [New(cluster, case, state, "down") for case in UPGRADED for state in STATES[:3]]
    manager = Manager(cluster, FOLDER / "managers/newer", 6, upstream=False, arguments=["--plugin-dir", plugin]).start()
    try:
        assert bring_into_state(players) == players
        assert all("WANDB_PROJECT" in json.dumps(p.jobset()["spec"]) for p in players), "the plugin has changed nothing"
        manager.stop()
        manager = Manager(cluster, FOLDER / "managers/older", 6, upstream=False).start()
        go_round(players)
        write_table("rollback.txt", players)
        replaced = [p for p in players if p.jobset()["metadata"]["uid"] != p.uid]
        assert replaced and not any(p.has_run for p in replaced)
    finally:
        manager.stop()
        for p in players:
            p.space.clean()
        cluster.client().install(fixtures.trainer_crds(True))
