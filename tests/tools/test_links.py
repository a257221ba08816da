"""tools/links on small trees: it must find what leads nowhere, and only that."""
import pytest

import trees

SPEC = "# Rules\n\n## 4. Plans\n\n### 4.5 Runtime patches\n\n### 4.6 Resources\n\n```\n## 7. Not a heading\n```\n"


def links(root, files):
    trees.write(root, {"docs/spec/trainer.md": SPEC, **files})
    return trees.run("links", root)


def one(root, name, text, **files):
    """The complaint about the only mistake of a tree."""
    code, out = links(root, {name: text, **files})
    lines = out.splitlines()
    assert code == 1 and len(lines) == 2 and lines[1].endswith(" 1 that lead nowhere"), out
    return lines[0]


def test_nothing_to_complain(tmp_path):
    code, out = links(tmp_path, {
        "src/a.c": "/* Merged (docs/spec/trainer.md 4.5). */\n/* See docs/spec/trainer.md\n * 4 to 4.6; 12 facts. */\n",
        "src/b.h": "/* docs/spec/trainer.md#45-runtime-patches */\n",
        "tools/x": "# docs/spec/trainer.md says why; a fact is enough\n",
        "README.md": "[rules](docs/spec/trainer.md#4-plans \"title\") [web](https://example.org/x#y) `[no](link)`\n",
        "docs/page.md": "[up](../README.md) [here](#two-words-1)\n\n# Two words\n\n# Two `words`!\n\n[root]: ../src/a.c\n",
    })
    assert (code, out) == (0, "links: 4 citations, 4 links, 0 functions, 0 that lead nowhere\n")


@pytest.mark.parametrize("text,message", [
    ("\n/* docs/spec/trainer.md 4.7. */", "src/x.c:2: docs/spec/trainer.md has no section 4.7"),
    ("/* docs/spec/trainer.md 4.5, 9 */", "src/x.c:1: docs/spec/trainer.md has no section 9"),
    ("/* docs/spec/trainer.md 4.5 to\n * 4.8 */", "src/x.c:1: docs/spec/trainer.md has no section 4.8"),
    ("/* docs/spec/trainer.md 7 */", "src/x.c:1: docs/spec/trainer.md has no section 7"),
    ("/* docs/spec/trainer.md#plan */", "src/x.c:1: docs/spec/trainer.md has no anchor #plan"),
    ("/* docs/spec/other.md 4 */", "src/x.c:1: there is no docs/spec/other.md"),
    ("/* spec/trainer.md 4.5 */", "src/x.c:1: spec/trainer.md is not in this repository"),
    ("/* Fact 12. */", "src/x.c:1: 'Fact 12' says nothing: state the behavior"),
    ("/* (facts 1, 2) */", "src/x.c:1: 'facts 1' says nothing: state the behavior"),
])
def test_citations(tmp_path, text, message):
    assert one(tmp_path, "src/x.c", text) == message


def test_recorded_data_is_left_alone(tmp_path):
    code, _ = links(tmp_path, {"tests/golden/cases/x.yaml": "note: Fact 12", "tests/golden/runner.c": ""})
    assert code == 0


@pytest.mark.parametrize("text,message", [
    ("\n[a](b.md)", "docs/page.md:2: b.md: there is no such file"),
    ("![picture](b.png)", "docs/page.md:1: b.png: there is no such file"),
    ("[a]: b.md\n", "docs/page.md:1: b.md: there is no such file"),
    ("# One\n\n[a](#two)", "docs/page.md:3: #two: there is no such heading"),
    ("[a](spec/trainer.md#nine)", "docs/page.md:1: spec/trainer.md#nine: there is no such heading"),
    ("# A\n# A\n[a](#a-1) [b](#a-2)", "docs/page.md:3: #a-2: there is no such heading"),
])
def test_links(tmp_path, text, message):
    assert one(tmp_path, "docs/page.md", text) == message


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/deeper/page.md"])
def test_every_page_is_read(tmp_path, name):
    assert one(tmp_path, name, "[a](b.md)") == f"{name}:1: b.md: there is no such file"


def test_code_is_no_link(tmp_path):
    code, out = links(tmp_path, {"docs/page.md": "```sh\n[a](b.md)\n```\nand `[a](c.md)`\n"})
    assert code == 0, out


SOURCE = """/* gone(1) was here */
static int helper(int a)
{
    return called(a);
}

struct ty_json *ty_read(struct ty_arena *a,
                        const char *text)
{
    return NULL;
}
#define ty_each(a) for (;;)
void ty_declared(void);
"""


@pytest.mark.parametrize("name", ["helper", "ty_read", "ty_each", "ty_declared"])
def test_walk(tmp_path, name):
    code, out = links(tmp_path, {"docs/walk.md": f"1. [`{name}`](../src/x/y.c)\n", "src/x/y.c": SOURCE})
    assert (code, out) == (0, "links: 0 citations, 1 links, 1 functions, 0 that lead nowhere\n")


@pytest.mark.parametrize("name", ["called", "gone", "ty_rea", "ty_arena"])
def test_walk_astray(tmp_path, name):
    text = f"A walk.\n\n1. [`{name}`](../src/x/y.c)\n"
    assert one(tmp_path, "docs/walk.md", text, **{"src/x/y.c": SOURCE}) == \
        f"docs/walk.md:3: ../src/x/y.c has no function {name}"


def test_walk_into_a_file_that_is_gone(tmp_path):
    assert one(tmp_path, "docs/walk.md", "[`f`](../src/no.c)") == "docs/walk.md:1: ../src/no.c: there is no such file"
