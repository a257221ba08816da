"""Somebody else has an object of the name that a TrainJob's child would have: it stays to the letter as
it is, the TrainJob says what is in its way, and goes on when it is gone."""
import pytest

from client import path_of
from kit import (API, COSCHEDULING, JOBSET_API, condition, owner, replicated_job, runtime, stays,
                 trainjob, wait_for)
from manager import UPSTREAM
from test_faults import mpi_runtime
from test_serving import ask, metric

FAILED = "TrainJobResourcesCreationFailed"
GANG = {"podGroupPolicy": {"coscheduling": {}}}
DONE = {"type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "done",
        "lastTransitionTime": "2026-01-02T03:04:05Z"}


def jobset(name, suspend):
    return {"apiVersion": JOBSET_API, "kind": "JobSet", "metadata": {"name": name},
            "spec": {"suspend": suspend, "replicatedJobs": [replicated_job("mine", None)]}}


def theirs(name, what):
    """(object that stands in the way of this TrainJob, the runtime of the TrainJob)"""
    if what == "podgroup":
        return {"apiVersion": COSCHEDULING, "kind": "PodGroup", "metadata": {"name": name},
                "spec": {"minMember": 7}}, "rt"
    if what == "configmap":
        return {"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": f"{name}-mpi-hostfile"}, "data": {"hostfile": "mine"}}, "mpi"
    return jobset(name, what == "jobset"), "rt"


def owned_by(made, doc, controller):
    """The object with an owner that is not a TrainJob."""
    return {**doc, "metadata": {**doc["metadata"], "ownerReferences": [{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "somebody", "controller": controller,
        "uid": made["metadata"]["uid"]}]}}


def heard(one, space, doc):
    """Until the manager knows of all that was done to this kind before: a mark that comes after it is in
    its cache. Kinds are watched apart, so a TrainJob may be known before what was deleted earlier."""
    def known():
        return metric(ask(f"http://127.0.0.1:{one.metrics}/metrics")[1], "trainyard_cache_objects",
                      kind=doc["kind"])

    if UPSTREAM:
        return
    before = known()
    space.create(doc)
    wait_for(f"the {doc['kind']} is known", lambda: known() > before)


MARK = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mark-runtime-snapshot"}}


def live(space, doc):
    return space.get(doc["apiVersion"], doc["kind"], doc["metadata"]["name"])


def notes(space):
    """{TrainJob: what its events say}"""
    return {e["regarding"]["name"]: e["note"] for e in
            space.api.list("events.k8s.io/v1", "Event", space.name) if e["reason"] == FAILED}


def finish(space):
    """What a JobSet controller would say."""
    space.api.merge(space.path(JOBSET_API, "JobSet", "job", "status"),
                    {"status": {"conditions": [DONE]}})


WHOSE = {"controller": 'ConfigMap "somebody" controls it', "owner": 'ConfigMap "somebody" owns it',
         "nobody": 'field manager "{manager}" made it'}
PLURALS = {"JobSet": "jobsets.jobset.x-k8s.io", "PodGroup": "podgroups.scheduling.x-k8s.io",
           "ConfigMap": "configmaps"}


def in_the_way(space):
    """One of everything, by everybody: {TrainJob: (the object as it is, the TrainJob, whose)}"""
    somebody = space.create({"apiVersion": "v1", "kind": "ConfigMap",
                             "metadata": {"name": "somebody"}})
    made = {}
    for what in ("jobset", "running", "podgroup", "configmap"):
        for who, whose in WHOSE.items():
            if UPSTREAM and (who != "controller" or what == "running"):
                continue  # v2.3.0 applies to it by force, or takes it for its own
            name = f"{what}-{who}"
            doc, of = theirs(name, what)
            if who != "nobody":
                doc = owned_by(somebody, doc, who == "controller")
            made[name] = space.create(doc), trainjob(name, of, suspend=what != "running"), whose
    return made


