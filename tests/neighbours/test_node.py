"""A real node: containers that really run."""
import pytest

from kit import condition, replicated_job, runtime, trainjob, wait_for
from parts import IMAGE

# Rank 0 asks every other one for its number, by name; each answers once.
MEET = """set -e
if [ $JOB_COMPLETION_INDEX != 0 ]; then
  echo $JOB_COMPLETION_INDEX | nc -l -p 29500
  exit
fi
for i in $(seq 1 $((NODES - 1))); do
  until [ "$(nc $JOB-node-0-$i.$JOB.$SPACE.svc.cluster.local 29500 </dev/null 2>/dev/null)" = $i ]
  do sleep 0.2; done
done
"""


def boxed(script, space, nodes):
    """A trainer job of that script; names are as a pod sees them."""
    job = replicated_job()
    pod = job["template"]["spec"]["template"]["spec"]
    pod["containers"][0] = {
        "name": "node", "image": IMAGE, "imagePullPolicy": "Never",
        "command": ["sh", "-c", script],
        "env": [{"name": "NODES", "value": str(nodes)}, {"name": "JOB", "value": "job"},
                {"name": "SPACE", "value": space.name}]}
    pod["terminationGracePeriodSeconds"] = 1
    pod["automountServiceAccountToken"] = False
    return job


def running(space, n):
    pods = space.pods()
    return len(pods) == n and all(p["status"]["phase"] == "Running" for p in pods) and pods


def test_pods_find_each_other_by_name(node, at):
    space = at(node)
    space.create(runtime(jobs=[boxed(MEET, space, 3)]), trainjob(trainer={"numNodes": 3}))
    space.wait_condition("Complete", "True AllJobsCompleted", seconds=180)
    assert [p["status"]["phase"] for p in space.pods()] == ["Succeeded"] * 3
    assert space.events() == []


def test_failing_rank_fails_the_job(node, at):
    space = at(node)
    script = "test $JOB_COMPLETION_INDEX = 0 && sleep 600; exit 7"
    space.create(runtime(jobs=[boxed(script, space, 2)]), trainjob(trainer={"numNodes": 2}))
    job = space.wait_condition("Failed", "True FailedJobs: ", seconds=180)
    assert "job-node-0" in condition(job, "Failed")
    codes = [s["state"]["terminated"]["exitCode"] for p in space.pods()
             for s in p["status"].get("containerStatuses") or [] if "terminated" in s["state"]]
    assert 7 in codes


@pytest.mark.parametrize("times", [2])
def test_suspend_and_resume(node, at, times):
    space = at(node)
    space.create(runtime(jobs=[boxed("sleep 600", space, 2)]), trainjob(trainer={"numNodes": 2}))
    seen = set()
    for _ in range(times):
        pods = wait_for("they run", lambda: running(space, 2), 180)
        now = {p["metadata"]["uid"] for p in pods}
        assert not now & seen
        seen |= now
        space.suspend(True)
        space.wait_condition("Suspended", "True", seconds=180)
        wait_for("they are gone", lambda: not space.pods(), 180)
        space.suspend(False)
    wait_for("they run", lambda: running(space, 2), 180)
