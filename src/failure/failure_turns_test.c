#include "failure/failure_turns.h"

#include "base/testing.h"

static void add(struct ty_failure_turns *t, struct ty_failure_turn *it, const char *ns)
{
    *it = (struct ty_failure_turn){ 0 };
    ty_failure_turns_add(t, it, ty_str(ns));
}

/* The oldest of the namespace with the fewest started. */
static void test_next(void **state TY_UNUSED)
{
    struct ty_failure_turns t = { 0 };
    struct ty_failure_turn a1, a2, b1, b2;

    assert_null(ty_failure_turns_next(&t));
    add(&t, &a1, "a");
    add(&t, &a2, "a");
    add(&t, &b1, "b");
    add(&t, &b2, "b");
    struct ty_failure_turn *const order[] = { &a1, &b1, &a2, &b2 };
    for (size_t i = 0; i < TY_COUNT(order); i++) {
        assert_ptr_equal(ty_failure_turns_next(&t), order[i]);
        ty_failure_turns_start(order[i]);
    }
    assert_null(ty_failure_turns_next(&t));
    assert_int_equal(t.active, 4);
    for (size_t i = 0; i < TY_COUNT(order); i++)
        ty_failure_turns_remove(order[i]);
    assert_int_equal(t.alive + t.active + t.namespaces.n, 0);
}

static void test_one_too_many(void **state TY_UNUSED)
{
    struct ty_failure_turns t = { 0 };
    struct ty_failure_turn a1, a2, a3, b1;

    add(&t, &a1, "a");
    assert_null(ty_failure_turns_one_too_many(&t, TY_LIT("b"))); /* b would have as many as a */
    add(&t, &a2, "a");
    add(&t, &b1, "b");
    assert_null(ty_failure_turns_one_too_many(&t, TY_LIT("a"))); /* nor its own */
    assert_null(ty_failure_turns_one_too_many(&t, TY_LIT("b")));
    assert_ptr_equal(ty_failure_turns_one_too_many(&t, TY_LIT("c")), &a2);
    add(&t, &a3, "a");
    assert_ptr_equal(ty_failure_turns_one_too_many(&t, TY_LIT("b")), &a3);
    ty_failure_turns_start(&a1); /* two of a wait */
    assert_null(ty_failure_turns_one_too_many(&t, TY_LIT("b")));
    ty_failure_turns_skip(&a3);
    assert_null(ty_failure_turns_one_too_many(&t, TY_LIT("c")));
    assert_int_equal(t.alive, 4);
    struct ty_failure_turn *const all[] = { &a3, &a1, &b1, &a2 };
    for (size_t i = 0; i < TY_COUNT(all); i++)
        ty_failure_turns_remove(all[i]);
    assert_null(t.first);
    assert_null(t.last);
    assert_int_equal(t.alive + t.active + t.namespaces.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_one_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
