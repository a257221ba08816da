#include "net/testing.h"
#include "serve/metrics_number.h"

#include <math.h>

static void texts(void **state TY_UNUSED)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = { { 0, "0" },
                  { 1, "1" },
                  { -2.5, "-2.5" },
                  { 0.1, "0.1" },
                  { 0.1 + 0.2, "0.30000000000000004" },
                  { 1e300, "1e+300" },
                  { 1700000000, "1700000000" },
                  { INFINITY, "+Inf" },
                  { -INFINITY, "-Inf" },
                  { NAN, "NaN" } };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_buf b = { 0 };
        ty_metrics_number(&b, cases[i].v);
        ty_buf_chr(&b, '\0');
        if (strcmp(b.p, cases[i].want) != 0 && strtod(b.p, NULL) != cases[i].v)
            fail_msg("%s, not %s", b.p, cases[i].want);
        assert_true(strlen(b.p) <= strlen(cases[i].want));
        ty_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
