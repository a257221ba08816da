#include "fake_cluster.h"

#include "review.h"
#include "json/patch.h"

#define NOW     1794700000 /* the clock stands still: 2026-11-14 */
#define PASSES  8
#define OBJECTS 64

struct object {
    const struct ty_kind *kind;
    struct ty_str name;
    struct ty_json *obj; /* NULL: deleted */
};

struct fake_cluster {
    struct ty_arena *arena;
    struct ty_pipeline pipeline;
    struct ty_view view;
    struct object objects[OBJECTS];
    size_t n;
    unsigned uids;
};

static struct object *find_object(struct fake_cluster *w, const struct ty_kind *kind,
                                  struct ty_str name)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->objects[i].obj && w->objects[i].kind == kind && ty_str_eq(w->objects[i].name, name))
            return &w->objects[i];
    return NULL;
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind,
                                      struct ty_str ns TY_UNUSED, struct ty_str name)
{
    struct object *o = find_object(ctx, kind, name);
    return o ? o->obj : NULL;
}

struct fake_cluster *fake_cluster_new(struct ty_arena *a)
{
    struct fake_cluster *w = ty_new(a, struct fake_cluster);
    struct ty_err err = { 0 };

    w->arena = a;
    w->view = (struct ty_view){ .ctx = w, .get = view_get };
    if (ty_pipeline_init(&w->pipeline, NULL, NULL, NULL, &err) < 0)
        abort();
    return w;
}

static void put_object(struct fake_cluster *w, const struct ty_kind *kind, struct ty_json *obj)
{
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    struct object *o = find_object(w, kind, name);

    if (!o && w->n == OBJECTS)
        abort();
    if (!o)
        o = &w->objects[w->n++];
    *o = (struct object){ kind, name, obj };
}

static void give_identity(struct fake_cluster *w, struct ty_json *obj)
{
    struct ty_json *meta = ty_json_ensure_object(w->arena, obj, "metadata");

    ty_json_set(w->arena, meta, "uid", ty_json_strf(w->arena, "uid-%u", ++w->uids));
    ty_json_set(w->arena, meta, "creationTimestamp",
                ty_json_str(w->arena, ty_time_text(w->arena, NOW)));
}

static struct ty_json *verdict_json(struct fake_cluster *w, const char *op,
                                    const struct ty_admission_response *v)
{
    struct ty_json *j = ty_json_object(w->arena);

    ty_json_set(w->arena, j, "code", ty_json_int(w->arena, v->code));
    if (v->message)
        ty_json_set(w->arena, j, "message", ty_json_cstr(w->arena, v->message));
    ty_json_set(w->arena, j, "op", ty_json_cstr(w->arena, op));
    return j;
}

static int64_t now(void *ctx TY_UNUSED)
{
    return NOW;
}

static void run_admission(struct fake_cluster *w, enum ty_admission_op op, struct ty_json *obj,
                          const struct ty_json *old, struct ty_admission_response *v)
{
    struct ty_admission_request in = {
        .pipeline = &w->pipeline, .view = &w->view, .op = op, .obj = obj, .old = old, .now_s = NOW
    };
    struct ty_webhook hooks = { .pipeline = &w->pipeline, .view = &w->view, .now_s = now };
    struct ty_json *before = ty_json_copy(w->arena, obj, 0);

    ty_admission_handle(w->arena, &in, v);
    const char *differs = review_differs(w->arena, &hooks, op, before, old, obj, v);
    if (differs) /* no recording has such a text: the case fails and shows it */
        *v = (struct ty_admission_response){ .code = 500, .message = differs };
}

static struct ty_json *create_object(struct fake_cluster *w, struct ty_json *obj)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_admission_response v;
    char *op = ty_arena_printf(w->arena, "create %.*s/%.*s", TY_ARG(ty_json_str_at(obj, "kind")),
                               TY_ARG(ty_json_str_at(obj, "metadata.name")));

    give_identity(w, obj);
    run_admission(w, TY_ADMISSION_CREATE, obj, NULL, &v);
    if (!v.message && kind)
        put_object(w, kind, obj);
    return verdict_json(w, op, &v);
}

