"""tools/names on small trees: it must find what is misnamed, and only that."""
import pytest

import trees

GOOD = {
    "base/arena.h": "struct ty_arena;\nvoid *ty_arena_alloc(struct ty_arena *a);\n",
    "base/arena.c": "struct ty_arena {\n    int n;\n};\nstruct block { int n; };\n",
    "controller/cache.h": "struct ty_cached *ty_cache_get(int n);\ntypedef int ty_other_fn(int n);\n",
    "controller/cache_inner.h": "int ty_cache_count(void);\n",
}


def names(root, files, exceptions=None):
    trees.write(root, {f"src/{name}": text for name, text in {**GOOD, **files}.items()})
    (root / "tools").mkdir()
    if exceptions is not None:
        (root / "tools/names.ok").write_text(exceptions)
    return trees.run("names", root)


def test_good_names(tmp_path):
    code, out = names(tmp_path, {})
    assert (code, out) == (0, "names: 4 files, 0 exceptions, 0 mistakes\n")


@pytest.mark.parametrize("name,text,message", [
    ("controller/queue.c", "struct block {\n    int n;\n};\n",
     "tag block: src/base/arena.c:4, src/controller/queue.c:1"),
    ("controller/queue.c", "static const struct ty_arena {\n    int n;\n} one;\n", "tag ty_arena: "),
    ("controller/queue.h", "int ty_cache_size(void);\n", "function ty_cache_size: src/controller/queue.h"),
    ("controller/queue.h", "struct ty_x *ty_add(int n,\n    int m);\n", "function ty_add: "),
])
def test_mistakes(tmp_path, name, text, message):
    code, out = names(tmp_path, {name: text})
    assert code == 1 and message in out


@pytest.mark.parametrize("name,text", [
    ("controller/queue_test.c", "struct block { int n; };\n"),  # a test is not the product
    ("controller/queue.h", "/* struct block { is a comment; int ty_add(void); */\n"),
    ("controller/queues.h", "int ty_queue_add(void);\n"),
    ("controller/queue.c", "int ty_add(void)\n{\n}\n"),  # only headers make a function public
])
def test_no_mistakes(tmp_path, name, text):
    assert names(tmp_path, {name: text})[0] == 0


def test_a_crowded_folder(tmp_path):
    code, out = names(tmp_path, {f"cli/cmd_{n}.c": "" for n in range(31)})
    assert code == 1 and "folder src/cli: 31 C files, at most 30" in out
    (tmp_path / "src/cli/cmd_30.c").unlink()
    assert trees.run("names", tmp_path)[0] == 0


def test_exceptions(tmp_path):
    code, out = names(tmp_path, {"base/err.h": "int ty_fail(int code);\n"},
                      "# why\nfunction ty_fail the error idiom of the whole tree\nfunction ty_gone not there\n")
    assert code == 1 and "function ty_gone is not needed" in out and "ty_fail:" not in out


def test_an_exception_needs_a_reason(tmp_path):
    code, out = names(tmp_path, {}, "function ty_fail\n")
    assert code == 1 and "has no reason" in out
