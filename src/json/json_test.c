/* The tree: making, looking, changing, comparing, copying. */
#include "json/json.h"
#include "json/json_testing.h"

static void assert_prints(const struct ty_json *v, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(ty_json_text(a, v).p, want);
}

static void makes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *o = ty_json_object(a);
    ty_json_set(a, o, "null", ty_json_null(a));
    ty_json_set(a, o, "yes", ty_json_bool(a, true));
    ty_json_set(a, o, "i", ty_json_int(a, INT64_MIN));
    ty_json_put(a, o, TY_LIT("s"), ty_json_str(a, TY_LIT("a\0b")));
    ty_json_set(a, o, "f", ty_json_strf(a, "%s-%d", "node", 3));
    ty_json_set(a, o, "empty", ty_json_str(a, (struct ty_str){ 0 }));
    ty_json_push(a, ty_json_ensure_array(a, o, "list"), ty_json_cstr(a, "x"));
    ty_json_ensure_object(a, ty_json_ensure_object(a, o, "in"), "deep");
    assert_prints(o, "{\"null\":null,\"yes\":true,\"i\":-9223372036854775808,\"s\":\"a\\u0000b\","
                     "\"f\":\"node-3\",\"empty\":\"\",\"list\":[\"x\"],\"in\":{\"deep\":{}}}");
}

static void looks(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *o =
        json_read(a, "{\"spec\":{\"n\":7,\"on\":true,\"off\":false,\"s\":\"t\",\"x\":1.5},"
                     "\"l\":[{\"name\":\"a\"},{\"name\":1},3,{\"name\":\"b\"}]}");
    int64_t n = 0;
    size_t at = 99;
    assert_true(ty_json_int_at(o, "spec.n", &n));
    assert_int_equal(n, 7);
    assert_false(ty_json_int_at(o, "spec.x", &n));
    assert_false(ty_json_int_at(o, "spec.n.deeper", &n));
    assert_int_equal(n, 7);
    assert_true(ty_json_true_at(o, "spec.on"));
    assert_false(ty_json_true_at(o, "spec.off"));
    assert_false(ty_json_true_at(o, "spec.s"));
    assert_true(ty_str_is(ty_json_str_at(o, "spec.s"), "t"));
    assert_int_equal(ty_json_str_at(o, "spec.n").n, 0);
    assert_string_equal(ty_json_cstr_at(a, o, "spec.s"), "t");
    assert_string_equal(ty_json_cstr_at(a, o, "spec.n"), "");
    const struct ty_json *l = ty_json_get(o, "l");
    assert_int_equal(ty_json_len(l), 4);
    assert_ptr_equal(ty_json_find_item(l, "name", TY_LIT("b"), &at), ty_json_item(l, 3));
    assert_int_equal(at, 3);
    assert_null(ty_json_find_item(l, "name", TY_LIT("c"), NULL));
    assert_null(ty_json_item(l, 4));
    assert_null(ty_json_item(o, 0));
    assert_null(ty_json_get(NULL, "x"));
    assert_null(ty_json_get(l, "x"));
    assert_null(ty_json_at(o, "spec..n"));
    assert_int_equal(ty_json_len(NULL), 0);
}

static void changes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *o = json_read(a, "{\"a\":1,\"b\":2,\"c\":3,\"l\":[0,2]}");
    ty_json_set(a, o, "b", ty_json_cstr(a, "new"));
    assert_true(ty_json_del(o, TY_LIT("a")));
    assert_false(ty_json_del(o, TY_LIT("a")));
    struct ty_json *l = ty_json_ensure_array(a, o, "l");
    ty_json_insert(a, l, 1, ty_json_int(a, 1));
    ty_json_insert(a, l, 3, ty_json_int(a, 3));
    ty_json_insert(a, l, 0, ty_json_int(a, -1));
    assert_prints(o, "{\"b\":\"new\",\"c\":3,\"l\":[-1,0,1,2,3]}");
    ty_json_remove(l, 0);
    ty_json_remove(l, 3);
    assert_prints(l, "[0,1,2]");
    ty_json_set(a, o, "n", ty_json_null(a));
    assert_true(ty_json_is(ty_json_ensure_object(a, o, "n"), TY_JSON_OBJECT));
    assert_prints(o, "{\"b\":\"new\",\"c\":3,\"l\":[0,1,2],\"n\":{}}");
}

