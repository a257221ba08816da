#!/usr/bin/env python3
"""usage: reports.py [--seed N] [--first N] [--count N]

Posts random reports (chance_reports.py) to the status servers of the released v2.3.0 manager and of ours,
which run side by side on one API server, and tells every answer that differs, and every difference in what
is stored then. They elect a leader: both serve reports, one looks after the TrainJobs.

TRAINYARD names the program under test.
"""
import argparse
import http.client
import json
import ssl
import sys
from collections import Counter, namedtuple
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS / "cluster", TESTS / "operator", TESTS / "neighbours"):
    sys.path.insert(0, str(folder))
import rights  # noqa: E402
from chance_reports import report  # noqa: E402
from client import MERGE  # noqa: E402
from gated import GatedManager, audience_of, start_issuer, token  # noqa: E402
from kit import JOBSET_API, Space, runtime, trainjob  # noqa: E402
from manager import FOLDER  # noqa: E402
from test_leader import ELECTION  # noqa: E402

DONE = {"status": {"conditions": [{"type": "Completed", "status": "True", "reason": "AllJobsCompleted",
                                   "message": "done", "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}


class Server:
    """One manager's, over one kept connection."""

    def __init__(self, plane, manager):
        trust = ssl.create_default_context(cafile=plane.certificates.ca)
        self.http = http.client.HTTPSConnection("127.0.0.1", manager.status, timeout=60, context=trust)

    def post(self, one, path, headers):
        """[code, kind of content, content]: JSON by its meaning, Go spells < and > otherwise."""
        self.http.request(one.method, path, one.body.encode(), headers)
        answer = self.http.getresponse()
        text = answer.read()
        return [answer.status, answer.getheader("Content-Type"), sorted_mistakes(json.loads(text)) if text else ""]


def sorted_mistakes(said):
    """The API server walks a schema in random order: the order of several mistakes is no fact."""
    head, _, rest = said.get("message", "").partition("[")
    return {**said, "message": [head, sorted(rest.removesuffix("]").split(", "))]}


class Both:
    def __init__(self, plane):
        self.api, self.tokens, self.codes, self.found = plane.client(), {}, Counter(), {}
        theirs = GatedManager(plane, FOLDER / "managers/reports-theirs", 0, True, webhooks=False, settings=ELECTION)
        ours = GatedManager(plane, FOLDER / "managers/reports-ours", 1, False, webhooks=False, settings=ELECTION)
        self.managers = (theirs, ours)
        theirs.start()
        assert theirs.is_upstream()
        rights.give(plane, ours=True)
        ours.start()
        self.sides = [Server(plane, one) for one in self.managers]

    def stop(self):
        for one in self.managers:
            one.stop()

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

    def compare(self, number, one):
        path = one.path.format(f"/apis/{audience_of('here', one.job)}")
        headers = {"Authorization": one.header.format(self.token(one.who)), "Content-Type": "application/json"}
        answers = []
        for side in self.sides:
            answer = side.post(one, path, headers)
            answers.append([answer, self.stored()])
        self.codes[answers[0][0][0]] += 1
        if answers[0] != answers[1]:
            theirs, ours = (json.dumps(answer)[:3000] for answer in answers)
            self.found[number] = f"{one.method} {path} {one.body[:300]}\n  theirs: {theirs}\n  ours:   {ours}"


# {code: how often v2.3.0 gave it}; {report: both answers} of those that differ.
Outcome = namedtuple("Outcome", "codes found")


def compare(seed, numbers):
    plane = start_issuer("reports", upstream=True)
    try:
        both = Both(plane)
        try:
            both.prepare()
            for number in numbers:
                both.compare(number, report(seed, number))
        finally:
            both.stop()
    finally:
        plane.stop()
    return Outcome(both.codes, both.found)


def main():
    words = argparse.ArgumentParser(usage=__doc__.partition("\n\n")[0].partition(": ")[2])
    words.add_argument("--seed", default="1")
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--count", type=int, default=500)
    given = words.parse_args()
    outcome = compare(given.seed, range(given.first, given.first + given.count))
    for number, answers in outcome.found.items():
        print(f"== {number} {answers}")
    print(f"{given.count} reports of seed {given.seed}, {dict(outcome.codes)}: {len(outcome.found)} differ")
    return 1 if outcome.found else 0


if __name__ == "__main__":
    sys.exit(main())