static struct ty_json *change_object(struct fake_cluster *w, const struct ty_json *step,
                                     const char *op, struct object *o, bool status)
{
    struct ty_json *next = ty_patch_merge(w->arena, o->obj, ty_json_get(step, "patch"));
    struct ty_admission_response v;

    next = ty_json_copy(w->arena, next, 0);
    run_admission(w, status ? TY_ADMISSION_UPDATE_STATUS : TY_ADMISSION_UPDATE, next, o->obj, &v);
    if (!v.message)
        o->obj = next;
    return verdict_json(w, op, &v);
}

struct ty_json *fake_cluster_step(struct fake_cluster *w, struct ty_json *doc)
{
    const struct ty_json *step = ty_json_get(doc, "x-step");
    struct ty_str verb = ty_json_str_at(step, "op"), kind = ty_json_str_at(step, "kind");
    struct ty_str name = ty_json_str_at(step, "name");
    const struct ty_kind *k = step ? ty_kind_by_name(kind) : NULL;
    struct object *o = k ? find_object(w, k, name) : NULL;
    struct ty_admission_response v = { .code = 200 };
    char *op =
        ty_arena_printf(w->arena, "%.*s %.*s/%.*s", TY_ARG(verb), TY_ARG(kind), TY_ARG(name));

    if (!step)
        return create_object(w, doc);
    if (!o) {
        v = (struct ty_admission_response){ .code = 404, .message = "not found" };
        return verdict_json(w, op, &v);
    }
    if (ty_str_is(verb, "delete")) {
        o->obj = NULL;
        return verdict_json(w, op, &v);
    }
    return change_object(w, step, op, o, ty_str_is(verb, "status-patch"));
}

/* Server-side apply as far as these cases need it: the operator's fields are replaced; fields of
 * the server and of others (identity, status, other labels and annotations) stay. */
static void store_applied(struct fake_cluster *w, const struct ty_desired_object *want)
{
    struct ty_json *next = ty_json_copy(w->arena, want->obj, 0);
    struct object *o = find_object(w, want->kind, ty_json_str_at(next, "metadata.name"));

    if (o) {
        static const char *const kept[] = { "uid", "creationTimestamp" };
        struct ty_json *meta = ty_json_get(next, "metadata");
        for (size_t i = 0; i < 2; i++)
            ty_json_set(w->arena, meta, kept[i],
                        ty_json_get(ty_json_get(o->obj, "metadata"), kept[i]));
        if (ty_json_get(o->obj, "status"))
            ty_json_set(w->arena, next, "status", ty_json_get(o->obj, "status"));
    } else {
        give_identity(w, next);
    }
    put_object(w, want->kind, next);
}

/* The API server's validation of an applied object. */
static const char *refusal_of_child(struct fake_cluster *w, const struct ty_desired_object *want)
{
    struct ty_errs errs = { .arena = w->arena };

    if (!want->kind->schema)
        return NULL;
    struct ty_json *copy = ty_json_copy(w->arena, want->obj, 0);
    ty_schema_default(w->arena, want->kind->schema, copy);
    ty_schema_validate(want->kind->schema, copy, NULL, NULL, NULL, &errs);
    return errs.n ? ty_errs_text(w->arena, &errs) : NULL;
}

static void note_write(struct fake_cluster *w, struct ty_json *stage, const struct ty_kind *kind,
                       struct ty_str name, struct ty_json *body, const char *how)
{
    struct ty_json *entry = ty_json_object(w->arena);
    char *key = ty_arena_printf(w->arena, "%s/%.*s", kind->kind, TY_ARG(name));
    struct ty_json *applied = ty_json_ensure_object(w->arena, stage, "applied");
    const struct ty_json *had = ty_json_get(applied, key);

    /* Two PodGroup kinds share one name in a recording. */
    if (had && body &&
        !ty_str_eq(ty_json_str_at(had, "body.apiVersion"), ty_json_str_at(body, "apiVersion")))
        key = ty_arena_printf(w->arena, "%s %s", key,
                              ty_json_text(w->arena, ty_json_get(body, "apiVersion")).p);
    if (body)
        ty_json_set(w->arena, entry, "body", ty_json_copy(w->arena, body, 0));
    ty_json_set(w->arena, entry, "how", ty_json_cstr(w->arena, how));
    ty_json_set(w->arena, applied, key, entry);
}

/* The operator's message about a refused child, for its event and the job's status; NULL: all were
 * written. A refused child is then in the event and not in `failed`. */
