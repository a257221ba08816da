"""Descriptors of the caller of a detached run: used for the input, then closed."""
import os
import subprocess

from past import until, wait_state
from runs import job


def test_a_detached_run_keeps_no_descriptor_of_its_caller(box):
    text, feed = os.pipe()
    os.write(feed, job("echo hello; %s" % until("go")).encode())
    os.close(feed)
    reader, writer = os.pipe()
    p = subprocess.run([box.binary, "run", "--detach", "/dev/fd/%d" % text, "--timeout", "600"], capture_output=True,
                       text=True, env=box.env, cwd=box.path, timeout=120, pass_fds=[text, writer])
    assert p.returncode == 0, p.stderr
    os.close(text)
    os.close(writer)
    os.set_blocking(reader, False)
    try:
        assert os.read(reader, 1) == b""  # nobody has the other end any more
    finally:
        os.close(reader)
        (box.path / "go").touch()
    wait_state(box, "Complete", "job")
