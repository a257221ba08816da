/* Condition Stalled: said once, kept, and gone when it no longer holds. */
#include "trainer/stalled.h"

#include "trainer/trainjob_reconcile_testing.h"

#define ZERO   ",'trainer':{'numNodes':0}"
#define GREEDY ",'trainer':{'resourcesPerNode':{'requests':{'cpu':8},'limits':{'cpu':4}}}"
#define ACTIVE(name, n)                                                                            \
    "'replicatedJobsStatus':[{'name':'" name "','ready':0,'succeeded':0,'failed':0,'active':" n    \
    ",'suspended':0}]"

static const char *message(const struct ty_json *job)
{
    return ty_json_str_at(ty_condition_find(ty_json_get(job, "status"), TY_CONDITION_STALLED),
                          "message")
        .p;
}

/* A pass whose caller knows that the children are as they should be. */
static struct ty_trainjob_reconcile follow(struct fixture *f, struct ty_json *job, int64_t now_s)
{
    struct ty_trainjob_reconcile_in in = { .pipeline = &f->pipeline,
                                           .settings = &f->settings,
                                           .view = &f->view,
                                           .job = job,
                                           .now_s = now_s,
                                           .no_build = true };
    struct ty_trainjob_reconcile p;

    ty_trainjob_reconcile(f->arena, &in, &p);
    if (p.status)
        ty_json_set(f->arena, job, "status", p.status);
    return p;
}

static void test_it_says_why(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(GREEDY, ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);

    assert_non_null(core_wanted(&p, &ty_kind_jobset, "j")); /* as v2.3.0: it is created */
    assert_string_equal(conditions(f, p.status), "Stalled=True/InvalidResources@" CREATED);
    assert_string_equal(message(job),
                        "spec.trainer.resourcesPerNode.requests.cpu: job \"node\" gets no pods: "
                        "cpu request 8 of container \"node\" is above the limit 4; set "
                        "resourcesPerNode.limits.cpu to 8 or more, or lower the request");
    core_put(f, JOBSET("", ACTIVE("node", "0")));
    p = follow(f, job, CORE_NOW + 100);
    assert_string_equal(conditions(f, p.status), "Stalled=True/InvalidResources@" CREATED);
    assert_null(follow(f, job, CORE_NOW + 200).status);
}

static void test_a_good_job_has_none(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'trainer':{'numNodes':2}", ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);

    assert_true(!p.status && !p.events);
}

/* 0 nodes: the JobSet completes without a pod, and the reason stays beside it. */
static void test_complete_without_a_pod(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(ZERO, ""));

    settles(f, job, CORE_NOW);
    core_put(f, JOBSET("", JOBSET_COMPLETED));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW + 100);
    assert_string_equal(conditions(f, p.status), "Stalled=True/InvalidNumNodes@" CREATED " "
                                                 "Complete=True/AllJobsCompleted@"
                                                 "2026-01-02T04:00:00Z");
    assert_string_equal(message(job), "spec.trainer.numNodes: job \"node\" gets no pods: numNodes "
                                      "is 0: it is over at once, without a pod; use 1 or more");
    core_drop(f, &ty_kind_jobset);
    assert_null(pass_at(f, job, CORE_NOW + 200).status);
}

static void test_a_suspended_job_waits_for_something_else(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(GREEDY ",'suspend':true", ""));
    struct ty_trainjob_reconcile p = settles(f, job, CORE_NOW);

    assert_string_equal(conditions(f, p.status), "Suspended=True/Suspended@" CREATED);
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, false));
    p = settles(f, job, CORE_NOW + 60);
    assert_string_equal(conditions(f, p.status),
                        "Suspended=False/Resumed@2026-01-02T03:05:05Z "
                        "Stalled=True/InvalidResources@2026-01-02T03:05:05Z");
    ty_json_set(f->arena, ty_json_get(job, "spec"), "suspend", ty_json_bool(f->arena, true));
    p = follow(f, job, CORE_NOW + 120);
    assert_string_equal(conditions(f, p.status), "Suspended=True/Suspended@2026-01-02T03:06:05Z");
}

