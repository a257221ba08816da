/* Test fixture for ty_reconcile: a TrainJob and its children in the cache, and the writes that it
 * returns. */
#ifndef TY_CONTROLLER_RECONCILE_TESTING_H
#define TY_CONTROLLER_RECONCILE_TESTING_H

#include "controller/applied_digest_testing.h"
#include "controller/reconcile.h"

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

struct fixture {
    struct ty_arena *a;
    struct ty_cache *w;
    struct ty_pipeline pipeline;
    struct ty_settings settings;
    struct ty_reconcile_in in;
    unsigned char entropy[TY_ENTROPY];
};

static inline int up(void **state)
{
    static struct fixture f;
    struct ty_err err = { 0 };

    f = (struct fixture){ .a = ty_arena_new((size_t)64 << 20),
                          .w = ty_cache_new(),
                          .settings = ty_settings_default };
    assert_int_equal(ty_pipeline_init(&f.pipeline, NULL, NULL, NULL, &err), 0);
    f.in = (struct ty_reconcile_in){ .cache = f.w,
                                     .pipeline = &f.pipeline,
                                     .settings = &f.settings,
                                     .ns = TY_LIT("a"),
                                     .name = TY_LIT("j"),
                                     .now_s = NOW,
                                     .entropy = f.entropy };
    *state = &f;
    return 0;
}

static inline int down(void **state)
{
    struct fixture *f = *state;

    ty_cache_free(f->w);
    ty_arena_free(f->a);
    return 0;
}

static inline const struct ty_cached *put(struct fixture *f, const struct ty_kind *kind,
                                          const char *text)
{
    return ty_cache_put(f->w, kind, json_of(f->a, text));
}

static inline struct ty_reconcile_result result(struct fixture *f)
{
    struct ty_reconcile_result w;

    ty_reconcile(f->a, &f->in, &w);
    return w;
}

/* "apply ConfigMap j-runtime-snapshot, apply JobSet j, status TrainJob j" */
static inline const char *steps(struct fixture *f, const struct ty_reconcile_result *w)
{
    static const char *const ops[] = { "apply", "status", "delete" };
    ty_auto_buf b = { 0 };

    for (const struct ty_write_step *s = w->steps; s; s = s->next)
        ty_buf_printf(&b, "%s%s %s %.*s", b.n ? ", " : "", ops[s->op], s->kind->kind,
                      TY_ARG(s->name));
    return ty_arena_cstr(f->a, ty_buf_str(&b));
}

/* Stores the object as the API server would after this step, with version and managedFields;
 * returns it. */
static inline struct ty_json *carry_out(struct fixture *f, const struct ty_write_step *s,
                                        const char *version)
{
    struct ty_json *obj =
        applied_stored(f->a, s->kind->schema, ty_json_parse(f->a, s->body, NULL, NULL), "trainer");

    ty_json_set(f->a, ty_json_get(obj, "metadata"), "resourceVersion", ty_json_cstr(f->a, version));
    ty_json_set(f->a, ty_json_get(obj, "metadata"), "uid", ty_json_cstr(f->a, version));
    const struct ty_cached *o = ty_cache_put(f->w, s->kind, obj);
    assert_non_null(o);
    ty_cache_set_applied(f->w, o, s->desired_digest);
    if (s->data.n)
        ty_cache_set_data(f->w, o, s->data);
    return obj;
}

static inline void begin(struct fixture *f, const char *job)
{
    put(f, &ty_kind_clustertrainingruntime, RUNTIME);
    put(f, &ty_kind_trainjob, job);
}

/* The stored JobSet. */
static inline struct ty_json *begin_and_apply(struct fixture *f, const char *job)
{
    begin(f, job);
    struct ty_reconcile_result w = result(f);
    carry_out(f, w.steps, "11");
    return carry_out(f, w.steps->next, "12");
}

/* The fetched object: the whole JobSet. */
static inline void give_jobset(struct fixture *f, const struct ty_json *live)
{
    struct ty_fetched *g = ty_new(f->a, struct ty_fetched);

    *g = (struct ty_fetched){ .kind = &ty_kind_jobset, .name = TY_LIT("j"), .json = live };
    f->in.given = g;
}

#define RECONCILE_TEST(name) cmocka_unit_test_setup_teardown(name, up, down)

#endif
