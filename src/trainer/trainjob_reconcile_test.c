/* Deadlines and the time to live are in trainjob_reconcile_deadline_test.c. */
#include "trainer/trainjob_reconcile_testing.h"

/* ---- children ---- */

static void test_first_pass(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob_reconcile p = settles(f, fx_json(f->arena, TRAINJOB("", "")), CORE_NOW);

    assert_int_equal(p.err.code, 0);
    assert_null(p.status);
    assert_null(p.events);
    assert_int_equal(p.requeue_s, 0);
    assert_ptr_equal(p.want->kind, &ty_kind_configmap); /* the snapshot goes first */
    assert_ptr_equal(p.want->next->kind, &ty_kind_jobset);
    assert_null(p.want->next->next);
    assert_ptr_equal(p.plan.arena, f->arena);
}

/* The same input gives the same output: nothing of the world leaks in. */
static void test_passes_are_equal(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));
    struct ty_trainjob_reconcile a = core_pass_at(f, job, CORE_NOW),
                                 b = core_pass_at(f, job, CORE_NOW + 99);

    for (struct ty_desired_object *x = a.want, *y = b.want; x || y; x = x->next, y = y->next)
        assert_true(x && y && x->kind == y->kind && ty_json_eq(x->obj, y->obj));
}

static void test_job_is_not_changed(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'suspend':true,'trainer':{'command':['a']}",
                                   ",'status':{'conditions':"
                                   "[{'type':'Failed','status':'True','reason':'x'}]}"));
    const char *before = fx_text(f, job);

    core_pass_at(f, job, CORE_NOW);
    assert_string_equal(fx_text(f, job), before);
}

/* A TrainJob managed by MultiKueue gets no objects and no status. */
static void test_managed_by_another(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob_reconcile p = core_pass_at(
        f,
        fx_json(f->arena, TRAINJOB(",'suspend':true,'managedBy':'kueue.x-k8s.io/multikueue'", "")),
        CORE_NOW);

    assert_true(!p.want && !p.status && !p.events && !p.delete_kind && p.err.code == 0);
}

static void test_managed_by_us(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob_reconcile p = core_pass_at(
        f,
        fx_json(f->arena, TRAINJOB(",'managedBy':'trainer.kubeflow.org/trainjob-controller'", "")),
        CORE_NOW);

    assert_non_null(core_wanted(&p, &ty_kind_jobset, "j"));
}

static void test_running_jobset_is_frozen(void **state)
{
    struct fixture *f = *state;

    core_put(f, JOBSET("", ""));
    struct ty_trainjob_reconcile p = core_pass_at(f, fx_json(f->arena, TRAINJOB("", "")), CORE_NOW);
    assert_null(core_wanted(&p, &ty_kind_jobset, "j"));
}

static void test_complete_job_is_left_alone(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB("", ",'status':{'conditions':[{'type':'Complete','status':"
                                       "'True','reason':'r','message':'m'}]}"));

    assert_null(settles(f, job, CORE_NOW).want);
}

/* Its JobSet may go, by its own TTL or by hand: what failed stays failed, and nothing is made. */
static void test_finished_work_never_starts_again(void **state)
{
    struct fixture *f = *state;
    static const char *const jobs[] = { TRAINJOB("", ENDED("Failed", "FailedJobs")),
                                        TRAINJOB("", ENDED("Failed", "DeadlineExceeded")),
                                        TRAINJOB("", ENDED("Complete", "AllJobsCompleted")) };

    for (size_t i = 0; i < 3; i++) {
        struct ty_trainjob_reconcile p = core_pass_at(f, fx_json(f->arena, jobs[i]), CORE_NOW);
        assert_true(!p.want && !p.status && !p.events && !p.delete_kind && p.requeue_s == 0);
    }
}

/* A runtime kind that is known after all (its plugin was off) makes such a job begin. */
static void test_unsupported_is_not_the_end(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob_reconcile p = core_pass_at(
        f, fx_json(f->arena, TRAINJOB("", ENDED("Failed", "TrainingRuntimeNotSupported"))),
        CORE_NOW);

    assert_non_null(core_wanted(&p, &ty_kind_jobset, "j"));
}

