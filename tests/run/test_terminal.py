"""The table of a run on a terminal, a real pty: its sizes, keys, sudden ends, and what is left behind."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import pytest

from runs import BINARY, SLOW, job
from waiting import wait_for

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
        wait_for("the terminal has it", lambda: struct.unpack(
            "i", fcntl.ioctl(end, termios.FIONREAD, b"\0" * 4))[0] >= len(text))
        os.close(end)

    def see(self, pattern, seconds=60):
        """Reads until it has shown this; what it shows is drawn anew, so that a part may be overtaken."""
        wait_for(f"it shows {pattern}", lambda: re.search(pattern, plain(self.out)) or self.read(b"never", seconds=0.1),
                 seconds, show=lambda: plain(self.out), child=self.p)

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


UNTIL_GO = "while ! test -e go; do sleep 0.05; done"  # a test decides when it has seen enough
HALF = f"for i in 1 2 3 4 5 6 7 8; do echo step $i/8 loss 0.$i; if test $i = 4; then {UNTIL_GO}; fi; done"


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
def test_nothing_stays_in_tmux(box):
    """tmux puts what is erased from the top of the screen to its end into its history: every change of the
    pane's height left a table behind."""
    (box.path / "job.yaml").write_text(job(UNTIL_GO, nodes=2))
    # Without SHELL tmux runs the command by the user's shell of /etc/passwd, and nobody's is nologin.
    env = dict(box.env, LC_ALL="C.UTF-8", SHELL="/bin/sh")

    def tmux(*words):
        return subprocess.run(["tmux", "-S", str(box.path / "tmux"), "-f", "/dev/null", *words], env=env,
                              cwd=box.path, check=True, capture_output=True, text=True, timeout=60).stdout

    def shown():
        return tmux("capture-pane", "-p", "-S", "-")

    def clocks():
        return re.findall(r"job  running (\S+)", shown())

    tmux("new-session", "-d", "-x", "80", "-y", "24", f"{BINARY} run job.yaml; while :; do sleep 60; done")
    try:
        wait_for("the table", lambda: "node-0-1  running" in shown(), show=shown)
        for rows in (4, 12, 24):
            tmux("resize-window", "-x", "80", "-y", str(rows))
            clock = clocks()
            wait_for("a new table", lambda: set(clocks()) - set(clock), show=shown)
        # One that stayed would stay; a moment before a table is drawn there is none.
        wait_for("one table", lambda: (shown().count("node-0-0  running"), len(clocks())) == (1, 1), show=shown)
        (box.path / "go").touch()
        wait_for("the end", lambda: "logs: " in shown(), show=shown)
        assert "running" not in shown(), shown()
    finally:
        tmux("kill-server")


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


@pytest.mark.parametrize("sig", [signal.SIGQUIT, signal.SIGABRT])
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
        code = 130 if how in ("SIGINT", "SIGHUP") else -getattr(signal, how)
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
    wait_for("it has the terminal again", lambda: t.read(b"never", seconds=0.05) or not t.echoes())
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
