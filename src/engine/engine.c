/* The loop around the passes: whoever changes in the store is looked at, until nothing changes. */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "engine/engine_inner.h"
#include "engine/engine_reconcile.h"
#include "engine/job/job_report.h"
#include "engine/jobset/jobset.h"
#include "engine/net.h"
#include "engine/pod/container_log.h"
#include "engine/pod/gpus.h"
#include "engine/pod/limits.h"
#include "engine/pod/pod_summary_cache.h"
#include "engine/pod/pods.h"
#include "engine/rsh.h"
#include "net/http_client.h"

#define PASS_CEILING  ((size_t)8 << 30)  /* a run has at most RUN_MAX bytes of pods: submit.c */
#define SCRATCH_FIRST ((size_t)64 << 10) /* most objects fit */
#define LASTING_FIRST ((size_t)2 << 10)

int64_t ty_engine_wall_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t ty_engine_now_ms(const struct ty_engine *e)
{
    return e->wall_base_ms + (int64_t)uv_now(e->o.loop);
}

static int64_t wall_s(void *ctx TY_UNUSED)
{
    return ty_engine_wall_ms() / 1000;
}

/* "Kind/ns/name" */
static char *key_of(const struct ty_kind *kind, const char *ns, const char *name)
{
    size_t n = strlen(kind->kind) + strlen(ns) + strlen(name) + 3;
    char *key = malloc(n);

    if (!key)
        abort();
    snprintf(key, n, "%s/%s/%s", kind->kind, ns, name);
    return key;
}

/* Takes key. */
static void enqueue_key(struct ty_engine *e, char *key)
{
    if (ty_map_get(&e->queued, ty_str(key))) {
        free(key);
        return;
    }
    if (e->queue_n == e->queue_cap) {
        e->queue_cap = e->queue_cap ? e->queue_cap * 2 : 64;
        char **more = realloc(e->queue, e->queue_cap * sizeof(*more));
        if (!more)
            abort();
        e->queue = more;
    }
    ty_map_put(&e->queued, ty_str(key), key);
    e->queue[e->queue_n++] = key;
}

void ty_engine_enqueue(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                       const char *name)
{
    enqueue_key(e, key_of(kind, ns, name));
}

static void due_now(uv_timer_t *timer);

/* The timer always waits for the nearest of all that is due. */
static void arm_timer(struct ty_engine *e)
{
    int64_t now = ty_engine_now_ms(e), nearest = -1;

    for (const struct ty_delayed_key *d = e->due; d; d = d->next)
        if (nearest < 0 || d->at_ms < nearest)
            nearest = d->at_ms;
    if (nearest < 0)
        uv_timer_stop(&e->due_timer);
    else
        uv_timer_start(&e->due_timer, due_now, nearest > now ? (uint64_t)(nearest - now) : 0, 0);
}

static void due_now(uv_timer_t *timer)
{
    struct ty_engine *e = timer->data;
    int64_t now = ty_engine_now_ms(e);

    for (struct ty_delayed_key **d = &e->due; *d;) {
        struct ty_delayed_key *it = *d;
        if (it->at_ms > now) {
            d = &it->next;
            continue;
        }
        *d = it->next;
        enqueue_key(e, it->key);
        free(it);
    }
    arm_timer(e);
}

void ty_engine_enqueue_after(struct ty_engine *e, const struct ty_kind *kind, const char *ns,
                             const char *name, int64_t ms)
{
    char *key = key_of(kind, ns, name);
    int64_t at = ty_engine_now_ms(e) + (ms > 0 ? ms : 0);
    struct ty_delayed_key *d = e->due;

    while (d && strcmp(d->key, key) != 0)
        d = d->next;
    if (d) {
        free(key);
        if (at < d->at_ms)
            d->at_ms = at;
    } else {
        d = malloc(sizeof(*d));
        if (!d)
            abort();
        *d = (struct ty_delayed_key){ .key = key, .at_ms = at, .next = e->due };
        e->due = d;
    }
    arm_timer(e);
}

