#!/usr/bin/env python3
"""usage: reports.py [--seed N] [--first N] [--count N]

Posts random reports (chance_reports.py) to the status servers of the released v2.3.0 manager and of ours,
which run side by side on one API server, and tells every answer that differs, and every difference in what
is stored then. They elect a leader: both serve reports, one looks after the TrainJobs.

TRAINYARD names the program under test.
"""
import json
import sys
from collections import Counter, namedtuple
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
from beside import Beside, numbers_of, tell_all, words  # noqa: E402
from chance_reports import report  # noqa: E402
from client import MERGE  # noqa: E402
from gated import GatedManager, audience_of, start_issuer, token  # noqa: E402
from kit import JOBSET_API, Space, runtime, trainjob  # noqa: E402
from manager import FOLDER  # noqa: E402
from test_leader import ELECTION  # noqa: E402

DONE = {"status": {"conditions": [{"type": "Completed", "status": "True", "reason": "AllJobsCompleted",
                                   "message": "done", "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}


def sorted_mistakes(said):
    """The API server walks a schema in random order: the order of several mistakes is no fact."""
    head, _, rest = said.get("message", "").partition("[")
    return {**said, "message": [head, sorted(rest.removesuffix("]").split(", "))]}


class Both(Beside):
    def __init__(self, plane):
        self.tokens, self.codes = {}, Counter()
        super().__init__(plane, lambda upstream: GatedManager(
            plane, FOLDER / f"managers/reports-{upstream}", int(not upstream), upstream, webhooks=False,
            settings=ELECTION), lambda one: one.status)

    def prepare(self):
        self.space = Space(self.api, "here")
        self.space.create(runtime(), trainjob("job", suspend=True), trainjob("finished"))
        self.space.wait_jobset("finished")
        self.api.must("PATCH", self.space.path(JOBSET_API, "JobSet", "finished", "status"), DONE, MERGE)
        self.space.wait_condition("Suspended", "True", "job")
        self.space.wait_condition("Complete", "True", "finished")

    def token(self, who):
        if who and who not in self.tokens:
            namespace, job, pod = who
            self.tokens[who] = token(self.api, pod, audience_of(namespace, job), seconds=3600)
        return self.tokens.get(who, "")

    def stored(self):
        """What the jobs' trainers have said, and whose fields these are."""
        jobs = [self.space.job(name) for name in ("job", "finished")]
        return [[job["status"].get("trainerStatus"), [
            [one["operation"], one["subresource"], one["fieldsV1"]] for one in job["metadata"]["managedFields"]
            if one["manager"] == "trainer-status"]] for job in jobs]

    def post(self, connection, one, path):
        """[[code, kind of content, content], what is stored then]: JSON by its meaning, Go spells < and >
        otherwise."""
        code, kind, text = self.request(connection, one.method, path, one.body.encode(), {
            "Authorization": one.header.format(self.token(one.who))})
        return [[code, kind, sorted_mistakes(json.loads(text)) if text else ""], self.stored()]

    def compare(self, number, one):
        path = one.path.format(f"/apis/{audience_of('here', one.job)}")
        theirs, ours = (self.post(connection, one, path) for connection in self.connections)
        self.codes[theirs[0][0]] += 1
        if theirs != ours:
            self.tell(f"{number} {one.method} {path} {one.body[:300]}", theirs, ours)


# {code: how often v2.3.0 gave it}; {report: both answers} of those that differ.
Outcome = namedtuple("Outcome", "codes found")


def compare(seed, which):
    plane = start_issuer("reports", upstream=True)
    try:
        with Both(plane) as both:
            both.prepare()
            for number in which:
                both.compare(number, report(seed, number))
    finally:
        plane.stop()
    return Outcome(both.codes, both.found)


def main():
    given = words(__doc__, 500).parse_args()
    outcome = compare(given.seed, numbers_of(given))
    return tell_all(given.seed, f"{given.count} reports ({dict(outcome.codes)})", outcome.found)


if __name__ == "__main__":
    sys.exit(main())
