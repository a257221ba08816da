/* What time does to a job: activeDeadlineSeconds, ttlSecondsAfterFinished. */
#include "trainer/trainjob_reconcile_testing.h"

static void test_before_the_deadline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));
    struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW + 10);

    assert_int_equal(p.requeue_s, 50);
    assert_true(!p.status && !p.delete_kind && !p.events);
}

/* On the very second it is not yet exceeded: look again in a second. */
static void test_at_the_deadline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));
    struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW + 60);

    assert_int_equal(p.requeue_s, 1);
    assert_null(p.status);
}

static void test_after_the_deadline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));
    struct ty_trainjob_reconcile p;

    core_put(f, JOBSET("", ""));
    p = core_pass_at(f, job, CORE_NOW + 61);
    assert_string_equal(conditions(f, p.status),
                        "Failed=True/DeadlineExceeded@2026-01-02T03:05:06Z");
    assert_true(ty_str_is(ty_json_str_at(ty_condition_find(p.status, "Failed"), "message"),
                          "TrainJob exceeded its active deadline"));
    assert_ptr_equal(p.delete_kind, &ty_kind_jobset);
    assert_string_equal(p.events->reason, "DeadlineExceeded");
    assert_string_equal(p.events->message, "TrainJob exceeded its active deadline of 60 seconds; "
                                           "its JobSet is deleted");
    assert_null(p.events->next);
    assert_int_equal(p.requeue_s, 0);
}

/* B13: said once, deleted until it is gone. */
static void test_deletion_is_repeated(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));

    core_put(f, JOBSET("", ""));
    pass_at(f, job, CORE_NOW + 61);
    for (int i = 0; i < 3; i++) {
        struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW + 70 + i);
        assert_ptr_equal(p.delete_kind, &ty_kind_jobset);
        assert_true(!p.events && !p.status && !p.want);
    }
    core_drop(f, &ty_kind_jobset);
    struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW + 80);
    assert_true(!p.delete_kind && !p.events && !p.status && !p.want);
}

/* The dying JobSet may say Failed as well: the deadline stays the reason. */
static void test_deadline_wins_over_jobset(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));

    core_put(f, JOBSET("", ""));
    pass_at(f, job, CORE_NOW + 61);
    core_put(f, JOBSET("", JOBSET_FAILED));
    assert_null(pass_at(f, job, CORE_NOW + 62).status);
}

static void test_finished_in_time(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));

    core_put(f, JOBSET("", JOBSET_COMPLETED));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 1000);
    assert_string_equal(conditions(f, p.status),
                        "Complete=True/AllJobsCompleted@2026-01-02T04:00:00Z");
    assert_true(!p.delete_kind && p.requeue_s == 0);
}

/* The deadline does not run while the job is suspended, and starts again on resume. */
static void test_deadline_and_suspension(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60,'suspend':true", ""));

    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 1000);
    assert_true(!p.delete_kind && p.requeue_s == 0);
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, false));
    p = pass_at(f, job, CORE_NOW + 2000);
    assert_int_equal(p.requeue_s, 60);
    p = pass_at(f, job, CORE_NOW + 2060);
    assert_int_equal(p.requeue_s, 1);
    p = pass_at(f, job, CORE_NOW + 2061);
    assert_ptr_equal(p.delete_kind, &ty_kind_jobset);
}

/* A file has no creation time: no clock. */
static void test_no_start_no_deadline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60", ""));

    ty_json_del(ty_json_get(job, "metadata"), TY_LIT("creationTimestamp"));
    struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW + 1000);
    assert_true(!p.delete_kind && !p.status && p.requeue_s == 0);
}

/* The schema has no upper bound. */
static void test_endless_deadline(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':9223372036854775807", ""));
    struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW + 7);

    assert_true(p.requeue_s == INT64_MAX - CORE_NOW - 7);
    assert_null(p.status);
}

static void test_without_a_view(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60",
                                   ",'status':{'conditions':[{'type':"
                                   "'Failed','status':'True','reason':'DeadlineExceeded'}]}"));
    struct ty_trainjob_reconcile_in in = { .pipeline = &f->pipeline,
                                           .job = job,
                                           .now_s = CORE_NOW };
    struct ty_trainjob_reconcile p;

    ty_trainjob_reconcile(f->arena, &in, &p);
    assert_true(!p.want && !p.status && !p.delete_kind && p.err.code == 0);
}

/* ---- after the end ---- */

static void test_ttl(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(
        f->arena, TRAINJOB(",'ttlSecondsAfterFinished':60", ENDED("Complete", "AllJobsCompleted")));
    struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW);

    assert_true(!p.delete_kind && p.requeue_s == 60);
    p = core_pass_at(f, job, CORE_NOW + 59);
    assert_true(!p.delete_kind && p.requeue_s == 1);
    p = core_pass_at(f, job, CORE_NOW + 60);
    assert_true(p.delete_kind == &ty_kind_trainjob);
    p = core_pass_at(f, fx_json(f->arena, TRAINJOB(",'ttlSecondsAfterFinished':0", "")), CORE_NOW);
    assert_null(p.delete_kind); /* not finished */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pass_test(test_before_the_deadline),
        pass_test(test_at_the_deadline),
        pass_test(test_after_the_deadline),
        pass_test(test_deletion_is_repeated),
        pass_test(test_deadline_wins_over_jobset),
        pass_test(test_finished_in_time),
        pass_test(test_deadline_and_suspension),
        pass_test(test_no_start_no_deadline),
        pass_test(test_endless_deadline),
        pass_test(test_without_a_view),
        pass_test(test_ttl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
