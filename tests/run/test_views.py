"""What a user sees of a run: on a terminal (a real pty), as JSON, and as the last word of a failure."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from conftest import BINARY, job

SHOW, HIDE = b"\x1b[?25h", b"\x1b[?25l"


def resize(fd, cols, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


class Terminal:
    """trainyard run on a pty of its own; what it writes is kept."""

    def __init__(self, box, text, *args, size=(80, 24), own=False, echo=True, **env):
        """own: it is the controlling terminal, as of a shell's job in the foreground."""
        file = box.path / "job.yaml"
        file.write_text(text)
        self.fd, end = pty.openpty()
        self.name = os.ttyname(end)
        resize(self.fd, *size)
        if not echo:
            self.set_echo(False)
        self.out = b""
        environ = dict(box.env, TERM="xterm", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        environ.pop("NO_COLOR")
        environ.update(env)
        self.p = subprocess.Popen([BINARY, "run", str(file), *args], stdin=end, stdout=end, stderr=end,
                                  cwd=box.path, env=environ, start_new_session=True,
                                  preexec_fn=lambda: self.before(own))
        os.close(end)

    @staticmethod
    def before(own):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests under nohup ignores it
        if own:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def echoes(self):
        return bool(termios.tcgetattr(self.fd)[3] & termios.ECHO)

    def set_echo(self, on):
        mode = termios.tcgetattr(self.fd)
        mode[3] = mode[3] | termios.ECHO if on else mode[3] & ~termios.ECHO
        termios.tcsetattr(self.fd, termios.TCSANOW, mode)

    def type(self, text):
        """Until the terminal has taken it: what it does with the echo later does not count for this."""
        os.write(self.fd, text)
        end = os.open(self.name, os.O_RDWR | os.O_NOCTTY)
        stop = time.monotonic() + 60
        while struct.unpack("i", fcntl.ioctl(end, termios.FIONREAD, b"\0" * 4))[0] < len(text):
            assert time.monotonic() < stop
            time.sleep(0.01)
        os.close(end)

    def see(self, pattern, seconds=60):
        """Reads until it has shown this; what it shows is drawn anew, so that a part may be overtaken."""
        stop = time.monotonic() + seconds
        while not re.search(pattern, plain(self.out)):
            assert time.monotonic() < stop and self.p.poll() is None, plain(self.out)
            self.read(b"never", seconds=0.1)

    def read(self, until=None, seconds=60, since=0):
        """Reads until the bytes are there, or to the end; True if they came."""
        stop = time.monotonic() + seconds
        while time.monotonic() < stop and not (until and until in self.out[since:]):
            if not select.select([self.fd], [], [], min(0.2, seconds))[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                break
            self.out += data
        return until in self.out[since:] if until else True

    def end(self, echo=None):
        self.read()
        code = self.p.wait(timeout=60)
        assert echo is None or self.echoes() == echo
        os.close(self.fd)
        assert b"Sanitizer" not in self.out, self.out.decode(errors="replace")
        return code


def plain(data):
    """The text without our own escape sequences."""
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", data).decode(errors="replace")


def frames(data):
    """Every escape sequence must be one of ours: colours, up, erase, cursor."""
    return re.findall(rb"\x1b\[([0-9;?]*)([A-Za-z])", data), re.findall(rb"\x1b(?!\[)", data)


SLOW = "for i in 1 2 3 4 5 6 7 8; do echo step $i/8 loss 0.$i; sleep 0.15; done"
UNTIL_GO = "while ! test -e go; do sleep 0.05; done"  # a test decides when it has seen enough
HALF = f"for i in 1 2 3 4 5 6 7 8; do echo step $i/8 loss 0.$i; if test $i = 4; then {UNTIL_GO}; fi; done"


def test_the_table(box):
    t = Terminal(box, job(HALF, nodes=2))
    t.see(r"node-0-1")
    t.see(r"job  running \d:\d\d  2 nodes")
    t.see(r"node-0-0  running +\d:\d\d  █+░+ +50%  loss 0\.4  step 4/8 loss 0\.4")
    t.see(r"job  running .*%.* loss 0\.\d")  # the job's own progress
    (box.path / "go").touch()
    assert t.end() == 0
    text = plain(t.out)
    assert "trainjob/job: Complete after" in text
    assert "last progress: 100%, loss 0.8" in text
    assert "logs: %s" % box.path in text
    assert t.out.count(HIDE) == 1 and t.out.rindex(SHOW) > t.out.rindex(HIDE)
    sequences, others = frames(t.out)
    assert {letter for _, letter in sequences} <= set([b"m", b"A", b"J", b"K", b"h", b"l"])
    assert others == []
    assert t.out.count(b"\r") >= t.out.count(b"\n")


def test_at_most_ten_times_a_second(box):
    began = time.monotonic()
    t = Terminal(box, job("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"))
    assert t.end() == 0
    drawn = t.out.count(b"job\x1b[0m  ")
    assert drawn <= (time.monotonic() - began) * 10 + 2


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_gives_the_cursor_back(box, times):
    deaf = "trap '' TERM; echo at-work; while :; do sleep 0.1; done"
    t = Terminal(box, job(deaf if times == 2 else "echo at-work; sleep 60"))
    assert t.read(b"at-work")
    for i in range(times):
        t.p.send_signal(signal.SIGINT)
        if i + 1 < times:
            assert t.read(b"once more to stop at once")
    assert t.end() == 130
    assert t.out.rindex(SHOW) > t.out.rindex(HIDE)
    text = plain(t.out)
    assert "note: interrupted: stopping" in text
    assert re.search(r"trainjob/job: Stopped after .*\n +interrupted \(SIGINT\)", text.replace("\r", ""))


@pytest.mark.parametrize("sig", [signal.SIGQUIT, signal.SIGABRT, signal.SIGHUP])
def test_a_sudden_death_gives_the_cursor_back(box, sig):
    t = Terminal(box, job("echo at-work; sleep 60"))
    assert t.read(b"at-work")
    t.p.send_signal(sig)
    assert t.end() == -sig
    assert t.out.rindex(SHOW) > t.out.rindex(HIDE)


def test_ctrl_z_and_back(box):
    t = Terminal(box, job("echo at-work; " + UNTIL_GO))
    assert t.read(b"at-work")
    t.p.send_signal(signal.SIGTSTP)
    assert t.read(SHOW)
    assert os.waitid(os.P_PID, t.p.pid, os.WSTOPPED | os.WNOWAIT).si_status == signal.SIGSTOP
    shown = len(t.out)
    t.p.send_signal(signal.SIGCONT)
    assert t.read(HIDE, since=shown)
    (box.path / "go").touch()
    assert t.end() == 0
    assert t.out.count(HIDE) == 2


@pytest.mark.parametrize("how", ["by itself", "SIGINT", "SIGQUIT", "SIGHUP"])
def test_typing_is_shown_again_afterwards(box, how):
    """What is typed would tear the table; a terminal that is left without echo is worse."""
    go = box.path / "go"
    t = Terminal(box, job("echo at-work; " + UNTIL_GO), own=True)
    assert t.read(b"at-work")
    assert not t.echoes()
    t.type(b"typed-words\n")
    if how == "by itself":
        go.touch()
        code = 0
    else:
        t.p.send_signal(getattr(signal, how))
        code = 130 if how == "SIGINT" else -getattr(signal, how)
    assert t.end(echo=True) == code
    assert b"typed-words" not in t.out


def test_a_terminal_that_was_silent_stays_so(box):
    t = Terminal(box, job(SLOW), own=True, echo=False)
    assert t.read(b"step ")
    assert t.end(echo=False) == 0


def test_ctrl_z_gives_the_typing_back(box):
    go = box.path / "go"
    t = Terminal(box, job("echo at-work; " + UNTIL_GO), own=True)
    assert t.read(b"at-work")
    t.p.send_signal(signal.SIGTSTP)
    os.waitid(os.P_PID, t.p.pid, os.WSTOPPED | os.WNOWAIT)
    assert t.echoes()
    t.p.send_signal(signal.SIGCONT)
    stop = time.monotonic() + 30
    while t.echoes() and time.monotonic() < stop:
        t.read(b"never", seconds=0.05)
    assert not t.echoes()
    go.touch()
    assert t.end(echo=True) == 0


def test_lines_leave_the_typing_alone(box):
    t = Terminal(box, job("echo at-work; sleep 0.3"), "-o", "plain", own=True)
    assert t.read(b"at-work")
    assert t.echoes()
    assert t.end(echo=True) == 0


@pytest.mark.parametrize("size", [(1, 1), (1, 24), (80, 1), (2, 2), (20, 3), (0, 0), (5000, 1000)])
def test_any_size(box, size):
    t = Terminal(box, job(SLOW, nodes=3), size=size)
    assert t.end() == 0
    assert "Complete after" in plain(t.out)
    if 1 < size[0] < 5000:  # what is in a frame fits its terminal
        table = t.out[t.out.index(HIDE):t.out.rindex(SHOW)]
        for line in re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", table).split(b"\r\n"):
            assert len(line.decode().strip("\r")) < size[0], line


def test_resize(box):
    t = Terminal(box, job(HALF, nodes=2), size=(120, 30))
    assert t.read(b"step ")
    for cols in (40, 10, 100):
        resize(t.fd, cols, 10)
        t.p.send_signal(signal.SIGWINCH)
        assert t.read(b"\n", since=len(t.out))
    (box.path / "go").touch()
    assert t.end() == 0


def test_escape_sequences_stay_out(box):
    evil = r"printf 'red \033[31mtext\033[2J\033[10;10Hhere \033]0;title\007 wide 漢字 \302\233 bad \377 end\r\n'; " + UNTIL_GO
    t = Terminal(box, job(evil), "--logs", "node-0-0")
    t.see(r"node-0-0  running +\d:\d\d  red texthere")
    (box.path / "go").touch()
    assert t.end() == 0
    assert b"\x1b[2J" not in t.out and b"\x1b]0;" not in t.out and b"\x1b[31mtext" not in t.out
    assert b"\xc2\x9b" not in t.out and b"\xff" not in t.out
    assert "[node-0-0] red texthere  wide 漢字  bad ? end" in plain(t.out)


def test_a_hundred_nodes(box):
    t = Terminal(box, job("echo at-work; " + UNTIL_GO, nodes=100), size=(80, 12))
    t.see("… and 91 more running", seconds=240)
    (box.path / "go").touch()
    assert t.end() == 0
    assert "node-0-0 … node-0-99  exit code 0, 100 nodes" in plain(t.out)


def test_one_node_beside_the_table(box):
    t = Terminal(box, job("echo line of $JOB_COMPLETION_INDEX; sleep 0.5", nodes=2), "--logs", "node-0-1")
    assert t.end() == 0
    assert "[node-0-1] line of 1" in plain(t.out)
    assert "[node-0-0]" not in plain(t.out)


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_lines(box, env):
    t = Terminal(box, job("echo hello"), **env)
    assert t.end() == 0
    assert b"[node-0-0] hello\r\n" in t.out and b"\x1b" not in t.out


def test_no_colour(box):
    t = Terminal(box, job(SLOW), NO_COLOR="1")
    assert t.end() == 0
    assert HIDE in t.out
    assert not re.search(rb"\x1b\[[0-9;]*m", t.out)


def test_ascii_terminal(box):
    t = Terminal(box, job(HALF), LANG="C", LC_ALL="C")
    t.see(r"#+-+ +\d+%")
    (box.path / "go").touch()
    assert t.end() == 0
    t.out.decode("ascii")


# ---- -o json ----

def test_json(box):
    code, out, err = box.run(job(SLOW, nodes=2), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    kinds = {o["type"] for o in objects}
    assert kinds == {"pod", "line", "event", "job", "progress", "summary"}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", o["time"]) for o in objects)
    line = next(o for o in objects if o["type"] == "line")
    assert set(line) == {"time", "type", "job", "node", "pod", "container", "text"}
    last = [o for o in objects if o["type"] == "progress"][-1]
    assert (last["percent"], last["step"], last["total"], last["metrics"]) == (100, 8, 8, {"loss": "0.8"})
    end = objects[-1]
    assert (end["type"], end["result"], end["restarts"]) == ("summary", "Complete", 0)
    assert [(n["node"], n["exitCode"]) for n in end["nodes"]] == [("node-0-0", 0), ("node-0-1", 0)]
    assert os.path.isdir(end["logs"])
    status = [o for o in objects if o["type"] == "job"][-1]["status"]["trainerStatus"]
    assert status["progressPercentage"] == 100
    assert status["metrics"] == [{"name": "loss", "value": "0.8"}]
    assert "lastUpdatedTime" in status


def test_rank_0_speaks_for_the_job(box):
    code, out, err = box.run(job(
        "if [ $JOB_COMPLETION_INDEX = 0 ]; then sleep 0.3; echo step 2/8; else echo step 7/8; sleep 0.6; echo step 8/8; fi",
        nodes=2), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    assert objects[-1]["progress"]["percent"] == 25
    assert [o["percent"] for o in objects if o["type"] == "progress" and o["node"] == "node-0-1"] == [87, 100]


def test_only_the_trainer_counts(box):
    code, out, err = box.run(job(
        "echo hello",
        before="""      - name: prep
        template:
          spec:
            backoffLimit: 0
            template: {spec: {restartPolicy: Never, containers: [{name: p, image: none, command: [echo, 50% done]}]}}""",
        depends="        dependsOn: [{name: prep, status: Complete}]"), "-o", "json")
    assert code == 0, err
    objects = [json.loads(l) for l in out.splitlines()]
    assert any(o["type"] == "progress" and o["percent"] == 50 for o in objects)
    assert "progress" not in objects[-1]
    assert not any("trainerStatus" in o["status"] for o in objects if o["type"] == "job")


def test_progress_is_written_seldom(box):
    began = time.monotonic()
    code, out, err = box.run(job("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo step $i/1000; sleep 0.002; done"),
                             "-o", "json")
    objects = [json.loads(l) for l in out.splitlines()]
    written = {json.dumps(o["status"]["trainerStatus"]) for o in objects
               if o["type"] == "job" and "trainerStatus" in o["status"]}
    # Once a second, and with what is written anyway: the pods run, the job ends.
    assert code == 0 and len(written) <= time.monotonic() - began + 6
    assert objects[-1]["progress"]["percent"] == 100


def test_json_of_an_interrupted_run(box):
    p = box.start(job("echo at-work; sleep 60"), "-o", "json")
    for l in p.stdout:
        if json.loads(l)["type"] == "line":
            break
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=60)
    objects = [json.loads(l) for l in out.splitlines()]
    assert p.returncode == 130 and err.count("\n") <= 1  # the warning about the image
    assert any(o["type"] == "note" for o in objects)
    assert any(o["type"] == "event" and o["reason"] == "Stopped" for o in objects)
    assert (objects[-1]["result"], objects[-1]["message"]) == ("Stopped", "terminated (SIGTERM)")


def test_a_format_that_does_not_exist(box):
    code, out, err = box.run(job("true"), "-o", "xml")
    assert code == 2 and '"xml" is not one of table, plain, json' in err


# ---- plain, quiet, keep ----

def test_conditions_are_told_once(box):
    code, out, err = box.run(job(SLOW))
    assert code == 0
    assert err.count("trainjob/job: Complete:") == 1
    assert "\x1b" not in out + err


def test_quiet(box):
    code, out, err = box.run(job("echo hello"), "--quiet")
    assert (code, out) == (0, "")
    assert "Complete after" in err and "Complete:" not in err
    code, out, err = box.run(job("echo hello; exit 3"), "-q")
    assert (code, out) == (1, "")
    assert "node-0-0 failed: exit code 3" in err


def test_keep(box):
    code, out, err = box.run(job("echo data > $TMPDIR/file"), "--keep")
    kept = re.search(r"^kept: (.*)$", err, re.M).group(1)
    assert [p.read_text() for p in box.path.glob(os.path.relpath(kept, box.path) + "/*/tmp/file")] == ["data\n"]
    code, out, err = box.run(job("echo data > $TMPDIR/file"))
    assert "kept:" not in err
    run = os.path.dirname(re.search(r"^logs: (.*)$", err, re.M).group(1))
    assert not os.path.exists(run + "/pods")


# ---- what failed first ----

def message(box, text, *args):
    """The verdict as the user reads it, and the message of the TrainJob's condition."""
    code, out, err = box.run(text, "-o", "json", *args)
    assert code == 1, err
    objects = [json.loads(l) for l in out.splitlines()]
    conditions = [o for o in objects if o["type"] == "job"][-1]["status"]["conditions"]
    return objects[-1]["verdict"], next(c["message"] for c in conditions if c["type"] == "Failed")


def test_the_first_of_three(box):
    verdict, condition = message(box, job(
        "echo begin; touch up.$JOB_COMPLETION_INDEX; if [ $JOB_COMPLETION_INDEX = 1 ]; then "
        "until [ -e up.0 ] && [ -e up.2 ]; do sleep 0.05; done; echo last words; exit 7; fi; sleep 60", nodes=3))
    assert re.match(r"node-0-1 failed first: exit code 7, after \d+\.\d s\n    begin\n    last words\n", verdict)
    assert "2 others were stopped by trainyard because of it" in verdict
    assert condition.startswith("jobset failed due to one or more job failures (first failed job: job-node-0)\nnode-0-1 failed")
    assert "last words" in condition


def test_it_is_the_first_word_of_the_end(box):
    code, out, err = box.run(job("sleep 0.2; echo last words; exit 7"))
    assert code == 1
    end = err[err.index("trainjob/job: Failed:"):].splitlines()
    assert end[1].startswith("node-0-0 failed: exit code 7") and end[2] == "    last words"
    assert end[4].startswith("trainjob/job: Failed after")


def test_traceback(box):
    (box.path / "boom.py").write_text("def f():\n    raise ValueError('boom')\nf()\n")
    verdict, condition = message(box, job("/usr/bin/python3 boom.py"))
    assert verdict.startswith("node-0-0 failed: ValueError: boom (exit code 1), after ")
    assert "    Traceback (most recent call last):\n" in verdict


@pytest.mark.parametrize("command, words", [  # $$ in a manifest is one dollar
    ("kill -9 $$$$", "killed by signal 9 (SIGKILL)"),
    ("kill -SEGV $$$$", "segmentation fault (SIGSEGV)"),
    ("no-such-command", "exit code 127: command not found"),
    ("sh -c 'kill -9 $$$$'; exit $?", "exit code 137: something in it died of SIGKILL"),
])
def test_words(box, command, words):
    verdict, condition = message(box, job(command))
    assert verdict.startswith("node-0-0 failed: " + words), verdict


def test_a_program_that_is_not_there(box):
    verdict, condition = message(box, job("x").replace("[sh, -c, 'x']", "[no-such-program]"))
    assert "node-0-0 failed: could not start: " in verdict and "no-such-program: No such file" in verdict


def test_restarts(box):
    verdict, condition = message(box, job(
        "sleep 0.2; if [ -e %s/again ]; then exit 4; fi; touch %s/again; exit 3" % (box.path, box.path),
        policies="      failurePolicy: {maxRestarts: 1}"))
    assert re.match(r"node-0-0 failed: exit code 4, after \d+\.\d s, in attempt 2\n", verdict)
    assert re.search(r"^attempt 1: node-0-0 failed first: exit code 3, after \d+\.\d s$", verdict, re.M)


def test_a_failure_that_was_made_good_is_none(box):
    text = job("if [ -e %s/again ]; then exit 0; fi; touch %s/again; exit 3" % (box.path, box.path))
    code, out, err = box.run(text.replace("backoffLimit: 0", "backoffLimit: 2"), "-o", "json")
    assert code == 0
    assert "verdict" not in json.loads(out.splitlines()[-1])


def test_ten_thousand_lines_of_last_words(box):
    verdict, condition = message(box, job(
        "i=0; while [ $i -lt 10000 ]; do echo line $i; i=$((i+1)); done; exit 5"))
    lines = verdict.splitlines()
    assert lines[1:21] == ["    line %d" % i for i in range(9980, 10000)]
    assert len(condition) < 32768


def test_timeout_and_deadline(box):
    code, out, err = box.run(job("sleep 60"), "--timeout", "1")
    assert code == 124 and "trainjob/job: Stopped after" in err and "out of time (--timeout 1)" in err
    code, out, err = box.run(job("sleep 60"), "--set", "spec.activeDeadlineSeconds=1")
    assert code == 1 and "trainjob/job: Failed after" in err
    assert re.search(r"trainjob/job: Failed after.*\n +.*(deadline|active)", err, re.I), err
