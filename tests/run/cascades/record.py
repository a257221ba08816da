#!/usr/bin/env python3
"""usage: record.py [--venv DIR] [--jax DIR] [--dir DIR] [NAME...]

Runs the jobs of cases.py with `trainyard run`, and writes what each container left (the end of its log, its exit, when its
lines arrived) and who is to blame to src/report/testdata/cascades/NAME/;
failure_summary_cascades_test.c reads them.
TRAINYARD names the program. --venv has a newer torch, --jax has jax and mpi4py; the cases that need them are skipped without.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys

import cases
import more_cases

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TAIL = 65536  # as much of a log as the engine reads
ENTRIES = 64  # of arrival times


def ms(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def prepare(work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for program in HERE.glob("*.py"):
        shutil.copy(program, work)
    (work / "typo.py").write_text("import torhc\n")
    (work / "throws.cc").write_text('#include <stdexcept>\nint main() { throw std::runtime_error("shard 3 is truncated"); }\n')
    subprocess.run(["g++", "-o", work / "throws", work / "throws.cc"], check=True)
    shutil.copy(HERE / "ranks.c", work)
    subprocess.run(["mpicc", "-o", "ranks", "ranks.c"], check=True, cwd=work)
    (work / "Throws.java").write_text('class Throws { public static void main(String[] a) '
                                      '{ throw new IllegalStateException("shard 3 is truncated"); } }\n')
    (work / "panics.rs").write_text('fn main() { panic!("shard 3 is truncated"); }\n')
    (work / "gopanics.go").write_text('package main\n\nfunc main() { panic("shard 3 is truncated") }\n')
    for command in ["mpicc.mpich -o ranks-mpich ranks.c", "rustc -o panics panics.rs", "go build -o gopanics gopanics.go"]:
        if shutil.which(command.split()[0]):  # the cases that need them show their absence
            subprocess.run(command.split(), check=True, cwd=work)


def times_of(log, lines):
    """[[offset, ms]]: when the bytes of the log from this offset on arrived."""
    found, at = [], 0
    for when, text in lines:
        place = log.find(text.encode(), at)
        if place < 0:
            continue
        if not found or when > found[-1][1]:
            found.append([place, when])
        at = place + len(text.encode())
    return found


def cleaner(args):
    pairs = [(args.dir, "/opt/training"), (args.state, "/opt/state"), (args.venv, "/opt/venv"), (args.jax, "/opt/jax")]
    return [(os.path.realpath(a).encode(), b.encode()) for a, b in pairs if a]


def containers(objects, logs, clean, case):
    ends, lines, began = {}, {}, {}
    for o in objects:
        if o["type"] == "line":
            lines.setdefault((o["node"], o["container"]), []).append((ms(o["time"]), o["text"]))
        if o["type"] == "pod" and o["phase"] == "Running":
            began.setdefault(o["node"], ms(o["time"]))
        if o["type"] == "pod" and "exitCode" in o:
            ends[o["node"], o["container"]] = o
    zero = min([*began.values(), *(ms(o["time"]) for o in ends.values())]) - 1000  # 0 would be "unknown"
    for (node, container), end in sorted(ends.items(), key=lambda e: ms(e[1]["time"])):
        files = sorted((logs / end["pod"]).glob(f"{container}.*.log"))
        log = files[-1].read_bytes() if files else b""
        times = times_of(log, lines.get((node, container), []))
        for a, b in clean:  # paths of the machine, replaced by others of the same meaning; offsets follow
            while (i := log.find(a)) >= 0:
                log = log[:i] + b + log[i + len(a):]
                times = [[o + (len(b) - len(a)) * (o > i), t] for o, t in times]
        cut = max(0, len(log) - TAIL)
        code = end["exitCode"]
        forced = case.forced and node == case.node
        one = {"node": node, "container": container, "log": log[cut:], "code": code, "stopped": end["stopped"] and not forced,
               "sidecar": end.get("sidecar"), "began": began.get(node, zero) - zero, "ended": ms(end["time"]) - zero,
               "arrive": [[max(0, o - cut), t - zero] for o, t in times][-ENTRIES:]}
        if "stopTime" in end:
            one["stop"] = ms(end["stopTime"]) - zero
        if end.get("reason") == "StartError":
            one["never"] = end["message"]
        if forced:
            one["forced"] = case.forced
        if node.startswith("node-0-") and case.policy in ("torch", "jax", "xgboost"):
            one |= {"first-rank": int(node[7:]) * case.procs, "procs": case.procs}
        yield one


def is_victim(c, culprit):
    """It had last words before it was told to end, and somebody else is to blame."""
    at = min([place for words in (b"Traceback", b"Terminating process") if (place := c["log"].find(words)) >= 0], default=-1)
    when = max([ms for offset, ms in c["arrive"] if offset <= at], default=0)
    return isinstance(culprit, str) and c["node"] != culprit and at >= 0 and when < c.get("stop", when + 1)


def write(folder, result):
    """case.txt: KEY VALUE lines; a `node` line begins a container. C reads it without a JSON parser."""
    lines = [("about", result["about"])]
    for c in result["containers"]:
        lines += [("node", c["node"]), ("container", c["container"])]
        if c["log"]:
            lines.append(("log", f"{c['node']}.{c['container']}.log"))
            (folder / lines[-1][1]).write_bytes(c["log"])
        lines += [(key, c[key]) for key in ("code", "began", "ended", "stop", "first-rank", "procs", "never", "forced") if key in c]
        lines += [(key, "yes") for key in ("stopped", "asked", "sidecar") if c.get(key)]
        lines += [("arrive", f"{offset} {when}") for offset, when in c["arrive"]]
    want = result["want"]
    for key in ("node", "rank"):
        values = want[key] if isinstance(want[key], list) else [want[key]]
        lines += [(f"want-{key}", v) for v in values if v is not None]
    lines.append(("want-error", want["error"]))
    if want["silent"]:
        lines.append(("want-silent", want["silent"]))
    elif want["victims"]:
        lines += [("want-lost", c["node"]) for c in result["containers"] if is_victim(c, want["node"])]
    (folder / "case.txt").write_text("".join(f"{key} {value}\n" for key, value in lines))


def record(case, args, clean):
    work = pathlib.Path(args.dir)
    file = work / "job.yaml"
    text = case.yaml()
    for name, path in (("/opt/venv", args.venv), ("/opt/jax", args.jax)):
        if name in text and not path:
            return f"skipped: needs {name}"
        text = text.replace(name, os.path.realpath(path or ""))
    file.write_text(text)
    env = dict(os.environ, XDG_STATE_HOME=args.state)
    p = subprocess.run([args.trainyard, "run", file, "-o", "json", "--timeout", "60"], cwd=work, env=env, capture_output=True,
                       text=True)
    objects = [json.loads(line) for line in p.stdout.splitlines()]
    if not objects or objects[-1]["type"] != "summary" or p.returncode not in (1, 124):
        return f"exit code {p.returncode}: {p.stderr[-2000:]}{p.stdout[-2000:]}"
    summary = objects[-1]
    folder = pathlib.Path(args.out) / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    result = {"about": case.about, "containers": list(containers(objects, pathlib.Path(summary["logs"]), clean, case)),
              "want": {"node": case.node, "rank": case.rank, "error": case.error, "silent": case.silent, "victims": case.victims}}
    for c in result["containers"]:  # the timeout of the recording stopped it
        c["asked"] = p.returncode == 124 and c["stopped"]
    write(folder, result)
    return summary.get("verdict", "").split("\n")[0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--venv")
    parser.add_argument("--jax")
    parser.add_argument("--dir", default="/tmp/cascades/demo")
    parser.add_argument("--state", default="/tmp/ty", help="short: Python puts sockets below it, whose paths have a limit")
    parser.add_argument("--out", default=str(ROOT / "src/report/testdata/cascades"))
    parser.add_argument("--trainyard", default=os.environ.get("TRAINYARD", str(ROOT / "build/trainyard")))
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    prepare(pathlib.Path(args.dir))
    clean = cleaner(args)
    for case in cases.CASES + more_cases.CASES:
        if not args.names or any(case.name.startswith(n) for n in args.names):
            print(f"{case.name}: {record(case, args, clean)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
