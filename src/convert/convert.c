/* Converts a V1 object: finds its kind, runs the steps in order and assembles the objects. */
#include "convert/v1.h"
#include <errno.h>

#define API_VERSION "trainer.kubeflow.org/v1alpha1"
#define MANAGER     "trainer.kubeflow.org/convert"

static const struct ty_v1_kind *const kinds[] = {
    &ty_v1_pytorch, &ty_v1_tf,     &ty_v1_mpi1, &ty_v1_mpi2,
    &ty_v1_xgboost, &ty_v1_paddle, &ty_v1_jax,  NULL,
};

static const struct ty_v1_kind *kind_of(const struct ty_json *obj)
{
    struct ty_str version = ty_json_str_at(obj, "apiVersion"), kind = ty_json_str_at(obj, "kind");
    for (const struct ty_v1_kind *const *k = kinds; *k; k++)
        if (ty_str_is(version, (*k)->version) && ty_str_is(kind, (*k)->kind))
            return *k;
    return NULL;
}

bool ty_convert_supports(const struct ty_json *obj)
{
    return kind_of(obj) != NULL;
}

/* ---- assembling the objects ---- */

static struct ty_json *new_object(struct ty_v1_conversion *c, const char *kind)
{
    struct ty_json *o = ty_json_object(c->arena);
    ty_json_set(c->arena, o, "apiVersion", ty_json_cstr(c->arena, API_VERSION));
    ty_json_set(c->arena, o, "kind", ty_json_cstr(c->arena, kind));
    /* Errors about the whole object have the position of the V1 object. */
    o->line = c->v1->line;
    o->col = c->v1->col;
    return o;
}

/* Keys in the conventional order; absent ones are omitted. */
static struct ty_json *in_order(struct ty_v1_conversion *c, const struct ty_json *from,
                                const char *const *keys)
{
    struct ty_json *o = ty_json_object(c->arena);
    for (; *keys; keys++) {
        struct ty_json *v = ty_json_get(from, *keys);
        if (v)
            ty_json_set(c->arena, o, *keys, v);
    }
    o->line = c->v1->line;
    return o;
}

static struct ty_json *patched_job(struct ty_v1_conversion *c, const struct ty_v1_set *set)
{
    struct ty_arena *a = c->arena;
    struct ty_json *rjob = ty_json_object(a);
    ty_json_set(a, rjob, "name", ty_json_cstr(a, set->rjob));
    struct ty_json *job =
        ty_json_ensure_object(a, ty_json_ensure_object(a, rjob, "template"), "spec");
    ty_json_set(a, job, "template", set->patch);
    return rjob;
}

static void add_patches(struct ty_v1_conversion *c)
{
    struct ty_arena *a = c->arena;
    struct ty_json *jobs = ty_json_array(a);
    for (size_t i = 0; i < c->n_sets; i++)
        if (ty_json_len(c->sets[i].patch))
            ty_json_push(a, jobs, patched_job(c, &c->sets[i]));
    if (!jobs->n)
        return;
    struct ty_json *patch = ty_json_object(a);
    ty_json_set(a, patch, "manager", ty_json_cstr(a, MANAGER));
    struct ty_json *spec = ty_json_ensure_object(a, patch, "trainingRuntimeSpec");
    spec = ty_json_ensure_object(a, ty_json_ensure_object(a, spec, "template"), "spec");
    ty_json_set(a, spec, "replicatedJobs", jobs);
    ty_json_push(a, ty_json_ensure_array(a, c->job_spec, "runtimePatches"), patch);
}

static void add_runtime_ref(struct ty_v1_conversion *c)
{
    struct ty_json *ref = ty_json_ensure_object(c->arena, c->job_spec, "runtimeRef");
    const char *builtin = c->own ? NULL : c->kind->builtin;
    ty_json_set(c->arena, ref, "name", ty_json_cstr(c->arena, builtin ? builtin : c->name));
    if (!builtin)
        ty_json_set(c->arena, ref, "kind", ty_json_cstr(c->arena, "TrainingRuntime"));
}

static struct ty_json *make_job(struct ty_v1_conversion *c)
{
    static const char *const meta[] = { "name", "namespace", "labels", "annotations", NULL };
    static const char *const spec[] = { "runtimeRef", "trainer",   "runtimePatches",
                                        "suspend",    "managedBy", "activeDeadlineSeconds",
                                        NULL };
    static const char *const trainer[] = { "numNodes", "numProcPerNode",   "image", "command",
                                           "args",     "resourcesPerNode", "env",   NULL };
    struct ty_json *job = new_object(c, "TrainJob");
    ty_json_set(c->arena, job, "metadata", in_order(c, c->job_meta, meta));
    add_runtime_ref(c);
    ty_json_set(c->arena, c->job_spec, "trainer", in_order(c, c->trainer, trainer));
    add_patches(c);
    ty_json_set(c->arena, job, "spec", in_order(c, c->job_spec, spec));
    return job;
}

