/* Events in, trees out: places, keys, merging, anchors and what bounds them. */
#include "json/yaml_inner.h"

#include "base/testing.h"

#include <errno.h>

struct maker {
    struct ty_arena *a;
    struct ty_yaml_build *b;
    struct ty_err err;
    uint32_t line; /* each event is on a line of its own */
};

static void start(struct maker *m, unsigned depth)
{
    *m = (struct maker){ .a = ty_arena_new((size_t)1 << 28) };
    m->b = ty_yaml_build_new(m->a, "f", depth);
}

static void stop(struct maker *m)
{
    ty_yaml_build_free(m->b);
    ty_arena_free(m->a);
}

static int add(struct maker *m, enum ty_yaml_kind kind, const char *text, const char *anchor)
{
    const struct ty_yaml_event ev = {
        .kind = kind,
        .scalar = { .text = ty_str(text), .plain = true },
        .anchor = ty_str(anchor),
        .at = { ++m->line, 7 },
    };
    return ty_yaml_build_add(m->b, &ev, &m->err);
}

static void add_all(struct maker *m, const char *const *texts)
{
    for (; *texts; texts++) {
        char c = (*texts)[0];
        int r = c == '['   ? add(m, TY_YAML_LIST, "", *texts + 1)
                : c == '{' ? add(m, TY_YAML_MAPPING, "", *texts + 1)
                : c == ']' ? add(m, TY_YAML_END, "", "")
                : c == '*' ? add(m, TY_YAML_ALIAS, "", *texts + 1)
                           : add(m, TY_YAML_SCALAR, *texts, "");
        if (r < 0)
            return;
    }
}

static void assert_doc(struct maker *m, const char *want)
{
    assert_string_equal(m->err.text, "");
    struct ty_json *doc = ty_yaml_build_take(m->b);
    assert_non_null(doc);
    assert_string_equal(ty_json_text(m->a, doc).p, want);
}
#define ADD(m, ...) add_all((m), (const char *const[]){ __VA_ARGS__, NULL })

static void builds(void **state TY_UNUSED)
{
    struct maker m;
    start(&m, 8);
    ADD(&m, "{", "a", "1", "b", "[", "x", "{", "]", "[", "]", "]", "yes", "no", "]");
    struct ty_json *doc = ty_yaml_build_take(m.b);
    assert_string_equal(ty_json_text(m.a, doc).p, "{\"a\":1,\"b\":[\"x\",{},[]],\"true\":false}");
    assert_int_equal(doc->line, 1);
    assert_int_equal(ty_json_get(doc, "b")->line, 5);
    assert_int_equal(ty_json_get(doc, "b")->col, 7);
    assert_null(ty_yaml_build_take(m.b)); /* forgotten */
    ADD(&m, "x");
    assert_doc(&m, "\"x\"");
    stop(&m);
}

static void merges(void **state TY_UNUSED)
{
    struct maker m;
    start(&m, 8);
    ADD(&m, "[", "{base", "a", "1", "b", "2", "]", "{", "b", "3", "<<", "*base", "]", "]");
    assert_doc(&m, "[{\"a\":1,\"b\":2},{\"b\":3,\"a\":1}]");
    ADD(&m, "{", "<<", "[", "{", "a", "1", "]", "{", "a", "2", "b", "3", "]", "]", "]");
    assert_doc(&m, "{\"a\":1,\"b\":3}");
    ADD(&m, "{", "<<", "{", "]", "<<", "{", "a", "1", "]", "]");
    assert_doc(&m, "{\"a\":1}");
    ADD(&m, "{", "<<", "1");
    assert_true(ty_str_ends(ty_str(m.err.text), TY_LIT(":7: the key << needs a mapping or a list "
                                                       "of mappings to merge")));
    stop(&m);
}

