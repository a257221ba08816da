/* The writer: the forms of Go's encoding/json, sorted and indented. */
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char text[] =
    "{\"b\":[1,{},[],\"<&>\"],\"a\":{\"z\":null,\"B\":-7,\"b\":true},\"\":1e5}";

static struct ty_json *parse(struct ty_arena *a, const char *s)
{
    struct ty_json *v = ty_json_parse(a, ty_str(s), NULL, NULL);
    assert_non_null(v);
    return v;
}

static void compact(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf out = { 0 };
    ty_json_print(&out, parse(a, text));
    assert_true(ty_str_is(ty_buf_str(&out), text));
}

static void pretty(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf out = { 0 };
    ty_json_pretty(&out, parse(a, text), 2, false);
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, "{\n"
                               "  \"b\": [\n"
                               "    1,\n"
                               "    {},\n"
                               "    [],\n"
                               "    \"<&>\"\n"
                               "  ],\n"
                               "  \"a\": {\n"
                               "    \"z\": null,\n"
                               "    \"B\": -7,\n"
                               "    \"b\": true\n"
                               "  },\n"
                               "  \"\": 1e5\n"
                               "}");
}

static void sorted(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf out = { 0 };
    ty_json_pretty(&out, parse(a, "{\"b\":{\"d\":1,\"c\":2},\"ab\":3,\"a\":4,\"B\":5}"), 1, true);
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, "{\n \"B\": 5,\n \"a\": 4,\n \"ab\": 3,\n \"b\": {\n  \"c\": 2,\n"
                               "  \"d\": 1\n }\n}");
}

static void indents_deep(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf out = { 0 };
    ty_json_pretty(&out, parse(a, "[[[1]]]"), 20, false);
    assert_int_equal(out.n, 7 + 6 + 20 + 40 + 60 + 40 + 20);
    assert_true(ty_json_eq(parse(a, "[[[1]]]"), ty_json_parse(a, ty_buf_str(&out), NULL, NULL)));
}

/* A string of every length with an odd byte at every place comes back as it was. */
static void strings_come_back(void **state TY_UNUSED)
{
    static const char *const odd[] = { "\"", "\\", "\n", "\x01", "é", "\u2028", "😀", "a" };
    for (size_t n = 0; n < 40; n++) {
        ty_auto_arena *a = ty_arena_new(1 << 24);
        for (size_t at = 0; at <= n; at++) {
            for (size_t i = 0; i < TY_COUNT(odd); i++) {
                char *s = ty_arena_printf(
                    a, "%.*s%s%.*s", (int)at, "0123456789012345678901234567890123456789", odd[i],
                    (int)(n - at), "abcdefghijabcdefghijabcdefghijabcdefghij");
                struct ty_str once = ty_json_text(a, ty_json_cstr(a, s));
                const struct ty_json *back = ty_json_parse(a, once, NULL, NULL);
                assert_true(ty_str_is(ty_json_as_str(back), s));
            }
        }
    }
}

static void not_utf8(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(ty_json_text(a, ty_json_cstr(a, "a\xff\xc3z\xe2\x82")).p,
                        "\"a\\ufffd\\ufffdz\\ufffd\\ufffd\"");
}

static void stops_at_the_ceiling(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *v = parse(a, text);
    for (size_t most = 1; most < sizeof(text) + 2; most++) {
        ty_auto_buf out = { .ceiling = most };
        ty_json_print(&out, v);
        assert_int_equal(out.full, most < sizeof(text) - 1);
        assert_true(out.n <= most);
    }
}

/* A tree that shares its parts says many times as much as it takes. */
static void a_text_that_does_not_fit(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new_input(100000, NULL);
    struct ty_json *v = ty_json_array(a);

    assert_true(ty_str_is(ty_json_text(a, v), "[]"));
    for (int i = 0; i < 20; i++) {
        struct ty_json *twice = ty_json_array(a);
        ty_json_push(a, twice, v);
        ty_json_push(a, twice, v);
        v = twice;
    }
    assert_false(ty_arena_full(a));
    assert_int_equal(ty_json_text(a, v).n, 0);
    assert_true(ty_arena_full(a));
    ty_json_copy(a, v, 0); /* as little as can be */
    assert_true(ty_arena_used(a) < 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact),
        cmocka_unit_test(pretty),
        cmocka_unit_test(sorted),
        cmocka_unit_test(indents_deep),
        cmocka_unit_test(not_utf8),
        cmocka_unit_test(strings_come_back),
        cmocka_unit_test(stops_at_the_ceiling),
        cmocka_unit_test(a_text_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
