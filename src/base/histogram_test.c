#include "base/histogram.h"
#include "base/testing.h"

#include <math.h>

static const double three[] = { 0.001, 0.5, 2, 0 };

static void test_each_has_its_place(void **state)
{
    struct ty_histogram s = { .bounds = three };

    (void)state;
    ty_histogram_observe(&s, -1);
    ty_histogram_observe(&s, 0.001);
    ty_histogram_observe(&s, 0.25);
    ty_histogram_observe(&s, 2);
    ty_histogram_observe(&s, 2.5);
    ty_histogram_observe(&s, INFINITY);
    assert_int_equal(s.counts[0], 2);
    assert_int_equal(s.counts[1], 1);
    assert_int_equal(s.counts[2], 1);
    assert_int_equal(s.counts[3], 2);
    assert_int_equal(s.n, 6);
}

static void test_no_number(void **state)
{
    struct ty_histogram s = { .bounds = three };

    (void)state;
    ty_histogram_observe(&s, 0.5);
    ty_histogram_observe(&s, NAN);
    assert_int_equal(s.n, 1);
    assert_true(s.sum == 0.5);
}

static void test_as_many_bounds_as_there_may_be(void **state)
{
    double all[TY_HISTOGRAM_BOUNDS + 1];
    struct ty_histogram s = { .bounds = all };

    (void)state;
    for (int i = 0; i <= TY_HISTOGRAM_BOUNDS; i++)
        all[i] = i + 1; /* no 0 at the end */
    assert_int_equal(ty_histogram_bound_count(all), TY_HISTOGRAM_BOUNDS);
    assert_int_equal(ty_histogram_bound_count(three), 3);
    ty_histogram_observe(&s, 1e9);
    assert_int_equal(s.counts[TY_HISTOGRAM_BOUNDS], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_has_its_place),
        cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_as_many_bounds_as_there_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