static void grows(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 22);
    struct ty_json *l = ty_json_array(a), *o = ty_json_object(a);
    for (int i = 0; i < 1000; i++) {
        ty_json_push(a, l, ty_json_int(a, i));
        ty_json_set(a, o, ty_arena_printf(a, "k%d", i), ty_json_int(a, i));
    }
    assert_int_equal(ty_json_len(l), 1000);
    assert_int_equal(ty_json_len(o), 1000);
    int sum = 0;
    ty_each_item (it, l)
        sum += (int)(*it)->i;
    ty_each_member (m, o)
        sum += (int)m->value->i;
    assert_int_equal(sum, 999000);
}

static void compares(void **state TY_UNUSED)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        { "{\"a\":1,\"b\":[2,{\"c\":null}]}", "{\"b\":[2,{\"c\":null}],\"a\":1}", true },
        { "{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":2}", false },
        { "{\"a\":1}", "{\"b\":1}", false },
        { "[1,2]", "[2,1]", false },
        { "[1]", "[1,1]", false },
        { "1", "1.0", false },
        { "1.0", "1.0", true },
        { "\"1\"", "1", false },
        { "null", "false", false },
        { "true", "false", false },
        { "{}", "[]", false },
        { "\"\\u0061\"", "\"a\"", true },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    for (size_t i = 0; i < TY_COUNT(cases); i++)
        if (ty_json_eq(json_read(a, cases[i].a), json_read(a, cases[i].b)) != cases[i].same)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
    assert_true(ty_json_eq(NULL, NULL));
    assert_false(ty_json_eq(NULL, json_read(a, "null")));
}

/* Keys the other way round: were this quadratic, it would take hours. */
static void compares_big(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    ty_auto_buf up = { 0 };
    ty_auto_buf down = { 0 };
    int n = 200000;
    for (int i = 0; i < n; i++) {
        ty_buf_printf(&up, "%c\"k%d\":%d", i ? ',' : '{', i, i);
        ty_buf_printf(&down, "%c\"k%d\":%d", i ? ',' : '{', n - 1 - i, n - 1 - i);
    }
    ty_buf_chr(&up, '}');
    ty_buf_chr(&down, '}');
    struct ty_json *x = ty_json_parse(a, ty_buf_str(&up), NULL, NULL);
    struct ty_json *y = ty_json_parse(a, ty_buf_str(&down), NULL, NULL);
    assert_non_null(x);
    assert_non_null(y);
    assert_true(ty_json_eq(x, y));
    x->members[7].value->i = 8;
    assert_false(ty_json_eq(x, y));
}

static void copies(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v = json_read(a, "{\"a\":[1,\"s\",{\"b\":[]}],\"c\":{}}");
    ty_json_set_origin(v, 3);
    struct ty_json *same = ty_json_copy(a, v, 0), *stamped = ty_json_copy(a, v, 9);
    assert_true(ty_json_eq(v, same));
    assert_true(ty_json_eq(v, stamped));
    assert_int_equal(ty_json_item(ty_json_get(same, "a"), 0)->origin, 3);
    assert_int_equal(ty_json_item(ty_json_get(stamped, "a"), 0)->origin, 9);
    assert_int_equal(ty_json_item(ty_json_get(same, "a"), 0)->line, 1);
    ty_json_push(a, ty_json_get(same, "a"), ty_json_null(a)); /* nothing is shared but text */
    assert_false(ty_json_eq(v, same));
    assert_prints(v, "{\"a\":[1,\"s\",{\"b\":[]}],\"c\":{}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes),  cmocka_unit_test(looks),    cmocka_unit_test(changes),
        cmocka_unit_test(grows),  cmocka_unit_test(compares), cmocka_unit_test(compares_big),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
