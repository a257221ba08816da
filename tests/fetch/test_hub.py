"""hf:// against a server with the Hub's semantics."""
import hashlib
import json
import random
import signal
import subprocess
import time

import pytest
from initialize import clean_env, noise
from waiting import wait_for

DATASET = {"README.md": b"# data\n", "data/train.parquet": noise(300_000), "data/test ü.parquet": noise(1000, 2),
           "empty.txt": b""}


def put(hub, files=None, **kw):
    kw.setdefault("lfs", {"data/train.parquet", "data/test ü.parquet"})
    return hub.add("datasets", "o/n", files or DATASET, **kw)


def asked(server, word="/resolve/"):
    return [path for path, _ in server.seen if word in path]


def test_a_dataset_and_not_twice(hub, box):
    put(hub)
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == DATASET and box.is_tidy()
    assert said.out.startswith("100%: 4 files, 301 kB in ")
    before = len(hub.cdn.seen), len(asked(hub))
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert "4 were there before" in said.out
    assert before == (len(hub.cdn.seen), len(asked(hub)))


def test_storage_uri_and_prefix(hub, box):
    put(hub)
    hub.add("models", "o/n", {"config.json": b"{}"})
    args = box.command("model", "")[:3] + ["--to", str(box.to)]
    done = subprocess.run(args, env=clean_env(STORAGE_URI="hf://datasets/o/n", HF_ENDPOINT=hub.url))
    assert done.returncode == 0 and box.files() == DATASET


def test_a_model_is_weights_and_tokenizer(hub, box):
    names = ["config.json", "model.safetensors", "tokenizer.model", "merges.txt", "pytorch_model.bin", "README.md",
             "original/params.json", "original/consolidated.pth"]
    hub.add("models", "o/n", {n: n.encode() for n in names}, lfs={"model.safetensors"})
    box.run("model", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert set(box.files()) == {"config.json", "model.safetensors", "tokenizer.model", "merges.txt",
                                "original/params.json"}
    box.run("model", "hf://o/n", "--include", "*", "--ignore", "*.md", HF_ENDPOINT=hub.url).ok()
    assert set(box.files()) == set(names) - {"README.md"}


def test_ignore_patterns(hub, box):
    put(hub)
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url, IGNORE_PATTERNS="*.md, data/test*").ok()
    assert set(box.files()) == {"data/train.parquet", "empty.txt"}
    assert "2 left out by patterns" in said.out


def test_revisions(hub, box):
    repo = put(hub, {"a": b"new"}, lfs=())
    repo.push({"a": b"old"}, "v1")
    repo.push({"a": b"pull"}, "refs/pr/3")
    box.run("dataset", "hf://o/n@v1", HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"a": b"old"}
    box.run("dataset", "hf://o/n@refs/pr/3", HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"a": b"pull"}
    box.run("dataset", "hf://o/n@" + repo.names["main"], HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"a": b"new"}
    box.run("dataset", "hf://o/n@v9", HF_ENDPOINT=hub.url).bad("404: Invalid rev id: v9")


def test_a_path_in_the_repository(hub, box):
    put(hub)
    box.run("dataset", "hf://o/n/data", HF_ENDPOINT=hub.url).ok()
    assert set(box.files()) == {"data/train.parquet", "data/test ü.parquet"}
    box.run("dataset", "hf://o/n/nothing", HF_ENDPOINT=hub.url).bad("there is nothing")


def test_a_token_opens_and_stays_at_home(hub, box):
    put(hub, token="hf_secret")
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).bad("401", "need a token in ACCESS_TOKEN")
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url, ACCESS_TOKEN="hf_wrong")
    assert "hf_wrong" not in said.bad("401", "may the token in ACCESS_TOKEN").err
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url, ACCESS_TOKEN="hf_secret").ok()
    assert box.files() == DATASET
    assert all("Authorization" not in headers for _, headers in hub.cdn.seen)
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url, HF_TOKEN="hf_secret").ok()


def test_pages(hub, box):
    hub.page = 10
    files = {f"d{i % 3}/{i:03}": str(i).encode() for i in range(45)}
    put(hub, files, lfs=())
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == files
    assert len(asked(hub, "/tree/")) == 5


