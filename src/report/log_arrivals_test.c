#include "report/log_arrivals.h"

#include "base/testing.h"

static int64_t at(const struct ty_log_arrivals *x, int64_t offset)
{
    return ty_log_arrivals_find(x->v, x->n, offset);
}

static void test_lines(void **state)
{
    struct ty_log_arrivals x = { 0 };

    (void)state;
    ty_log_arrivals_add(&x, 10, 1000);
    ty_log_arrivals_add(&x, 5, 1001); /* close enough: no entry of its own */
    ty_log_arrivals_add(&x, 10, 2000);
    assert_int_equal(x.n, 2);
    assert_int_equal(x.bytes, 25);
    assert_int_equal(at(&x, 0), 1000);
    assert_int_equal(at(&x, 14), 1000);
    assert_int_equal(at(&x, 15), 2000);
    assert_int_equal(at(&x, 9999), 2000);
    assert_int_equal(at(&x, -5), 1000); /* before the first: not later than that */
}

static void test_clock_set_back(void **state)
{
    struct ty_log_arrivals x = { 0 };

    (void)state;
    ty_log_arrivals_add(&x, 10, 9000);
    ty_log_arrivals_add(&x, 10, 1000);
    ty_log_arrivals_add(&x, 10, 1010);
    assert_int_equal(at(&x, 0), 9000);
    assert_int_equal(at(&x, 10), 1000);
    assert_int_equal(at(&x, 20), 1010);
}

/* However long the log, the index is small, the newest lines are exact, and no time is too early.
 */
static void test_long_log(void **state)
{
    struct ty_log_arrivals x = { 0 };

    (void)state;
    for (int64_t i = 0; i < 100000; i++)
        ty_log_arrivals_add(&x, 10, i * 10);
    assert_true(x.n <= TY_LOG_ARRIVALS);
    for (int64_t i = 100000 - TY_LOG_ARRIVALS / 2; i < 100000; i++)
        assert_int_equal(at(&x, i * 10), i * 10);
    for (int64_t i = 1000; i < 100000; i += 1000)
        assert_true(at(&x, i * 10) <= i * 10);
    assert_int_equal(at(&x, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines),
                                        cmocka_unit_test(test_clock_set_back),
                                        cmocka_unit_test(test_long_log) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
