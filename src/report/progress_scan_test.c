#include "report/progress_scan.h"
#include "report/progress_testing.h"

static void test_integers(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *rest;
        int64_t want; /* -1: none */
    } cases[] = {
        { "7", "", 7 },
        { "010x", "x", 10 },
        { "999999999999999", "", 999999999999999 },
        { "9999999999999999", "9999999999999999", -1 }, /* 16 digits */
        { "", "", -1 },
        { "-1", "-1", -1 },
        { " 1", " 1", -1 },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *at = cases[i].text;
        int64_t v = -1;
        assert_int_equal(ty_progress_scan_integer(&at, &v), cases[i].want >= 0);
        assert_int_equal(v, cases[i].want);
        assert_string_equal(at, cases[i].rest);
    }
}

/* Dates, versions, fractions and what goes beyond its end are no steps. */
static void test_pairs(void **state TY_UNUSED)
{
    static const char *const none[] = { "1",     "1/",    "1/0", "5/4",  "1/2/2026",
                                        "1/2.5", "1 off", "a/b", "-1/2", "1 / x" };
    static const char *const good[] = { "10/50", "10 / 50]", "10 of 50 done" };
    int64_t step = -1, total = -1;

    for (size_t i = 0; i < TY_COUNT(none); i++) {
        const char *at = none[i];
        if (ty_progress_scan_pair(&at, &step, &total) || at != none[i])
            fail_msg("%s", none[i]);
        assert_true(step == -1 && total == -1);
    }
    for (size_t i = 0; i < TY_COUNT(good); i++) {
        const char *at = good[i];
        assert_true(ty_progress_scan_pair(&at, &step, &total));
        assert_true(step == 10 && total == 50);
    }
}

static void test_after_a_word(void **state TY_UNUSED)
{
    int64_t step = 0, total = 0;

    assert_true(ty_progress_scan_after("x Step [10/50]", "step", &step, &total));
    assert_true(step == 10 && total == 50);
    assert_true(
        ty_progress_scan_after("footstep 1/2 step: 3", "step", &step, &total)); /* a whole word */
    assert_true(step == 3 && total == -1);
    assert_true(
        ty_progress_scan_after("step one, step 4", "step", &step, &total)); /* the next one */
    assert_int_equal(step, 4);
    assert_false(ty_progress_scan_after("step 3.5, steps 9, step 5%, step", "step", &step, &total));
}

static void test_percents(void **state TY_UNUSED)
{
    static const struct {
        const char *text;
        int want;
    } cases[] = { { "45%", 45 }, { "x 100%", 100 }, { "45.9%", 45 }, { "101%", -1 }, { "-4%", -1 },
                  { "v4%", -1 }, { "3/4%", -1 },    { "%", -1 },     { ".5%", 5 } };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *begin = NULL;
        int got = ty_progress_scan_percent(cases[i].text, strchr(cases[i].text, '%'), &begin);
        if (got != cases[i].want)
            fail_msg("%s: %d", cases[i].text, got);
    }
    assert_int_equal(ty_progress_percent_of(-0.5), 0);
    assert_int_equal(ty_progress_percent_of(0.999), 99);
    assert_int_equal(ty_progress_percent_of(7), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_after_a_word),
        cmocka_unit_test(test_percents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
