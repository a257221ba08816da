/* Live objects that a reconcile needs and the cache does not store whole: the data of snapshots;
 * TrainJobs, JobSets and runtimes that are too large (cache.h); JobSets whose rendering may be
 * outdated. ty_inflight holds them as text and frees them with the reconcile. */
#include <errno.h>
#include <stdlib.h>

#include "base/budget.h"
#include "controller/cache_project.h"
#include "controller/trainjob_controller_fetch.h"

#define TREE_CEILING ((size_t)64 << 20)
/* The job, its runtime, JobSet and snapshot; and one that changed in between. */
#define MOST_FETCHES 5

enum { HELD = 0, IN_CACHE, GONE }; /* what became of the answer; or -errno */

struct ty_fetched_text {
    const struct ty_kind *kind;
    struct ty_str name, text;
    struct ty_fetched_text *next;
};

/* The object is too large, or memory is short at the moment. */
static int memory_error(const struct ty_arena *full)
{
    return ty_arena_starved(full) ? -EAGAIN : -EFBIG;
}

/* HELD, or memory_error. */
static int hold_text(struct ty_inflight *w, struct ty_str text)
{
    struct ty_fetched_text *h = ty_new(w->arena, struct ty_fetched_text);

    *h = (struct ty_fetched_text){ .kind = w->result.fetch_kind, .next = w->fetched };
    h->name = ty_arena_str(w->arena, w->result.fetch_name);
    h->text = ty_arena_str(w->arena, text);
    w->fetched = h;
    return ty_arena_full(w->arena) ? memory_error(w->arena) : HELD;
}

const struct ty_fetched *ty_trainjob_controller_fetched(struct ty_arena *a,
                                                        const struct ty_inflight *w)
{
    const struct ty_fetched *first = NULL;

    for (const struct ty_fetched_text *h = w->fetched; h; h = h->next) {
        struct ty_fetched *g = ty_new(a, struct ty_fetched);
        *g = (struct ty_fetched){ .kind = h->kind, .name = h->name, .next = first };
        g->json = ty_json_parse(a, h->text, NULL, NULL);
        if (g->json) /* else the arena is full, which ty_reconcile reports */
            first = g;
    }
    return first;
}

/* The cache stores the data if it is small enough; otherwise w holds it. */
static int store_snapshot(struct ty_inflight *w, struct ty_arena *a, const struct ty_json *obj)
{
    struct ty_cache *cache = w->controller->cache;
    const struct ty_cached *o =
        ty_cache_get(cache, &ty_kind_configmap, w->key.ns, w->result.fetch_name);
    struct ty_str data = ty_reconcile_snapshot_data(a, ty_json_get(obj, "data"));

    if (ty_arena_full(a))
        return memory_error(a);
    return !o || ty_cache_set_data(cache, o, data) ? IN_CACHE : hold_text(w, data);
}

static int store_object(struct ty_inflight *w, struct ty_arena *a, const struct ty_json *obj)
{
    const struct ty_cached *o =
        ty_cache_get(w->controller->cache, w->result.fetch_kind, w->key.ns, w->result.fetch_name);

    if (!o || !ty_str_is(ty_json_str_at(obj, "metadata.uid"), o->id.uid))
        return GONE; /* or replaced: its watch event enqueues the job */
    /* A JobSet is held whole: managedFields decide what may be written. */
    struct ty_str text = ty_json_text(a, w->result.fetch_kind == &ty_kind_jobset
                                             ? obj
                                             : ty_cache_project(a, w->result.fetch_kind, obj));
    return ty_arena_full(a) ? memory_error(a) : hold_text(w, text);
}

/* RBAC allows the operator to list these, but not to get one. */
static bool is_listed(const struct ty_kind *kind)
{
    return kind == &ty_kind_trainjob || kind == &ty_kind_jobset;
}

static int store_answer(struct ty_inflight *w, struct ty_arena *a, struct ty_str text,
                        struct ty_err *err)
{
    const struct ty_json *obj = ty_json_parse(a, text, NULL, err);

    if (!obj)
        return ty_arena_full(a) ? memory_error(a) : err->code;
    if (is_listed(w->result.fetch_kind))
        obj = ty_json_item(ty_json_get(obj, "items"), 0);
    return w->result.fetch_kind == &ty_kind_configmap ? store_snapshot(w, a, obj)
                                                      : store_object(w, a, obj);
}

static void log_fetch_failed(struct ty_inflight *w, struct ty_str why)
{
    char text[512];

    w->failed = true;
    snprintf(text, sizeof(text), "%.*s", TY_ARG(why));
    ty_error(w->controller->s.log, text,
             w->result.fetch_kind == &ty_kind_configmap ? "could not read the runtime snapshot"
                                                        : "could not read an object to reconcile",
             TY_S("kind", w->result.fetch_kind->kind), TY_STR("namespace", w->key.ns),
             TY_STR("name", w->key.name));
}

/* Ends this reconcile without writes; the job is requeued now (again) or retried after a back-
 * off. */
static void end_reconcile(struct ty_inflight *w, bool again)
{
    struct ty_trainjob_controller *j = w->controller;

    ty_trainjob_controller_keep_pending(w);
    if (again)
        ty_queue_add(j->queue, w->key);
    ty_trainjob_controller_write_done(w);
}

static void on_fetched(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_inflight *w = ctx;
    struct ty_err err = { 0 };
    ty_auto_arena *a = ty_arena_new_input(
        ty_trainjob_controller_ceiling(w->controller, TREE_CEILING), w->controller->s.budget);
    int r = answer->r == 0 ? store_answer(w, a, answer->text, &err) : answer->r;

    w->op = NULL;
    if (r == -EFBIG) {
        ty_arena_reset(a);
        ty_trainjob_controller_too_large(w);
        return;
    }
    if (r == -EAGAIN)
        ty_fail(&err, r, "%s", TY_RECONCILE_STARVED);
    if (r == -ENOENT)
        r = GONE; /* only the reflector deletes from the cache, because a delete drops more than the
                     object */
    if (r == HELD && ++w->fetches == MOST_FETCHES)
        r = ty_fail(&err, -EAGAIN, "it changes faster than it can be read");
    if (r < 0)
        log_fetch_failed(w, answer->r < 0 ? answer->message : ty_str(err.text));
    if (r != HELD) {
        end_reconcile(w, r == IN_CACHE);
        return;
    }
    ty_arena_reset(a);
    ty_trainjob_controller_reconcile_again(w);
}

/* A list with a field selector instead of a get. */
static void list_one(const struct ty_inflight *w, struct ty_kube_request *ask, char *path,
                     size_t size)
{
    const struct ty_kind *kind = ask->kind;

    snprintf(path, size, "/apis/%s/%s/namespaces/%.*s/%s?fieldSelector=metadata.name%%3D%.*s",
             kind->group, kind->version, TY_ARG(w->key.ns), kind->plural, TY_ARG(w->key.name));
    ask->path = path;
}

void ty_trainjob_controller_fetch(struct ty_inflight *w)
{
    char path[1024];
    struct ty_kube_request ask = { .verb = TY_KUBE_GET,
                                   .kind = w->result.fetch_kind,
                                   .ns = w->key.ns,
                                   .name = w->result.fetch_name,
                                   .raw = true,
                                   .fn = on_fetched,
                                   .ctx = w };

    if (is_listed(ask.kind))
        list_one(w, &ask, path, sizeof(path));
    w->controller->counts.fetches++;
    w->op = ty_kube_start(w->controller->s.kube, &ask);
}