static struct ty_json *make_runtime(struct ty_v1_conversion *c)
{
    static const char *const jobset[] = {
        "network",       "replicatedJobs",          "successPolicy",
        "failurePolicy", "ttlSecondsAfterFinished", NULL
    };
    struct ty_arena *a = c->arena;
    struct ty_json *o = new_object(c, "TrainingRuntime");
    struct ty_json *meta = ty_json_ensure_object(a, o, "metadata");
    ty_json_set(a, meta, "name", ty_json_cstr(a, c->name));
    struct ty_json *ns = ty_json_get(c->job_meta, "namespace");
    if (ns)
        ty_json_set(a, meta, "namespace", ns);
    ty_json_set(a, ty_json_ensure_object(a, meta, "labels"), "trainer.kubeflow.org/framework",
                ty_json_cstr(a, c->kind->framework));
    struct ty_json *spec = ty_json_ensure_object(a, o, "spec");
    ty_json_set(a, spec, "mlPolicy", c->ml);
    if (c->pod_group->n)
        ty_json_set(a, spec, "podGroupPolicy", c->pod_group);
    struct ty_json *template = ty_json_ensure_object(a, spec, "template");
    if (c->template_meta->n)
        ty_json_set(a, template, "metadata", c->template_meta);
    ty_json_set(a, c->jobset, "replicatedJobs", c->rjobs);
    ty_json_set(a, template, "spec", in_order(c, c->jobset, jobset));
    return o;
}

/* ---- the steps ---- */

static void begin_objects(struct ty_v1_conversion *c)
{
    struct ty_arena *a = c->arena;
    c->job_meta = ty_json_object(a);
    c->job_spec = ty_json_object(a);
    c->trainer = ty_json_object(a);
    c->jobset = ty_json_object(a);
    c->rjobs = ty_json_array(a);
    c->ml = ty_json_object(a);
    c->template_meta = ty_json_object(a);
    c->pod_group = ty_json_object(a);
    c->own = !c->kind->builtin;
    c->procs = 1;
    c->main = c->kind->main;
}

static const struct ty_v1_field top_rows[] = {
    { "apiVersion", NULL, NULL },
    { "kind", NULL, NULL },
    { "metadata", NULL, NULL },
    { "spec", NULL, NULL },
    { "status", NULL, "it is what the V1 operator saw; TrainJob has conditions of its own" },
    { NULL, NULL, NULL },
};

/* The rows of the kind, and those that all kinds share. */
static void read_spec(struct ty_v1_conversion *c)
{
    struct ty_v1_field rows[16] = { { "runPolicy", ty_v1_run_policy, NULL },
                                    { c->kind->specs, NULL, NULL } };
    size_t n = 2;
    for (const struct ty_v1_field *r = c->kind->rows; r && r->key && n < 15; r++)
        rows[n++] = *r;
    ty_v1_convert_fields(c, c->spec, TY_KEY(NULL, "spec"), rows);
}

static void run_steps(struct ty_v1_conversion *c)
{
    ty_v1_convert_fields(c, c->v1, NULL, top_rows);
    ty_v1_convert_metadata(c);
    if (!ty_json_is(c->spec, TY_JSON_OBJECT))
        ty_v1_error(c, c->spec, TY_KEY(NULL, "spec"), "must be an object");
    if (c->kind == &ty_v1_mpi1 && ty_json_str_at(c->spec, "mainContainer").n)
        c->main = ty_v1_cstr(c, ty_json_str_at(c->spec, "mainContainer"));
    if (!c->out->bad)
        ty_v1_read_roles(c);
    if (!c->out->bad)
        c->kind->make(c);
    if (c->out->bad)
        return;
    if (c->kind->ml)
        ty_json_ensure_object(c->arena, c->ml, c->kind->ml);
    read_spec(c);
    if (c->out->bad)
        return;
    c->kind->finish(c);
    ty_v1_convert_gang(c);
    ty_v1_convert_restarts(c);
    for (size_t i = 0; i < c->n_sets; i++)
        ty_v1_join_env(c, &c->sets[i]);
}

int ty_convert(struct ty_arena *a, const struct ty_json *obj, const struct ty_convert_opts *opts,
               struct ty_convert_result *ret)
{
    struct ty_v1_conversion c = {
        .arena = a,
        .kind = kind_of(obj),
        .out = ret,
        .v1 = obj,
        .spec = ty_json_get(obj, "spec"),
    };
    *ret = (struct ty_convert_result){ 0 };
    if (opts)
        c.opts = *opts;
    if (!c.kind) {
        ty_v1_error(&c, obj, NULL, "this kind cannot be converted");
        return -EINVAL;
    }
    begin_objects(&c);
    run_steps(&c);
    if (ret->bad)
        return -EINVAL;
    ret->job = make_job(&c);
    ret->runtime = c.own ? make_runtime(&c) : NULL;
    return 0;
}
