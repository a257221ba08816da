/* The printed form, and that it reads back equal. */
#include "json/json_testing.h"
#include "json/yaml.h"

static void assert_prints(const struct ty_json *v, const struct ty_yaml_style *style,
                          const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    ty_auto_buf out = { 0 };
    struct ty_yaml_docs back = { 0 };
    struct ty_err err = { 0 };
    ty_yaml_print(&out, v, style);
    assert_string_equal(ty_arena_cstr(a, ty_buf_str(&out)), want);
    ty_yaml_parse(a, "printed", ty_buf_str(&out), NULL, &back, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(back.n, v->type == TY_JSON_NULL ? 0 : 1);
    assert_true(back.n == 0 || ty_json_eq(v, back.v[0]));
}

static void prints(void **state TY_UNUSED)
{
    static const struct {
        const char *json, *want;
    } rows[] = {
        { "{}", "{}\n" },
        { "[]", "[]\n" },
        { "null", "null\n" },
        { "\"x\"", "x\n" },
        { "\"a\\nb\\n\"", "\"a\\nb\\n\"\n" },
        { "{\"apiVersion\":\"v1\",\"spec\":{\"i\":2,\"on\":true,\"none\":null,\"f\":0.5}}",
          "apiVersion: v1\nspec:\n  i: 2\n  \"on\": true\n  none: null\n  f: 0.5\n" },
        { "{\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"B\"}],\"args\":[\"--lr=1\",\"*\"]"
          "}",
          "env:\n- name: A\n  value: \"1\"\n- name: B\nargs:\n- --lr=1\n- '*'\n" },
        { "{\"a\":[],\"b\":{},\"c\":[{},[]]}", "a: []\nb: {}\nc:\n- {}\n- []\n" },
        { "[[1,[2]],[{\"a\":[3],\"b\":4}]]", "- - 1\n  - - 2\n- - a:\n    - 3\n    b: 4\n" },
        { "{\"run\":\"#!/bin/sh\\necho hi\\n\",\"last\":\"a\\nb\"}",
          "run: |\n  #!/bin/sh\n  echo hi\nlast: |-\n  a\n  b\n" },
        { "{\"a\":{\"b\":[\"x\\n\\n\",{\"c\":\"\\ny\\n\"}]}}",
          "a:\n  b:\n  - |+\n    x\n\n  - c: |2\n\n      y\n" },
        { "{\"\":1,\"yes\":2,\"a: b\":3,\"x\\ny\":4}",
          "\"\": 1\n\"yes\": 2\n'a: b': 3\n\"x\\ny\": 4\n" },
        { "[18446744073709551615,1e+21,-9223372036854775808]",
          "- 18446744073709551615\n- 1e+21\n- -9223372036854775808\n" },
    };
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        assert_prints(json_read(a, rows[i].json), NULL, rows[i].want);
    }
}

static void sorts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_yaml_style sorted = { .sorted = true };
    assert_prints(json_read(a, "{\"b\":[{\"z\":1,\"x\":2}],\"a\":{\"d\":1,\"C\":2},\"B\":3}"),
                  &sorted, "B: 3\na:\n  C: 2\n  d: 1\nb:\n- x: 2\n  z: 1\n");
}

static void prints_minus_zero(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json v = { .type = TY_JSON_NUMBER, .n = 2, .s = "-0" };
    assert_prints(&v, NULL, "-0.0\n");
}

static void prints_long_keys(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char key[2001];
    memset(key, 'k', sizeof(key));
    key[2000] = '\0';
    struct ty_json *in = ty_json_object(a), *list = ty_json_array(a);
    ty_json_set(a, in, key, json_read(a, "{\"a\":[1]}"));
    ty_json_push(a, list, in);
    assert_prints(list, NULL, ty_arena_printf(a, "- ? %s\n  :\n    a:\n    - 1\n", key));
}

/* Notes come from the origin: "o1", "o2"… */
static void say_origin(void *ctx, const struct ty_json *v, struct ty_buf *out)
{
    if (v->origin)
        ty_buf_printf(out, "%s%u", (const char *)ctx, v->origin);
}

static void assert_notes(struct ty_json *v, const char *want)
{
    char prefix[] = "o";
    const struct ty_yaml_style style = { .note = say_origin, .ctx = prefix };
    assert_prints(v, &style, want);
}

static void notes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v =
        json_read(a, "{\"a\":1,\"m\":{\"x\":1,\"t\":\"l1\\nl2\",\"z\":[]},\"l\":[1,2]}");
    ty_json_set_origin(v, 1);
    assert_notes(v, "a: 1 # o1\nm:\n  x: 1\n  t: |-\n    l1\n    l2\n  z: []\nl:\n- 1\n- 2\n");
    ty_json_set_origin(ty_json_get(v, "m"), 2);
    ty_json_at(v, "m.t")->origin = 3;
    ty_json_item(ty_json_get(v, "l"), 1)->origin = 4;
    assert_notes(v, "a: 1 # o1\nm: # o2\n  x: 1\n  t: |- # o3\n    l1\n    l2\n  z: []\n"
                    "l:\n- 1\n- 2 # o4\n");
    v->origin = 0; /* nothing to say about the whole: every value speaks for itself */
    assert_notes(v, "a: 1 # o1\nm: # o2\n  x: 1\n  t: |- # o3\n    l1\n    l2\n  z: []\n"
                    "l: # o1\n- 1\n- 2 # o4\n");
}

static void notes_in_lists(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v = json_read(a, "{\"e\":[{\"k\":1,\"v\":2},{\"k\":3,\"v\":4},[[5,6]]]}");
    ty_json_set_origin(v, 1);
    struct ty_json *e = ty_json_get(v, "e");
    ty_json_set_origin(ty_json_item(e, 0), 2); /* said once, on the item's first line */
    ty_json_item(e, 1)->origin = 2;            /* but its values say something else */
    ty_json_set_origin(ty_json_item(e, 2), 3);
    assert_notes(v, "e: # o1\n- k: 1 # o2\n  v: 2\n- k: 3\n  v: 4\n- - - 5 # o3\n    - 6\n");
}

/* Whatever a note says, it stays a comment on one line. */
static void bad_note(void *ctx, const struct ty_json *v, struct ty_buf *out)
{
    (void)ctx;
    (void)v;
    ty_buf_cstr(out, "two\nlines\t: #");
}

static void notes_stay_comments(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_yaml_style style = { .note = bad_note };
    assert_prints(json_read(a, "{\"a\":\"x\"}"), &style, "a: x # two lines : #\n");
    assert_prints(json_read(a, "7"), &style, "7 # two lines : #\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(sorts),
        cmocka_unit_test(prints_minus_zero),
        cmocka_unit_test(prints_long_keys),
        cmocka_unit_test(notes),
        cmocka_unit_test(notes_in_lists),
        cmocka_unit_test(notes_stay_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
