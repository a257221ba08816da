"""file:// and what does not depend on the source: the terminal, the disk, usage."""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios

import pytest
from initialize import TRAINYARD, Box, clean_env, noise
from waiting import wait_for


def tree(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return f"file://{folder}"


FILES = {"a.txt": b"1", "d/b.bin": noise(100_000), "d/e/ü c": b""}


def test_a_folder(tmp_path, box):
    uri = tree(tmp_path / "src", FILES)
    said = box.run("dataset", uri).ok()
    assert box.files() == FILES and box.is_tidy()
    assert said.out.startswith("100%: 3 files, 100 kB in ")
    assert "3 were there before" in box.run("dataset", uri).ok().out


def test_copies_on_the_disk_and_across(tmp_path, box):
    """Never a hard link: training may write into its copy."""
    uri = tree(tmp_path / "src", FILES)
    box.run("dataset", uri).ok()
    assert (box.to / "d/b.bin").stat().st_ino != (tmp_path / "src/d/b.bin").stat().st_ino
    assert (tmp_path / "src/d/b.bin").stat().st_nlink == 1
    shm = "/dev/shm"
    if os.path.isdir(shm) and os.stat(shm).st_dev != os.stat(tmp_path).st_dev:
        other = Box(tmp_path)
        other.to = type(tmp_path)(f"{shm}/trainyard-test-{os.getpid()}")
        try:
            other.run("dataset", uri).ok()
            assert other.files() == FILES
        finally:
            shutil.rmtree(other.to, ignore_errors=True)


def test_the_copy_replaces_what_was_there(tmp_path, box):
    uri = tree(tmp_path / "src", {"a": b"new"})
    box.to.mkdir()
    (box.to / "a").write_bytes(b"old")
    keep = tmp_path / "keep"
    os.link(box.to / "a", keep)
    box.run("dataset", uri).ok()
    assert box.files() == {"a": b"new"} and keep.read_bytes() == b"old"


def test_one_run_at_a_time(tmp_path, box, files):
    files.files["/f"] = noise(1_000_000)
    held = files.fault("/f", hold=300_000)
    first = box.start("dataset", f"{files.url}/f")
    wait_for("it has begun", lambda: box.to.exists() and box.parts(), child=first)
    box.run("dataset", f"{files.url}/f").bad("is being filled by another trainyard")
    held.go()
    assert first.wait(60) == 0


@pytest.mark.parametrize("args, words", [
    (["initialize"], "say what to fetch: dataset or model"),
    (["initialize", "weights", "--uri", "hf://a/b"], "say what to fetch"),
    (["initialize", "dataset"], "STORAGE_URI is not set"),
    (["initialize", "dataset", "--uri", "gs://a/b"], "'gs' is not one of hf, s3, http, https, file"),
    (["initialize", "dataset", "--uri", "cache://s/t"], "cache:// starts a distributed cache"),
    (["initialize", "dataset", "--uri", "a/b"], "did you mean hf://a/b?"),
    (["initialize", "dataset", "--uri", "hf://a/b", "--jobs", "0"], "--jobs: \"0\" is not a number from 1 to 64"),
    (["initialize", "dataset", "--uri", "hf://a/b", "--retries", "-1"], "--retries"),
    (["initialize", "dataset", "--uri", "hf://a/b", "--to", ""], "the folder's name is empty"),
    (["initialize", "dataset", "--frm", "x"], "unknown option --frm"),
])
def test_usage(args, words):
    done = subprocess.run([TRAINYARD, *args], env=clean_env(), capture_output=True, text=True)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


def test_a_token_with_a_line_break(box):
    box.run("dataset", "hf://a/b", ACCESS_TOKEN="x\ny").bad("holds white space", code=2)


def test_lines_where_there_is_no_terminal(files, box):
    """One line every ten seconds, and one at the end; each begins with its percentage."""
    files.files["/f"] = noise(1_200_000)
    files.fault("/f", rate=100_000)
    lines = box.run("dataset", f"{files.url}/f").ok().out.splitlines()
    assert 2 <= len(lines) < 20, lines  # it takes twelve seconds, and longer where there is much else to do
    for line in lines[:-1]:
        assert re.fullmatch(r"\d\d%: [\d.]+ (kB|MB) of 1.2 MB, [\d.]+ kB/s, 0:\d\d left", line), lines
    assert lines[-1].startswith("100%: 1 file, 1.2 MB in ")


def test_quiet(tmp_path, box):
    said = box.run("dataset", tree(tmp_path / "src", FILES), "-q").ok()
    assert said.out == "" and said.err == ""


def on_terminal(command, columns=80, **env):
    """What a terminal of this width is sent."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=clean_env(TERM="xterm", **env))
    os.close(child)
    text = b""
    while select.select([parent], [], [], 60)[0]:
        try:
            got = os.read(parent, 65536)
        except OSError:
            break
        if not got:
            break
        text += got
    os.close(parent)
    return process.wait(60), text.decode()


@pytest.mark.parametrize("columns", [80, 40])
def test_a_bar_on_a_terminal(files, box, columns):
    files.files["/f"] = noise(600_000)
    files.fault("/f", rate=400_000)
    code, text = on_terminal(box.command("dataset", f"{files.url}/f"), columns, NO_COLOR="1")
    bars = re.findall(r"\r([^\r]*?)\x1b\[K", text)
    shown = [bar for bar in bars if bar]
    assert code == 0 and len(shown) >= 4
    assert all(len(bar) < columns for bar in shown)
    assert columns < 80 or all(re.match(r"\[#*\.*\] +\d+% ", bar) for bar in shown)
    assert any("kB/s" in bar for bar in shown)
    assert "\x1b[1" not in text  # no colour
    last = text.rpartition("\x1b[K")[2]
    assert last.startswith("100%: 1 file, 600 kB in ")


def test_notes_do_not_tear_the_bar(files, box):
    files.files["/f"] = noise(400_000)
    files.fault("/f", rate=400_000, cut=200_000)
    code, text = on_terminal(box.command("dataset", f"{files.url}/f"))
    assert code == 0
    note = text.index("trying again")
    line = text[text.rindex("\r", 0, note) + 1:note]
    assert line.startswith("\x1b[K") and "%" not in line


def unshared(box, size, command):
    """In a mount namespace of its own, where `to` is a file system of this size."""
    box.to.mkdir()
    script = f'mount -t tmpfs -o size={size} none "{box.to}" && "$@"; code=$?; ls -A "{box.to}" >&2; exit $code'
    probe = subprocess.run(["unshare", "-rm", "true"], capture_output=True)
    if probe.returncode:
        pytest.skip(f"no mount namespace: {probe.stderr.decode().strip()}")
    return ["unshare", "-rm", "sh", "-c", script, "sh", *command]


@pytest.mark.parametrize("known", [True, False])
def test_disk_full(files, box, known):
    """Known sizes are compared with the free room first; unknown ones run into the wall."""
    files.files["/f"] = noise(3_000_000)
    files.fault("/f", times=9, chunked=not known)
    command = unshared(box, "1m", box.command("dataset", f"{files.url}/f"))
    done = subprocess.run(command, capture_output=True, text=True, env=clean_env())
    assert done.returncode == 1, done.stderr
    first = done.stderr.splitlines()[0]
    if known:
        assert first.startswith(f"error: no room on the disk of {box.to}: 3000000 bytes are to come, "), done.stderr
    else:
        assert first == f"error: no room left on the disk of {box.to} while writing f", done.stderr
    assert "f" not in done.stderr.splitlines()[1:]


def test_disk_full_is_seen_before(hub, box):
    hub.add("datasets", "o/n", {"a": noise(600_000), "b": noise(600_000, 2)})
    command = unshared(box, "1m", box.command("dataset", "hf://o/n"))
    done = subprocess.run(command, capture_output=True, text=True, env=clean_env(HF_ENDPOINT=hub.url))
    assert done.returncode == 1
    assert f"no room on the disk of {box.to}: 1200000 bytes are to come" in done.stderr
    assert not [path for path, _ in hub.seen if "resolve" in path]


def test_a_folder_that_may_not_be_written(tmp_path, box):
    uri = tree(tmp_path / "src", FILES)
    box.to = type(tmp_path)("/proc/none/x")
    box.run("dataset", uri).bad("cannot make the folder /proc/none")
