"""The suite of `trainyard run` as an ordinary user, with user namespaces and where the kernel refuses them. (As root, or
as whoever runs the tests, it runs by itself: tests/run.) What cannot be had is said by `run` and skipped by the tests."""
import os
import re
import shutil
import subprocess

import pytest

from runs import BINARY, ROOT

PYTHON = "/usr/bin/python3"  # that of the tests may be in somebody's home
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"  # and so may be parts of root's
RELEASE = os.environ.get("TRAINYARD_RELEASE", BINARY)  # the sanitizers had their turn in tests/run
# These take long and do not depend on who runs them.
LEFT_OUT = ("test_large.py", "test_shrink.py", "test_a_log_of_1_gb", "test_kill_9_at_fifty_moments", "test_two_ddp_jobs_at_once", "test_a_random_rank_raises",
            "test_retries_after_a_while", "test_the_waiting_time_is_said", "test_a_pod_that_is_created_again_says_when",
            "test_a_failure_that_was_made_good_is_none", "test_progress_is_written_seldom", "test_a_hundred_nodes")
SITUATIONS = ("user", "no-user-namespaces")
NO_NAMESPACES = re.compile("no private mounts here|no network namespaces here|no user namespaces here|allows no mounts here")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root: this suite runs as one already")


@pytest.fixture(scope="module")
def started():
    """Both at once, each with its own copy of what it needs: the source folder may be closed to others."""
    if subprocess.run([PYTHON, "-c", "import pytest"], capture_output=True).returncode != 0:
        pytest.skip("python3-pytest: tools/deps test installs it on Debian 12")
    processes = {}
    for situation in SITUATIONS:
        top = f"/tmp/trainyard-{situation}-{os.getpid()}"
        os.mkdir(top, 0o755)
        for folder in "tests/run", "tests/host", "tests/history", "tests/cluster", "examples":
            shutil.copytree(ROOT / folder, f"{top}/{folder}", ignore=shutil.ignore_patterns("__pycache__"))
        for file in "pytest.ini", "tests/conftest.py":
            shutil.copy(ROOT / file, f"{top}/{file}")
        os.mkdir(f"{top}/build")
        shutil.copy(RELEASE, f"{top}/build/trainyard")
        os.mkdir(f"{top}/home")
        os.chown(f"{top}/home", 65534, 65534)
        left_out = " and ".join(f"not {name}" for name in LEFT_OUT)
        processes[situation] = top, subprocess.Popen(
            [PYTHON, "tests/host/situation.py", situation, PYTHON, "-B", "-m", "pytest", "-q", "-rs", "tests/run",
             "tests/host/test_mount_points.py", "tests/history/test_claims.py", "-k", left_out, f"--basetemp={top}/home/t"], cwd=top,
            env=dict(os.environ, TRAINYARD=f"{top}/build/trainyard", PATH=PATH, HOME=f"{top}/home", PYTHONDONTWRITEBYTECODE="1"), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield processes
    for top, p in processes.values():
        p.kill()
        p.wait()
        shutil.rmtree(top)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_suite_as(started, situation):
    _, p = started[situation]
    out, _ = p.communicate(timeout=1200)
    assert p.returncode == 0, out
    skipped = re.findall(r"^SKIPPED \[\d+\] \S+: (.*)$", out, re.M)
    # An ordinary user has all that root has; without namespaces a test says what it lacks.
    assert any(NO_NAMESPACES.search(s) for s in skipped) == (situation == "no-user-namespaces"), out
    print(out.splitlines()[-1], *skipped, sep="\n")


JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: small}
spec: {runtimeRef: {name: jax-distributed}, trainer: {numNodes: 2, command: [sh, -c, "echo $JAX_COORDINATOR_ADDRESS"]}}
"""


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_cannot_be_had_is_said(started, situation):
    top, _ = started[situation]
    p = subprocess.run([PYTHON, "tests/host/situation.py", situation, "build/trainyard", "run", "-"], cwd=top, input=JOB,
                       env={"HOME": f"{top}/home", "PATH": PATH}, text=True, capture_output=True, timeout=120)
    assert p.returncode == 0, p.stderr
    refused = "note: no private mounts here (make a user namespace: No space left on device): volumes cannot be mounted" in p.stderr
    assert refused == (situation == "no-user-namespaces"), p.stderr
    assert bool(re.search(r"\] 127\.\d+\.\d+\.\d+:", p.stdout)) == refused, p.stdout  # else a host name