/* Somebody has mended the Job on its way: pods are believed, those of the job that was named. */
static void test_pods_refute_it(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(GREEDY, ""));

    settles(f, job, CORE_NOW);
    core_put(f, JOBSET("", ACTIVE("dataset-initializer", "1")));
    assert_string_equal(conditions(f, follow(f, job, CORE_NOW + 10).status),
                        "Stalled=True/InvalidResources@" CREATED);
    core_put(f, JOBSET("", ACTIVE("node", "1")));
    assert_string_equal(conditions(f, follow(f, job, CORE_NOW + 20).status), "");
    assert_null(pass_at(f, job, CORE_NOW + 30).status); /* however often it is judged */
    assert_null(follow(f, job, CORE_NOW + 40).status);
}

/* A new plan is a new judgement: here the runtime was mended before there was a JobSet. */
static void test_a_better_plan_refutes_it(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job =
        fx_json(f->arena, TRAINJOB(",'trainer':{'resourcesPerNode':{'requests':{'cpu':8}}}", ""));

    core_put(f, RUNTIME("{}", ",'resources':{'limits':{'cpu':4}}"));
    assert_string_equal(conditions(f, settles(f, job, CORE_NOW).status),
                        "Stalled=True/InvalidResources@" CREATED);
    core_put(f, RUNTIME("{}", ",'resources':{'limits':{'cpu':16}}"));
    struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW + 10);
    assert_int_equal(ty_json_len(p.status), 0); /* the status is taken away (B32) */
}

/* The same type, but not our words: neither kept up nor removed. */
static void test_a_strangers_condition_stays(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB("", ENDED("Stalled", "Elsewhere")));

    assert_null(pass_at(f, job, CORE_NOW).status);
    assert_null(follow(f, job, CORE_NOW).status);
}

/* The plan is there, the plugins fail over it: no host file holds so many nodes. */
static void test_it_is_said_where_rendering_fails(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'trainer':{'numNodes':2147483647}", ""));

    core_put(f, RUNTIME_JOBS("{'mpi':{}}", TRAINER_JOB("launcher", "") "," PLAIN_JOB(
                                               "node", "1", "{'name':'node'}")));
    struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW);
    assert_true(p.err.code < 0);
    assert_string_equal(conditions(f, p.status), "Stalled=True/InvalidNumNodes@" CREATED);
}

/* B37: an event while the JobSet is made; the job runs, so it is not stalled. */
static void test_an_ignored_trainer_is_an_event(void **state)
{
    struct fixture *f = *state;
    struct ty_json *job = fx_json(f->arena, TRAINJOB(",'trainer':{'numNodes':4}", ""));

    core_put(f, RUNTIME_JOBS("{}", PLAIN_JOB("worker", "1", "{'name':'node'}")));
    struct ty_trainjob_reconcile p = pass_at(f, job, CORE_NOW);
    assert_non_null(p.events);
    assert_null(p.events->next);
    assert_string_equal(p.events->type, "Warning");
    assert_string_equal(p.events->reason, TY_REASON_TRAINER_IGNORED);
    assert_string_equal(
        p.events->message,
        "spec.trainer: ignored: no job of runtime \"rt\" has label " TY_LABEL_ANCESTOR
        ": trainer; add it to template.metadata.labels of job \"worker\"");
    assert_null(p.status);
    core_put(f, JOBSET("", ACTIVE("worker", "1")));
    assert_null(pass_at(f, job, CORE_NOW + 10).events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pass_test(test_it_says_why),
        pass_test(test_a_good_job_has_none),
        pass_test(test_complete_without_a_pod),
        pass_test(test_a_suspended_job_waits_for_something_else),
        pass_test(test_pods_refute_it),
        pass_test(test_a_better_plan_refutes_it),
        pass_test(test_a_strangers_condition_stays),
        pass_test(test_it_is_said_where_rendering_fails),
        pass_test(test_an_ignored_trainer_is_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
