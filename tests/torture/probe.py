#!/usr/bin/env python3
"""Clients that behave: the kubelet, and a user whose TrainJobs are reviewed. Told on stdin whom to ask (JSON); a
line of JSON for each question on stdout, until its reader is gone."""
import http.client
import json
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("cluster", "operator")]
from client import Client, path_of  # noqa: E402
from kit import API, trainjob  # noqa: E402

LOCK = threading.Lock()


def tell(what, begin, why):
    """why: None if it was as it should be."""
    with LOCK:
        print(json.dumps({"what": what, "begin": begin, "end": time.monotonic(), "why": why}), flush=True)


def ask_kubelet(port, path, seconds):
    """As a kubelet: a connection for each question."""
    conn = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        conn.request("GET", path)
        code = conn.getresponse().status
        return None if code == 200 else f"code {code}"
    except (OSError, http.client.HTTPException) as e:
        return f"{type(e).__name__}: {e}"
    finally:
        conn.close()


def kubelet(spec):
    while True:
        for path in ("/healthz", "/readyz"):
            begin = time.monotonic()
            tell(path[1:], begin, ask_kubelet(spec["health"], path, spec["timeouts"][path[1:]]))
        time.sleep(0.25)  # four questions a second


def review(api):
    """A TrainJob that is not stored, but reviewed."""
    try:
        code, said = api.request("POST", path_of(API, "TrainJob", "torture") + "?dryRun=All",
                                 trainjob("probe", "quick"))
        return None if code == 201 else f"{code} {said.get('message')}"
    except (OSError, ValueError, http.client.HTTPException) as e:
        return f"{type(e).__name__}: {e}"


def user(spec):
    api = Client(spec["api"], spec["ca"], spec["user_token"])
    while True:
        begin = time.monotonic()
        tell("review", begin, review(api))
        time.sleep(0.25)  # four questions a second


def main():
    spec = json.load(sys.stdin)
    threading.Thread(target=user, args=(spec,), daemon=True).start()
    try:
        kubelet(spec)
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