static void test_no_build(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob_reconcile_in in = { .pipeline = &f->pipeline,
                                           .settings = &f->settings,
                                           .view = &f->view,
                                           .job =
                                               fx_json(f->arena, TRAINJOB(",'suspend':true", "")),
                                           .now_s = CORE_NOW,
                                           .entropy = f->entropy,
                                           .no_build = true };
    struct ty_trainjob_reconcile p;

    ty_trainjob_reconcile(f->arena, &in, &p);
    assert_null(p.want);
    assert_string_equal(conditions(f, p.status), "Suspended=True/Suspended@" CREATED);
}

/* ---- failures ---- */

static void test_runtime_missing(void **state)
{
    struct fixture *f = *state;

    core_drop(f, &ty_kind_clustertrainingruntime);
    struct ty_trainjob_reconcile p = core_pass_at(f, fx_json(f->arena, TRAINJOB("", "")), CORE_NOW);
    assert_true(p.err.code < 0);
    assert_true(!p.want && !p.status && !p.events->next);
    assert_string_equal(p.events->type, "Warning");
    assert_string_equal(p.events->reason, "TrainJobResourcesCreationFailed");
    assert_string_equal(p.events->message,
                        "TrainJob resources reconciliation failed: not found "
                        "ClusterTrainingRuntime specified in TrainJob: "
                        "ClusterTrainingRuntime.trainer.kubeflow.org \"rt\" not found");
}

/* A job that cannot be built still tells that it is suspended. */
static void test_conditions_despite_failure(void **state)
{
    struct fixture *f = *state;

    core_drop(f, &ty_kind_clustertrainingruntime);
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);
    assert_string_equal(conditions(f, p.status), "Suspended=True/Suspended@" CREATED);
}

/* The snapshot is written even if the plan then fails: a retry must meet the same runtime. */
static void test_snapshot_despite_failure(void **state)
{
    struct fixture *f = *state;

    core_put(f, RUNTIME("{'mpi':{'mpiImplementation':'none'}}", ""));
    struct ty_trainjob_reconcile p = core_pass_at(f, fx_json(f->arena, TRAINJOB("", "")), CORE_NOW);
    assert_true(p.err.code < 0);
    assert_ptr_equal(p.want->kind, &ty_kind_configmap);
    assert_null(p.want->next);
}

/* A note has room for 950 bytes of the error, and never ends inside a character. */
static void test_long_errors_are_cut(void **state)
{
    struct fixture *f = *state;
    static const char head[] = "TrainJob resources reconciliation failed: ";
    ty_auto_buf name = { 0 };

    for (int i = 0; i < 600; i++)
        ty_buf_cstr(&name, "\xc3\xa4");
    core_drop(f, &ty_kind_clustertrainingruntime);
    for (int shift = 0; shift < 2; shift++) {
        struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));
        struct ty_json *ref = ty_json_at(job, "spec.runtimeRef");
        ty_json_set(f->arena, ref, "name",
                    ty_json_strf(f->arena, "%s%.*s", shift ? "x" : "", (int)name.n, name.p));
        struct ty_trainjob_reconcile p = core_pass_at(f, job, CORE_NOW);
        size_t n = strlen(p.events->message);
        assert_true(ty_str_ends(ty_str(p.events->message), TY_LIT("\xc3\xa4 ...")));
        assert_in_range(n, sizeof(head) - 1 + 949 + 4, sizeof(head) - 1 + 950 + 4);
    }
}

/* B3: a condition instead of a crash; its time does not move. */
static void test_unsupported_runtime(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    ty_json_set(f->arena, ty_json_at(job, "spec.runtimeRef"), "kind",
                ty_json_cstr(f->arena, "Other"));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);
    assert_string_equal(conditions(f, p.status),
                        "Failed=True/TrainingRuntimeNotSupported@" CREATED);
    assert_true(ty_str_is(ty_json_str_at(ty_condition_find(p.status, "Failed"), "message"),
                          "unsupported runtime: Other.trainer.kubeflow.org"));
    assert_true(!p.want && !p.events && p.err.code == 0);
}

/* ---- suspension ---- */

static void test_never_suspended(void **state)
{
    struct fixture *f = *state;

    assert_null(
        core_pass_at(f, fx_json(f->arena, TRAINJOB(",'suspend':false", "")), CORE_NOW).status);
}