def test_several_at_once(hub, box):
    files = {f"f{i}": noise(20_000, i) for i in range(12)}
    put(hub, files, lfs=())
    sha = hub.repos["datasets", "o/n"].names["main"]
    for name in files:
        hub.fault(f"/datasets/o/n/resolve/{sha}/{name}", rate=100_000)
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == files and hub.most == 4


def test_one_at_a_time(hub, box):
    put(hub)
    box.run("dataset", "hf://o/n", "--jobs", 1, HF_ENDPOINT=hub.url).ok()
    assert box.files() == DATASET and hub.most == 1


def test_killed_and_resumed(hub, box):
    data = noise(2_000_000)
    put(hub, {"big": data}, lfs={"big"})
    blob = "/" + hashlib.sha256(data).hexdigest()
    hub.cdn.fault(blob, hold=600_000)
    box.kill_after(box.start("dataset", "hf://o/n", HF_ENDPOINT=hub.url), 500_000)
    had = box.parts()
    assert box.files() == {}
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"big": data} and box.is_tidy()
    start = int(hub.cdn.seen[-1][1]["Range"].removeprefix("bytes=").removesuffix("-"))
    assert had <= start < len(data)


def test_killed_at_random_moments(hub, box):
    files = {f"f{i}": noise(150_000, i) for i in range(8)}
    put(hub, files, lfs={"f1", "f3", "f5"})
    sha = hub.repos["datasets", "o/n"].names["main"]
    dice = random.Random(7)
    for name, data in files.items():
        hub.fault(f"/datasets/o/n/resolve/{sha}/{name}", times=50, rate=400_000)
        hub.cdn.fault("/" + hashlib.sha256(data).hexdigest(), times=50, rate=400_000)
    for _ in range(12):
        process = box.start("dataset", "hf://o/n", HF_ENDPOINT=hub.url)
        time.sleep(dice.uniform(0.1, 0.6))  # any moment is meant, not one that could be waited for
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert all(files[name] == data for name, data in box.files().items())
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == files and box.is_tidy()
    assert hub.sent + hub.cdn.sent < 5 * sum(map(len, files.values()))


def test_what_has_changed_is_not_glued_together(hub, box):
    old, new = noise(2_000_000), noise(2_000_000, 9)
    repo = put(hub, {"big": old}, lfs={"big"})
    hub.cdn.fault("/" + hashlib.sha256(old).hexdigest(), hold=400_000)
    box.kill_after(box.start("dataset", "hf://o/n", HF_ENDPOINT=hub.url), 300_000)
    repo.push({"big": new})
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"big": new}
    assert said.err == "" and "Range" not in hub.cdn.seen[-1][1]  # known before, not by a wrong checksum


def test_a_push_in_between_does_not_mix(hub, box):
    """All files are those of the commit that the revision was when the run began."""
    files = {f"f{i}": noise(50_000, i) for i in range(6)}
    repo = put(hub, files, lfs=())
    sha = repo.names["main"]
    for name in files:
        hub.fault(f"/datasets/o/n/resolve/{sha}/{name}", rate=100_000)
    process = box.start("dataset", "hf://o/n", "--jobs", 1, HF_ENDPOINT=hub.url)
    wait_for("the first file is asked for", lambda: asked(hub), child=process, poll=0.01)
    repo.push({name: b"other" for name in files})
    assert process.wait(120) == 0
    assert box.files() == files


@pytest.mark.parametrize("lfs", [True, False])
def test_corrupt_once_and_always(hub, box, lfs):
    data = noise(100_000)
    repo = put(hub, {"f": data}, lfs={"f"} if lfs else ())
    where = hub.cdn if lfs else hub
    path = "/" + hashlib.sha256(data).hexdigest() if lfs else f"/datasets/o/n/resolve/{repo.names['main']}/f"
    where.fault(path, times=99, corrupt=True)
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).bad("f: its", "checksum is", "in 3 attempts")
    assert box.files() == {}
    where.fault(path, times=1, corrupt=True)
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert "fetching it again from its start" in said.err and box.files() == {"f": data}


