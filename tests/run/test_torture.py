"""What a run must survive, and what must not survive a run. The marker in the environment of trainyard itself is
inherited by everything it starts: shims, containers, their children and grandchildren."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from runs import BINARY, ROOT, finish, job
from waiting import poll_until, wait_for

RELEASE = ROOT / "build" / "trainyard"
FAMILY = "sleep 300 & setsid sleep 300 & (trap '' TERM; (sleep 300 & setsid sh -c 'sleep 300; :') & sleep 300) & "


class Marked:
    def __init__(self, box):
        self.box = box
        self.marker = f"TY_TORTURE={os.getpid()}-{random.randrange(1 << 30)}"
        name, value = self.marker.split("=")
        box.env[name] = value

    def survivors(self):
        found = []
        for p in pathlib.Path("/proc").iterdir():
            try:
                if p.name.isdigit() and self.marker.encode() in (p / "environ").read_bytes():
                    found.append((p / "cmdline").read_bytes())
            except OSError:
                pass
        return found

    def gone(self, seconds=60):
        """Nobody is left after a moment, however busy the machine is elsewhere."""
        poll_until(lambda: not self.survivors(), seconds)
        return self.survivors()

    def leftovers(self):
        """Processes, mounts, and what pods keep their files in."""
        state = self.box.path / "state"
        mounts = [l for l in open("/proc/self/mountinfo") if str(self.box.path) in l]
        return self.gone() + mounts + list(state.glob("trainyard/runs/*/pods/*"))


@pytest.fixture
def marked(box):
    return Marked(box)


def stop_helpers(p, comm):
    """SIGSTOP for the zygote of a run or the keepers of its pods."""
    parents, found = {}, []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        pid, name = head.split(" (", 1)
        parents[int(pid)] = int(rest.split()[1])
        if name == comm:
            found.append(int(pid))
    found = [pid for pid in found if p.pid in (parents[pid], parents.get(parents[pid]))]
    assert found
    for pid in found:
        os.kill(pid, signal.SIGSTOP)


def waiting_job(box):
    p = box.start(job("trap '' TERM; touch up-$JOB_COMPLETION_INDEX; while :; do sleep 0.1; done", nodes=2, grace=1),
                  "--timeout", "600")  # a test that fails leaves no run behind for ever
    wait_for("both run", lambda: all((box.path / f"up-{i}").exists() for i in (0, 1)), child=p)
    return p


@pytest.mark.parametrize("comm", ["ty-keeper", "ty-zygote"])
def test_a_stopped_helper_does_not_hold_a_second_signal(box, marked, comm):
    p = waiting_job(box)
    stop_helpers(p, comm)
    p.send_signal(signal.SIGTERM)
    wait_for("it stops", lambda: b"stopping; once more" in os.read(p.stderr.fileno(), 4096), child=p)
    p.send_signal(signal.SIGTERM)
    assert finish(p, timeout=60)[0] == 130
    assert marked.leftovers() == []


def test_a_stopped_keeper_holds_no_verb(box, marked):
    p = waiting_job(box)
    words = [[BINARY, "exec", "job", "node-0-0", "--", "true"], [BINARY, "delete", "job"]]
    for word in words:
        stop_helpers(p, "ty-keeper")
        said = subprocess.run(word, capture_output=True, text=True, env=box.env, cwd=box.path, timeout=60)
        assert said.returncode == 0, said
    assert finish(p, timeout=60)[0] == 1
    assert marked.leftovers() == []


def test_kill_9_at_fifty_moments(box, marked):
    """Two nodes, three if the moment is odd, each a family of seven; then one that ends well."""
    dice = random.Random(4)
    for i in range(50):
        p = box.start(job(FAMILY + "sleep 300", nodes=2 + i % 2))
        time.sleep(dice.uniform(0, 0.35))  # any moment is meant, not one that could be waited for
        p.kill()
        p.communicate(timeout=60)
        assert marked.gone() == [], f"killed as number {i}"
    code, out, err = box.run(job("echo fine"), "--keep")
    assert (code, out) == (0, "[node-0-0] fine\n"), err
    kept = sorted(box.path.glob("state/trainyard/runs/*/pods/*"))
    # The pod and what all pods share; of those that were killed nothing is left.
    assert len(kept) == 2 and "files" in {path.name for path in kept}
    assert sorted(marked.leftovers()) == kept
    box.run(job("echo fine"))
    assert sorted(marked.leftovers()) == kept


def test_the_history_of_a_killed_run(box, marked):
    p = box.start(job("echo up; sleep 300"))
    assert p.stdout.readline() == "[node-0-0] up\n"

    def get():
        return subprocess.run([BINARY, "get"], env=box.env, text=True, capture_output=True, check=True).stdout
    wait_for("it is in the history, which is written in batches", lambda: "job" in get(), show=get)
    assert "Interrupted" not in get()
    p.kill()
    p.communicate(timeout=60)
    assert marked.gone() == []
    assert "Interrupted" in get(), get()


def test_who_ignores_sigterm(box, marked):
    p = box.start(job("trap '' TERM INT HUP; echo up; " + FAMILY + "while :; do sleep 0.1; done", nodes=2, grace=2))
    up = {p.stdout.readline(), p.stdout.readline()}
    assert up == {"[node-0-0] up\n", "[node-0-1] up\n"}
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    assert p.returncode == 130, err
    assert marked.leftovers() == []


def test_command_that_does_not_exist(box, marked):
    code, out, err = box.run(job("x", nodes=3).replace("[sh, -c, 'x']", "[no-such-program]"))
    assert code == 1
    assert "no-such-program: No such file or directory" in err
    assert marked.leftovers() == []


def test_missing_secret(box, marked):
    code, out, err = box.run(job("echo started", nodes=3, more=", envFrom: [{secretRef: {name: keys}}]"))
    assert code == 1 and out == ""
    assert "Secret default/keys was not supplied" in err
    assert marked.leftovers() == []


def run_in(room, box):
    """The state folder is on a file system of this size; the job says 4 MB."""
    state = box.path / "state"
    state.mkdir()
    (box.path / "job.yaml").write_text(job("yes $(seq 1 40) | head -c 4000000; echo the end"))
    (box.path / "tmp").mkdir()
    box.env["TMPDIR"] = str(box.path / "tmp")
    script = f"mount -t tmpfs -o {room} tmpfs {state} && exec {BINARY} run job.yaml"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=box.path, env=box.env, text=True,
                          capture_output=True, timeout=120)
    assert "Sanitizer" not in done.stderr, done.stderr
    return done


may_mount = pytest.mark.skipif(subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0,
                               reason="this kernel allows no mounts here")


@may_mount
@pytest.mark.parametrize("room", ["size=4k", "size=16k", "size=128k", "nr_inodes=2", "nr_inodes=6", "nr_inodes=8"])
def test_no_room_to_begin(box, marked, room):
    """The job is more than its history: it goes on, and one warning says where its files are, and why."""
    done = run_in(room, box)
    assert done.returncode == 0 and "the end" in done.stdout, done.stderr
    assert done.stderr.count("warning: ") == 1, done.stderr
    assert f"this run has no history, its files are in {box.path}/tmp/trainyard-" in done.stderr
    assert "No space left on device" in done.stderr and str(box.path / "state") in done.stderr
    assert marked.leftovers() == []
    logs = list((box.path / "tmp").glob("trainyard-*/runs/*/logs/*/*.log"))
    assert len(logs) == 1 and logs[0].read_text().endswith("the end\n")


@may_mount
def test_no_room_anywhere(box, marked):
    """A job needs some files; without room for them a sentence names the path and the reason."""
    state = box.path / "state"
    state.mkdir()
    (box.path / "job.yaml").write_text(job("echo the end"))
    script = f"mount -t tmpfs -o size=4k tmpfs {state} && TMPDIR={state} exec {BINARY} run job.yaml"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=box.path, env=box.env, text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 1 and "the end" not in done.stdout
    assert str(state) in done.stderr and "No space left on device" in done.stderr
    assert "Sanitizer" not in done.stderr and marked.leftovers() == []


@may_mount
def test_no_room_for_the_log(box, marked):
    """The job is more than its log: it goes on, and one warning says what is missing."""
    done = run_in("size=1m", box)
    assert done.returncode == 0, done.stderr
    assert "the end" in done.stdout
    assert done.stderr.count("is cut off here: No space left on device") == 1, done.stderr
    assert marked.leftovers() == []


def test_a_log_of_1_gb(box, marked):
    """The run ends well and trainyard does not grow with what it reads."""
    binary = str(RELEASE) if RELEASE.exists() else BINARY
    (box.path / "job.yaml").write_text(job("yes $(seq 1 900) | head -c 1073741824; echo; echo the end"))
    tail = box.path / "tail"
    with open(tail, "w") as out:
        p = subprocess.Popen(["sh", "-c", f"exec {binary} run job.yaml"], cwd=box.path, env=box.env, stdout=out,
                             stderr=subprocess.PIPE, text=True)
        peaks = [0]

        def sample():
            try:
                status = pathlib.Path(f"/proc/{p.pid}/status").read_text()
                peaks.extend(int(l.split()[1]) for l in status.splitlines() if l.startswith("VmHWM"))
            except OSError:
                pass
            return p.poll() is not None

        wait_for("the run ends", sample)
    peak, err = max(peaks), p.stderr.read()
    assert p.returncode == 0, err[-2000:]
    with open(tail, "rb") as f:
        f.seek(-200, os.SEEK_END)
        assert b"the end" in f.read()
    tail.unlink()
    shutil.rmtree(box.path / "state")
    assert 0 < peak < (64 if binary == str(RELEASE) else 512) * 1024, f"{peak} kB"


def threads_of(uid):
    """How many a user has: they count for the limit."""
    found = 0
    for task in pathlib.Path("/proc").glob("[0-9]*/task"):
        try:
            found += len(list(task.iterdir())) if task.stat().st_uid == uid else 0
        except OSError:
            pass  # it has ended
    return found


def test_fork_bomb(marked, box):
    """200 processes is all that an ordinary user gets; the deadline of the Job ends them. They leave the machine to others."""
    become, others = [], 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-test-"))
    if os.getuid() == 0:  # nobody else's processes shall count
        uid = 2000000 + os.getpid()
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        os.chown(folder, uid, uid)
    else:
        others = threads_of(os.getuid())
    shutil.copy(BINARY, folder / "trainyard")
    text = job("bomb() { bomb | bomb & }; bomb; sleep 300").replace(
        "backoffLimit: 0", "backoffLimit: 0\n            activeDeadlineSeconds: 3")
    (folder / "job.yaml").write_text(text)
    box.path = folder
    env = dict(box.env, XDG_STATE_HOME=str(folder / "state"), HOME=str(folder))
    done = subprocess.run([*become, "nice", "-n", "19", "prlimit", f"--nproc={others + 200}", "./trainyard", "run", "-q", "job.yaml"],
                          cwd=folder, env=env, text=True, capture_output=True, timeout=120)
    assert done.returncode == 1, done.stderr[-2000:]
    assert "DeadlineExceeded" in done.stderr
    assert "Sanitizer" not in done.stderr
    assert marked.leftovers() == []
    shutil.rmtree(folder)
