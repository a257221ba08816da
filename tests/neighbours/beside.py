"""The released v2.3.0 manager and ours side by side on one API server: what each of them serves is asked the
same, and the answers are compared."""
import argparse
import http.client
import json
import re
import ssl

import rights


def known_warnings(texts):
    """Without those of ours: "path: what is wrong" of what v2.3.0 takes although no good can come of it (B2,
    B17, B20, B24, B25, B36, B37), and "path: what to do" beside a refusal."""
    return [text for text in texts if not re.match(r'(299 - ")?(spec|metadata|status)[.:[]', text)]


class Beside:
    """Both, running. `made` makes one from whether it is the released one; `port` says which of its ports is
    asked, over one kept connection each."""

    def __init__(self, plane, made, port):
        self.api, self.found = plane.client(), {}
        self.managers = theirs, ours = made(True), made(False)
        theirs.start()
        assert theirs.is_upstream()
        rights.give(plane, ours=True)
        ours.start()
        trust = ssl.create_default_context(cafile=plane.certificates.ca)
        self.connections = [http.client.HTTPSConnection("127.0.0.1", port(one), timeout=60, context=trust)
                            for one in self.managers]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.managers:
            one.stop()

    @staticmethod
    def request(connection, method, path, body, headers=None):
        """(code, kind of content, text)"""
        connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read()

    def tell(self, name, theirs, ours):
        self.found[name] = "".join(f"\n  {who}: {json.dumps(said)[:3000]}"
                                   for who, said in (("theirs", theirs), ("ours", ours)))


def words(doc, count):
    """The options of who plays numbered cases of a seed."""
    parser = argparse.ArgumentParser(usage=doc.partition("\n\n")[0].partition(": ")[2])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=count)
    return parser


def numbers_of(given):
    return range(given.first, given.first + given.count)


def tell_all(seed, what, found):
    """Prints what differs; the exit code."""
    for name, answers in found.items():
        print(f"== {name}{answers}")
    print(f"{what} of seed {seed}: {len(found)} differ")
    return 1 if found else 0
