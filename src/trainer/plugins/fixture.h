/* For plugin tests: a runtime and a TrainJob as JSON with single quotes, through the real pipeline.
 */
#ifndef TY_TRAINER_PLUGINS_FIXTURE_H
#define TY_TRAINER_PLUGINS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trainer/pipeline.h"
#include "trainer/registry.h"
#include "json/json_testing.h"

/* A runtime of one trainer job `node`: its mlPolicy, and more members of its container. */
#define RUNTIME(policy, container) RUNTIME_JOBS(policy, TRAINER_JOB("node", container))
#define RUNTIME_JOBS(policy, jobs)                                                                 \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'ClusterTrainingRuntime',"               \
    "'metadata':{'name':'rt'},'spec':{'mlPolicy':" policy ",'template':{'spec':{"                  \
    "'replicatedJobs':[" jobs "]}}}}"
#define TRAINER_JOB(name, container)                                                               \
    "{'name':'" name "','template':{'metadata':{'labels':{"                                        \
    "'trainer.kubeflow.org/trainjob-ancestor-step':'trainer'}},'spec':{'template':{'spec':{"       \
    "'containers':[{'name':'node','image':'i'" container "}]}}}}}"
#define PLAIN_JOB(name, count, containers)                                                         \
    "{'name':'" name "','template':{'spec':{'parallelism':" count ",'template':{'spec':{"          \
    "'containers':[" containers "]}}}}}"
/* spec.trainer of a TrainJob called j. */
#define JOB(trainer) JOB_OF("rt", ",'trainer':{" trainer "}")
#define JOB_OF(runtime, more)                                                                      \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':'j',"      \
    "'namespace':'ns','uid':'test-uid'},'spec':{'runtimeRef':{'name':'" runtime                    \
    "','kind':'ClusterTrainingRuntime','apiGroup':'trainer.kubeflow.org'}" more "}}"

struct fixture {
    struct ty_arena *arena;
    struct ty_pipeline pipeline;
    struct ty_settings settings;
    struct ty_view view; /* its get may be set by a test */
    unsigned char entropy[TY_ENTROPY];
    struct ty_trainjob job;
    struct ty_plan plan;
    struct ty_errs errs; /* of validation */
    struct ty_err err;   /* of the run */
};

static inline struct ty_json *fx_json(struct ty_arena *a, const char *text)
{
    return json_of(a, text);
}

static inline const struct ty_json *fx_nothing(void *ctx TY_UNUSED,
                                               const struct ty_kind *kind TY_UNUSED,
                                               struct ty_str ns TY_UNUSED,
                                               struct ty_str name TY_UNUSED)
{
    return NULL;
}

static inline int fx_setup(void **state)
{
    struct ty_arena *a = ty_arena_new((size_t)64 << 20);
    struct fixture *f = ty_new(a, struct fixture);

    f->arena = a;
    f->settings = ty_settings_default;
    f->view.get = fx_nothing;
    assert_int_equal(ty_pipeline_init(&f->pipeline, NULL, NULL, NULL, &f->err), 0);
    *state = f;
    return 0;
}

static inline int fx_teardown(void **state)
{
    ty_arena_free(((struct fixture *)*state)->arena);
    return 0;
}

/* The plan before the plugins run. */
static inline void fx_plan(struct fixture *f, const char *runtime, const char *job)
{
    struct ty_plan_in in = { .pipeline = &f->pipeline,
                             .settings = &f->settings,
                             .view = &f->view,
                             .entropy = f->entropy,
                             .runtime = fx_json(f->arena, runtime) };

    ty_trainjob_parse(&f->job, fx_json(f->arena, job));
    if (ty_plan_init(f->arena, &f->job, &in, &f->plan, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

/* Runs all hooks; the error of a failed run is in f->err. */
static inline int fx_try(struct fixture *f, const char *runtime, const char *job)
{
    fx_plan(f, runtime, job);
    return ty_pipeline_run(&f->plan, &f->job, &f->err);
}

static inline void fx_run(struct fixture *f, const char *runtime, const char *job)
{
    if (fx_try(f, runtime, job) < 0)
        fail_msg("%s", f->err.text);
}

/* The errors of validation, or "". */
static inline const char *fx_validate(struct fixture *f, const char *runtime, const char *job)
{
    struct ty_warnings warnings = { .arena = f->arena };

    fx_plan(f, runtime, job);
    f->errs = (struct ty_errs){ .arena = f->arena };
    ty_pipeline_validate(&f->plan, &f->job, NULL, &f->errs, &warnings);
    return f->errs.n ? ty_errs_text(f->arena, &f->errs) : "";
}

static inline struct ty_json *fx_container(struct fixture *f, const char *rjob, const char *name)
{
    struct ty_podset *set = ty_plan_find_podset(&f->plan, ty_str(rjob));

    assert_non_null(set);
    struct ty_json *c = ty_plan_podset_any_container(set, ty_str(name));
    assert_non_null(c);
    return c;
}

/* "A=1;B=@metadata.name": the variables of a container in order. */
static inline const char *fx_env(struct fixture *f, const char *rjob, const char *name)
{
    ty_auto_buf out = { 0 };

    ty_each_item (it, ty_json_get(fx_container(f, rjob, name), "env")) {
        const struct ty_json *value = ty_json_get(*it, "value");
        struct ty_str field = ty_json_str_at(*it, "valueFrom.fieldRef.fieldPath");
        if (out.n > 0)
            ty_buf_chr(&out, ';');
        ty_buf_add(&out, ty_json_str_at(*it, "name"));
        if (value)
            ty_buf_printf(&out, "=%.*s", TY_ARG(ty_json_as_str(value)));
        else
            ty_buf_printf(&out, "=@%.*s", TY_ARG(field));
    }
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

/* A member of a container or of another object, as JSON with single quotes. */
static inline const char *fx_text(struct fixture *f, const struct ty_json *v)
{
    return json_show(f->arena, v);
}

static inline const char *fx_member(struct fixture *f, const char *rjob, const char *name,
                                    const char *key)
{
    return fx_text(f, ty_json_get(fx_container(f, rjob, name), key));
}

/* A desired child by kind and name; NULL if there is none. */
static inline const struct ty_json *fx_child(struct fixture *f, const struct ty_kind *kind,
                                             const char *name)
{
    for (const struct ty_desired_object *w = f->plan.want; w; w = w->next)
        if (w->kind == kind && ty_str_is(ty_json_str_at(w->obj, "metadata.name"), name))
            return w->obj;
    return NULL;
}

#define FX_INDEX    "@metadata.annotations['batch.kubernetes.io/job-completion-index']"
#define fx_test(fn) cmocka_unit_test_setup_teardown(fn, fx_setup, fx_teardown)

#endif
