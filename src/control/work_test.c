/* A TrainJob and its children in the cache; what would be written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/owned.h"
#include "control/work.h"
#include "json/json_testing.h"

#define RUNTIME                                                                                    \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"   \
    "'name':'rt'},'spec':{'mlPolicy':{'numNodes':2},'template':{'spec':{'replicatedJobs':[{'name'" \
    ":'node','template':{'metadata':{'labels':{'trainer.kubeflow.org/trainjob-ancestor-step':"     \
    "'trainer'}},'spec':{'template':{'spec':{'containers':[{'name':'node','image':'i'}]}}}}}]}}}}"
#define TRAINJOB(spec, more)                                                                       \
    "{'metadata':{'name':'j','namespace':'a','uid':'u1','resourceVersion':'5','generation':1,"     \
    "'creationTimestamp':'2026-01-02T03:04:05Z'},'spec':{'runtimeRef':{'name':'rt','kind':"        \
    "'ClusterTrainingRuntime','apiGroup':'trainer.kubeflow.org'}" spec "}" more "}"
#define NOW 1767323045

struct fx {
    struct ty_arena *a;
    struct ty_world *w;
    struct ty_pipeline pipeline;
    struct ty_settings settings;
    struct ty_work_in in;
    unsigned char entropy[TY_ENTROPY];
};

static int up(void **state)
{
    static struct fx f;
    struct ty_err err = { 0 };

    f = (struct fx){ .a = ty_arena_new((size_t)64 << 20),
                     .w = ty_world_new(),
                     .settings = ty_settings_default };
    assert_int_equal(ty_pipeline_init(&f.pipeline, NULL, NULL, NULL, &err), 0);
    f.in = (struct ty_work_in){ .world = f.w,
                                .pipeline = &f.pipeline,
                                .settings = &f.settings,
                                .ns = TY_LIT("a"),
                                .name = TY_LIT("j"),
                                .now_s = NOW,
                                .entropy = f.entropy };
    *state = &f;
    return 0;
}

static int down(void **state)
{
    struct fx *f = *state;

    ty_world_free(f->w);
    ty_arena_free(f->a);
    return 0;
}

static const struct ty_known *put(struct fx *f, const struct ty_kind *kind, const char *text)
{
    return ty_world_put(f->w, kind, json_of(f->a, text), NULL);
}

static struct ty_work work(struct fx *f)
{
    struct ty_work w;

    ty_work_make(f->a, &f->in, &w);
    return w;
}

/* "apply ConfigMap j-runtime-snapshot, apply JobSet j, status TrainJob j" */
static const char *steps(struct fx *f, const struct ty_work *w)
{
    static const char *const ops[] = { "apply", "status", "delete" };
    ty_auto_buf b = { 0 };

    for (const struct ty_step *s = w->steps; s; s = s->next)
        ty_buf_printf(&b, "%s%s %s %.*s", b.n ? ", " : "", ops[s->op], s->kind->kind,
                      TY_ARG(s->name));
    return ty_arena_strndup(f->a, b.n ? b.p : "", b.n);
}

/* As if the API server had taken the step: version and the manager's fields. */
static void carry_out(struct fx *f, const struct ty_step *s, const char *version)
{
    struct ty_json *obj = ty_json_parse(f->a, s->body, NULL, NULL);

    ty_json_set(f->a, ty_json_get(obj, "metadata"), "resourceVersion", ty_json_cstr(f->a, version));
    ty_json_set(f->a, ty_json_get(obj, "metadata"), "uid", ty_json_cstr(f->a, version));
    const struct ty_known *o = ty_world_put(f->w, s->kind, obj, NULL);
    assert_non_null(o);
    ty_world_settle(f->w, o, s->want);
    if (s->data.n)
        ty_world_body(f->w, o, s->data);
}

static void begin(struct fx *f, const char *job)
{
    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    put(f, &ty_kind_trainjob, job);
}

static void begin_and_apply(struct fx *f, const char *job)
{
    begin(f, job);
    struct ty_work w = work(f);
    carry_out(f, w.steps, "11");
    carry_out(f, w.steps->next, "12");
}

static void test_a_new_job(void **state)
{
    struct fx *f = *state;

    begin(f, TRAINJOB("", ""));
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot, apply JobSet j");
    assert_true(w.steps->data.n > 0 && w.steps->next->data.n == 0);
    assert_null(strstr(w.steps->next->body.p, "{}")); /* owned.h: empty structs are a trap */
    assert_true(w.err.code == 0 && !w.fetch);
}

static void test_what_is_there_needs_no_write(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_non_null(strstr(w.steps->body.p, "\"Suspended\""));
}

