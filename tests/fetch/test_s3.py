"""s3:// against moto's S3 server: real signatures, real policies, real pages."""
import pytest
from initialize import TRAINYARD, noise
from serving import Brake
from store import PAGE, Store, environment


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    folder, why = environment(TRAINYARD.parent)
    if why:
        pytest.skip(f"no moto: {why}")
    with open(tmp_path_factory.mktemp("moto") / "log", "w") as log:
        running = Store(folder, log)
        yield running
        running.stop()


@pytest.fixture(scope="session")
def reader(store):
    return store.user("reader", "s3:ListBucket", "s3:GetObject")


FILES = {"train/a.bin": noise(100_000), "train/deep/er/b.txt": b"text", "train/empty": b""}
ODD = ["a b", "plus+plus", "eq=&?#", "ü/日本", "it's (1)~!*", "100%25", "semi;colon:@$,", "dots..x"]


def test_a_prefix(store, reader, box):
    store.put("one", dict(FILES, **{"train2/no": b"no", "train/folder/": b"", "other": b"no"}))
    said = box.run("dataset", "s3://one/train", **reader).ok()
    want = {k.removeprefix("train/"): v for k, v in FILES.items()}
    assert box.files() == want and box.is_tidy()
    assert said.out.startswith("100%: 3 files, 100 kB in ")
    assert "3 were there before" in box.run("dataset", "s3://one/train/", **reader).ok().out


def test_a_whole_bucket_and_one_object(store, reader, box):
    store.put("two", FILES)
    box.run("model", "s3://two", **reader).ok()
    assert box.files() == FILES
    box.to = box.path / "second"
    box.run("model", "s3://two/train/a.bin", **reader).ok()
    assert box.files() == {"a.bin": FILES["train/a.bin"]}


def test_names_that_need_care_in_signatures(store, reader, box):
    store.put("odd", {f"p x/{name}": name.encode() for name in ODD})
    box.run("dataset", "s3://odd/p x", **reader).ok()
    assert box.files() == {name: name.encode() for name in ODD}


def test_pages(store, reader, box):
    files = {f"n/{i:03}": str(i).encode() for i in range(4 * PAGE + 5)}
    store.put("pages", files)
    box.run("dataset", "s3://pages", **reader).ok()
    assert box.files() == files


def test_a_wrong_key(store, reader, box):
    store.put("locked", FILES)
    wrong = dict(reader, SECRET_ACCESS_KEY="x" * 40)
    box.run("dataset", "s3://locked", **wrong).bad("403: SignatureDoesNotMatch", "check ACCESS_KEY_ID")
    unknown = dict(reader, ACCESS_KEY_ID="AKIAUNKNOWN")
    box.run("dataset", "s3://locked", **unknown).bad("403: InvalidAccessKeyId")
    assert box.files() == {}
    box.run("dataset", "s3://locked", **reader).ok()
    assert box.files() == FILES


def test_a_key_that_may_only_list(store, box):
    store.put("half", FILES)
    lister = store.user("lister", "s3:ListBucket")
    said = box.run("dataset", "s3://half", **lister).bad("403: AccessDenied")
    assert lister["SECRET_ACCESS_KEY"] not in said.err
    assert box.files() == {}


def test_credentials_of_a_role(store, box):
    store.put("roles", FILES)
    held = store.role("r", "s3:ListBucket", "s3:GetObject")
    box.run("dataset", "s3://roles", **held).ok()
    assert box.files() == FILES
    box.to = box.path / "second"
    box.run("dataset", "s3://roles", **dict(held, AWS_SESSION_TOKEN="no")).bad("InvalidToken")


def test_a_role_is_not_assumed(store, reader, box):
    box.run("dataset", "s3://x", **reader, ROLE_ARN="arn:aws:iam::1:role/x").bad("ROLE_ARN: roles are not", code=2)


def test_half_a_key(box):
    box.run("dataset", "s3://x", ACCESS_KEY_ID="a").bad("go together", code=2)


def test_no_such_bucket_and_nothing_in_it(store, reader, box):
    box.run("dataset", "s3://missing-bucket", **reader).bad("404: NoSuchBucket")
    store.put("hollow", {"a": b"1"})
    box.run("dataset", "s3://hollow/b", **reader).bad("s3://hollow/b: there is nothing")


def test_patterns_see_the_whole_key(store, reader, box):
    store.put("globs", FILES)
    box.run("dataset", "s3://globs/train", IGNORE_PATTERNS="train/*.bin", **reader).ok()
    assert set(box.files()) == {"deep/er/b.txt", "empty"}


def test_parts_have_no_md5(store, reader, box):
    store.put("multi", {})
    parts = [noise(5 << 20, 1), noise(1 << 20, 2)]
    store.put_parts("multi", "big", parts)
    box.run("dataset", "s3://multi", **reader).ok()
    assert box.files() == {"big": b"".join(parts)}


def test_killed_and_resumed(store, reader, box):
    data = noise(4_000_000)
    store.put("resume", {"big": data})
    brake = Brake(store.url, 1_500_000)
    slow = dict(reader, ENDPOINT=brake.url)
    box.kill_after(box.start("dataset", "s3://resume", **slow), 1_000_000)
    had, before = box.parts(), brake.passed
    brake.go()
    box.run("dataset", "s3://resume", **slow).ok()
    brake.close()
    assert box.files() == {"big": data}
    assert brake.passed - before < len(data) - had + 300_000  # the rest and what was still under way


def test_changed_between_two_runs(store, reader, box):
    store.put("change", {"big": noise(4_000_000)})
    brake = Brake(store.url, 1_500_000)
    box.kill_after(box.start("dataset", "s3://change", **dict(reader, ENDPOINT=brake.url)), 1_000_000)
    brake.close()
    new = noise(4_000_000, 3)
    store.put("change", {"big": new})
    box.run("dataset", "s3://change", **reader).ok()
    assert box.files() == {"big": new}


def test_changed_after_a_run(store, reader, box):
    store.put("again", {"a": b"old", "b": b"same"})
    box.run("dataset", "s3://again", **reader).ok()
    store.put("again", {"a": b"new"})
    assert "1 was there before" in box.run("dataset", "s3://again", **reader).ok().out
    assert box.files() == {"a": b"new", "b": b"same"}


def test_a_file_and_a_folder_of_one_name(store, reader, box):
    store.put("clash", {"a": b"1", "a/b": b"2"})
    box.run("dataset", "s3://clash", "--jobs", 1, **reader).bad("a file and a folder want the same name")


def test_keys_that_leave_the_folder(store, reader, box):
    store.put("evil", {"x/../../evil": b"1"})
    box.run("dataset", "s3://evil", **reader).bad("is refused")
    assert not (box.path / "evil").exists()
