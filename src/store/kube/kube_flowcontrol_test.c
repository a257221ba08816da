#include "store/kube/kube_flowcontrol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"

static void burst_then_rate(void **state)
{
    struct ty_kube_limiter l;
    (void)state;
    ty_kube_limiter_init(&l, 10, 3, 1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ty_kube_limiter_take(&l, 1000), 0);
    /* Reservations queue up: each is a tenth of a second behind the one before. */
    assert_int_equal(ty_kube_limiter_take(&l, 1000), 100);
    assert_int_equal(ty_kube_limiter_take(&l, 1000), 200);
    assert_int_equal(ty_kube_limiter_take(&l, 1100), 200);
    /* 300 ms are owed, then half a second fills what is left of three tokens. */
    assert_int_equal(ty_kube_limiter_take(&l, 2000), 0);
    assert_int_equal(ty_kube_limiter_take(&l, 60000), 0);
    assert_int_equal(ty_kube_limiter_take(&l, 60000), 0);
    assert_int_equal(ty_kube_limiter_take(&l, 60000), 0);
    assert_int_equal(ty_kube_limiter_take(&l, 60000), 100); /* never more than the burst */
}

static void odd_settings(void **state)
{
    struct ty_kube_limiter l;
    (void)state;
    ty_kube_limiter_init(&l, 0, 0, 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ty_kube_limiter_take(&l, 0), 0); /* no limit */
    ty_kube_limiter_init(&l, 0.5, 0, 0);
    assert_int_equal(ty_kube_limiter_take(&l, 0), 0); /* at least one at once */
    assert_int_equal(ty_kube_limiter_take(&l, 0), 2000);
    ty_kube_limiter_init(&l, 5, 0, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ty_kube_limiter_take(&l, 0), 0); /* burst: as qps */
    assert_int_equal(ty_kube_limiter_take(&l, 0), 200);
    assert_int_equal(ty_kube_limiter_take(&l, -5000),
                     400); /* a clock that goes back gives nothing */
    ty_kube_limiter_init(&l, 3, 1, 0);
    assert_int_equal(ty_kube_limiter_take(&l, 0), 0);
    assert_int_equal(ty_kube_limiter_take(&l, 0), 334); /* rounded up: not before it is there */
}

static void backoff_grows_and_jitters(void **state)
{
    struct ty_kube_backoff b = { .first_ms = 100, .most_ms = 1000, .random = 42 };
    static const int64_t most[] = { 100, 200, 400, 800, 1000, 1000, 1000 };
    int differ = 0;
    (void)state;
    for (int round = 0; round < 50; round++) {
        int64_t last = 0;
        for (size_t i = 0; i < TY_COUNT(most); i++) {
            int64_t ms = ty_kube_backoff_next(&b);
            assert_in_range(ms, most[i] / 2, most[i]);
            differ += ms != last;
            last = ms;
        }
        ty_kube_backoff_reset(&b);
    }
    assert_true(differ > 300);
}

static void two_processes_differ(void **state)
{
    uint64_t a = ty_kube_random_seed(), b = ty_kube_random_seed();
    (void)state;
    assert_true(a != b);
    assert_true(ty_kube_random_next(&a) != ty_kube_random_next(&b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_then_rate),
        cmocka_unit_test(odd_settings),
        cmocka_unit_test(backoff_grows_and_jitters),
        cmocka_unit_test(two_processes_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