static void test_a_change_while_suspended_is_applied(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
    carry_out(f, w.steps, "13");
    w = work(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
}

/* Somebody changed the suspended JobSet: it is put right. */
static void test_a_foreign_change_is_reverted(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    struct ty_work w = work(f);
    put(f, &ty_kind_jobset,
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'13',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}]},'spec':{'suspend':true}}");
    w = work(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
}

#define FOREIGN                                                                                    \
    "{'metadata':{'name':'j','namespace':'a','uid':'9','resourceVersion':'9'},'spec':{},'status':" \
    "{'conditions':[{'type':'Completed','status':'True','reason':'r','message':'m',"               \
    "'lastTransitionTime':'2026-01-02T03:04:05Z'}]}}"

/* It has our name and is not ours: not written, not believed, not deleted. */
static void test_somebody_elses_jobset(void **state)
{
    struct fx *f = *state;

    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    put(f, &ty_kind_jobset, FOREIGN);
    put(f, &ty_kind_trainjob, TRAINJOB(",'activeDeadlineSeconds':5", ""));
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot");
    assert_int_equal(w.err.code, -EEXIST);
    assert_non_null(w.events);
    assert_string_equal(w.events->reason, "TrainJobResourcesCreationFailed");
    assert_non_null(strstr(w.events->message, "failed: JobSet \"j\" exists and is not"));
    assert_null(w.events->next);
    assert_false(w.right);

    f->in.now_s = NOW + 6; /* the deadline */
    w = work(f);
    assert_string_equal(steps(f, &w), "apply ConfigMap j-runtime-snapshot, status TrainJob j");
    assert_non_null(strstr(w.steps->next->body.p, "DeadlineExceeded"));
    assert_null(strstr(w.steps->next->body.p, "Complete"));
}

static void test_a_running_job_is_not_even_rendered(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    ty_world_drop(f->w, &ty_kind_clustertrainingruntime, (struct ty_str){ 0 }, TY_LIT("rt"),
                  (struct ty_str){ 0 });
    ty_world_body(f->w,
                  ty_world_find(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
                  (struct ty_str){ 0 });
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "");
    assert_true(!w.fetch && w.err.code == 0);
    /* a child has gone: then it must be */
    f->in.full = true;
    w = work(f);
    assert_true(w.fetch && !w.steps);
}

static void test_a_snapshot_is_got_before_it_is_used(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    const struct ty_known *o =
        ty_world_find(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot"));
    char *data = ty_arena_strndup(f->a, o->body, strlen(o->body));
    ty_world_body(f->w, o, (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    struct ty_work w = work(f);
    assert_true(w.fetch && !w.steps && !w.events);
    ty_world_body(f->w, o, ty_str(data));
    w = work(f);
    assert_string_equal(steps(f, &w), "apply JobSet j, status TrainJob j");
}

/* What was found right stays right until the job or what we own of its JobSet changes: a status
 * that was written does not make us look for the snapshot. */
static void test_right_stays_right(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ""));
    assert_true(work(f).right);
    const struct ty_known *job = ty_world_find(f->w, &ty_kind_trainjob, f->in.ns, f->in.name);
    ty_world_right(f->w, job,
                   ty_work_mark(job, ty_world_find(f->w, &ty_kind_jobset, f->in.ns, f->in.name)));
    ty_world_body(f->w,
                  ty_world_find(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
                  (struct ty_str){ 0 });
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true", ",'status':{'conditions':[]}"));
    struct ty_work w = work(f);
    assert_true(!w.fetch);
    f->in.full = true;
    assert_true(work(f).fetch);
    f->in.full = false;
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true,'trainer':{'numNodes':3}", ""));
    assert_true(work(f).fetch);
}

/* After a restart: a suspended job whose JobSet came after its last change is left in peace. */
static void test_the_first_look_is_cheap(void **state)
{
    struct fx *f = *state;
    static const char *const jobset =
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'13',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}],'managedFields':[{'manager':'trainer',"
        "'operation':'Apply','time':'2026-01-02T03:04:06Z'}]},'spec':{'suspend':true}}";
    struct ty_work w;

    begin(f, TRAINJOB(",'suspend':true", ""));
    put(f, &ty_kind_configmap,
        "{'metadata':{'name':'j-runtime-snapshot','namespace':'a','uid':'c','ownerReferences':[{"
        "'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','name':'j','uid':'u1',"
        "'controller':true}]}}");
    put(f, &ty_kind_jobset, jobset);
    f->in.first = true;
    w = work(f);
    assert_true(!w.fetch);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    f->in.first = false;
    w = work(f);
    assert_true(w.fetch);
}

static void test_a_mount_that_is_gone_is_made_again(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    put(f, &ty_kind_jobset,
        "{'metadata':{'name':'j','namespace':'a','uid':'12','resourceVersion':'12',"
        "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',"
        "'name':'j','uid':'u1','controller':true}]},'spec':{'replicatedJobs':[{'template':{'spec':{"
        "'template':{'spec':{'volumes':[{'configMap':{'name':'j-mpi-hostfile'}},{'configMap':{"
        "'name':'theirs'}}]}}}}}]}}");
    ty_world_body(f->w,
                  ty_world_find(f->w, &ty_kind_configmap, f->in.ns, TY_LIT("j-runtime-snapshot")),
                  (struct ty_str){ 0 });
    assert_true(work(f).fetch);
}

#define GANG(policy)                                                                               \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"   \
    "'name':'rt'},'spec':{'podGroupPolicy':{'" policy "':{}},'template':{'spec':{'replicatedJobs'" \
    ":[{'name':'node','template':{'metadata':{'labels':{"                                          \
    "'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}},'spec':{'template':{'spec':{"       \
    "'containers':[{'name':'node','image':'i'}]}}}}}]}}}}"

static void gang_is_made_again(struct fx *f, const char *runtime, const struct ty_kind *kind)
{
    put(f, &ty_kind_clustertrainingruntime, runtime);
    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':false", ""));
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w),
                        "apply ConfigMap j-runtime-snapshot, apply PodGroup j, apply JobSet j");
    carry_out(f, w.steps, "11");
    carry_out(f, w.steps->next, "12");
    carry_out(f, w.steps->next->next, "13");
    f->in.first = true;
    w = work(f);
    assert_string_equal(steps(f, &w), "");
    assert_true(ty_world_drop(f->w, kind, TY_LIT("a"), TY_LIT("j"), TY_LIT("12")));
    w = work(f);
    assert_string_equal(steps(f, &w), "apply PodGroup j");
}

