"""Who may make an arena that aborts at its ceiling: tests/tools/arenas.tsv, with the reason why no
input reaches it. An arena for input is ty_arena_new_input."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/tools/arenas.tsv"
OWN = re.compile(r"(_test\.c|_testing\.h|_fuzz\.c|/testing\.h|/fixture\.h)$")
CALL = re.compile(r"\bty_arena_new(?:_small)?\(")
FUNCTION = re.compile(r"^(?=[A-Za-z_])[^;=#/]*?(\w+)\s*\(")  # clang-format: definitions begin in column 0


def code_of(text):
    """The text without comments and strings; lines stay lines."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())  # noqa: E731
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def sites(root):
    """(file, enclosing function) of each call, with its line."""
    found = {}
    for path in sorted((root / "src").rglob("*.[ch]")):
        name = path.relative_to(root).as_posix()
        if OWN.search("/" + name) or name.startswith("src/base/arena."):
            continue
        function = "-"
        for number, line in enumerate(code_of(path.read_text()).split("\n"), 1):
            head = FUNCTION.match(line)
            if head:
                function = head.group(1)
            if CALL.search(line):
                found.setdefault((name, function), f"{name}:{number}")
    return found


def rows(text):
    found = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        file, function, reason = line.split("\t")
        assert (file, function) not in found, f"{file} {function} is listed twice"
        assert len(reason.split()) > 3, f"{file} {function}: say which bound, and where it is"
        found[file, function] = reason
    return found


def test_every_arena_with_a_ceiling_is_listed():
    listed = rows(TABLE.read_text())
    missing = [f"{at} ({key[1]})" for key, at in sites(ROOT).items() if key not in listed]
    assert not missing, f"say in {TABLE.name} why input cannot reach their ceilings, or use ty_arena_new_input: {missing}"


def test_every_row_is_an_arena():
    there = sites(ROOT)
    gone = [key for key in rows(TABLE.read_text()) if key not in there]
    assert not gone, f"{TABLE.name} lists what is not there: {gone}"


def test_the_search(tmp_path):
    (tmp_path / "src/x").mkdir(parents=True)
    (tmp_path / "src/x/a.c").write_text(
        "static int one(int a,\n               int b)\n{\n    x = ty_arena_new(1);\n    y = ty_arena_new_small(1, 2);\n}\n\n"
        "struct t *two(void)\n{\n    /* ty_arena_new(2) */\n    z = ty_arena_new_input(3, 0);\n}\n"
        "struct u v = {\n    1,\n};\nint three(void)\n{\n    if (a)\n        return ty_arena_new(4);\n}\n")
    (tmp_path / "src/x/a_test.c").write_text("int main(void)\n{\n    ty_arena_new(1);\n}\n")
    assert sites(tmp_path) == {("src/x/a.c", "one"): "src/x/a.c:4", ("src/x/a.c", "three"): "src/x/a.c:19"}