static const char *write_children(struct fake_cluster *w, const struct ty_trainjob_reconcile *pass,
                                  struct ty_str job, struct ty_json *stage)
{
    for (const struct ty_desired_object *want = pass->want; want; want = want->next) {
        struct ty_str name = ty_json_str_at(want->obj, "metadata.name");
        const char *no = refusal_of_child(w, want);
        if (no)
            return ty_arena_printf(w->arena,
                                   "TrainJob resources reconciliation failed: %s.%s \"%.*s\" is "
                                   "invalid: %s",
                                   want->kind->kind, want->kind->group, TY_ARG(name), no);
        store_applied(w, want);
        note_write(w, stage, want->kind, name, want->obj, "patch as trainer force");
    }
    struct object *gone = pass->delete_kind ? find_object(w, pass->delete_kind, job) : NULL;
    if (gone) {
        gone->obj = NULL;
        note_write(w, stage, pass->delete_kind, job, NULL, "delete");
    }
    return NULL;
}

static void note_events(struct fake_cluster *w, const struct ty_trainjob_event *events,
                        struct ty_str job, struct ty_json *stage)
{
    struct ty_json *list = ty_json_ensure_array(w->arena, stage, "events");

    for (const struct ty_trainjob_event *e = events; e; e = e->next) {
        const char *parts[] = { "TrainJob", NULL, e->type, e->reason, e->message };
        struct ty_json *row = ty_json_array(w->arena);
        bool known = false;
        for (size_t i = 0; i < 5; i++)
            ty_json_push(w->arena, row,
                         i == 1 ? ty_json_str(w->arena, job) : ty_json_cstr(w->arena, parts[i]));
        ty_each_item (it, list)
            known |= ty_json_eq(*it, row);
        if (!known)
            ty_json_push(w->arena, list, row);
    }
}

static bool pass_once(struct fake_cluster *w, struct object *o, struct ty_json *stage)
{
    static const unsigned char entropy[TY_ENTROPY] = { 7, 1 };
    struct ty_trainjob_reconcile_in in = {
        .pipeline = &w->pipeline, .view = &w->view, .job = o->obj, .now_s = NOW, .entropy = entropy
    };
    struct ty_trainjob_reconcile pass;

    ty_trainjob_reconcile(w->arena, &in, &pass);
    const char *no = write_children(w, &pass, o->name, stage);
    note_events(w, pass.events, o->name, stage);
    if (no) {
        note_events(w,
                    &(struct ty_trainjob_event){
                        .type = "Warning", .reason = TY_REASON_CREATION_FAILED, .message = no },
                    o->name, stage);
        in.no_build = true;
        in.refused = ty_str(no);
        ty_trainjob_reconcile(w->arena, &in, &pass);
    }
    if (pass.status) {
        struct ty_json *next = ty_json_copy(w->arena, o->obj, 0);
        ty_json_set(w->arena, next, "status", pass.status);
        o->obj = next;
    }
    return pass.status != NULL;
}

static struct ty_json *seen_job(struct fake_cluster *w, const struct ty_json *obj)
{
    struct ty_json *j = ty_json_object(w->arena);
    struct ty_json *finalizers = ty_json_at(obj, "metadata.finalizers");
    struct ty_json *status = ty_json_get(obj, "status"), *suspend = ty_json_at(obj, "spec.suspend");

    ty_json_set(w->arena, j, "finalizers", finalizers ? finalizers : ty_json_null(w->arena));
    ty_json_set(w->arena, j, "spec.suspend", suspend ? suspend : ty_json_null(w->arena));
    ty_json_set(w->arena, j, "status", status ? status : ty_json_object(w->arena));
    return j;
}

void fake_cluster_settle(struct fake_cluster *w, struct ty_json *stage, bool changed)
{
    struct ty_json *jobs = ty_json_ensure_object(w->arena, stage, "trainjobs");

    ty_json_ensure_object(w->arena, stage, "applied");
    ty_json_ensure_array(w->arena, stage, "events");
    ty_json_ensure_array(w->arena, stage, "failed");
    for (size_t i = 0; i < w->n; i++) {
        struct object *o = &w->objects[i];
        if (!o->obj || o->kind != &ty_kind_trainjob)
            continue;
        /* At least twice: the second pass sees the writes of the first. */
        for (int n = 0; changed && n < PASSES && (pass_once(w, o, stage) || n < 1); n++)
            ;
        ty_json_put(w->arena, jobs, o->name, seen_job(w, o->obj));
    }
}
