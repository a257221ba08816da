#include "controller/clock_jump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HOUR_MS ((int64_t)3600 * 1000)

static void test_both_go_on_together(void **state)
{
    (void)state;
    struct ty_clock_jump j = { 0 };

    assert_int_equal(ty_clock_jump(&j, 1767323045000, 77),
                     0); /* the first call has nothing to compare */
    assert_int_equal(ty_clock_jump(&j, 1767323050000, 5077), 0);
    assert_int_equal(ty_clock_jump(&j, 1767323050000 + HOUR_MS, 5077 + HOUR_MS),
                     0); /* a late timer */
}

static void test_the_wall_clock_is_set(void **state)
{
    (void)state;
    struct ty_clock_jump j = { 0 };

    ty_clock_jump(&j, 1000, 0);
    assert_int_equal(ty_clock_jump(&j, 2000 + HOUR_MS, 1000), HOUR_MS);
    assert_int_equal(ty_clock_jump(&j, 3000 + HOUR_MS, 2000), 0); /* reported once */
    assert_int_equal(ty_clock_jump(&j, 4000, 3000), -HOUR_MS);
    assert_int_equal(ty_clock_jump(&j, -HOUR_MS, 4000), -HOUR_MS - 5000); /* before 1970 */
}

static void test_the_machine_slept(void **state)
{
    (void)state;
    struct ty_clock_jump j = { 0 };

    ty_clock_jump(&j, 0, 0);
    assert_int_equal(ty_clock_jump(&j, HOUR_MS + 10, 10), HOUR_MS);
}

/* Many small steps in one direction are no jump. */
static void test_a_clock_that_is_trimmed(void **state)
{
    (void)state;
    struct ty_clock_jump j = { 0 };

    ty_clock_jump(&j, 0, 0);
    for (int64_t i = 1; i < 100; i++)
        assert_int_equal(ty_clock_jump(&j, i * (5000 + TY_CLOCK_JUMP_MIN_MS - 1), i * 5000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_go_on_together),
        cmocka_unit_test(test_the_wall_clock_is_set),
        cmocka_unit_test(test_the_machine_slept),
        cmocka_unit_test(test_a_clock_that_is_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