/* Deleted while no operator looked: nobody tells us, and without it the gang's next pods wait for
 * ever. */
static void test_a_gang_that_is_gone_is_made_again(void **state)
{
    gang_is_made_again(*state, GANG("coscheduling"), &ty_kind_podgroup_cosched);
}

static void test_a_gang_of_volcano_too(void **state)
{
    gang_is_made_again(*state, GANG("volcano"), &ty_kind_podgroup_volcano);
}

static void test_deadline_and_ttl_delete_by_uid(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'activeDeadlineSeconds':10", ""));
    f->in.now_s = NOW + 11;
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "status TrainJob j, delete JobSet j");
    assert_true(ty_str_is(w.steps->next->uid, "12"));
    assert_non_null(w.events);
    put(f, &ty_kind_trainjob,
        TRAINJOB(",'ttlSecondsAfterFinished':5",
                 ",'status':{'conditions':[{'type':'Complete','status':'True','reason':'r',"
                 "'message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    w = work(f);
    assert_string_equal(steps(f, &w), "delete TrainJob j");
    assert_true(ty_str_is(w.steps->uid, "u1"));
}

static void test_status_is_a_merge_patch(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB(",'suspend':true", ",'status':{'trainerStatus':{'lastUpdatedTime':"
                                                   "'2026-01-02T03:04:05Z'}}"));
    struct ty_work w = work(f);
    struct ty_json *patch = ty_json_parse(f->a, w.steps->body, NULL, NULL);
    assert_int_equal(ty_json_len(patch), 2);
    /* Not for another job that has got its name meanwhile. */
    assert_true(ty_str_is(ty_json_str_at(patch, "metadata.resourceVersion"), "5"));
    assert_null(ty_json_at(patch, "status.trainerStatus")); /* another manager's; not repeated */
    assert_int_equal(ty_json_len(ty_json_at(patch, "status.conditions")), 1);
}

