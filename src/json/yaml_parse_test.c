/* Reading as a whole: trees, places, and one clear sentence for each mistake. */
#include "json/yaml.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* The documents as compact JSON, one a line; or the sentence. */
static const char *read_with(struct ty_arena *a, struct ty_str text,
                             const struct ty_json_limits *limits)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    /* An exact copy, so that ASan sees a read past the end. */
    char *copy = ty_arena_raw(a, text.n + 1, 1);
    memcpy(copy, text.p, text.n);
    int r = ty_yaml_parse(a, "f", (struct ty_str){ copy, text.n }, limits, &docs, &err);
    assert_int_equal(r < 0, err.text[0] != '\0');
    if (r < 0)
        return ty_arena_strdup(a, err.text);
    const char *all = "";
    for (size_t i = 0; i < docs.n; i++)
        all = ty_arena_printf(a, "%s%s%s", all, i ? "\n" : "", ty_json_text(a, docs.v[i]).p);
    return all;
}

struct row {
    const char *text, *want;
};

static void assert_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ty_auto_arena *a = ty_arena_new((size_t)1 << 26);
        const char *got = read_with(a, ty_str(rows[i].text), NULL);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s\n  got  %s\n  want %s", rows[i].text, got, rows[i].want);
    }
}
#define ASSERT_ROWS(rows) assert_rows((rows), TY_COUNT(rows))

static void reads_trees(void **state TY_UNUSED)
{
    static const struct row rows[] = {
        { "a: 1\nb:\n- x\n- k: z\n  w: [1, {c: d}]\n",
          "{\"a\":1,\"b\":[\"x\",{\"k\":\"z\",\"w\":[1,{\"c\":\"d\"}]}]}" },
        { "yes: on\n1: 2\n1.0e1: x\n", "{\"true\":true,\"1\":2,\"10\":\"x\"}" },
        { "a:\nb: ~\nc: ''\n", "{\"a\":null,\"b\":null,\"c\":\"\"}" },
        { "run: |\n  #!/bin/sh\n  echo 'a: b'\n\n  exit\n", "{\"run\":\"#!/bin/sh\\necho 'a: "
                                                            "b'\\n\\nexit\\n\"}" },
        { "a: |-\n  x\nb: |+\n  y\n\nc: >\n  1\n  2\n\n  3\n",
          "{\"a\":\"x\",\"b\":\"y\\n\\n\",\"c\":\"1 2\\n3\\n\"}" },
        { "a: |2\n   x\n", "{\"a\":\" x\\n\"}" },
        { "a: several\n  plain\n\n  lines\n", "{\"a\":\"several plain\\nlines\"}" },
        { "a: 'it''s'\nb: \"\\u00e9\\n\"\n", "{\"a\":\"it's\",\"b\":\"\xc3\xa9\\n\"}" },
        { "a: [\n  1,\n  2\n]\nb: {\nc: d\n}\n", "{\"a\":[1,2],\"b\":{\"c\":\"d\"}}" },
        { "a: b # c\n# d\nc: 'x # y'\n", "{\"a\":\"b\",\"c\":\"x # y\"}" },
        { "? a\n: b\n", "{\"a\":\"b\"}" },
        { "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  l: 2\n",
          "{\"a\":{\"k\":1},\"b\":{\"k\":1},\"c\":{\"l\":2,\"k\":1}}" },
        { "\"<<\": {a: 1}\n", "{\"<<\":{\"a\":1}}" },
        { "!!merge <<: {a: 1}\n", "{\"a\":1}" },
        { "a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}" },
        { "&k key: *k\n", "{\"key\":\"key\"}" },
        { "a: !!str 1\nb: !!binary aGk=\nc: ! 1\nd: !!map {}\n",
          "{\"a\":\"1\",\"b\":\"hi\",\"c\":\"1\",\"d\":{}}" },
        { "\xef\xbb\xbf"
          "a: 1\r\nb:\r\n- x\r\n",
          "{\"a\":1,\"b\":[\"x\"]}" },
        { "- - a\n  - b\n-\n  - c\n- \n", "[[\"a\",\"b\"],[\"c\"],null]" },
        { "just text", "\"just text\"" },
        { "%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n", "{\"a\":\"1\"}" },
    };
    ASSERT_ROWS(rows);
}