static void refuses(void **state TY_UNUSED)
{
    static const struct {
        const char *events[8], *want;
    } rows[] = {
        { { "{", "a", "1", "b", "2", "a", "3", "]" },
          "f:6:7: mapping key \"a\" is given twice (first on line 2)" },
        { { "{", "~" }, "f:2:7: a mapping key cannot be null; write \"null\" or \"~\" in quotes" },
        { { "{", "[" }, "f:2:7: a mapping key cannot be a list" },
        { { "{", "{" },
          "f:2:7: a mapping key cannot be a mapping; quote it if it is text, such as \"{{ x }}\"" },
        { { "[", "*a" }, "f:2:7: no anchor \"a\" comes before this alias" },
        { { "[a", "*a" }, "f:2:7: the alias \"a\" is inside the value it means" },
        { { "[", "[", "[", "[" }, "f:4:7: nested more than 3 levels deep" },
        { { "[", "[a", "[", "]", "]", "[", "*a" },
          "f:7:7: the alias \"a\" nests more than 3 levels deep" },
        { { "]" }, "f:1:1: an end without a beginning" },
        { { "[", "+.inf" }, "f:2:7: JSON has no number +.inf; put a string in quotes" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *events[9] = { 0 };
        struct maker m;
        start(&m, 3);
        memcpy(events, rows[i].events, sizeof(rows[i].events));
        add_all(&m, events);
        assert_string_equal(m.err.text, rows[i].want);
        stop(&m);
    }
}

/* Many keys, the first double of which counts; many anchors, the last of a name counts. */
static void many(void **state TY_UNUSED)
{
    struct maker m;
    char text[16];
    start(&m, 8);
    add(&m, TY_YAML_MAPPING, "", "");
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "k%d", i == 4000 ? 17 : i);
        add(&m, TY_YAML_SCALAR, ty_arena_strdup(m.a, text), "");
        add(&m, TY_YAML_SCALAR, text, ty_arena_strdup(m.a, text));
    }
    add(&m, TY_YAML_SCALAR, "last", "");
    assert_int_equal(add(&m, TY_YAML_ALIAS, "", "k4999"), 0);
    assert_int_equal(add(&m, TY_YAML_END, "", ""), -EINVAL);
    assert_string_equal(m.err.text,
                        "f:8002:7: mapping key \"k17\" is given twice (first on line 36)");
    stop(&m);
}

static void bounds_aliases(void **state TY_UNUSED)
{
    struct maker m;
    char name[2] = "a", up[2] = "";
    start(&m, 64);
    add(&m, TY_YAML_LIST, "", "");
    int r = add(&m, TY_YAML_SCALAR, "lol", "a");
    for (; r == 0 && name[0] < 'z'; name[0]++) { /* each level is ten of the one before */
        up[0] = (char)(name[0] + 1);
        r = add(&m, TY_YAML_LIST, "", ty_arena_strndup(m.a, up, 1));
        for (int i = 0; r == 0 && i < 10; i++)
            r = add(&m, TY_YAML_ALIAS, "", name);
        if (r == 0)
            r = add(&m, TY_YAML_END, "", "");
    }
    assert_int_equal(r, -EINVAL);
    assert_has(m.err.text, ":7: aliases make this text more than 10 times larger");
    assert_true(ty_arena_used(m.a) < (size_t)1 << 24);
    stop(&m);
}

/* Many aliases of little are no attack. */
static void allows_small_aliases(void **state TY_UNUSED)
{
    struct maker m;
    start(&m, 8);
    add(&m, TY_YAML_LIST, "", "");
    add(&m, TY_YAML_SCALAR, "x", "a");
    for (int i = 0; i < 150000; i++)
        if (add(&m, TY_YAML_ALIAS, "", "a") < 0)
            fail_msg("%s", m.err.text);
    assert_int_equal(add(&m, TY_YAML_END, "", ""), 0);
    assert_int_equal(ty_yaml_build_take(m.b)->n, 150001);
    stop(&m);
}

static void tells_what_is_open(void **state TY_UNUSED)
{
    struct maker m;
    struct ty_yaml_mark at = { 0 };
    start(&m, 8);
    assert_int_equal(ty_yaml_build_open(m.b, &at), 0);
    add(&m, TY_YAML_LIST, "", "");
    assert_int_equal(ty_yaml_build_open(m.b, &at), '-');
    const struct ty_yaml_event ev = { .kind = TY_YAML_LIST, .flow = true, .at = { 4, 2 } };
    assert_int_equal(ty_yaml_build_add(m.b, &ev, &m.err), 0);
    assert_int_equal(ty_yaml_build_open(m.b, &at), '[');
    assert_int_equal(at.line, 4);
    stop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds),
        cmocka_unit_test(merges),
        cmocka_unit_test(refuses),
        cmocka_unit_test(many),
        cmocka_unit_test(bounds_aliases),
        cmocka_unit_test(allows_small_aliases),
        cmocka_unit_test(tells_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
