
#include "json/json_testing.h"
#include "json/patch.h"

#define CEILING ((size_t)1 << 20)

/* The table of RFC 7386, appendix A: document, patch, result. */
static void test_rfc7386(void **state TY_UNUSED)
{
    static const char *const cases[][3] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
        { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
        { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
        { "{\"a\":\"foo\"}", "null", "null" },
        { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
        { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
        { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
        { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(CEILING);
        struct ty_json *doc = json_read(a, cases[i][0]), *patch = json_read(a, cases[i][1]);
        struct ty_json *got = ty_patch_merge(a, doc, patch);
        assert_string_equal(ty_json_text(a, got).p, cases[i][2]);
        assert_string_equal(ty_json_text(a, doc).p, cases[i][0]);
        assert_string_equal(ty_json_text(a, patch).p, cases[i][1]);
    }
}

/* What the patch did not touch is the same node; what it brought is not the patch's own. */
static void test_sharing(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *doc = json_read(a, "{\"keep\":{\"x\":1},\"change\":{\"y\":1}}");
    struct ty_json *patch = json_read(a, "{\"change\":{\"y\":[2]},\"new\":{\"z\":3}}");
    struct ty_json *got = ty_patch_merge(a, doc, patch);

    assert_ptr_equal(ty_json_get(got, "keep"), ty_json_get(doc, "keep"));
    assert_ptr_not_equal(ty_json_at(got, "change.y"), ty_json_at(patch, "change.y"));
    assert_int_equal(ty_json_at(got, "new.z")->col, ty_json_at(patch, "new.z")->col);
    ty_json_set(a, got, "more", ty_json_int(a, 1));
    assert_null(ty_json_get(doc, "more"));
    assert_string_equal(ty_json_text(a, ty_patch_merge(a, NULL, patch)).p,
                        "{\"change\":{\"y\":[2]},\"new\":{\"z\":3}}");
}

/* Many members, in another order: the quick search must find what the plain one would. */
static void test_many(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_json *doc = ty_json_object(a), *patch = ty_json_object(a);

    for (int i = 0; i < 200; i++)
        ty_json_put(a, doc, ty_str(ty_arena_printf(a, "k%d", i)), ty_json_int(a, i));
    for (int i = 299; i >= 0; i -= 3)
        ty_json_put(a, patch, ty_str(ty_arena_printf(a, "k%d", i)),
                    i % 2 ? ty_json_null(a) : ty_json_int(a, -i));
    struct ty_json *got = ty_patch_merge(a, doc, patch);
    for (int i = 0; i < 300; i++) {
        const struct ty_json *v = ty_json_get(got, ty_arena_printf(a, "k%d", i));
        if (i % 3 == 2 && i % 2) {
            assert_null(v);
        } else if (i % 3 == 2) {
            assert_int_equal(v->i, -i);
        } else if (i < 200) {
            assert_int_equal(v->i, i);
        } else {
            assert_null(v);
        }
    }
    assert_int_equal(doc->n, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc7386),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