/* Conditions keep their order and times from suspension over resume to completion. */
static void test_suspend_resume_complete(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));

    settles(f, job, CORE_NOW);
    assert_string_equal(conditions(f, ty_json_get(job, "status")),
                        "Suspended=True/Suspended@" CREATED);
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, false));
    settles(f, job, CORE_NOW + 60);
    assert_string_equal(conditions(f, ty_json_get(job, "status")),
                        "Suspended=False/Resumed@2026-01-02T03:05:05Z");
    core_put(f, JOBSET("", JOBSET_COMPLETED));
    settles(f, job, CORE_NOW + 120);
    assert_string_equal(conditions(f, ty_json_get(job, "status")),
                        "Suspended=False/Resumed@2026-01-02T03:05:05Z "
                        "Complete=True/AllJobsCompleted@2026-01-02T04:00:00Z");
}

/* Suspension is told of finished jobs too. */
static void test_suspend_when_finished(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'suspend':true", ""));

    core_put(f, JOBSET("", JOBSET_COMPLETED));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);
    assert_string_equal(conditions(f, p.status),
                        "Suspended=True/Suspended@" CREATED
                        " Complete=True/AllJobsCompleted@2026-01-02T04:00:00Z");
}

/* ---- the JobSet's end ---- */

/* Derived anew each pass, with the JobSet's time: a fixed point. */
static void test_failed_is_stable(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    core_put(f, JOBSET("", JOBSET_FAILED));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);
    assert_string_equal(conditions(f, p.status), "Failed=True/FailedJobs@2026-01-02T04:00:00Z");
}

/* Whatever order an older version left, one pass settles it. */
static void test_failed_before_suspended(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(
        f->arena, TRAINJOB("", ",'status':{'conditions':[{'type':'Failed','status':'True','reason':"
                               "'FailedJobs','message':'it broke','lastTransitionTime':"
                               "'2026-01-02T04:00:00Z'},{'type':'Suspended','status':'False',"
                               "'reason':'Resumed','message':'TrainJob is resumed',"
                               "'lastTransitionTime':'" CREATED "'}]}"));

    core_put(f, JOBSET("", JOBSET_FAILED));
    settles(f, job, CORE_NOW);
}

/* A Failed condition that the JobSet does not confirm is removed, as v2.3.0 does. */
static void test_failed_no_more(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB("", ",'status':{'conditions':[{'type':'Failed','status':'True',"
                                       "'reason':'FailedJobs'}]}"));

    core_put(f, JOBSET("", ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);
    assert_string_equal(fx_text(f, p.status), "{}");
}

/* jobsStatus follows the JobSet's replicatedJobsStatus. */
static void test_counts_follow(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ""));

    core_put(f, JOBSET("", "'replicatedJobsStatus':[{'name':'node','ready':1,'active':1}]"));
    settles(f, job, CORE_NOW);
    assert_string_equal(fx_text(f, ty_json_at(job, "status.jobsStatus")),
                        "[{'name':'node','ready':1,'succeeded':0,'failed':0,'active':1,"
                        "'suspended':0}]");
    core_put(f, JOBSET("", ""));
    settles(f, job, CORE_NOW);
    assert_string_equal(fx_text(f, ty_json_get(job, "status")), "{}");
}

/* trainerStatus belongs to the status server. */
static void test_trainer_status_is_kept(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB("", ",'status':{'trainerStatus':{'progressPercentage':5}}"));

    core_put(f, JOBSET("", JOBSET_COMPLETED));
    settles(f, job, CORE_NOW);
    assert_string_equal(fx_text(f, ty_json_at(job, "status.trainerStatus")),
                        "{'progressPercentage':5}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pass_test(test_first_pass),
        pass_test(test_passes_are_equal),
        pass_test(test_job_is_not_changed),
        pass_test(test_managed_by_another),
        pass_test(test_managed_by_us),
        pass_test(test_running_jobset_is_frozen),
        pass_test(test_complete_job_is_left_alone),
        pass_test(test_finished_work_never_starts_again),
        pass_test(test_unsupported_is_not_the_end),
        pass_test(test_no_build),
        pass_test(test_runtime_missing),
        pass_test(test_conditions_despite_failure),
        pass_test(test_snapshot_despite_failure),
        pass_test(test_long_errors_are_cut),
        pass_test(test_unsupported_runtime),
        pass_test(test_never_suspended),
        pass_test(test_suspend_resume_complete),
        pass_test(test_suspend_when_finished),
        pass_test(test_failed_is_stable),
        pass_test(test_failed_before_suspended),
        pass_test(test_failed_no_more),
        pass_test(test_counts_follow),
        pass_test(test_trainer_status_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
