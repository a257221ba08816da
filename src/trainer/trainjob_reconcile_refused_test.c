/* A child that the API server refuses for good: Failed, and yet not finished. */
#include "trainer/trainjob_reconcile_testing.h"

#define REFUSED(time) "Failed=True/TrainJobResourcesCreationFailed@" time

/* The pass after an apply was refused, and its status written. */
static struct ty_trainjob_reconcile refuse(struct fixture *f, struct ty_json *job, int64_t now_s,
                                           const char *why)
{
    struct ty_trainjob_reconcile_in in = { .pipeline = &f->pipeline,
                                           .settings = &f->settings,
                                           .view = &f->view,
                                           .job = job,
                                           .now_s = now_s,
                                           .no_build = true,
                                           .unapplied = true,
                                           .refused = ty_str(why) };
    struct ty_trainjob_reconcile p;

    ty_trainjob_reconcile(f->arena, &in, &p);
    if (p.status)
        ty_json_set(f->arena, job, "status", p.status);
    return p;
}

static const char *message(const struct ty_json *job)
{
    return ty_json_str_at(ty_condition_find(ty_json_get(job, "status"), "Failed"), "message").p;
}

static void test_it_is_told_and_tried_again(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));
    struct ty_trainjob_reconcile p = refuse(f, job, CORE_NOW, "no");

    assert_true(!p.want && !p.events);
    assert_string_equal(conditions(f, p.status), REFUSED(CREATED));
    assert_string_equal(message(job), "no");
    p = pass_at(f, job, CORE_NOW + 10); /* the next try */
    assert_non_null(p.want);
    assert_true(!p.status && !p.events && p.err.code == 0);
}

static void test_the_last_message_counts(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    refuse(f, job, CORE_NOW, "no");
    assert_null(refuse(f, job, CORE_NOW + 5, "no").status);
    struct ty_trainjob_reconcile p = refuse(f, job, CORE_NOW + 10, "still no");
    assert_string_equal(conditions(f, p.status), REFUSED(CREATED)); /* since when it has failed */
    assert_string_equal(message(job), "still no");
}

static void test_it_goes_when_the_jobset_is_there(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    refuse(f, job, CORE_NOW, "no");
    core_put(f, JOBSET("", ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 10);
    assert_string_equal(fx_text(f, p.status), "{}");
}

/* A write to a JobSet that is there says nothing about how the job fares. */
static void test_an_update_that_is_refused(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));

    core_put(f, JOBSET("'suspend':true", ""));
    assert_string_equal(conditions(f, refuse(f, job, CORE_NOW, "no").status),
                        "Suspended=True/Suspended@" CREATED);
}

static const char *suspended_message(const struct ty_json *job)
{
    return ty_json_str_at(ty_condition_find(ty_json_get(job, "status"), "Suspended"), "message").p;
}

/* What runs is not called suspended: a queue would give away what it has. */
static void test_a_suspension_that_is_refused(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));

    core_put(f, JOBSET("", ""));
    assert_null(refuse(f, job, CORE_NOW + 10, "").status); /* for the moment: nothing is said */
    struct ty_trainjob_reconcile p = refuse(f, job, CORE_NOW + 20, "no");
    assert_string_equal(conditions(f, p.status), "Suspended=False/SuspendRefused@" CREATED);
    assert_string_equal(suspended_message(job), "no");
    assert_null(refuse(f, job, CORE_NOW + 30, "no").status);
    core_put(f, JOBSET("'suspend':true", "")); /* somebody has let it through */
    p = settles(f, job, CORE_NOW + 40);
    assert_string_equal(conditions(f, p.status), "Suspended=True/Suspended@2026-01-02T03:04:45Z");
}

static void test_a_suspension_that_is_taken_back(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));

    core_put(f, JOBSET("", ""));
    refuse(f, job, CORE_NOW + 20, "no");
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, false));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 40);
    assert_string_equal(conditions(f, p.status), "Suspended=False/Resumed@" CREATED);
}

/* What does not run is not called resumed, and its deadline does not begin. */
static void test_a_resumption_that_is_refused(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(
        f->arena,
        TRAINJOB(",'activeDeadlineSeconds':10",
                 ",'status':{'conditions':[{'type':'Suspended','status':'True',"
                 "'reason':'Suspended','message':'m','lastTransitionTime':'" CREATED "'}]}"));

    core_put(f, JOBSET("'suspend':true", ""));
    struct ty_trainjob_reconcile p = refuse(f, job, CORE_NOW + 60, "no");
    assert_string_equal(conditions(f, p.status), "Suspended=True/ResumeRefused@" CREATED);
    assert_string_equal(suspended_message(job), "no");
    assert_true(!p.delete_kind && !p.events && p.requeue_s == 0);
    core_put(f, JOBSET("", ""));
    p = pass_at(f, job, CORE_NOW + 70);
    assert_string_equal(conditions(f, p.status), "Suspended=False/Resumed@2026-01-02T03:05:15Z");
    assert_int_equal(p.requeue_s, 10);
}

static void test_suspension_is_told_beside_it(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    refuse(f, job, CORE_NOW, "no");
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, true));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 10);
    assert_string_equal(conditions(f, p.status),
                        "Suspended=True/Suspended@2026-01-02T03:04:15Z " REFUSED(CREATED));
}

/* It is not finished: its time goes on, and nobody deletes it for having finished. */
static void test_deadline_and_ttl(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'activeDeadlineSeconds':60,'ttlSecondsAfterFinished':5", ""));

    refuse(f, job, CORE_NOW, "no");
    struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW + 30);
    assert_int_equal(p.requeue_s, 30);
    assert_true(!p.delete_kind && p.want);
    p = pass_at(f, job, CORE_NOW + 61);
    assert_string_equal(conditions(f, p.status),
                        "Failed=True/DeadlineExceeded@2026-01-02T03:05:06Z");
    assert_null(pass_at(f, job, CORE_NOW + 62).want); /* now it is over */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pass_test(test_it_is_told_and_tried_again),
        pass_test(test_the_last_message_counts),
        pass_test(test_it_goes_when_the_jobset_is_there),
        pass_test(test_an_update_that_is_refused),
        pass_test(test_a_suspension_that_is_refused),
        pass_test(test_a_suspension_that_is_taken_back),
        pass_test(test_a_resumption_that_is_refused),
        pass_test(test_suspension_is_told_beside_it),
        pass_test(test_deadline_and_ttl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
