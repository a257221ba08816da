#include "base/float.h"
#include "base/testing.h"

static void prints_the_shortest(void **state)
{
    (void)state;
    static const struct ty_float_layout json = { -6, 21, 1, false }, go = { -4, 6, 2, false },
                                        key = { -4, 6, 2, true };
    static const struct {
        double d;
        const struct ty_float_layout *l;
        const char *want;
    } cases[] = {
        { 0, &go, "0" },
        { -0.0, &go, "-0" },
        { 0.1, &go, "0.1" },
        { 1.5, &json, "1.5" },
        { -2.25, &go, "-2.25" },
        { 100000, &go, "100000" },
        { 1000000, &go, "1e+06" },
        { 1234567, &go, "1.234567e+06" },
        { 0.0001, &go, "0.0001" },
        { 0.00001, &go, "1e-05" },
        { 1e-6, &json, "0.000001" },
        { 1e-7, &json, "1e-7" },
        { 1e20, &json, "100000000000000000000" },
        { 1e21, &json, "1e+21" },
        { 1.0 / 3, &json, "0.3333333333333333" },
        { 0.25, &key, "0.25" },
        { 1.0 / 3, &key, "0.33333334" },
        { 1e-50, &key, "0" },
        { 1e300, &key, "1e+300" },
        { 1.7976931348623157e308, &json, "1.7976931348623157e+308" },
        { 5e-324, &go, "5e-324" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_buf out = { 0 };
        ty_float_print(&out, cases[i].d, cases[i].l);
        ty_buf_chr(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        assert_true(cases[i].l->single || strtod(out.p, NULL) == cases[i].d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(prints_the_shortest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
