/* Any YAML as a whole cluster: objects are admitted in order, then every TrainJob is reconciled.
 * Properties: desired objects survive a round trip through YAML; the same input gives the same
 * children; the status is stable after one write; and the JobSet of an admitted TrainJob is valid
 * by its schema. */
#include "trainer/admission.h"
#include "trainer/trainjob_reconcile.h"
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW     1767323045
#define OBJECTS 16

struct cluster {
    struct ty_arena *arena;
    struct ty_pipeline pipeline;
    struct ty_view view;
    struct ty_json *objects[OBJECTS];
    size_t n;
};

static void check(bool good)
{
    if (!good)
        abort();
}

static struct ty_json **slot_of(struct cluster *w, const struct ty_kind *kind, struct ty_str ns,
                                struct ty_str name)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct ty_json *o = w->objects[i];
        if (ty_kind_of(o) == kind && ty_str_eq(ty_json_str_at(o, "metadata.name"), name) &&
            (!kind->namespaced || ty_str_eq(ty_json_str_at(o, "metadata.namespace"), ns)))
            return &w->objects[i];
    }
    return NULL;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_json **o = slot_of(ctx, kind, ns, name);
    return o ? *o : NULL;
}

static void admit(struct cluster *w, struct ty_json *obj, const struct ty_json *old, bool all,
                  struct ty_admission_response *ret)
{
    struct ty_admission_request in = { .pipeline = &w->pipeline,
                                       .view = &w->view,
                                       .op = old ? TY_ADMISSION_UPDATE : TY_ADMISSION_CREATE,
                                       .obj = obj,
                                       .old = old,
                                       .now_s = NOW,
                                       .all = all,
                                       .strict = all };
    ty_admission_handle(w->arena, &in, ret);
    check((ret->message == NULL) == (ret->errs.n == 0));
    check((ret->message == NULL) == (ret->code < 300));
}

/* Stores an object if admission accepts it. */
static void put_object(struct cluster *w, struct ty_json *obj)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_admission_response v;

    if (!kind)
        return;
    struct ty_json **was = slot_of(w, kind, ty_json_str_at(obj, "metadata.namespace"),
                                   ty_json_str_at(obj, "metadata.name"));
    admit(w, ty_json_copy(w->arena, obj, 0), was ? *was : NULL, true, &v);
    admit(w, obj, was ? *was : NULL, false, &v);
    if (v.message)
        return;
    if (was)
        *was = obj;
    else if (w->n < OBJECTS)
        w->objects[w->n++] = obj;
}

static void run_reconcile(struct cluster *w, const struct ty_json *job,
                          struct ty_trainjob_reconcile *ret)
{
    static const unsigned char entropy[TY_ENTROPY] = { 1, 2, 3 };
    struct ty_trainjob_reconcile_in in = {
        .pipeline = &w->pipeline, .view = &w->view, .job = job, .now_s = NOW, .entropy = entropy
    };

    ty_trainjob_reconcile(w->arena, &in, ret);
    check((ret->err.code < 0) == (ret->err.text[0] != '\0'));
}

static void check_yaml(struct cluster *w, const struct ty_json *obj)
{
    ty_auto_buf text = { 0 };
    struct ty_yaml_docs docs = { 0 };

    ty_yaml_print(&text, obj, NULL);
    check(ty_yaml_parse(w->arena, "child", ty_buf_str(&text), NULL, &docs, NULL) == 0);
    check(docs.n == 1 && ty_json_eq(docs.v[0], obj));
}

/* A job may omit its pods in a runtime, but not in a JobSet; and a snapshot was never validated. */
static bool template_is_whole(struct cluster *w, const struct ty_plan *plan)
{
    struct ty_errs errs = { .arena = w->arena };
    struct ty_json *spec = ty_json_copy(w->arena, plan->base, 0);

    ty_each_item (j, ty_json_get(spec, "replicatedJobs")) {
        struct ty_json *job = ty_json_ensure_object(w->arena, *j, "template");
        struct ty_json *pod = ty_json_ensure_object(w->arena, job, "spec");
        ty_json_ensure_object(w->arena, ty_json_ensure_object(w->arena, pod, "template"), "spec");
    }
    ty_schema_validate(&ty_schema_JobSetSpec, spec, NULL, NULL, NULL, &errs);
    return errs.n == 0;
}

/* The runtime may have changed since the job was admitted. */
static bool still_admitted(struct cluster *w, const struct ty_json *job)
{
    struct ty_admission_response v;

    admit(w, ty_json_copy(w->arena, job, 0), job, false, &v);
    return !v.message;
}

static void check_children(struct cluster *w, const struct ty_json *job,
                           const struct ty_trainjob_reconcile *p)
{
    bool sound = still_admitted(w, job);

    for (const struct ty_desired_object *x = p->want; x; x = x->next) {
        struct ty_errs errs = { .arena = w->arena };
        check_yaml(w, x->obj);
        if (sound && x->kind == &ty_kind_jobset && template_is_whole(w, &p->plan))
            ty_schema_validate(x->kind->schema, x->obj, NULL, NULL, NULL, &errs);
        if (errs.n > 0)
            fprintf(stderr, "%s\n", ty_errs_text(w->arena, &errs));
        check(errs.n == 0);
    }
}

static void check_job(struct cluster *w, struct ty_json *job)
{
    struct ty_trainjob_reconcile first, again, settled;

    run_reconcile(w, job, &first);
    run_reconcile(w, job, &again);
    check_children(w, job, &first);
    const struct ty_desired_object *x = first.want, *y = again.want;
    for (; x && y; x = x->next, y = y->next)
        check(x->kind == y->kind && ty_json_eq(x->obj, y->obj));
    check(!x && !y && !first.status == !again.status);
    if (!first.status)
        return;
    ty_json_set(w->arena, job, "status", first.status);
    run_reconcile(w, job, &settled);
    check(!settled.status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ty_json_limits limits = { .bytes = 1 << 15, .depth = 64 };
    struct cluster w = { .arena = NULL };
    struct ty_yaml_docs docs = { 0 };

    if (size > limits.bytes)
        return 0;
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    w.arena = a;
    w.view = (struct ty_view){ .ctx = &w, .get = view_get };
    check(ty_pipeline_init(&w.pipeline, NULL, NULL, NULL, NULL) == 0);
    if (ty_yaml_parse(a, "input", (struct ty_str){ (const char *)data, size }, &limits, &docs,
                      NULL) < 0)
        return 0;
    for (size_t i = 0; i < docs.n && i < OBJECTS; i++)
        put_object(&w, docs.v[i]);
    for (size_t i = 0; i < w.n; i++)
        if (ty_kind_of(w.objects[i]) == &ty_kind_trainjob)
            check_job(&w, w.objects[i]);
    return 0;
}
