"""What is printed, and left for .ci/run."""
from collections import Counter
from typing import NamedTuple

HEAD = (f"{'family':11} {'tried':>7} {'answered':>8} {'refused':>8} {'cut':>7} {'silent':>6} {'left':>6} {'held':>5} "
        f"{'healthz':>8} {'readyz':>8} {'review':>8} {'peak MiB':>9}  verdict")
MIB = 1 << 20


class Row(NamedTuple):
    family: str
    tally: dict
    latency: dict  # worst milliseconds: healthz, readyz, review
    peak: int
    troubles: list


def codes(outcomes):
    """(answered, {code: refused})."""
    good = sum(n for code, n in outcomes.items() if code[:1] in "23")
    return good, {code: n for code, n in sorted(outcomes.items()) if code[:1] in "145"}


def added(tallies):
    """One tally out of those of several attackers."""
    total = {"tried": 0, "held": 0, "outcomes": Counter(), "ports": Counter(), "notes": Counter()}
    for one in tallies:
        total["tried"] += one["tried"]
        total["held"] += one["held"]
        total["outcomes"].update(one["outcomes"])
        total["ports"].update(one["ports"])
        total["notes"].update(one["notes"])
    return total


def line(row):
    good, refused = codes(row.tally["outcomes"])
    out = row.tally["outcomes"]
    times = " ".join(f"{row.latency[what]:5.0f} ms" for what in ("healthz", "readyz", "review"))
    return (f"{row.family:11} {row.tally['tried']:7} {good:8} {sum(refused.values()):8} {out['cut']:7} {out['silent']:6} "
            f"{out['left']:6} {row.tally['held']:5} {times} {row.peak / MIB:9.1f}  {'FAILED' if row.troubles else 'ok'}")


def details(row):
    """More than fits into a line: the codes, the ports, and what was wrong."""
    _, refused = codes(row.tally["outcomes"])
    found = []
    if refused:
        found.append("refused with " + ", ".join(f"{code}: {n}" for code, n in refused.items()))
    found.append("to " + ", ".join(f"{name}: {n}" for name, n in sorted(row.tally["ports"].items())))
    notes = [f"    {n} times: {why}" for why, n in row.tally["notes"].most_common(4)]
    return ["    " + "; ".join(found)] + notes + [f"    FAILED: {row.family}: {why}" for why in row.troubles]


def write_results(path, rows, skipped=0):
    """rows: {name: failed?}."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"torture {name}\t{int(not bad)}\t{int(bad)}\t0\n" for name, bad in rows.items())
    path.write_text(text or f"torture\t0\t0\t{skipped}\n")