def test_it_stays_as_it_is(bare, bare_space, make_manager):
    space = bare_space
    space.create(runtime(**GANG), mpi_runtime())
    made = in_the_way(space)
    make_manager(plane=bare, webhooks=False).start()
    space.create(*[job for _, job, _ in made.values()])
    wait_for("all say so", lambda: notes(space).keys() == made.keys())
    space.create(trainjob("next", suspend=True))
    space.wait_jobset("next")  # nobody else is held up
    for name, (doc, _, whose) in made.items():
        assert live(space, doc) == doc
        kind, its_name = doc["kind"], doc["metadata"]["name"]
        whose = whose.format(manager=doc["metadata"]["managedFields"][0]["manager"])
        assert UPSTREAM or notes(space)[name] == (
            f'TrainJob resources reconciliation failed: {kind} "{space.name}/{its_name}" '
            f"exists and is not this TrainJob's: {whose}. Give the TrainJob another name, or delete "
            f"the {kind}: kubectl -n {space.name} delete {PLURALS[kind]} {its_name}")
    for name, (doc, _, _) in made.items():
        space.api.delete(doc["apiVersion"], doc["kind"], space.name, doc["metadata"]["name"])
    for name, (doc, _, _) in made.items():
        wait_for("ours is there",
                 lambda: owner(live(space, doc) or doc) == [("TrainJob", name, True)])
        space.wait_jobset(name)


@pytest.mark.ours("v2.3.0 tells of its end as if it were its own, and deletes it at the deadline")
def test_it_is_neither_believed_nor_deleted(bare, bare_space, make_manager):
    space = bare_space
    space.create(runtime())
    made = space.create(jobset("job", False))
    make_manager(plane=bare, webhooks=False).start()
    space.create(trainjob(activeDeadlineSeconds=2))
    wait_for("an event", space.events)
    finish(space)
    job = space.wait_condition("Failed", "True DeadlineExceeded")
    stays("it is left alone", lambda: live(space, made), 0.5)
    assert condition(job, "Complete") is None


@pytest.mark.ours("v2.3.0 takes over the end of the job before it")
def test_jobset_of_an_earlier_job_of_that_name(bare, bare_space, make_manager):
    """Nobody collects garbage here, so it lies there until the test removes it."""
    space = bare_space
    space.create(runtime(), trainjob())
    one = make_manager(plane=bare, webhooks=False).start()
    old = space.wait_jobset()
    finish(space)
    space.wait_condition("Complete", "True")
    space.api.delete(API, "TrainJob", space.name, "job")
    space.api.delete("v1", "ConfigMap", space.name, "job-runtime-snapshot")
    heard(one, space, MARK)
    space.create(trainjob())
    note = wait_for("an event", space.events)[0][2]
    assert f'JobSet "{space.name}/job" is still there from an earlier TrainJob of that name' in note
    assert condition(space.job(), "Complete") is None
    space.api.delete(JOBSET_API, "JobSet", space.name, "job")
    wait_for("it has its own", lambda: (space.jobset() or old)["metadata"]["uid"]
             != old["metadata"]["uid"])


def test_orphans_are_taken_back(bare, bare_space, make_manager):
    """kubectl delete --cascade=orphan leaves them without an owner (the garbage collector takes it
    off; here we do): made by us once, they are ours again."""
    space = bare_space
    space.create(runtime(**GANG), trainjob(suspend=True), trainjob("other", suspend=True))
    one = make_manager(plane=bare, webhooks=False).start()
    for name in ("job", "other"):
        space.wait_condition("Suspended", "True", name)
        space.wait_jobset(name)
    space.api.delete(API, "TrainJob", space.name, "job")
    space.api.delete("v1", "ConfigMap", space.name, "job-runtime-snapshot")
    for api_version, kind in ((JOBSET_API, "JobSet"), (COSCHEDULING, "PodGroup")):
        space.api.merge(path_of(api_version, kind, space.name, "job"),
                        {"metadata": {"ownerReferences": None}})
    for api_version, kind in ((JOBSET_API, "JobSet"), (COSCHEDULING, "PodGroup")):
        space.comes_back(api_version, kind, "other")
    heard(one, space, MARK)
    uid = space.jobset()["metadata"]["uid"]
    space.create(trainjob(suspend=True))
    wait_for("it is ours", lambda: owner(space.jobset()) == [("TrainJob", "job", True)])
    assert space.jobset()["metadata"]["uid"] == uid
    space.wait_condition("Suspended", "True")
    assert space.events() == []