static void reads_streams(void **state TY_UNUSED)
{
    static const struct row rows[] = {
        { "", "" },
        { "# nothing\n\n---\n# here\n---\n...\nnull\n", "" },
        { "a: 1\n---\nb: 2\n...\n---\n---\nc: 3\n", "{\"a\":1}\n{\"b\":2}\n{\"c\":3}" },
        { "--- {a: 1}\n--- |\n text\n---\n- 1\n", "{\"a\":1}\n\"text\\n\"\n[1]" },
        { "a: &x 1\n---\nb: *x\n", "f:3:4: no anchor \"x\" comes before this alias" },
        { "a: 1\n---\nb: [\n---\nc: 1\n", "f:3:4: this [ is never closed" },
        { "a: 1\n---\nb: 1\nb: 2\n", "f:4:1: mapping key \"b\" is given twice (first on line 3)" },
    };
    ASSERT_ROWS(rows);
}

static void reads_json(void **state TY_UNUSED)
{
    static const struct row rows[] = {
        { "{\n\t\"a\": [1, 2.50, 1e3, -0, \"\\ud83d\\ude00\\/\"]\n}",
          "{\"a\":[1,2.5,1000,0,\"\xf0\x9f\x98\x80/\"]}" },
        { "{\"a\":1}{\"b\":\"}\\\"\"}\n[{}]\n", "{\"a\":1}\n{\"b\":\"}\\\"\"}\n[{}]" },
        { "{\"a\":1}\n---\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}" },
        { "{a: yes, \"b\": 1,}", "{\"a\":true,\"b\":1}" },
        { "{\"a\": 1,, \"b\": 2}", "f:1:9: a value is missing here" },
        { "{\"a\": 1\n \"b\": 2}", "f:2:5: a comma is missing between two items" },
        { "{\"a\": 1,\n\"a\": 2}", "f:2:1: mapping key \"a\" is given twice (first on line 1)" },
        { "{\"a\": [1, 2}", "f:1:12: this bracket does not close the one that is open" },
        { "{\"a\": {", "f:1:7: this { is never closed" },
    };
    ASSERT_ROWS(rows);
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_yaml_docs docs = { 0 };
    struct ty_str text = TY_LIT("{}\n  {\"a\":1,\n\"b\":2}");
    assert_int_equal(ty_yaml_parse(a, "f", text, NULL, &docs, NULL), 0);
    assert_int_equal(ty_json_get(docs.v[1], "a")->line, 2);
    assert_int_equal(ty_json_get(docs.v[1], "a")->col, 8);
    assert_int_equal(ty_json_get(docs.v[1], "b")->line, 3);
    assert_int_equal(ty_json_get(docs.v[1], "b")->col, 5);
}

