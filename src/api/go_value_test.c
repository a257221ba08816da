#include "api/go_value.h"
#include "api/schema_testing.h"

static void prints_as_go_does(void **state TY_UNUSED)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "null", "null" },
        { "true", "true" },
        { "-17", "-17" },
        { "1.50", "1.5" },
        { "0.1", "0.1" },
        { "2.0", "2" },
        { "-0.0", "-0" },
        { "123456.5", "123456.5" },
        { "100000.0", "100000" },
        { "1234567.5", "1.2345675e+06" },
        { "1e6", "1e+06" },
        { "12345678901234567890", "1.2345678901234567e+19" },
        { "0.0001234", "0.0001234" },
        { "1234567e30", "1.234567e+36" },
        { "0.0001", "0.0001" },
        { "0.00001", "1e-05" },
        { "0.30000000000000004", "0.30000000000000004" },
        { "1e999", "+Inf" },
        { "'plain'", "\"plain\"" },
        { "'a\\u0022b\\\\c\\td\\u0001\\u007f'", "\"a\\\"b\\\\c\\td\\x01\\x7f\"" },
        { "'\\u00e9\\u20ac\\ud83d\\ude00'", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { "'\\u2028\\u00a0\\ufeff\\udbff\\udfff'", "\"\\u2028\\u00a0\\ufeff\\U0010ffff\"" },
        { "{'b':1,'a':['<&>']}", "{\"a\":[\"\\u003c\\u0026\\u003e\"],\"b\":1}" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 16);
        assert_string_equal(ty_go_value(a, parse(a, cases[i].json)), cases[i].want);
    }
}

static void quotes_bytes_that_are_no_text(void **state TY_UNUSED)
{
    ty_auto_buf out = { 0 };

    ty_go_quote(&out, TY_LIT("\xff\xc3(\xe2\x82\xed\xa0\x80\xf5"));
    ty_buf_chr(&out, '\0');
    assert_string_equal(out.p, "\"\\xff\\xc3(\\xe2\\x82\\xed\\xa0\\x80\\xf5\"");
}

static void knows_whole_numbers(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    int64_t i = 0;

    assert_true(ty_go_integer(parse(a, "1e3"), &i));
    assert_int_equal(i, 1000);
    assert_true(ty_go_integer(parse(a, "-2.0"), &i));
    assert_int_equal(i, -2);
    assert_false(ty_go_integer(parse(a, "1.5"), &i));
    assert_false(ty_go_integer(parse(a, "1e30"), &i));
    assert_false(ty_go_integer(parse(a, "'3'"), &i));
    assert_int_equal(i, -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_as_go_does),
        cmocka_unit_test(quotes_bytes_that_are_no_text),
        cmocka_unit_test(knows_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
