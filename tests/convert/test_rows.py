"""Every row of the V1 tables (rows.tsv) is shown by a case, its recorded result and what is rendered of it."""
import re
from pathlib import Path

from test_convert import CASES, GOOD, HERE, REFUSED, TRAINYARD, rendered, want

WAYS = {1: "shared policies", 2: "pods", 3: "PyTorchJob", 4: "TFJob", 5: "MPIJob", 6: "XGBoostJob, JAXJob, PaddleJob"}


def read():
    rows = [line.split("\t") for line in (HERE / "rows.tsv").read_text().splitlines() if line[:1] not in ("", "#")]
    return [(number, field, case, shows.split(" && ")) for number, field, case, shows in rows]


ROWS = read()


def one_space(text):
    return re.sub(r"\s+", " ", text)


def faults(case, shows):
    """What a row claims and its case does not show."""
    found = []
    for claim in shows:
        text = rendered(case) if claim.startswith("render:") else want(case)
        words = claim.removeprefix("render:")
        absent = words.startswith("!")
        if (words.removeprefix("!") in one_space(text)) == absent:
            found.append(f"{'has' if absent else 'has not'}: {words.removeprefix('!')}")
    return found


def test_numbers_have_no_holes():
    numbers = [tuple(map(int, number.split("."))) for number, *_ in ROWS]
    assert sorted(set(a for a, _ in numbers)) == list(WAYS)
    for table in WAYS:
        assert [b for a, b in numbers if a == table] == list(range(1, 1 + sum(a == table for a, _ in numbers)))


def test_every_row_is_shown():
    lines, bad = [], []
    for number, field, case, shows in ROWS:
        wrong = ["no such case"] if case not in CASES else faults(case, shows)
        lines.append(f"{number:5} {'FAILED' if wrong else 'ok    '} {field}\n{'':13}{case}\n"
                     + "".join(f"{'':13}{w}\n" for w in wrong))
        bad += [f"{number} {field}: {case}: {w}" for w in wrong]
    total = f"rows: {len(ROWS) - len({b.split()[0] for b in bad})} of {len(ROWS)} shown, by {len({r[2] for r in ROWS})} cases\n"
    Path(TRAINYARD.parent, "convert-rows.txt").write_text("".join(lines) + total)
    assert not bad, "\n".join(bad)


def test_every_case_of_a_v1_job_shows_a_row():
    used = {case for _, _, case, _ in ROWS}
    assert [c for c in GOOD + REFUSED if c.endswith(".yaml") and c not in used] == []


def test_a_claim_can_fail():
    assert faults("jax.yaml", ["numNodes: 2", "!numNodes: 3", "render:kind: JobSet"]) == []
    assert len(faults("jax.yaml", ["numNodes: 3", "!numNodes: 2", "render:kind: Pod2", "render:!kind: JobSet"])) == 4