static void says_what_is_wrong(void **state TY_UNUSED)
{
    static const struct row rows[] = {
        { "spec:\n  trainer:\n    name: a\n    image: x\n    env: []\n\n    image: y\n",
          "f:7:5: mapping key \"image\" is given twice (first on line 4)" },
        { "\"a\": 1\n'a': 2\n", "f:2:1: mapping key \"a\" is given twice (first on line 1)" },
        { "1: a\n\"1\": b\n", "f:2:1: mapping key \"1\" is given twice (first on line 1)" },
        { "a:\n  b: 1\n\tc: 1\n", "f:3:1: a tab cannot indent YAML; use spaces" },
        { "\ta: 1\n", "f:1:1: a tab cannot indent YAML; use spaces" },
        { "a: |\n\tx\n", "f:2:1: a tab cannot indent YAML; use spaces" },
        { "a: 1\n\tb: 2\n", "f:2:1: a tab cannot indent YAML; use spaces" },
        { "a:\n  b: 1\n  \tc: 2\n", "f:3:3: a tab cannot indent YAML; use spaces" },
        { "a: x\n  y\n\n\tb: 2\n", "f:4:1: a tab cannot indent YAML; use spaces" },
        { "a: |\n  x\n \ty\n", "f:3:2: a tab cannot indent YAML; use spaces" },
        { "a: 1\n---\na:\n \t- b\n", "f:4:2: a tab cannot indent YAML; use spaces" },
        { "\t- a\n", "f:1:1: a tab cannot indent YAML; use spaces" },
        { "\ta: 1\n", "f:1:1: a tab cannot indent YAML; use spaces" },
        { "a: x\n  y\nb: 1\n\tc: 2\n", "f:4:1: a tab cannot indent YAML; use spaces" },
        { "a: [1,\n\t2,, 3]\n",
          "f:2:4: a comma without an item before it" }, /* it may indent here */
        { "a: {\n\tb: 1\n\tc: 2}\n", "f:3:3: a comma is missing between two items" },
        { "a: b: c\n",
          "f:1:5: a second \": \" on one line; put the value in quotes, or the inner key "
          "on a line of its own" },
        { "a: - b\n",
          "f:1:4: a list cannot start on its key's line; put \"- \" on the next line, or "
          "the text in quotes" },
        { "a: 'x\nb: 2\n", "f:1:4: this quote is never closed" },
        { "a: [1, 2\n", "f:1:4: this [ is never closed" },
        { "a: {b: 1\n", "f:1:4: this { is never closed" },
        { "a: [1]]\n", "f:1:7: a closing bracket without an opening one" },
        { "a: @x\n", "f:1:4: a value cannot start with @; put it in quotes" },
        { "a: \"\\q\"\n", "f:1:5: invalid escape 'q' in double-quoted string" },
        { "a: \"x\" y\n", "f:1:8: text after the closing quote; quote all of it or none" },
        { "a:\n  b: 1\n c: 2\n",
          "f:3:2: this key is indented neither as the keys above it nor as a "
          "key inside the last of them" },
        { "- a\nb: 1\n", "f:2:1: the lines before are a list, but this one does not start with "
                         "\"- \"" },
        { "a: 1\nb\n", "f:2:1: this is no \"key: value\", but the lines before are" },
        { "a: *x\n", "f:1:4: no anchor \"x\" comes before this alias" },
        { "a: &a [*a]\n", "f:1:8: the alias \"a\" is inside the value it means" },
        { "a: !foo x\n", "f:1:9: the tag !foo means nothing here" },
        { "a: !!set {b}\n", "f:1:10: the tag !!set means nothing on a mapping" },
        { "a: !x!y z\n", "f:1:4: a tag with an unknown prefix" },
        { "a: .inf\n", "f:1:4: JSON has no number .inf; put a string in quotes" },
        { "~: 1\n", "f:1:1: a mapping key cannot be null; write \"null\" or \"~\" in quotes" },
        { "a: {{ x }}\n",
          "f:1:5: a mapping key cannot be a mapping; quote it if it is text, such as "
          "\"{{ x }}\"" },
        { "a:\n- \n", "f:3:1: the list item before this is empty; write null if that is meant" },
        { "a:\n-\n- b\nc: 1\n",
          "f:3:1: the list item before this is empty; write null if that is meant" },
        { "a: x\x07\n",
          "f:1:5: the control character U+0007 must be written as an escape in double "
          "quotes" },
        { "a: \xff\n", "f:1:4: byte 0xff is not UTF-8 text" },
        { "%YAML 9.9\n---\na: 1\n", "f:1:1: this is not YAML" },
    };
    ASSERT_ROWS(rows);
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(read_with(a, TY_LIT("a: b\0c"), NULL),
                        "f:1:5: a NUL byte; is this a text file?");
}

static void knows_places(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_yaml_docs docs = { 0 };
    struct ty_str text =
        TY_LIT("# c\na: 1\nb:\n  - \"x\"\n  - \xc3\xa9: y\nc:\n---\n  d: [1,\n 2]\n");
    assert_int_equal(ty_yaml_parse(a, "f", text, NULL, &docs, NULL), 0);
    static const struct {
        size_t doc;
        const char *path;
        int item;
        uint32_t line, col;
    } rows[] = {
        { 0, "a", -1, 2, 4 }, { 0, "b", -1, 4, 3 }, { 0, "b", 0, 4, 5 }, { 0, "b", 1, 5, 5 },
        { 0, "c", -1, 6, 1 }, { 1, "d", -1, 8, 6 }, { 1, "d", 0, 8, 7 }, { 1, "d", 1, 9, 2 },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_json *v = ty_json_get(docs.v[rows[i].doc], rows[i].path);
        if (rows[i].item >= 0)
            v = ty_json_item(v, (size_t)rows[i].item);
        assert_int_equal(v->line, rows[i].line);
        assert_int_equal(v->col, rows[i].col);
    }
}

