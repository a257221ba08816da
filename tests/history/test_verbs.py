"""Detached runs, and the verbs for a running one from another terminal: attach, wait, exec."""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from past import root, rows, say, seen, state, until, wait_state
from runs import finish, job
from test_several_jobs import two
from waiting import wait_for


def detach(box, text, *args):
    """With a timeout, so that a test that fails leaves no run behind for ever."""
    (box.path / "job.yaml").write_text(text)
    return subprocess.run([box.binary, "run", "--detach", "job.yaml", "--timeout", "600", *args], capture_output=True, text=True,
                          env=box.env, cwd=box.path, timeout=120)


def start(box, *args):
    return subprocess.Popen([box.binary, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=box.env, cwd=box.path)


def test_detach_attach_wait(box):
    p = detach(box, job("echo hello; %s; echo bye" % until("go"), name="ddp", nodes=2))
    assert (p.returncode, p.stdout) == (0, "trainjob.trainer.kubeflow.org/ddp created\n")
    assert "'trainyard attach ddp' follows it" in p.stderr
    pid = next(line.split()[1] for line in say(box, "describe", "ddp").splitlines() if line.startswith("Process:"))
    assert os.getsid(int(pid)) == int(pid)
    err = say(box, "wait", "ddp", "--timeout", "100ms", code=1)
    assert err == "error: timed out waiting for the condition on trainjobs/ddp\n"
    follower, waiter = start(box, "attach", "trainjob/ddp"), start(box, "wait", "--for=condition=complete", "ddp")
    wait_for("it shows lines", lambda: follower.stdout.readline(), child=follower)
    (box.path / "go").touch()
    code, out, err = finish(follower)
    assert code == 0
    assert "[node-0-0] bye\n" in out and "[node-0-1] bye\n" in out
    assert "trainjob/ddp: Complete after" in err and "node-0-1  exit code 0" in err
    assert finish(waiter) == (0, "trainjob.trainer.kubeflow.org/ddp condition met\n", "")
    assert "trainjob/ddp: Complete after" in next(root(box).glob("runs/*/run.log")).read_text()
    # Afterwards, too.
    assert say(box, "wait", "trainjob", "ddp") == "trainjob.trainer.kubeflow.org/ddp condition met\n"
    err = say(box, "wait", "ddp", "--for", "failed", code=1)
    assert err == 'error: trainjob "ddp" is Complete: the condition cannot be met any more\n'
    assert "[node-0-1] bye\n" in say(box, "attach", "ddp-node-0-0")


def test_detach_names_all_jobs(box):
    p = detach(box, two("true", "true"))
    assert p.stdout == "".join(f"trainjob.trainer.kubeflow.org/{name} created\n" for name in ("ddp", "eval"))
    assert "NAME is one of: ddp, eval\n" in p.stderr
    say(box, "wait", "ddp", "eval")


def test_detach_says_what_is_wrong(box):
    p = detach(box, "kind: TrainJob\n")
    assert p.returncode == 1 and p.stdout == "" and "apiVersion" in p.stderr
    p = detach(box, job("true", more=", resources: {limits: {nvidia.com/gpu: 64}}"))
    assert p.returncode == 1 and p.stdout == "" and "nvidia.com/gpu" in p.stderr
    p = detach(box, job("true"), "-o", "json")
    assert p.returncode == 2 and "--detach prints no output" in p.stderr


def test_detach_without_a_history_leaves_nothing(box):
    (box.path / "tmp").mkdir()
    box.env["TMPDIR"] = str(box.path / "tmp")
    box.env["XDG_STATE_HOME"] = "/proc/nowhere"  # nobody can write there
    p = detach(box, job("true"))
    assert p.returncode == 1 and "--detach: the history is needed" in p.stderr
    assert box.env["TMPDIR"] not in p.stderr  # a directory that is not there
    assert list((box.path / "tmp").iterdir()) == []


def test_verbs_at_once_after_detach(box):
    """The run is accepted before it has pods."""
    detach(box, job("echo hello; %s" % until("go")))
    assert say(box, "exec", "job", "node-0-0", "--", "echo", "there") == "there\n"
    assert "has no node \"node-7-0\"; it has: node-0-0" in say(box, "exec", "job", "node-7-0", "--", "true", code=1)
    say(box, "delete", "job")
    detach(box, job("echo hello; %s" % until("go")))
    say(box, "logs", "job")
    (box.path / "go").touch()
    say(box, "wait", "job")


def test_ctrl_c_detaches(box):
    detach(box, job("echo hello; %s" % until("go")))
    p = start(box, "attach", "job")
    wait_for("it shows lines", lambda: p.stdout.readline(), child=p)
    p.send_signal(signal.SIGINT)
    code, _, err = finish(p)
    assert code == 130 and 'detached: trainjob "job" continues' in err and "Complete" not in err
    wait_state(box, "Running", "job")
    (box.path / "go").touch()
    assert "condition met" in say(box, "wait", "job")


def test_attach_ends_as_the_job_ends(box):
    detach(box, job("echo hello; %s; echo boom; exit 3" % until("go")))
    p = start(box, "attach", "job")
    wait_for("it shows lines", lambda: p.stdout.readline(), child=p)
    (box.path / "go").touch()
    code, out, err = finish(p)
    assert code == 1 and "[node-0-0] boom" in out
    assert "node-0-0 failed: exit code 3" in err and "trainjob/job: Failed after" in err
    # Out of time, and deleted.
    (box.path / "go").unlink()
    detach(box, job("sleep 60", name="late"), "--timeout", "1")
    code, _, err = finish(start(box, "attach", "late"))
    assert code == 124 and "out of time (--timeout 1)" in err
    detach(box, job("echo hello; sleep 60", name="gone"))
    p, w = start(box, "attach", "gone"), start(box, "wait", "gone", "--for=delete")
    wait_for("it shows lines", lambda: p.stdout.readline(), child=p)
    say(box, "delete", "gone")
    assert finish(p)[0] == 1
    assert finish(w)[:2] == (0, "trainjob.trainer.kubeflow.org/gone condition met\n")


def test_attach_after_a_stop(box):
    p = box.start(job("trap 'exit 143' TERM; echo hello; while :; do sleep 0.05; done", name="halt"))
    wait_for("it runs", lambda: p.stdout.readline(), child=p)
    assert "--logs nope: no node of that name; there are node-0-0" in say(box, "attach", "halt", "--logs", "nope", code=2)
    p.send_signal(signal.SIGINT)
    assert "node-0-0  stopped (143)" in finish(p)[2]
    first = say(box, "attach", "halt", code=130)
    assert "trainjob/halt: Stopped after" in first and "node-0-0  stopped (143)" in first
    p = box.start(job("echo hello; sleep 60", name="dead"))
    wait_for("it runs", lambda: p.stdout.readline(), child=p)
    wait_state(box, "Running", "dead")
    wait_for("its pod is recorded", lambda: "Running" in seen(box, "get", "pods", "dead"))
    follower = subprocess.Popen([box.binary, "logs", "-f", "dead"], env=box.env, cwd=box.path, stdout=subprocess.PIPE, text=True)
    assert follower.stdout.readline() == "[node-0-0] hello\n"
    p.kill()
    p.wait()
    assert follower.communicate(timeout=60)[0] == "" and follower.returncode == 0
    last = say(box, "attach", "dead", code=130)
    assert "node-0-0  interrupted" in last
    time.sleep(1.1)  # the duration has tenths of a second, and must not grow with the clock
    assert say(box, "attach", "halt", code=130) == first and say(box, "attach", "dead", code=130) == last


@pytest.mark.parametrize("words", [["suspend", "job"], ["resume", "job"], ["delete", "job"], ["wait", "job"],
                                   ["attach", "job"], ["exec", "job", "node-0-0", "--", "true"], ["logs", "-f", "job"]],
                         ids=lambda w: w[0])
def test_a_run_that_is_stopped(box, words):
    p = box.start(job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"), child=p)
    p.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, p.pid, os.WSTOPPED)  # on a busy machine it still runs for a moment
    try:
        said = say(box, *words, code=1)
        assert f'error: the run of trainjob "job" (pid {p.pid}) is stopped; continue it: kill -CONT {p.pid}\n' in said
    finally:
        p.send_signal(signal.SIGCONT)
    (box.path / "go").touch()
    assert finish(p)[0] == 0


def test_wrong_words(box):
    assert "--for now" in say(box, "wait", "job", "--for", "now", code=2)
    assert "--timeout soon" in say(box, "wait", "job", "--timeout", "soon", code=2)
    assert 'trainjobs.trainer.kubeflow.org "nobody" not found' in say(box, "attach", "nobody", code=1)
    assert 'trainjobs.trainer.kubeflow.org "nobody" not found' in say(box, "wait", "trainjob/nobody", code=1)


def test_exec(box):
    mounts = ", volumeMounts: [{name: data, mountPath: /mnt/data}], env: [{name: FOO, value: bar}]"
    detach(box, job("echo hello > /mnt/data/file; %s" % until("go"), nodes=2, more=mounts,
                    pod="                volumes: [{name: data, emptyDir: {}}]"))
    wait_for("it runs", lambda: subprocess.run([box.binary, "exec", "job", "node-0-1", "--", "test", "-e", "/mnt/data/file"],
                                               env=box.env, cwd=box.path, capture_output=True).returncode == 0)
    out = say(box, "exec", "job", "node-0-1", "--", "sh", "-c", "echo $FOO $HOSTNAME; cat /mnt/data/file")
    assert out == "bar job-node-0-1\nhello\n"
    say(box, "exec", "job-node-0-0", "--", "sh", "-c", "exit 7", code=7)
    say(box, "exec", "pod/job-node-0-0", "--", "sh", "-c", "kill -9 $$", code=137)
    p = subprocess.run([box.binary, "exec", "-i", "trainjob/job", "node-0-0", "--", "cat"], input="abc", text=True,
                       capture_output=True, env=box.env, cwd=box.path, timeout=120)
    assert (p.returncode, p.stdout, p.stderr) == (0, "abc", "")
    assert "it has: node-0-0, node-0-1" in say(box, "exec", "job", "node-9", "--", "true", code=1)
    assert "exec nosuch: No such file" in say(box, "exec", "job", "node-0-0", "--", "nosuch", code=127)
    assert 'no container "x"' in say(box, "exec", "job", "node-0-0", "-c", "x", "--", "true", code=255)
    assert "after --" in say(box, "exec", "job", "node-0-0", code=2)
    (box.path / "go").touch()
    say(box, "wait", "job")
    assert "does not run: it is Complete" in say(box, "exec", "job", "node-0-0", "--", "true", code=1)


def read_until(fd, text):
    out = b""
    while text not in out:
        out += os.read(fd, 4096)
    return out


def test_exec_with_a_terminal(box):
    detach(box, job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"))
    fd, end = pty.openpty()
    before = termios.tcgetattr(end)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
    p = subprocess.Popen([box.binary, "exec", "-it", "job", "node-0-0", "--", "sh", "-c",
                          "trap 'echo now $(stty size)' WINCH; echo size $(stty size); test -t 0 && read x; "
                          "echo got $x; while :; do sleep 0.1; done"],
                         stdin=end, stdout=end, stderr=end, env=box.env, cwd=box.path, start_new_session=True,
                         preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    read_until(fd, b"size 33 77")
    os.write(fd, b"word\r")
    read_until(fd, b"got word")
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 50, 0, 0))
    read_until(fd, b"now 20 50")
    os.write(fd, b"\x03")  # Ctrl-C goes to the command
    assert p.wait(timeout=120) == 130
    assert termios.tcgetattr(end) == before
    (box.path / "go").touch()
    say(box, "wait", "job")


def faulty(box, source):
    """The environment of a program whose C library has these functions instead of its own."""
    (box.path / "fault.c").write_text("#define _GNU_SOURCE\n" + source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "fault.so", "fault.c", "-ldl"], cwd=box.path, check=True)
    return dict(box.env, LD_PRELOAD=str(box.path / "fault.so"), ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")


SENDMSG = """
#include <errno.h>
#include <sys/socket.h>
ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
    (void)fd, (void)msg, (void)flags;
    errno = ETOOMANYREFS;  /* the kernel's limit of descriptors that are under way */
    return -1;
}
"""


def test_exec_that_cannot_send_its_request(box):
    """It says so, instead of waiting for the answer of a run that still waits for the request."""
    detach(box, job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"))
    p = subprocess.run([box.binary, "exec", "job", "node-0-0", "--", "true"], capture_output=True, text=True,
                       env=faulty(box, SENDMSG), cwd=box.path, timeout=60)
    assert p.returncode == 255
    assert "job-node-0-0: cannot send the command to the run: Too many references" in p.stderr
    (box.path / "go").touch()
    say(box, "wait", "job")


CLOCK = """
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *ret)
{
    static time_t ahead;
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int r = real(id, ret);
    if (id == CLOCK_REALTIME)
        ret->tv_sec += ahead += 3600;
    return r;
}
"""


def test_wait_when_the_clock_is_set(box):
    """The machine's time jumps by an hour whenever it is read; a timeout is a matter of time that passes."""
    detach(box, job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"))
    p = subprocess.Popen([box.binary, "wait", "job", "--timeout", "30m"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, env=faulty(box, CLOCK), cwd=box.path)
    with pytest.raises(subprocess.TimeoutExpired):  # it polls ten times a second: several polls
        p.wait(timeout=2)
    (box.path / "go").touch()
    assert finish(p) == (0, "trainjob.trainer.kubeflow.org/job condition met\n", "")


def test_exec_input_that_nobody_reads(box):
    detach(box, job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"))
    fd, end = pty.openpty()
    before = termios.tcgetattr(end)
    p = subprocess.Popen([box.binary, "exec", "-it", "job", "node-0-0", "--", "sh", "-c",
                          "stty raw -echo; echo ready; sleep 600"],
                         stdin=end, stdout=end, stderr=end, env=box.env, cwd=box.path, start_new_session=True)
    read_until(fd, b"ready")
    os.set_blocking(fd, False)
    while select.select([], [fd], [], 1)[1]:  # until both terminals are full: no event says so
        os.write(fd, b"x" * 1000)
    p.send_signal(signal.SIGTERM)
    assert p.wait(timeout=120) == 130
    assert termios.tcgetattr(end) == before
    (box.path / "go").touch()
    say(box, "wait", "job")


def test_refused_logs_leave_no_run(box):
    assert box.run(job("true"))[0] == 0
    assert box.run(job("true"), "--logs", "node-0-9")[0] == 2
    assert detach(box, job("true"), "--logs", "node-0-9").returncode == 2
    assert "--logs zzz: no node of that name" in say(box, "rerun", "job", "--logs", "zzz", code=2)
    assert [row["STATE"] for row in rows(say(box, "get"))] == ["Complete"]
    assert len(list(root(box).glob("runs/*"))) == 1


@pytest.mark.parametrize("how", ["full", "closed", "pipe"])
def test_attach_without_an_output_says_nothing_of_the_state(box, how):
    detach(box, job("echo hello; %s" % until("go")))
    wait_for("it runs", lambda: "hello" in seen(box, "logs", "job"))
    to = {"full": ">/dev/full", "closed": ">&-", "pipe": "| true"}[how]
    p = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" attach job --tail=-1 ' + to, box.binary], capture_output=True,
                       text=True, env=box.env, cwd=box.path, timeout=120)
    assert (p.returncode, p.stderr) == (
        1, 'error: the output cannot be written: detached from trainjob "job", which continues\n')
    assert state(box, "job") == "Running"
    (box.path / "go").touch()
    say(box, "wait", "job")


def test_rerun_of_a_damaged_input(box):
    assert box.run(job("true"))[0] == 0
    kept = next(root(box).glob("runs/*/input.json"))
    for text in ("{", "", "[]", "{}"):
        kept.write_text(text)
        assert f'the input of run "job" is damaged: {kept}' in say(box, "rerun", "job", code=1)
    kept.unlink()
    os.mkfifo(kept)
    err = say(box, "rerun", "job", code=1, timeout=60)
    assert f'the input of run "job" cannot be read: {kept}: it is not a regular file' in err


def test_rerun(box):
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: hidden-word}\n---\n"
    code, _, err = box.run(secret + job("echo $X in $PWD with $FOO", more=", env: [{name: FOO, value: a}]"),
                           "--set", "metadata.labels.example\\.com/team=nlp", "-e", "X=secret-word")
    assert code == 0, err
    other = box.path / "elsewhere"
    other.mkdir()
    p = subprocess.run([box.binary, "rerun", "job", "-e", "X=other"], capture_output=True, text=True, env=box.env,
                       cwd=other, timeout=120)
    assert p.returncode == 0, p.stderr
    assert p.stdout == f"[node-0-0] other in {box.path} with a\n"
    assert "values of --env are not kept, give them again: X" in p.stderr
    assert "not kept, name their files again: Secret s" in p.stderr
    out = say(box, "rerun", "1", "--set", "spec.trainer.command=[sh, -c, echo changed]", "-q", "-o", "json")
    assert '"result":"Complete"' in out
    assert '"example.com/team":"nlp"' in say(box, "get", "trainjob", "job", "-o", "json").replace(": ", ":")
    for kept in root(box).glob("runs/*/input.json"):
        assert "hidden-word" not in kept.read_text() and "secret-word" not in kept.read_text()
        assert kept.stat().st_mode & 0o077 == 0
    assert "not found" in say(box, "rerun", "99", code=1)
    next(root(box).glob("runs/*/input.json")).unlink()
    assert "has kept no input" in "".join(
        subprocess.run([box.binary, "rerun", n], capture_output=True, text=True, env=box.env, cwd=box.path).stderr
        for n in ("1", "2", "3"))


def test_notify(box):
    tell = "echo $TRAINYARD_JOB $TRAINYARD_RESULT: $TRAINYARD_HEADLINE >> told"
    assert box.run(job("true", name="good"), "--notify", tell)[0] == 0
    assert box.run(job("echo boom; exit 3", name="bad"), "--notify", tell)[0] == 1
    told = (box.path / "told").read_text().splitlines()
    assert told[0].startswith("good Complete: ")
    assert told[1].startswith("bad Failed: node-0-0 failed: exit code 3")
    code, _, err = box.run(job("true"), "--notify", "exit 9")
    assert code == 0 and err.count("warning: --notify exit 9: it failed with exit code 9") == 1


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_notify_that_does_not_end(box):
    """It takes the 30 s that such a command has."""
    code, _, err = box.run(job("true"), "--notify", "sleep 600 & echo $! > child; wait")
    assert code == 0 and "it took longer than 30 s and was killed" in err
    pid = int((box.path / "child").read_text())
    wait_for("its processes end", lambda: not is_alive(pid))


def test_signals_reach_the_notify_command(box):
    p = box.start(job("true"), "--notify", "trap 'touch told; exit 0' TERM; touch ready; while :; do sleep 0.05; done")
    wait_for("it runs", lambda: (box.path / "ready").exists(), child=p)
    p.send_signal(signal.SIGTERM)
    assert finish(p)[0] == 0
    assert (box.path / "told").exists()


def test_completion_of_names(box):
    for name in ("ddp", "eval"):
        assert box.run(job("true", name=name, nodes=2))[0] == 0
    complete = """source <(%s completion bash)
        trainyard() { %s "$@"; }
        COMP_WORDS=(trainyard "$@"); COMP_CWORD=$#; COMP_LINE="trainyard $*"; _trainyard; echo "${COMPREPLY[@]}" """ % (box.binary, box.binary)

    def offered(*words):
        p = subprocess.run(["bash", "-c", complete, "bash", *words], capture_output=True, text=True, env=box.env,
                           cwd=box.path, timeout=120)
        assert p.stderr == ""
        return p.stdout.split()

    assert offered("logs", "") == ["ddp", "eval"]
    assert offered("describe", "d") == ["ddp"]
    assert offered("exec", "eval", "") == ["node-0-0", "node-0-1"]
    assert offered("wait", "--f") == ["--for"]


def test_a_restart_that_is_stopped_does_not_hide_the_failure(box):
    """The Job fails at its backoffLimit, and the container that was restarted for it is stopped."""
    text = job("test -e done && exec sleep 60; touch done; exit 3").replace("restartPolicy: Never", "restartPolicy: OnFailure")
    code, out, err = box.run(text.replace("backoffLimit: 0", "backoffLimit: 1"))
    assert code == 1
    assert "node-0-0: node ended by signal 15, as asked\n" in err
    assert "  node-0-0  exit code 3, " in err and "  stopped" not in err
    shown = say(box, "attach", "job", code=1)
    assert "  node-0-0  exit code 3, " in shown and "restarted" not in shown
    assert "3, then 143 (signal 15)" in say(box, "describe", "job")


def test_attach_shows_the_result_of_the_retry(box):
    """It ended well, before the other container of its pod was stopped."""
    again = "test -e again && { touch retried; exit 0; }; touch again; exit 3"
    command = "test $JOB_COMPLETION_INDEX = 1 || { %s; }; %s; exit 4" % (again, until("stop"))
    other = "}, {name: other, image: none, command: [sleep, '60']"
    text = job(command, nodes=2, more=other).replace("restartPolicy: Never", "restartPolicy: OnFailure")
    p = box.start(text.replace("backoffLimit: 0", "backoffLimit: 2"))
    retried = lambda: "Completed" in seen(box, "describe", "job")
    wait_for("the retry has ended", lambda: (box.path / "retried").exists() and retried(), child=p)
    now = int(time.time())
    wait_for("the second is over", lambda: int(time.time()) > now + 1)  # a pod's times have no fractions
    (box.path / "stop").touch()
    code, _, err = finish(p)
    result = lambda text: [re.sub(r"[\d.]+ m?s\b", "", line) for line in text.splitlines() if re.match("  node-0-", line)]
    assert code == 1 and len(result(err)) == 2, err
    assert result(say(box, "attach", "job", code=1)) == result(err)


def test_stopped_with_an_exit_code(box):
    """As torchrun, which handles SIGTERM."""
    p = box.start(job("trap 'exit 1' TERM; echo up; sleep 60 & wait"))
    wait_for("it handles the signal", lambda: "up" in p.stdout.readline(), child=p)
    p.send_signal(signal.SIGINT)
    code, _, err = finish(p)
    assert code == 130
    assert "node-0-0: node ended with exit code 1, as asked\n" in err and "node failed" not in err