def test_a_part_that_rotted(hub, box):
    """Bytes of an earlier run that are no longer what arrived: the checksum finds them."""
    data = noise(1_000_000)
    put(hub, {"f": data}, lfs={"f"})
    hub.cdn.fault("/" + hashlib.sha256(data).hexdigest(), hold=200_000)
    box.kill_after(box.start("dataset", "hf://o/n", HF_ENDPOINT=hub.url), 100_000)
    part = next((box.to / ".trainyard").glob("*.part"))
    part.write_bytes(b"\0" * part.stat().st_size)
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert "checksum" in said.err and box.files() == {"f": data}


def test_a_file_that_rotted_in_place(hub, box):
    put(hub)
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    (box.to / "data/train.parquet").write_bytes(noise(300_000, 5))
    (box.to / "README.md").unlink()
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert box.files() == DATASET


def test_truncated_transfers(hub, box):
    data = noise(500_000)
    put(hub, {"f": data}, lfs={"f"})
    hub.cdn.fault("/" + hashlib.sha256(data).hexdigest(), times=3, cut=100_000)
    said = box.run("dataset", "hf://o/n", "--retries", 1, HF_ENDPOINT=hub.url).ok()
    assert box.files() == {"f": data} and said.err.count("trying again") == 3
    assert [h.get("Range") for _, h in hub.cdn.seen] == [None, "bytes=100000-", "bytes=200000-", "bytes=300000-"]


def test_a_silent_peer(hub, box):
    data = noise(1000)
    put(hub, {"f": data}, lfs={"f"})
    hub.cdn.fault("/" + hashlib.sha256(data).hexdigest(), times=9, hang=True)
    said = box.run("dataset", "hf://o/n", "--stall-timeout", 1, "--retries", 1, HF_ENDPOINT=hub.url)
    said.bad("f: ", "too slow")
    assert said.seconds < 50  # a silence lasts 60 s


def test_a_trickle_is_silence(hub, box):
    data = noise(100_000)
    put(hub, {"f": data}, lfs={"f"})
    hub.cdn.fault("/" + hashlib.sha256(data).hexdigest(), times=1, rate=100)
    said = box.run("dataset", "hf://o/n", "--stall-timeout", 2, HF_ENDPOINT=hub.url).ok()
    assert "trying again" in said.err and box.files() == {"f": data}


def test_busy_servers_are_waited_for(hub, box):
    repo = put(hub, {"f": b"data"}, lfs=())
    api = f"/api/datasets/o/n/tree/{repo.names['main']}"
    hub.fault(api, status=429, headers={"Retry-After": "2"})
    hub.fault(f"/datasets/o/n/resolve/{repo.names['main']}/f", times=2, status=503)
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    assert said.seconds >= 2 + 0.5 + 1
    assert "429; trying again in 2.0 s (1 of 5)" in said.err and said.err.count("503; trying again") == 2
    assert box.files() == {"f": b"data"}


def test_busy_for_too_long(hub, box):
    repo = put(hub, {"f": b"data"}, lfs=())
    path = f"/datasets/o/n/resolve/{repo.names['main']}/f"
    hub.fault(path, times=99, status=503)
    box.run("dataset", "hf://o/n", "--retries", 1, HF_ENDPOINT=hub.url).bad("f: the server answers 503")
    hub.fault(path, times=99, status=429, headers={"Retry-After": "3600"})
    said = box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).bad("f: the server answers 429")
    assert said.seconds < 600  # of the 3600


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", ".trainyard/lock", "a//b"])
def test_names_that_leave_the_folder(hub, box, name):
    put(hub, {"good": b"1", name: b"2"}, lfs=())
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).bad("is refused")
    assert box.files() == {} and not (box.path / "evil").exists()


def test_no_such_repository(hub, box):
    box.run("dataset", "hf://o/none", HF_ENDPOINT=hub.url).bad("hf://o/none: the server answers 401")


def test_nobody_there(box):
    said = box.run("dataset", "hf://o/n", "--retries", 0, HF_ENDPOINT="http://127.0.0.1:9")
    said.bad("Failed to connect to 127.0.0.1 port 9")


def test_the_journal_can_be_read(hub, box):
    put(hub)
    box.run("dataset", "hf://o/n", HF_ENDPOINT=hub.url).ok()
    lines = [json.loads(line) for line in (box.to / ".trainyard/done.jsonl").read_text().splitlines()]
    assert {e["name"]: e["size"] for e in lines} == {n: len(d) for n, d in DATASET.items()}
