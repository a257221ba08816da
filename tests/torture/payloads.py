"""Families that speak rightly and mean no good: admission reviews, status reports and TrainJobs of the right
shape and the wrong size."""
import json
import time

from holding import LARGEST
from wire import PATIENCE, exchange

from chance_reviews import wishes
from client import Client, path_of
from kit import API, trainjob
from reviews import review

TRAINJOB, RUNTIME = "trainer-kubeflow-org-v1alpha1-trainjob", "trainer-kubeflow-org-v1alpha1-trainingruntime"
UID = "8d1b2f0e-0f1f-4d8b-9c9d-2f8f6b1c0a11"
DICTIONARY = ("name", "spec", "metadata", "runtimePatches", "env", "value", "template", "labels", "managedFields",
              "kind", "apiVersion", "trainer", "numNodes", "time", "manager", "a", "", "\u0000", "é" * 50)


def post(target, path, body, token=None):
    """Only `body` may be large; it is sent as it is."""
    body = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    if token is not None:
        head += f"Authorization: Bearer {token}\r\n"
    return exchange(target, [head.encode("latin-1", "replace") + b"\r\n", body], PATIENCE)


def wrapped(spec, old=None, operation="CREATE", kind="TrainJob"):
    """A review around the text of a spec, which is not parsed here: it may be large."""
    def obj(text):
        return ('{"apiVersion":"%s","kind":"%s","metadata":{"name":"x","namespace":"torture"},"spec":%s}'
                % (API, kind, text))

    group, version = API.split("/")
    return ('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"%s","kind":{"group":"%s",'
            '"version":"%s","kind":"%s"},"resource":{"group":"%s","version":"%s","resource":"%ss"},"name":"x",'
            '"namespace":"torture","operation":"%s","userInfo":{"username":"mallory"},"object":%s,"oldObject":%s}}'
            % (UID, group, version, kind, group, version, kind.lower(), operation, obj(spec),
               obj(old) if old else "null"))


# ---- reviews

def reviews(ground):
    """Those that tests/neighbours compares both managers with, one after the other."""
    def attempt(g, target):
        while not g.waiting:
            g.waiting.extend(wishes(g.spec["seed"], g.rng.randrange(100_000)))
        wish = g.waiting.pop()
        some = wish.obj or wish.old
        verb = g.rng.choice(("mutate", "validate")) if some["kind"] == "TrainJob" else "validate"
        return post(target, f"/{verb}-trainer-kubeflow-org-v1alpha1-{some['kind'].lower()}",
                    json.dumps(review(wish, "torture")))

    ground.each(attempt)


