/* Which children are applied, and in which order. */
#include "controller/reconcile_testing.h"

/* A JobSet must not be created before what its pods mount. */
static void test_a_new_jobset_comes_last(void **state)
{
    struct fixture *f = *state;

    begin(f, TRAINJOB("", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot, apply JobSet j");
    assert_true(w.steps->data.n > 0 && w.steps->desired_digest != 0);
}

/* A suspension waits for none of the others. */
static void test_a_suspension_comes_first(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    ty_cache_delete(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"),
                    (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w),
                        "apply JobSet j, apply ConfigMap j-runtime-snapshot, status TrainJob j");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECONCILE_TEST(test_a_new_jobset_comes_last),
        RECONCILE_TEST(test_a_suspension_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