void ty_engine_event(struct ty_engine *e, const struct ty_kind *kind, const char *name,
                     const char *type, const char *reason, const char *message)
{
    for (size_t i = 0; i < 4 && e->o.observers[i]; i++)
        if (e->o.observers[i]->event)
            e->o.observers[i]->event(e->o.observers[i]->ctx, kind, name, type, reason, message,
                                     ty_engine_wall_ms());
}

/* A change concerns the object itself and whoever owns it. */
static void on_change(void *ctx, enum ty_stored_change what, const struct ty_stored *obj)
{
    struct ty_engine *e = ctx;
    const struct ty_stored *owner = obj->owner ? ty_local_by_uid(e->store, obj->owner) : NULL;

    if (owner)
        ty_engine_enqueue(e, owner->kind, owner->ns, owner->name);
    if (obj->kind == &ty_kind_pod && what == TY_STORED_DELETED)
        ty_pod_summary_cache_drop(e, obj->uid);
    else if (what != TY_STORED_DELETED)
        ty_engine_enqueue(e, obj->kind, obj->ns, obj->name);
}

static const struct ty_kind *kind_in(struct ty_str key, struct ty_str *ret_ns,
                                     struct ty_str *ret_name)
{
    struct ty_str kind = { 0 };
    struct ty_str rest = ty_str_cut(key, '/', &kind);

    *ret_name = ty_str_cut(rest, '/', ret_ns);
    return ty_kind_by_name(kind);
}

static void on_idle(uv_idle_t *idle TY_UNUSED)
{
}

/* Everything that is queued now; what that queues comes in the next turn of the loop, so that exits
 * and logs are not kept waiting, and many changes of one object make one pass. */
static void drain_queue(uv_prepare_t *prepare)
{
    struct ty_engine *e = prepare->data;
    size_t n = e->queue_n;

    for (size_t i = 0; i < n; i++) {
        char *key = e->queue[i];
        struct ty_str ns, name;
        const struct ty_kind *kind = kind_in(ty_str(key), &ns, &name);
        ty_map_del(&e->queued, ty_str(key));
        if (kind)
            ty_engine_reconcile(e, kind, ns, name);
        free(key);
    }
    e->queue_n -= n;
    if (n && e->queue_n)
        memmove(e->queue, e->queue + n, e->queue_n * sizeof(*e->queue));
    ty_gpus_schedule(e);
    /* An active idle handle keeps the loop from sleeping until a whole turn had nothing to do. */
    if (n)
        uv_idle_start(&e->idle, on_idle);
    else
        uv_idle_stop(&e->idle);
}

static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_engine *e = ctx;
    /* A pod may name one ConfigMap in a hundred thousand variables. */
    return ty_arena_full(e->pass) ? NULL : ty_local_get(e->store, e->pass, kind, ns, name);
}

int ty_engine_new(const struct ty_engine_opts *opts, struct ty_engine **ret, struct ty_err *err)
{
    struct ty_engine *e = calloc(1, sizeof(*e));

    if (!e)
        abort();
    e->o = *opts;
    e->rsh_fd = -1;
    e->chunk = malloc(TY_LOG_CHUNK);
    if (!e->chunk)
        abort();
    e->wall_base_ms = ty_engine_wall_ms() - (int64_t)uv_now(opts->loop);
    e->store = ty_local_new(wall_s, NULL);
    e->view = (struct ty_view){ .ctx = e, .get = view_get };
    e->pass = ty_arena_new_input(PASS_CEILING, NULL);
    e->scratch = ty_arena_new_small(TY_OBJECT_CEILING, SCRATCH_FIRST);
    e->lasting = ty_arena_new_small(TY_OBJECT_CEILING, LASTING_FIRST);
    if (getrandom(&e->seed, sizeof(e->seed), 0) != (ssize_t)sizeof(e->seed))
        abort();
    ty_local_watch(e->store, on_change, e);
    uv_prepare_init(opts->loop, &e->prepare);
    uv_idle_init(opts->loop, &e->idle);
    uv_timer_init(opts->loop, &e->due_timer);
    e->prepare.data = e->idle.data = e->due_timer.data = e;
    uv_prepare_start(&e->prepare, drain_queue);
    ty_limits_open(e);
    int r = ty_rsh_listen(e, err);
    if (r < 0) {
        ty_engine_free(e);
        return r;
    }
    *ret = e;
    return 0;
}

