/* Which writes a reconcile returns. When it skips the pass is tested in reconcile_skip_test.c. */
#include <errno.h>

#include "base/budget.h"
#include "controller/reconcile_testing.h"

static void test_a_new_job(void **state)
{
    struct fixture *f = *state;

    begin(f, TRAINJOB("", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot, apply JobSet j");
    assert_true(w.steps->data.n > 0 && w.steps->next->data.n == 0);
    assert_null(
        strstr(w.steps->next->body.p, "{}")); /* applied_digest.h: empty structs are a trap */
    assert_true(w.err.code == 0 && !w.fetch);
}

static void test_what_is_there_needs_no_write(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_has(w.steps->body.p, "\"Suspended\"");
}

static void test_a_change_while_suspended_is_applied(void **state)
{
    struct fixture *f = *state;

    give_jobset(f, begin_and_apply(f, TRAINJOB(",'suspend':true", "")));
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
    carry_out(f, w.steps, "13");
    w = result(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
}

/* Another client changed the suspended JobSet: it is applied again. */
static void test_a_foreign_change_is_reverted(void **state)
{
    struct fixture *f = *state;

    give_jobset(f, begin_and_apply(f, TRAINJOB(",'suspend':true", "")));
    struct ty_reconcile_result w = result(f);
    put(f, &ty_kind_jobset,
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'13',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}]},'spec':{'suspend':true}}");
    w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
}

#define FOREIGN                                                                                    \
    "{'metadata':{'name':'j','namespace':'a','uid':'9','resourceVersion':'9'},'spec':{},'status':" \
    "{'conditions':[{'type':'Completed','status':'True','reason':'r','message':'m',"               \
    "'lastTransitionTime':'2026-01-02T03:04:05Z'}]}}"