static void test_nothing_to_do(void **state)
{
    struct fx *f = *state;

    assert_string_equal(steps(f, &(struct ty_work){ 0 }), "");
    struct ty_work w = work(f); /* not known */
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

/* It is being deleted, and somebody's finalizer holds it. Who does so may wait for its end: that is
 * still told. What the garbage collector has taken is not made again. */
static void test_a_job_that_is_held(void **state)
{
    struct fx *f = *state;

    begin_and_apply(f, TRAINJOB("", ""));
    put(f, &ty_kind_trainjob, HELD("", ""));
    put(f, &ty_kind_jobset, ENDED);
    struct ty_work w = work(f);
    assert_string_equal(steps(f, &w), "status TrainJob j");
    assert_non_null(strstr(w.steps->body.p, "\"Complete\""));
    ty_world_drop(f->w, &ty_kind_jobset, f->in.ns, TY_LIT("j"), (struct ty_str){ 0 });
    w = work(f);
    assert_true(!w.steps && !w.fetch && !w.events && w.err.code == 0);
    put(f, &ty_kind_trainjob, /* its time to live is over: it has been deleted already */
        HELD(",'ttlSecondsAfterFinished':0",
             ",'status':{'conditions':[{'type':'Complete','status':'True','reason':'r',"
             "'message':'m','lastTransitionTime':'2026-01-02T03:04:05Z'}]}"));
    w = work(f);
    assert_string_equal(steps(f, &w), "");
}

static void test_no_runtime(void **state)
{
    struct fx *f = *state;

    put(f, &ty_kind_trainjob, TRAINJOB("", ""));
    struct ty_work w = work(f);
    assert_true(w.err.code < 0 && !w.steps && w.events && !w.events->next);
    assert_string_equal(w.events->reason, "TrainJobResourcesCreationFailed");
}

static const char *unread(void *ctx, const struct ty_kind *kind)
{
    return kind == &ty_kind_clustertrainingruntime ? ctx : NULL;
}

/* Not there, as far as one can see, and one cannot see far: again later, and no false word. */
static void test_an_unread_runtime(void **state)
{
    static char why[] = "runtimes are forbidden";
    struct fx *f = *state;

    f->in.unread = unread;
    f->in.ctx = why;
    put(f, &ty_kind_trainjob, TRAINJOB("", ""));
    struct ty_work w = work(f);
    assert_true(w.err.code < 0 && !w.steps && w.events && !w.events->next);
    assert_string_equal(w.events->message,
                        "TrainJob resources reconciliation failed: "
                        "ClusterTrainingRuntime \"rt\" cannot be read: runtimes are forbidden");
    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    assert_int_equal(work(f).err.code, 0);
}

#define RUNTIME_AT(uid, version, image)                                                            \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime','metadata':{"   \
    "'name':'rt','uid':'" uid "','resourceVersion':'" version "'},'spec':{'template':{'spec':{"    \
    "'replicatedJobs':[{'name':'node','template':{'spec':{'template':{'spec':{'containers':[{"     \
    "'name':'node','image':'" image "'}]}}}}}]}}}}"

static const char *snapshot_of(struct fx *f, const char *runtime)
{
    put(f, &ty_kind_clustertrainingruntime, runtime);
    struct ty_work w = work(f);
    assert_true(w.steps && w.steps->kind == &ty_kind_configmap);
    return ty_arena_printf(f->a, "%.*s %.*s", TY_ARG(w.steps->body), TY_ARG(w.steps->data));
}

/* The text of a snapshot is made once for many jobs, but never of a runtime that is another. */
static void test_a_snapshot_is_of_its_runtime(void **state)
{
    static const char *const runtimes[] = {
        RUNTIME_AT("r1", "3", "one"), RUNTIME_AT("r1", "3", "one"), RUNTIME_AT("r1", "4", "two"),
        RUNTIME_AT("r2", "4", "six"), RUNTIME_AT("", "", "old"),    RUNTIME_AT("", "", "new"),
        RUNTIME_AT("r1", "3", "one"),
    };
    struct fx *f = *state;
    struct ty_work_memo memo = { 0 };

    put(f, &ty_kind_trainjob, TRAINJOB(",'suspend':true", ""));
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
        f->in.memo = NULL;
        const char *alone = snapshot_of(f, runtimes[i]);
        f->in.memo = &memo;
        assert_string_equal(snapshot_of(f, runtimes[i]), alone);
    }
    struct ty_str made = memo.yaml; /* it is of the last one: taken, not printed anew */
    snapshot_of(f, runtimes[0]);
    assert_ptr_equal(made.p, memo.yaml.p);
    ty_work_memo_done(&memo);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, up, down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_new_job),
        TEST(test_what_is_there_needs_no_write),
        TEST(test_a_change_while_suspended_is_applied),
        TEST(test_a_foreign_change_is_reverted),
        TEST(test_somebody_elses_jobset),
        TEST(test_a_running_job_is_not_even_rendered),
        TEST(test_a_snapshot_is_got_before_it_is_used),
        TEST(test_a_snapshot_is_of_its_runtime),
        TEST(test_the_first_look_is_cheap),
        TEST(test_right_stays_right),
        TEST(test_a_mount_that_is_gone_is_made_again),
        TEST(test_a_gang_that_is_gone_is_made_again),
        TEST(test_a_gang_of_volcano_too),
        TEST(test_deadline_and_ttl_delete_by_uid),
        TEST(test_status_is_a_merge_patch),
        TEST(test_nothing_to_do),
        TEST(test_a_job_that_is_held),
        TEST(test_no_runtime),
        TEST(test_an_unread_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
