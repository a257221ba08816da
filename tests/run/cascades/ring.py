"""A ring of plain sockets: ring.py FAILURE RANK ROUND. Each node sends a number to the next one, round after round."""
import atexit
import os
import signal
import socket
import sys
import time

import failures

failure, culprit, at = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
me, size = int(os.environ["JOB_COMPLETION_INDEX"]), int(os.environ["NODES"])
base = int(os.environ["PORT"])


def connect(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=float(os.environ.get("RING_TIMEOUT", "60")))
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise ConnectionRefusedError(f"nobody listens on {port}")


def fail(r):
    if failure in failures.FAILURES:
        failures.FAILURES[failure](r)
    if failure == "raise":
        raise ValueError(f"checksum of round {r} is wrong")
    if failure == "typo":
        return undefined_name  # noqa: F821
    if failure == "exit4":
        sys.exit(4)
    if failure == "message":
        sys.exit("ring.py: error: the vocabulary has 0 entries")
    if failure == "kill9":
        os.kill(os.getpid(), signal.SIGKILL)
    if failure == "term":
        os.kill(os.getpid(), signal.SIGTERM)
    if failure == "hang":
        time.sleep(3600)
    if failure == "linger":
        atexit.register(linger)  # it runs after the traceback is printed
        raise LookupError(f"bucket of round {r} is empty")
    return None


def linger():
    left.close()
    right.close()
    time.sleep(3)


server = socket.create_server(("127.0.0.1", base + me))
right = connect(base + (me + 1) % size)
left, _ = server.accept()
left.settimeout(float(os.environ.get("RING_TIMEOUT", "60")))
if "benign" in os.environ.get("SAY", "") and me != culprit:
    import traceback
    try:
        int("not a number")
    except ValueError:
        traceback.print_exc()  # told and survived
if "retry" in os.environ.get("SAY", ""):
    failures.survive(3)
for r in range(100):
    if r == at and me == culprit:
        fail(r)
    right.sendall(b"%8d" % r)
    got = left.recv(8)
    if not got and "eof" in os.environ.get("SAY", ""):
        raise EOFError("the left neighbor closed the connection")
    if not got:
        raise ConnectionResetError("the left neighbor is gone")
    if r % 5 == 0:
        print(f"round {r}/100", flush=True)
    time.sleep(0.01)
