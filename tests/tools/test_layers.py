"""tools/layers on small trees: it must find what points up, and only that."""
import pytest

import trees

TABLE = """
| folder | what | knows of |
|---|---|---|
| `src/cli` | commands | everything |
| `src/trainer` | the heart | api |
| `src/api` | kinds | json (trees), base |
| `src/net`, `src/proc` | glue | base |
| `src/json` | trees | base |
| `src/base` | arenas | nothing |
"""


def layers(root, files, table=TABLE):
    trees.write(root, {"docs/design.md": table, **{f"src/{name}": text for name, text in files.items()}})
    return trees.run("layers", root)


def test_down_is_fine(tmp_path):
    code, out = layers(tmp_path, {
        "cli/main.c": '#include "trainer/plan.h"\n#include "base/arena.h"\n',
        "trainer/plugins/torch.c": '#include "trainer/plan.h"\n#include "json/json.h"\n',
        "api/kind.c": '#include <stdio.h>\n#include "base/arena.h"\n',
        "trainer/loader.c": '#include "trainyard/plugin.h"\n',
    })
    assert (code, out) == (0, "layers: 4 files, 0 includes that point up\n")


@pytest.mark.parametrize("name,text,message", [
    ("json/tree.c", '\n#include "api/kind.h"\n', "tree.c:2: src/json must not know of api/kind.h"),
    ("base/arena.h", '#include "json/json.h"\n', "src/base must not know of json/json.h"),
    ("net/http_client.c", '  # include "proc/spawn.h"\n', "src/net must not know of proc/spawn.h"),
    ("api/kind.c", '#include "kinds.h"\n', '"kinds.h" does not name its folder'),
    ("extra/x.c", "", "src/extra is not in the table"),
])
def test_up_is_found(tmp_path, name, text, message):
    code, out = layers(tmp_path, {name: text})
    assert code == 1 and message in out


def test_circle_in_the_table(tmp_path):
    code, out = layers(tmp_path, {"base/a.c": ""}, TABLE.replace("| nothing |", "| json |"))
    assert code == 1 and "knows of itself through others" in out


def test_unknown_name_in_the_table(tmp_path):
    code, out = layers(tmp_path, {"base/a.c": ""}, TABLE.replace("| nothing |", "| bass |"))
    assert code == 1 and "broken ['bass']" in out


def test_no_sources_is_a_failure(tmp_path):
    (tmp_path / "src").mkdir()
    code, _ = layers(tmp_path, {})
    assert code == 1