def many(text, size, between=","):
    """As often as it fits; at least once."""
    return between.join([text] * max(1, size // (len(text) + len(between))))


def numbered(form, size):
    """The same with a number in each."""
    return ",".join(form % i for i in range(max(1, size // (len(form) + 5))))


def patch_specs(g, size):
    """(new, old): lists of patches that must be compared with each other."""
    ref = '"runtimeRef":{"name":"quick","kind":"TrainingRuntime"}'
    node = '"trainingRuntimeSpec":{"template":{"spec":{"replicatedJobs":[{"name":"node"}]}}}'
    kind = g.rng.randrange(8)
    if kind == 0:
        new = old = many("{}", size)
    elif kind == 6:  # two mistakes in each
        new = old = many('{"manager":"!/^"}', size)
    elif kind == 7:  # within the CRD's bounds, and every name is unknown
        jobs = numbered('{"name":"%d' + "x" * min(60_000, size // 200) + '"}', size // 16)
        new = old = ",".join('{"manager":"a.b/%d","trainingRuntimeSpec":{"template":{"spec":{"replicatedJobs":[%s]}}}}'
                             % (i, jobs) for i in range(16))
    elif kind == 1:
        new, old = (numbered('{"manager":"a.b/%d"}', size) for _ in range(2))
        new = ",".join(reversed(new.split(",")))
    elif kind == 2:
        new, old = many('{"manager":"a.b/c",%s}' % node, size), many('{"manager":"a.b/c"}', size)
    elif kind == 3:
        new = numbered('{"manager":"a.b/%d",' + node + "}", size)
        old = new.replace('"node"', '"nodf"')
    elif kind == 4:  # n patches of n jobs
        n = max(1, int((size / 20) ** 0.5))
        jobs = numbered('{"name":"n%d"}', size // n)
        new = old = many('{"manager":"a.b/c","trainingRuntimeSpec":{"template":{"spec":{"replicatedJobs":[%s]}}}}'
                         % jobs, size)
    else:
        new, old = many("{}", size), "{}"
    if g.rng.random() < 0.5:
        new, old = old, new
    return f'{{{ref},"runtimePatches":[{new}]}}', f'{{{ref},"runtimePatches":[{old}]}}'


def patches(ground):
    """Updates whose patches are n and n; the limit of a review is 500,000 values."""
    def attempt(g, target):
        new, old = patch_specs(g, g.rng.choice((1000, 50_000, 500_000, 980_000, LARGEST // 2 - 1000)))
        path = f"/{g.rng.choice(('mutate', 'validate'))}-{TRAINJOB}"
        if g.rng.random() < 0.2:
            return post(target, path, wrapped(f'{{"runtimePatches":[{many("{}", 3 * 490_000)}]}}'))
        return post(target, path, wrapped(new, old, "UPDATE"))

    ground.each(attempt)


def shape(g, size):
    """Text of a value of that many bytes which is deep, wide, long, or only looks like JSON."""
    kind = g.rng.randrange(17)
    if kind == 14:  # an object where a list should be
        return '{"trainer":{"resourcesPerNode":{"claims":{' + numbered('"k%d":{}', size) + "}}}}"
    if kind == 15:  # a mistake in each job, which prints its containers
        return ('{"template":{"spec":{"replicatedJobs":[' + many(
            '{"template":{"metadata":{"labels":{"trainer.kubeflow.org/trainjob-ancestor-step":"trainer"}},'
            '"spec":{"template":{"spec":{"containers":[{},{}]}}}}}', size) + "]}}}")
    if kind == 16:
        return '{"trainer":{"args":[' + many('"dataset=x"', size) + "]}}"
    if kind == 0:
        return "[" * (size // 2) + "]" * (size // 2)
    if kind == 1:
        return '{"a":' * (size // 6) + "0" + "}" * (size // 6)
    if kind == 2:
        return "{" + numbered('"k%d":0', size) + "}"
    if kind == 3:
        return "{" + many('"k":0', size) + "}"
    if kind == 4:
        return '"' + g.rng.choice(("x", "\\u0000", "\\\"", "é", "\\ud800", "\\ud83d\\ude00")) * (size // 6) + '"'
    if kind == 5:
        return "-" + "9" * size + g.rng.choice(("", "e" + "9" * 1000, "." + "9" * 1000))
    if kind == 6:
        return '{"trainer":{"env":[' + numbered('{"name":"E%d","value":"v"}', size) + "]}}"
    if kind == 7:
        return '{"trainer":{"args":[' + many('""', size) + "]}}"
    if kind == 8:
        return '{"trainer":{"command":["sh","-c",' + json.dumps("x" * size) + "]}}"
    if kind == 9:
        return '{"podTemplateOverrides":[' + many('{"targetJobs":[{"name":"node"}]}', size) + "]}"
    if kind == 10:
        return '{"trainer":{"resourcesPerNode":{"limits":{' + numbered('"r%d":"1"', size) + "}}}}"
    if kind == 11:
        return '{"template":{"spec":{"replicatedJobs":[' + numbered('{"name":"j%d"}', size) + "]}}}"
    if kind == 12:
        return many("[{}]", size)[:-g.rng.randrange(1, 9)]
    return tree(g, min(size, 20_000))


def tree(g, budget, depth=0):
    """A random value out of the words of the API."""
    if budget < 20 or depth > 40 or g.rng.random() < 0.1:
        return json.dumps(g.rng.choice((None, True, 0, -1, 1e300, "", "word", "1Gi", 2**63)))
    n = g.rng.randrange(1, 8)
    inside = [tree(g, budget // n, depth + 1) for _ in range(n)]
    if g.rng.random() < 0.4:
        return "[" + ",".join(inside) + "]"
    return "{" + ",".join(f"{json.dumps(g.rng.choice(DICTIONARY))}:{v}" for v in inside) + "}"


def shapes(ground):
    """Values of every shape, in the places where specs, metadata and whole reviews are."""
    def attempt(g, target):
        text = shape(g, g.rng.choice((200, 5000, 100_000, 1_000_000, 3_000_000, LARGEST - 2000)))
        kind, path = g.rng.choice((("TrainJob", f"/mutate-{TRAINJOB}"), ("TrainJob", f"/validate-{TRAINJOB}"),
                                   ("TrainingRuntime", f"/validate-{RUNTIME}")))
        where = g.rng.randrange(4)
        if where == 0:
            body = text
        elif where == 1:
            body = wrapped("{}", kind=kind).replace('"namespace":"torture"}', f'"labels":{text}}}', 1)
        else:
            old = text if where == 2 and len(text) < LARGEST // 2 - 2000 else None
            body = wrapped(text, old, "UPDATE" if old else "CREATE", kind)
        raw = body.encode("utf-8", "surrogatepass")
        if g.rng.random() < 0.1:
            raw = raw.replace(b'"', b'"\xff\xfe', 50)
        return post(target, path, raw)

    ground.each(attempt)


# ---- status reports

def report(g):
    """A report that is right, nearly right, or large."""
    kind = g.rng.randrange(6)
    status = {"progressPercentage": g.rng.choice((40, 101, -1, "x", 1e400, None)),
              "lastUpdatedTime": g.rng.choice(("2026-01-02T03:04:05Z", "yesterday", 5)),
              "metrics": [{"name": f"m{i}", "value": "0"} for i in range(g.rng.choice((0, 3, 256, 257, 1500)))]}
    if kind < 3:
        return json.dumps({"trainerStatus": status})
    if kind == 3:
        return shape(g, g.rng.choice((1000, 60_000, 65_000)))
    if kind == 4:
        return '{"trainerStatus":' + tree(g, 5000) + "}"
    return json.dumps({"trainerStatus": {"progressPercentage": 1, "metrics": [{"name": "x" * 65_000, "value": "0"}]}})


def bogus(g):
    """A token that nobody has made."""
    return g.rng.choice((
        "", "x", "." * 100, "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.", "t" * 8000,
        "é" * 20, "%x.%x.%x" % tuple(g.rng.getrandbits(200) for _ in range(3)), "a b\tc", "\x01"))


def reports(ground):
    """With the token of a pod of its own, and with tokens that the API server has to be asked about."""
    def attempt(g, target):
        job = g.rng.choice(("reporter", "gone", "x" * 300, "..", "%2e%2e"))
        path = f"/apis/{API}/namespaces/torture/trainjobs/{job}/status"
        return post(target, path, report(g), g.spec["token"] if g.rng.random() < 0.6 else bogus(g))

    ground.each(attempt)


# ---- TrainJobs

STORED = 1_400_000  # bytes, of the 1.5 MB that etcd takes for one object
AT_ONCE = 3         # of each attacker


def big_trainjob(g, name):
    """As large as can be stored, or larger."""
    size = g.rng.choice((STORED, STORED, 700_000, 2_900_000))
    kind = g.rng.randrange(5)
    spec = {0: lambda: {"trainer": {"args": [""] * (size // 3)}},
            1: lambda: {"trainer": {"env": [{"name": f"E{i}", "value": "v"} for i in range(size // 30)]}},
            2: lambda: {"trainer": {"command": ["x" * 100_000] * (size // 100_000)}},
            3: lambda: {"runtimePatches": [{"manager": "a.b/c", "trainingRuntimeSpec": {"template": {
                "metadata": {"labels": {"big": "x" * size}}}}}]},
            4: lambda: {"runtimePatches": [{"manager": "a.b/c", "trainingRuntimeSpec": {"template": {"spec": {
                "replicatedJobs": [{"name": "node", "template": {"spec": {"template": {"spec": {
                    "securityContext": {"supplementalGroups": [0] * (size // 2)}}}}}}]}}}}]}}[kind]()
    return trainjob(name, "quick", suspend=g.rng.random() < 0.5, **spec)


def objects(ground):
    """Large TrainJobs, created and deleted through the API server by a user who may."""
    api = Client(ground.spec["api"], ground.spec["ca"], ground.spec["user_token"])
    target, made, number = ground.targets[0], [], 0
    path = path_of(API, "TrainJob", "attack")

    def delete(name):
        api.request("DELETE", f"{path}/{name}", {"propagationPolicy": "Background"})

    while ground.going():
        begin, name = time.monotonic(), f"big-{ground.spec['number']}-{number}"
        number += 1
        code, said = api.request("POST", path, big_trainjob(ground, name))
        ground.tally.add(target, str(code))
        if code != 201:
            ground.tally.notes[f"{code} {said.get('message')}"[:200]] += 1
        made += [name] if code == 201 else []
        if len(made) > AT_ONCE:
            delete(made.pop(0))
        ground.rest(begin + 1 / ground.rate - time.monotonic())
    for name in made:
        delete(name)
