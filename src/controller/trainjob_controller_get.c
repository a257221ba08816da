/* GETs of single live objects. For webhooks: a runtime that was created a moment ago, and the
 * snapshot of a job whose runtime was deleted, by which its updates are validated. For the
 * controller: a TrainJob that may be deleted although its watch has not reported it yet. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "controller/trainjob_controller_get.h"
#include "controller/trainjob_controller_watch.h"

struct ty_live_get {
    struct ty_trainjob_controller *controller;
    struct ty_kube_op *op;
    const struct ty_kind *kind;
    char *ns, *name;
    ty_trainjob_controller_got_fn *fn; /* NULL: get_verify */
    void *ctx;
    struct ty_live_get *next, *prev;
};

static void get_free(struct ty_live_get *f)
{
    if (f->prev)
        f->prev->next = f->next;
    else
        f->controller->live_gets = f->next;
    if (f->next)
        f->next->prev = f->prev;
    ty_kube_cancel(f->op);
    free(f->ns);
    free(f->name);
    free(f);
}

/* Stores a watched object as a watch event would, and of a snapshot the data. False: the cache does
 * not store all of it. */
static bool update_cache(struct ty_live_get *f, const struct ty_json *obj)
{
    ty_auto_arena *scratch = ty_arena_new_input((size_t)64 << 20, f->controller->s.budget);
    struct ty_reflector *reflect = ty_trainjob_controller_reflect(f->controller, f->kind);

    if (reflect)
        ty_reflector_observe_write(
            reflect,
            &(struct ty_kube_object){ .json = obj,
                                      .ns = ty_json_str_at(obj, "metadata.namespace"),
                                      .name = ty_json_str_at(obj, "metadata.name"),
                                      .uid = ty_json_str_at(obj, "metadata.uid"),
                                      .version = ty_json_str_at(obj, "metadata.resourceVersion") });
    const struct ty_cached *o =
        ty_cache_get(f->controller->cache, f->kind, ty_str(f->ns), ty_str(f->name));
    const struct ty_json *data = ty_json_get(obj, "data");
    if (f->kind != &ty_kind_configmap || !o || !data)
        return !o || !o->partial;
    struct ty_str text = ty_reconcile_snapshot_data(scratch, data);
    return !ty_arena_full(scratch) && ty_cache_set_data(f->controller->cache, o, text);
}

/* If the job does not exist its own list or watch reports the deletion; nothing else to do. */
static void on_verified(struct ty_live_get *f, const struct ty_kube_response *a)
{
    struct ty_trainjob_controller *j = f->controller;
    struct ty_str ns = ty_str(f->ns), name = ty_str(f->name);
    const struct ty_json *items = ty_json_get(a->json, "items");
    const struct ty_json *found = ty_json_item(items, 0);

    if (a->r == 0 && found)
        update_cache(f, found);
    if ((a->r < 0 || found) && ty_cache_get(j->cache, &ty_kind_trainjob, ns, name)) {
        ty_trainjob_controller_pending(j, ns, name)->check_children = true;
        ty_trainjob_controller_enqueue(j, ns, name);
    }
    get_free(f);
}

/* The webhook answers the user; the log is for the administrator, who can fix it. */
static void log_get_failed(const struct ty_live_get *f, const struct ty_kube_response *a)
{
    char why[512];

    snprintf(why, sizeof(why), "%.*s", TY_ARG(a->message));
    ty_error(f->controller->s.log, why, "cannot get an object that a webhook request names",
             TY_S("kind", f->kind->kind), TY_S("namespace", f->ns), TY_S("name", f->name),
             TY_I("code", a->code));
}

static void on_answer(void *ctx, const struct ty_kube_response *a)
{
    struct ty_live_get *f = ctx;
    ty_trainjob_controller_got_fn *fn = f->fn;
    void *fn_ctx = f->ctx;

    f->op = NULL;
    if (!fn) {
        on_verified(f, a);
        return;
    }
    struct ty_str text = a->message;
    if (a->r == 0 && a->json && !update_cache(f, a->json))
        text = a->text;
    else if (a->r < 0 && a->r != -ENOENT)
        log_get_failed(f, a);
    get_free(f);
    fn(fn_ctx, a->r, text);
}

static struct ty_live_get *get_new(struct ty_trainjob_controller *j, const struct ty_kind *kind,
                                   struct ty_str ns, struct ty_str name)
{
    struct ty_live_get *f = ty_xalloc(calloc(1, sizeof(*f)));

    *f = (struct ty_live_get){ .controller = j, .kind = kind, .next = j->live_gets };
    f->ns = ty_xalloc_cstr(ns);
    f->name = ty_xalloc_cstr(name);
    if (f->next)
        f->next->prev = f;
    j->live_gets = f;
    j->counts.fetches++;
    return f;
}

void ty_trainjob_controller_get(struct ty_trainjob_controller *j, const struct ty_kind *kind,
                                struct ty_str ns, struct ty_str name,
                                ty_trainjob_controller_got_fn *fn, void *ctx)
{
    const struct ty_cached *o = ty_cache_get(j->cache, kind, ns, name);

    if (o && o->body) {
        fn(ctx, 0, (struct ty_str){ 0 });
        return;
    }
    struct ty_live_get *f = get_new(j, kind, ns, name);
    f->fn = fn;
    f->ctx = ctx;
    f->op = ty_kube_start(
        j->s.kube, &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                              .kind = kind,
                                              .ns = ns,
                                              .name = name,
                                              .timeout_ms = 5000,
                                              .unlimited = true, /* a user waits for the webhook */
                                              .tries = -1,
                                              .fn = on_answer,
                                              .ctx = f });
}

void ty_trainjob_controller_get_verify(struct ty_trainjob_controller *j, struct ty_str ns,
                                       struct ty_str name)
{
    for (const struct ty_live_get *f = j->live_gets; f; f = f->next)
        if (!f->fn && ty_str_is(ns, f->ns) && ty_str_is(name, f->name))
            return; /* in flight: its answer serves this child, too */
    struct ty_live_get *f = get_new(j, &ty_kind_trainjob, ns, name);
    char path[1024]; /* a list with a field selector: RBAC does not allow get */
    snprintf(path, sizeof(path),
             "/apis/%s/%s/namespaces/%s/trainjobs?fieldSelector=metadata.name%%3D%s",
             ty_kind_trainjob.group, ty_kind_trainjob.version, f->ns, f->name);
    f->op = ty_kube_start(
        j->s.kube,
        &(struct ty_kube_request){ .verb = TY_KUBE_GET, .path = path, .fn = on_answer, .ctx = f });
}

void ty_trainjob_controller_get_cancel_all(struct ty_trainjob_controller *j)
{
    for (struct ty_live_get *f = j->live_gets, *next = NULL; f; f = next) {
        next = f->next;
        get_free(f);
    }
}
