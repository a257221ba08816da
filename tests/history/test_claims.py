"""Claims: what a deleted job leaves, and what stays until it is deleted by name."""
from past import rows, say, seen
from runs import finish, job, needs_mounts
from waiting import wait_for

pytestmark = needs_mounts

ALIVE = ("Running", "Terminating")
PVC = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: dataset}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
POLICIES = """\
      volumeClaimPolicies:
      - templates: [{metadata: {name: scratch}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
        retentionPolicy: {whenDeleted: Delete}
      - templates: [{metadata: {name: model}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
        retentionPolicy: {whenDeleted: Retain}
"""
MOUNTS = """, volumeMounts: [{name: scratch, mountPath: /ty-scratch}, {name: model, mountPath: /ty-model},
                             {name: dataset, mountPath: /ty-dataset}]"""
POD = """
                volumes: [{name: dataset, persistentVolumeClaim: {claimName: dataset}}]
"""


def run(box, command, **more):
    code, out, err = finish(box.start(job(command, policies=POLICIES, more=MOUNTS, pod=POD, **more) + PVC))
    assert code == 0, err
    return out


def claims(box):
    return {r["NAME"]: (r["STATUS"], r["TRAINJOB"], r["POLICY"]) for r in rows(say(box, "get", "claims"))}


def test_what_goes_with_a_job_and_what_stays(box):
    fill = "touch /ty-scratch/x /ty-model/x /ty-dataset/x"
    look = "ls /ty-scratch /ty-model /ty-dataset | tr '\\n' ' '"
    run(box, fill)
    assert claims(box) == {"dataset": ("Bound", "job", "Retain"), "model-job": ("Bound", "job", "Retain"),
                           "scratch-job": ("Bound", "job", "Delete")}
    assert run(box, look) == "[node-0-0] /ty-dataset: x  /ty-model: x  /ty-scratch: x \n"  # the same job goes on
    out = say(box, "delete", "job", "--dry-run")
    assert 'persistentvolumeclaim "scratch-job" deleted (dry run)' in out and "model-job" not in out
    assert 'persistentvolumeclaim "scratch-job" deleted\n' in say(box, "delete", "job")
    assert run(box, look) == "[node-0-0] /ty-dataset: x  /ty-model: x  /ty-scratch: \n"
    assert "/claims/dataset" in say(box, "get", "claims", "dataset", "-o", "wide")


def test_an_older_run_takes_nothing_from_a_newer_one(box):
    run(box, "touch /ty-scratch/old")
    run(box, "touch /ty-scratch/new")
    older = rows(say(box, "get", "-o", "wide"))[-1]["RUN"]
    assert "scratch-job" not in say(box, "delete", "job", "--run", older)
    assert "scratch-job" in claims(box)


def test_deleting_claims(box):
    run(box, "touch /ty-dataset/x")
    assert "--claims: name the claims" in say(box, "delete", "--claims", code=2)
    assert 'persistentvolumeclaims "none" not found' in say(box, "delete", "--claims", "none", code=1)
    assert say(box, "delete", "--claims", "dataset") == 'persistentvolumeclaim "dataset" deleted\n'
    assert say(box, "delete", "pvc", "model-job") == 'persistentvolumeclaim "model-job" deleted\n'
    assert list(claims(box)) == ["scratch-job"]
    assert say(box, "delete", "--claims", "--all") == 'persistentvolumeclaim "scratch-job" deleted\n'
    assert list((box.path / "state/trainyard/claims").iterdir()) == []


def test_a_claim_of_a_suspended_job(box):
    p = box.start(job("touch /ty-dataset/kept; echo ready; sleep 600", policies=POLICIES, more=MOUNTS, pod=POD) + PVC)
    assert "ready" in p.stdout.readline()
    wait_for("its pod is recorded", lambda: "Running" in seen(box, "get", "pods", "job"))
    say(box, "suspend", "job")
    wait_for("no pod", lambda: not [r for r in rows(say(box, "get", "pods", "job")) if r["STATUS"] in ALIVE])
    assert {c[0] for c in claims(box).values()} == {"InUse"}
    assert "a job that runs uses it" in say(box, "delete", "--claims", "--all", code=1)
    say(box, "resume", "job")
    assert "ready" in p.stdout.readline()
    assert (box.path / "state/trainyard/claims/dataset/kept").exists()
    say(box, "delete", "job")
    finish(p)
    assert "InUse" not in {c[0] for c in claims(box).values()}


def test_a_claim_in_use(box):
    p = box.start(job("echo ready; sleep 600", policies=POLICIES, more=MOUNTS, pod=POD) + PVC)
    assert "ready" in p.stdout.readline()
    assert claims(box)["dataset"][0] == "InUse"
    assert "a job that runs uses it" in say(box, "delete", "--claims", "dataset", code=1)
    assert 'persistentvolumeclaim "scratch-job" deleted' in say(box, "delete", "job")  # stops it first
    finish(p)
    assert sorted(claims(box)) == ["dataset", "model-job"]