/* It has the name of our child and another owner: not written, not read, not deleted. */
static void test_somebody_elses_jobset(void **state)
{
    struct fixture *f = *state;

    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    put(f, &ty_kind_jobset, FOREIGN);
    put(f, &ty_kind_trainjob, TRAINJOB(",'activeDeadlineSeconds':5", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot");
    assert_int_equal(w.err.code, -EEXIST);
    assert_non_null(w.events);
    assert_string_equal(w.events->reason, "TrainJobResourcesCreationFailed");
    assert_has(w.events->message, "failed: JobSet \"a/j\" exists and is not");
    assert_null(w.events->next);
    assert_false(w.in_sync);

    f->in.now_s = NOW + 6; /* the deadline */
    w = result(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot, status TrainJob j");
    assert_has(w.steps->next->body.p, "DeadlineExceeded");
    assert_null(strstr(w.steps->next->body.p, "Complete"));
}

static void test_deadline_and_ttl_delete_by_uid(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB(",'activeDeadlineSeconds':10", ""));
    f->in.now_s = NOW + 11;
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "status TrainJob j, delete JobSet j");
    assert_true(ty_str_is(w.steps->next->uid, "12"));
    assert_non_null(w.events);
    put(f, &ty_kind_trainjob,
        TRAINJOB(",'ttlSecondsAfterFinished':5",
                 ",'status':{'conditions':[{'type':'Complete','status':'True','reason':'r',"
                 "'message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    w = result(f);
    assert_string_equal(steps(f, &w), "delete TrainJob j");
    assert_true(ty_str_is(w.steps->uid, "u1"));
}

static void test_status_is_a_merge_patch(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ",'status':{'trainerStatus':{'lastUpdatedTime':"
                                                   "'2026-01-02T03:04:05Z'}}"));
    struct ty_reconcile_result w = result(f);
    struct ty_json *patch = ty_json_parse(f->a, w.steps->body, NULL, NULL);
    assert_int_equal(ty_json_len(patch), 2);
    /* Not for another job that was created with the same name. */
    assert_true(ty_str_is(ty_json_str_at(patch, "metadata.resourceVersion"), "5"));
    assert_null(ty_json_at(patch, "status.trainerStatus")); /* another manager's; not repeated */
    assert_int_equal(ty_json_len(ty_json_at(patch, "status.conditions")), 1);
}

static void test_nothing_to_do(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(steps(f, &(struct ty_reconcile_result){ 0 }), "");
    struct ty_reconcile_result w = result(f); /* not in the cache */
    assert_true(!w.steps && !w.fetch && w.err.code == 0);
}

#define HELD(spec, more)                                                                           \
    "{'metadata':{'name':'j','namespace':'a','uid':'u1','resourceVersion':'5','generation':1,"     \
    "'creationTimestamp':'2026-01-02T03:04:05Z','deletionTimestamp':'2026-01-02T03:04:06Z',"       \
    "'finalizers':['example.com/hold']},'spec':{'runtimeRef':{'name':'rt','kind':"                 \
    "'ClusterTrainingRuntime','apiGroup':'trainer.kubeflow.org'}" spec "}" more "}"
#define ENDED                                                                                      \
    "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'13',"                   \
    "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"          \
    "'name':'j','uid':'u1','controller':true}]},'spec':{},'status':{'conditions':[{'type':"        \
    "'Completed','status':'True','reason':'r','message':'m','lastTransitionTime':"                 \
    "'2026-01-02T03:04:05Z'}]}}"

/* The job is being deleted and a finalizer holds it. Its status is still written, because the owner
 * of the finalizer may wait for it; deleted children are not created again. */
static void test_a_job_that_is_held(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    put(f, &ty_kind_trainjob, HELD("", ""));
    put(f, &ty_kind_jobset, ENDED);
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_has(w.steps->body.p, "\"Complete\"");
    ty_cache_delete(f->w, &ty_kind_jobset, f->in.ns, TY_LIT("j"), (struct ty_str){ 0 });
    w = result(f);
    assert_true(!w.steps && !w.fetch && !w.events && w.err.code == 0);
    put(f, &ty_kind_trainjob, /* its TTL has expired: it was deleted already */
        HELD(",'ttlSecondsAfterFinished':0",
             ",'status':{'conditions':[{'type':'Complete','status':'True','reason':'r',"
             "'message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    w = result(f);
    assert_string_equal(steps(f, &w), "");
}

/* A finished JobSet of so many jobs that a cache short of memory does not store its status. */
static const char *wide_jobset(struct fixture *f)
{
    ty_auto_buf b = { 0 };

    for (int i = 0; i < 45; i++)
        ty_buf_printf(&b,
                      "%s{'name':'job-number-%d','ready':0,'succeeded':1,'failed':0,'active':0,"
                      "'suspended':0}",
                      i ? "," : "", i);
    return ty_arena_printf(
        f->a,
        "{'metadata':{'name':'j','namespace':'a','uid':'s','resourceVersion':'9','ownerReferences':"
        "[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','name':'j','uid':'u1',"
        "'controller':true}]},'spec':{},'status':{'replicatedJobsStatus':[%.*s],'conditions':[{"
        "'type':'Completed','status':'True','reason':'AllJobsCompleted','message':'%0600d'}]}}",
        (int)b.n, b.p, 0);
}

static void test_a_jobset_that_was_cut_is_fetched(void **state)
{
    static struct ty_budget b;
    struct fixture *f = *state;

    b = (struct ty_budget){ .ceiling = 1 };
    begin(f, TRAINJOB("", ""));
    ty_cache_set_budget(f->w, &b);
    const char *text = wide_jobset(f);
    assert_true(put(f, &ty_kind_jobset, text)->partial);
    struct ty_reconcile_result w = result(f);
    assert_true(w.fetch && w.fetch_kind == &ty_kind_jobset && !w.steps && !w.events);
    assert_true(ty_str_is(w.fetch_name, "j"));
    struct ty_fetched given = { .kind = &ty_kind_jobset, .name = TY_LIT("j") };
    given.json = json_of(f->a, text);
    f->in.given = &given;
    w = result(f);
    assert_false(w.fetch);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_has(w.steps->body.p, "\"type\":\"Complete\"");
    assert_has(w.steps->body.p, "job-number-44");
}

static void test_no_runtime(void **state)
{
    struct fixture *f = *state;

    put(f, &ty_kind_trainjob, TRAINJOB("", ""));
    struct ty_reconcile_result w = result(f);
    assert_true(w.err.code < 0 && !w.steps && w.events && !w.events->next);
    assert_string_equal(w.events->reason, "TrainJobResourcesCreationFailed");
}

static const char *unread(void *ctx, const struct ty_kind *kind)
{
    return kind == &ty_kind_clustertrainingruntime ? ctx : NULL;
}

/* The runtime is not in the cache, but the kind cannot be watched: the job is retried, and the
 * status does not say that the runtime is missing. */
static void test_an_unread_runtime(void **state)
{
    static char why[] = "runtimes are forbidden";
    struct fixture *f = *state;

    f->in.unread = unread;
    f->in.ctx = why;
    put(f, &ty_kind_trainjob, TRAINJOB("", ""));
    struct ty_reconcile_result w = result(f);
    assert_true(w.err.code < 0 && !w.steps && w.events && !w.events->next);
    assert_string_equal(w.events->message,
                        "TrainJob resources reconciliation failed: "
                        "ClusterTrainingRuntime \"rt\" cannot be read: runtimes are forbidden");
    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    assert_int_equal(result(f).err.code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECONCILE_TEST(test_a_new_job),
        RECONCILE_TEST(test_what_is_there_needs_no_write),
        RECONCILE_TEST(test_a_change_while_suspended_is_applied),
        RECONCILE_TEST(test_a_foreign_change_is_reverted),
        RECONCILE_TEST(test_somebody_elses_jobset),
        RECONCILE_TEST(test_deadline_and_ttl_delete_by_uid),
        RECONCILE_TEST(test_status_is_a_merge_patch),
        RECONCILE_TEST(test_nothing_to_do),
        RECONCILE_TEST(test_a_job_that_is_held),
        RECONCILE_TEST(test_a_jobset_that_was_cut_is_fetched),
        RECONCILE_TEST(test_no_runtime),
        RECONCILE_TEST(test_an_unread_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
