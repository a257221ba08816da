/* Which passes a reconcile skips because nothing could change, and which it must not skip. */
#include "controller/reconcile_testing.h"

static void test_a_running_job_is_not_even_rendered(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    ty_cache_delete(f->w, &ty_kind_clustertrainingruntime, (struct ty_str){ 0 }, TY_LIT("rt"),
                    (struct ty_str){ 0 });
    ty_cache_set_data(
        f->w, ty_cache_get(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
        (struct ty_str){ 0 });
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w), "");
    assert_true(!w.fetch && w.err.code == 0);
    /* a child was deleted: compare all */
    f->in.check_children = true;
    w = result(f);
    assert_true(w.fetch && !w.steps);
}

static void test_a_snapshot_is_got_before_it_is_used(void **state)
{
    struct fixture *f = *state;

    give_jobset(f, begin_and_apply(f, TRAINJOB(",'suspend':true", "")));
    const struct ty_cached *o =
        ty_cache_get(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"));
    char *data = ty_arena_strdup(f->a, o->body);
    ty_cache_set_data(f->w, o, (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    struct ty_reconcile_result w = result(f);
    assert_true(w.fetch && !w.steps && !w.events);
    ty_cache_set_data(f->w, o, ty_str(data));
    w = result(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
}

/* A job stays in sync until its spec_digest, or what we own of its JobSet, changes: a status write
 * does not fetch the snapshot. */
static void test_right_stays_right(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    assert_true(result(f).in_sync);
    const struct ty_cached *job = ty_cache_get(f->w, &ty_kind_trainjob, f->in.ns, f->in.name);
    ty_cache_set_in_sync(
        f->w, job,
        ty_reconcile_digest(job, ty_cache_get(f->w, &ty_kind_jobset, f->in.ns, f->in.name)));
    ty_cache_set_data(
        f->w, ty_cache_get(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
        (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true", ",'status':{'conditions':[]}"));
    struct ty_reconcile_result w = result(f);
    assert_true(!w.fetch);
    f->in.check_children = true;
    assert_true(result(f).fetch);
    f->in.check_children = false;
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    assert_true(result(f).fetch);
}

/* After a restart, a suspended job whose JobSet was applied after its last change is skipped. */
static void test_the_first_reconcile_is_cheap(void **state)
{
    struct fixture *f = *state;
    static const char *const jobset =
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'13',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}],'managedFields':[{'manager':'trainer',"
        "'operation':'Apply','time':'2026-01-02T03:04:06Z'}]},'spec':{'suspend':true}}";
    struct ty_reconcile_result w;

    begin(f, TRAINJOB(",'suspend':true", ""));
    put(f, &ty_kind_configmap,
        "{'metadata':{'name':'j-runtime-snapshot','namespace':'a','uid':'c','ownerReferences':[{"
        "'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','name':'j','uid':'u1',"
        "'controller':true}]}}");
    put(f, &ty_kind_jobset, jobset);
    f->in.initial = true;
    w = result(f);
    assert_true(!w.fetch);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    f->in.initial = false;
    w = result(f);
    assert_true(w.fetch);
}

static void test_a_mount_that_is_gone_is_made_again(void **state)
{
    struct fixture *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    put(f, &ty_kind_jobset,
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'12',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}]},'spec':{'replicatedJobs':[{'template':{'spec':{"
        "'template':{'spec':{'volumes':[{'configMap':{'name':'j-mpi-hostfile'}},{'configMap':{"
        "'name':'theirs'}}]}}}}}]}}");
    ty_cache_set_data(
        f->w, ty_cache_get(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
        (struct ty_str){ 0 });
    assert_true(result(f).fetch);
}

#define GANG(policy)                                                                               \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"   \
    "'name':'rt'},'spec':{'podGroupPolicy':{'" policy "':{}},'template':{'spec':{'replicatedJobs'" \
    ":[{'name':'node','template':{'metadata':{'labels':{"                                          \
    "'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}},'spec':{'template':{'spec':{"       \
    "'containers':[{'name':'node','image':'i'}]}}}}}]}}}}"

static void gang_is_made_again(struct fixture *f, const char *runtime, const struct ty_kind *kind)
{
    put(f, &ty_kind_clustertrainingruntime, runtime);
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':false", ""));
    struct ty_reconcile_result w = result(f);
    assert_string_equal(steps(f, &w),
                        "apply ConfigMap j-runtime-snapshot, apply PodGroup j, apply JobSet j");
    carry_out(f, w.steps, "11");
    carry_out(f, w.steps->next, "12");
    carry_out(f, w.steps->next->next, "13");
    f->in.initial = true;
    w = result(f);
    assert_string_equal(steps(f, &w), "");
    assert_true(ty_cache_delete(f->w, kind, TY_LIT("a"), TY_LIT("j"), TY_LIT("12")));
    w = result(f);
    assert_string_equal(steps(f, &w), "apply PodGroup j");
}

/* The PodGroup was deleted while no operator was running: no watch event reports it, and without it
 * the gang's next pods stay pending. */
static void test_a_gang_that_is_gone_is_made_again(void **state)
{
    gang_is_made_again(*state, GANG("coscheduling"), &ty_kind_podgroup_cosched);
}

static void test_a_gang_of_volcano_too(void **state)
{
    gang_is_made_again(*state, GANG("volcano"), &ty_kind_podgroup_volcano);
}

#define RUNTIME_AT(uid, version, image)                                                            \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"   \
    "'name':'rt','uid':'" uid "','resourceVersion':'" version "'},'spec':{'template':{'spec':{"    \
    "'replicatedJobs':[{'name':'node','template':{'spec':{'template':{'spec':{'containers':[{"     \
    "'name':'node','image':'" image "'}]}}}}}]}}}}"

static const char *snapshot_of(struct fixture *f, const char *runtime)
{
    put(f, &ty_kind_clustertrainingruntime, runtime);
    struct ty_reconcile_result w = result(f);
    assert_true(w.steps && w.steps->kind == &ty_kind_configmap);
    return ty_arena_printf(f->a, "%.*s %.*s", TY_ARG(w.steps->body), TY_ARG(w.steps->data));
}

/* The text of a snapshot is printed once for many jobs, but never for another runtime. */
static void test_a_snapshot_is_of_its_runtime(void **state)
{
    static const char *const runtimes[] = {
        RUNTIME_AT("r1", "3", "one"), RUNTIME_AT("r1", "3", "one"), RUNTIME_AT("r1", "4", "two"),
        RUNTIME_AT("r2", "4", "six"), RUNTIME_AT("", "", "old"),    RUNTIME_AT("", "", "new"),
        RUNTIME_AT("r1", "3", "one"),
    };
    struct fixture *f = *state;
    struct ty_reconcile_memo memo = { 0 };

    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true", ""));
    for (size_t i = 0; i < TY_COUNT(runtimes); i++) {
        f->in.memo = NULL;
        const char *alone = snapshot_of(f, runtimes[i]);
        f->in.memo = &memo;
        assert_string_equal(snapshot_of(f, runtimes[i]), alone);
    }
    struct ty_str made = memo.yaml; /* of the last runtime: reused, not printed again */
    snapshot_of(f, runtimes[0]);
    assert_ptr_equal(made.p, memo.yaml.p);
    ty_reconcile_memo_done(&memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECONCILE_TEST(test_a_running_job_is_not_even_rendered),
        RECONCILE_TEST(test_a_snapshot_is_got_before_it_is_used),
        RECONCILE_TEST(test_right_stays_right),
        RECONCILE_TEST(test_the_first_reconcile_is_cheap),
        RECONCILE_TEST(test_a_mount_that_is_gone_is_made_again),
        RECONCILE_TEST(test_a_gang_that_is_gone_is_made_again),
        RECONCILE_TEST(test_a_gang_of_volcano_too),
        RECONCILE_TEST(test_a_snapshot_is_of_its_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