static void keeps_limits(void **state TY_UNUSED)
{
    const char *const units[] = { "[", "{a: ", "- ", "? ", "[a, ", "{\"a\":[" };
    for (size_t i = 0; i < TY_COUNT(units); i++) {
        ty_auto_arena *a = ty_arena_new((size_t)1 << 28);
        ty_auto_buf text = { 0 };
        for (int k = 0; k < 10000; k++)
            ty_buf_cstr(&text, units[i]);
        const char *got = read_with(a, ty_buf_str(&text), NULL);
        if (!strstr(got, "nested more than 512 levels deep") && !strstr(got, "cannot be a"))
            fail_msg("%s: %s", units[i], got);
    }
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json_limits limits = { .bytes = 8, .depth = 2 };
    assert_string_equal(read_with(a, TY_LIT("a: [[]]"), &limits),
                        "f:1:5: nested more than 2 levels deep");
    assert_string_equal(read_with(a, TY_LIT("a: [ ]  "), &limits), "{\"a\":[]}");
    assert_string_equal(read_with(a, TY_LIT("a: [ ]   "), &limits),
                        "f:1:1: the text has 9 bytes, more than the 8 allowed");
    const struct ty_json_limits plain = { .plain = true };
    assert_string_equal(read_with(a, TY_LIT("a: &x 1\nb: '*x'"), &plain), "{\"a\":1,\"b\":\"*x\"}");
    assert_string_equal(read_with(a, TY_LIT("a: &x 1\nb: *x"), &plain),
                        "f:2:4: aliases are not taken here");
}

static void stops_laughing(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 26);
    ty_auto_buf text = { 0 };
    ty_buf_cstr(&text, "a: &a [l, l, l, l, l, l, l, l, l, l]\n");
    for (char c = 'b'; c < 'k'; c++) {
        ty_buf_printf(&text, "%c: &%c [", c, c);
        for (int i = 0; i < 10; i++)
            ty_buf_printf(&text, "%s*%c", i ? ", " : "", c - 1);
        ty_buf_cstr(&text, "]\n");
    }
    assert_string_equal(read_with(a, ty_buf_str(&text), NULL),
                        "f:5:36: aliases make this text more than 10 times larger");
}

/* libfyaml must not talk: whatever is wrong, file descriptor 2 stays silent. */
static void stays_silent(void **state TY_UNUSED)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    int saved = dup(STDERR_FILENO);
    assert_true(dup2(fileno(f), STDERR_FILENO) >= 0);
    const char *bad[] = { "a: [",    "a: 'x",  "\ta: 1", "a: b: c",      "%YAML 9.9\n---\n",
                          "a: !x!y", "- a\nb", "? ? :",  "a: \"\\u12\"", "{\"a\": 1,, }" };
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        read_with(a, ty_str(bad[i]), NULL);
    }
    dup2(saved, STDERR_FILENO);
    close(saved);
    fseek(f, 0, SEEK_END);
    long said = ftell(f);
    fclose(f);
    assert_int_equal(said, 0);
}

/* An arena of input that is full ends the reading, at the place where it was. */
static void stops_when_the_arena_is_full(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 20, NULL), *out = ty_arena_new(1 << 22);
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    size_t n = 3 * 500000;
    char *text = ty_arena_alloc(out, n + 1, 1);

    for (size_t i = 0; i < n; i += 3)
        memcpy(text + i, "- \n", 3);
    memcpy(text, "- x", 3); /* not JSON */
    text[2] = '\n';
    assert_int_equal(ty_yaml_parse(a, "f", (struct ty_str){ text, n }, NULL, &docs, &err), -EFBIG);
    assert_non_null(strstr(err.text, "the text takes too much memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_trees),
        cmocka_unit_test(reads_streams),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(knows_places),
        cmocka_unit_test(keeps_limits),
        cmocka_unit_test(stops_laughing),
        cmocka_unit_test(stays_silent),
        cmocka_unit_test(stops_when_the_arena_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
