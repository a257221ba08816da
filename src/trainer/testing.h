/* For tests of the trainer: the plugins' fixture, and an array of objects as the cluster that a
 * pass sees. */
#ifndef TY_TRAINER_TESTING_H
#define TY_TRAINER_TESTING_H

#include "trainer/plugins/fixture.h"

#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"

#define CORE_NOW 1767323045 /* 2026-01-02T03:04:05Z */

/* A job with an ancestor label; `more` are further members of the entry. */
#define STEP_JOB(name, step, container, more)                                                      \
    "{'name':'" name "'" more ",'template':{'metadata':{'labels':{'" TY_LABEL_ANCESTOR "':'" step  \
    "'}},'spec':{'template':{'spec':{'containers':[{'name':'" container "','image':"               \
    "'i'}]}}}}}"
/* A patch by `manager` of the JobSet's spec. */
#define PATCH(manager, spec)                                                                       \
    "{'manager':'" manager "','trainingRuntimeSpec':{'template':{'spec':" spec "}}}"
/* The same for the pods of one job. */
#define POD_PATCH(manager, job, pod) PATCH(manager, "{'replicatedJobs':[" POD_OF(job, pod) "]}")
#define POD_OF(job, pod)             "{'name':'" job "','template':{'spec':{'template':{'spec':{" pod "}}}}}"
#define OWNER(uid)                                                                                 \
    "'ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','name':"   \
    "'j','uid':'" uid "','controller':true,'blockOwnerDeletion':true}]"

struct object_map {
    const struct ty_json *v[32];
    size_t n;
};

static inline const struct ty_json *object_map_get(void *ctx, const struct ty_kind *kind,
                                                   struct ty_str ns, struct ty_str name)
{
    const struct object_map *s = ctx;

    for (size_t i = 0; i < s->n; i++) {
        const struct ty_json *o = s->v[i];
        if (ty_kind_of(o) == kind && ty_str_eq(ty_json_str_at(o, "metadata.name"), name) &&
            (!kind->namespaced || ty_str_eq(ty_json_str_at(o, "metadata.namespace"), ns)))
            return o;
    }
    return NULL;
}

/* Stores an object, in place of one with the same name. */
static inline void core_keep(struct fixture *f, const struct ty_json *obj)
{
    struct object_map *s = f->view.ctx;
    struct ty_str name = ty_json_str_at(obj, "metadata.name");

    for (size_t i = 0; i < s->n; i++)
        if (ty_kind_of(s->v[i]) == ty_kind_of(obj) &&
            ty_str_eq(ty_json_str_at(s->v[i], "metadata.name"), name)) {
            s->v[i] = obj;
            return;
        }
    assert_true(s->n < TY_COUNT(s->v));
    s->v[s->n++] = obj;
}

static inline struct ty_json *core_put(struct fixture *f, const char *text)
{
    struct ty_json *obj = fx_json(f->arena, text);

    core_keep(f, obj);
    return obj;
}

static inline void core_drop(struct fixture *f, const struct ty_kind *kind)
{
    struct object_map *s = f->view.ctx;

    for (size_t i = 0; i < s->n; i++)
        if (ty_kind_of(s->v[i]) == kind)
            s->v[i--] = s->v[--s->n];
}

static inline int core_setup(void **state)
{
    fx_setup(state);
    struct fixture *f = *state;
    f->view = (struct ty_view){ .ctx = ty_new(f->arena, struct object_map), .get = object_map_get };
    return 0;
}

static inline struct ty_trainjob_reconcile core_pass_at(struct fixture *f,
                                                        const struct ty_json *job, int64_t now_s)
{
    struct ty_trainjob_reconcile_in in = { .pipeline = &f->pipeline,
                                           .settings = &f->settings,
                                           .view = &f->view,
                                           .job = job,
                                           .now_s = now_s,
                                           .entropy = f->entropy };
    struct ty_trainjob_reconcile pass;

    ty_trainjob_reconcile(f->arena, &in, &pass);
    return pass;
}

static inline const struct ty_json *core_wanted(const struct ty_trainjob_reconcile *p,
                                                const struct ty_kind *kind, const char *name)
{
    for (const struct ty_desired_object *w = p->want; w; w = w->next)
        if (w->kind == kind && ty_str_is(ty_json_str_at(w->obj, "metadata.name"), name))
            return w->obj;
    return NULL;
}

static inline struct ty_admission_response core_admit(struct fixture *f, enum ty_admission_op op,
                                                      struct ty_json *obj,
                                                      const struct ty_json *old)
{
    struct ty_admission_request in = { .pipeline = &f->pipeline,
                                       .settings = &f->settings,
                                       .view = &f->view,
                                       .op = op,
                                       .obj = obj,
                                       .old = old,
                                       .now_s = CORE_NOW };
    struct ty_admission_response v;

    ty_admission_handle(f->arena, &in, &v);
    return v;
}

/* The origin of a value as text. */
static inline const char *core_origin(const struct ty_plan *plan, const struct ty_json *v)
{
    assert_non_null(v);
    const char *text = ty_plan_origin_text(plan, v->origin);
    return text ? text : "";
}

#define core_test(fn) cmocka_unit_test_setup_teardown(fn, core_setup, fx_teardown)

#endif
