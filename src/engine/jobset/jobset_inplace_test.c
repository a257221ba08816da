#include "engine/jobset/jobset_inplace.h"
#include "engine/jobset/jobset_testing.h"

static void case_058_attempts_and_max_restarts(void **state TY_UNUSED)
{
    static const int64_t early[] = { 1, 2 }, late[] = { 2, 3 };

    assert_true(ty_jobset_in_place_exceeded(early, 2, 0, 0, 1));
    assert_false(ty_jobset_in_place_exceeded(early, 2, 0, 0, 2));
    assert_false(ty_jobset_in_place_exceeded(early, 2, 2, 1, 1));
    assert_true(ty_jobset_in_place_exceeded(late, 2, 2, 1, 1));
    assert_false(ty_jobset_in_place_exceeded(NULL, 0, 0, 0, 0));
}

static void begin(struct jobset_fixture *w, struct ty_arena *a, int max_restarts)
{
    static const char whole[] =
        "{'template':{'spec':{'backoffLimit':2147483647,'podReplacementPolicy':'Failed',"
        "'completions':2,'parallelism':2,'template':{'spec':{'restartPolicy':'Never'}}}}}";
    struct ty_json *js =
        merged(a, set_t(a),
               ty_arena_printf(a,
                               "{'spec':{'failurePolicy':{'restartStrategy':'InPlaceRestart',"
                               "'maxRestarts':%d}}}",
                               max_restarts));

    patch_rj(a, js, 0, whole);
    patch_rj(a, js, 1, whole);
    fixture_init(w, a, js, TY_GATE_IN_PLACE);
    reconcile_until_stable(w);
    assert_int_equal(w->n_jobs, 4);
}

static void all_run(struct jobset_fixture *w)
{
    static const char both[] = "{'active':2,'ready':2,'failed':0}";

    set_job_status(w, A0, both);
    set_job_status(w, B0, both);
    set_job_status(w, B1, both);
    set_job_status(w, B2, both);
    reconcile_until_stable(w);
}

static void a_failed_pod_restarts_all_together(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, 1);
    all_run(&w);
    assert_int_equal(status_int(&w, "currentInPlaceRestartAttempt"), 0);
    w.linger = true;
    set_job_status(&w, B1, "{'active':1,'ready':1,'failed':1}");
    reconcile_until_stable(&w);
    assert_int_equal(status_int(&w, "previousInPlaceRestartAttempt"), 0);
    finish_deletion(&w, A0);
    finish_deletion(&w, B0);
    finish_deletion(&w, B1);
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 1); /* none begins before the last of the old is gone */
    finish_deletion(&w, B2);
    reconcile_until_stable(&w);
    assert_int_equal(jobs_of_attempt(&w, "1"), 4);
    all_run(&w);
    assert_int_equal(status_int(&w, "currentInPlaceRestartAttempt"), 1);
    assert_string_equal(condition_text(&w, "Failed"), "");
    set_job_status(&w, A0, "{'active':1,'ready':1,'failed':1}");
    reconcile_until_stable(&w);
    assert_string_equal(condition_text(&w, "Failed"),
                        "True ReachedMaxRestarts: jobset failed due to "
                        "reaching max number of restarts");
    fixture_done(&w);
}

static void without_the_gate_it_is_recreate(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 25);
    struct jobset_fixture w;

    begin(&w, a, 1);
    w.gates = 0;
    set_job_status(&w, B1, "{'active':1,'ready':1,'failed':1}");
    reconcile_until_stable(&w);
    assert_int_equal(status_int(&w, "restarts"), 0);
    job_fails(&w, B1); /* a failed Job is a matter of the failure policy, with the gate or not */
    reconcile_until_stable(&w);
    assert_int_equal(status_int(&w, "restarts"), 1);
    fixture_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_058_attempts_and_max_restarts),
        cmocka_unit_test(a_failed_pod_restarts_all_together),
        cmocka_unit_test(without_the_gate_it_is_recreate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