struct ty_local *ty_engine_store(struct ty_engine *e)
{
    return e->store;
}

struct open_count {
    struct ty_engine *e;
    size_t open;
};

static void count_open(void *ctx, const struct ty_stored *obj)
{
    struct open_count *t = ctx;
    struct ty_json *job = ty_local_read(t->e->pass, obj);

    t->open += !ty_trainjob_finished(ty_json_get(job, "status"));
}

bool ty_engine_done(const struct ty_engine *e)
{
    struct open_count t = { .open = 0 };

    if (e->queue_n || e->n_pods_live)
        return false;
    memcpy(&t.e, &e, sizeof(t.e)); /* only its scratch arena is written */
    ty_arena_reset(e->pass);
    ty_local_each(e->store, &ty_kind_trainjob, count_open, &t);
    return t.open == 0 || e->stopping;
}

static void notify_stopped(void *ctx, const struct ty_stored *obj)
{
    struct open_count *t = ctx;
    struct ty_json *job = ty_local_read(t->e->pass, obj);

    if (!ty_trainjob_finished(ty_json_get(job, "status")))
        ty_engine_event(t->e, &ty_kind_trainjob, obj->name, "Warning", "Stopped", t->e->why);
}

const char *ty_engine_stopped(const struct ty_engine *e)
{
    return e->stopping ? e->why : NULL;
}

void ty_engine_stop(struct ty_engine *e, bool at_once, const char *why)
{
    struct open_count t = { .e = e };

    if (!e->stopping) {
        e->stopping = true;
        snprintf(e->why, sizeof(e->why), "%s", why);
        ty_arena_reset(e->pass);
        ty_local_each(e->store, &ty_kind_trainjob, notify_stopped, &t);
    }
    ty_pods_stop_all(e, at_once);
}

static void on_closed(uv_handle_t *h)
{
    struct ty_engine *e = h->data;
    e->handles--;
}

static void close_one(struct ty_engine *e, uv_handle_t *h)
{
    if (!h->data || uv_is_closing(h))
        return;
    e->handles++;
    uv_close(h, on_closed);
}

void ty_engine_free(struct ty_engine *e)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!e)
        return;
    while (e->all) {
        struct ty_pod_runtime *p = e->all;
        e->all = p->next;
        ty_pods_free(p);
    }
    ty_rsh_close(e);
    ty_http_client_free(e->web);
    close_one(e, (uv_handle_t *)&e->prepare);
    close_one(e, (uv_handle_t *)&e->idle);
    close_one(e, (uv_handle_t *)&e->due_timer);
    while (e->handles > 0)
        uv_run(e->o.loop, UV_RUN_NOWAIT);
    while ((s = ty_map_next(&e->nets, &at)))
        ty_net_free(s->value);
    ty_map_done(&e->nets);
    ty_map_done(&e->pods);
    ty_gpus_done(e);
    ty_pod_summary_cache_done(e);
    ty_job_report_done(e);
    for (size_t i = 0; i < e->queue_n; i++)
        free(e->queue[i]);
    free(e->queue);
    ty_map_done(&e->queued);
    for (struct ty_delayed_key *d = e->due, *next = NULL; d; d = next) {
        next = d->next;
        free(d->key);
        free(d);
    }
    ty_limits_close(e);
    ty_local_free(e->store);
    ty_arena_free(e->pass);
    ty_arena_free(e->scratch);
    ty_arena_free(e->lasting);
    free(e->chunk);
    free(e);
}
