#include "store/local/local_testing.h"

/* A JobSet and its Job stay until the pods have ended; then both are removed, children first. */
static void test_foreground_deletion(void **state)
{
    struct local_world *w = *state;
    struct ty_json *set = local_create(w, "jobset.x-k8s.io/v1alpha2", "JobSet", "s", NULL);
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", set);
    struct ty_err err = { 0 };

    local_create(w, "v1", "Pod", "p", job);
    local_create(w, "v1", "ConfigMap", "c", set);
    w->log[0] = 0;
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"), &err),
                     0);
    assert_string_equal(w->log, "~jobsets/s -configmaps/c ~jobs/j ~pods/p ");
    assert_true(ty_local_find(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"))->deleting);
    w->log[0] = 0;
    ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"),
                    &err); /* again: nothing */
    assert_string_equal(w->log, "");
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"));
    assert_string_equal(w->log, "-pods/p -jobs/j -jobsets/s ");
    assert_int_equal(local_count(w), 0);
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_jobset, TY_LIT("ns"), TY_LIT("s"), &err),
                     -ENOENT);
}

/* If an owner is removed by force, its children stay, without an owner. */
static void test_an_owner_goes_first(void **state)
{
    struct local_world *w = *state;
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", NULL);
    struct ty_err err = { 0 };

    local_create(w, "v1", "Pod", "p", job);
    local_create(w, "v1", "Pod", "q", job);
    w->log[0] = 0;
    ty_local_finalize(w->l, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"));
    assert_string_equal(w->log, "-jobs/j ");
    assert_non_null(local_stored(w, &ty_kind_pod, "p"));
    assert_non_null(local_stored(w, &ty_kind_pod, "q"));
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"), &err), 0);
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"));
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p")); /* twice is once */
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("q"));
    assert_int_equal(local_count(w), 0);
}

/* An owner stays when its last child is removed, unless it is being deleted. */
static void test_the_last_child_takes_its_owner(void **state)
{
    struct local_world *w = *state;
    struct ty_json *job = local_create(w, "batch/v1", "Job", "j", NULL);
    struct ty_err err = { 0 };

    local_create(w, "v1", "Pod", "p", job);
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"));
    assert_non_null(local_stored(w, &ty_kind_job, "j"));
    local_create(w, "v1", "Pod", "p", job);
    local_create(w, "v1", "Pod", "q", job);
    assert_int_equal(ty_local_delete(w->l, w->a, &ty_kind_job, TY_LIT("ns"), TY_LIT("j"), &err), 0);
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("q"));
    struct ty_json *going = local_stored(w, &ty_kind_job, "j");
    assert_true(
        ty_str_is(ty_json_str_at(going, "metadata.deletionTimestamp"), "2026-01-02T03:04:05Z"));
    ty_local_finalize(w->l, &ty_kind_pod, TY_LIT("ns"), TY_LIT("p"));
    assert_int_equal(local_count(w), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCAL_TEST(test_foreground_deletion),
        LOCAL_TEST(test_an_owner_goes_first),
        LOCAL_TEST(test_the_last_child_takes_its_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
