#include "store/kube/truncate.h"

#include "base/testing.h"

static void cuts(const char *text, int levels, size_t each, size_t most, const char *want)
{
    ty_auto_buf out = { .ceiling = most };
    bool done = ty_truncate_object(&out, ty_str(text), levels, each);

    assert_int_equal(done, want != NULL);
    if (!want)
        return;
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, want);
}

static void test_long_members_become_null(void **state)
{
    (void)state;
    cuts("{}", 2, 10, 100, "{}");
    cuts("{\"a\":1,\"b\":\"12345678\",\"c\":\"123456789\"}", 2, 10, 100,
         "{\"a\":1,\"b\":\"12345678\",\"c\":null}");
    cuts("{\"a\":[1,2,3,4,5,6],\"b\":true}", 2, 10, 100, "{\"a\":null,\"b\":true}");
}

/* Large objects are opened, as far down as they are asked to be. */
static void test_levels(void **state)
{
    static const char text[] = "{\"m\":{\"n\":\"x\",\"l\":{\"k\":\"1234567890\"}},\"s\":\"y\"}";

    (void)state;
    cuts(text, 1, 10, 100, "{\"m\":null,\"s\":\"y\"}");
    cuts(text, 2, 10, 100, "{\"m\":{\"n\":\"x\",\"l\":null},\"s\":\"y\"}");
    cuts(text, 3, 10, 100, "{\"m\":{\"n\":\"x\",\"l\":{\"k\":null}},\"s\":\"y\"}");
    cuts(text, 1, 100, 100, text);
}

/* Brackets and commas within strings are none; neither are escaped quotes. */
static void test_strings(void **state)
{
    (void)state;
    cuts("{ \"a\" : \"},{\\\"\" , \"\\\"b\" : [ \"]\" ] }", 2, 20, 100,
         "{\"a\":\"},{\\\"\" ,\"\\\"b\":[ \"]\" ] }");
    cuts("{\"a\":{\"b\":\"}\"},\"c\":1}", 2, 4, 100, "{\"a\":{\"b\":\"}\"},\"c\":1}");
}

static void test_what_does_not_fit_all_together(void **state)
{
    (void)state;
    cuts("{\"a\":\"1234\",\"b\":\"1234\"}", 1, 10, 22, "{\"a\":\"1234\",\"b\":null}");
    cuts("{\"abcdefghijklmnopqrstuvwxyz\":1}", 1, 10, 20, NULL);
}

static void test_what_is_none(void **state)
{
    static const char *const bad[] = { "",        "[]",       "1",          "{",         "{\"a\"",
                                       "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{\"a\" 1}", "{\"a\\" };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        cuts(bad[i], 2, 10, 100, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_members_become_null),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_what_does_not_fit_all_together),
        cmocka_unit_test(test_what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
