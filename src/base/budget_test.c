/* The budget: what fits, what does not, and what is there already. */
#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void takes_up_to_the_ceiling(void **state)
{
    (void)state;
    struct ty_budget b = { .ceiling = 100 };
    assert_true(ty_budget_reserve(&b, 60));
    assert_false(ty_budget_reserve(&b, 41));
    assert_int_equal(b.used, 60); /* a refused take leaves no trace but the count */
    assert_int_equal(b.refused, 1);
    assert_true(ty_budget_reserve(&b, 40));
    assert_int_equal(ty_budget_left(&b), 0);
    ty_budget_release(&b, 100);
    assert_int_equal(ty_budget_left(&b), 100);
    assert_int_equal(b.peak, 100);
    assert_false(ty_budget_reserve(&b, SIZE_MAX));
}

static void charges_what_is_there(void **state)
{
    (void)state;
    struct ty_budget b = { .ceiling = 100 };
    assert_true(ty_budget_charge(&b, 100));
    assert_false(ty_budget_charge(&b, 50));
    assert_int_equal(b.used, 150);
    assert_int_equal(ty_budget_left(&b), 0); /* not negative */
    assert_false(ty_budget_reserve(&b, 1));
    ty_budget_release(&b, 150);
    assert_true(ty_budget_reserve(&b, 1));
}

static void without_a_ceiling_everything_fits(void **state)
{
    (void)state;
    struct ty_budget b = { 0 };
    assert_true(ty_budget_reserve(&b, 1 << 30) && ty_budget_charge(&b, 1 << 30));
    assert_int_equal(b.used, (size_t)2 << 30);
    assert_int_equal(ty_budget_left(&b), SIZE_MAX);
    assert_true(ty_budget_reserve(NULL, 1) && ty_budget_charge(NULL, 1));
    assert_int_equal(ty_budget_left(NULL), SIZE_MAX);
    ty_budget_release(NULL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_up_to_the_ceiling),
        cmocka_unit_test(charges_what_is_there),
        cmocka_unit_test(without_a_ceiling_everything_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
