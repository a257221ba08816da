/* Reflectors store the texts of objects and JobSets; changed ones are marked. */
#include "cli/cluster/cluster_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <uv.h>

#include "base/map.h"
#include "base/xalloc.h"
#include "store/kube/reflector.h"

#define REFUSALS  4
#define FRESH_MS  5000              /* of a watch, after its list */
#define TEXT_MOST ((size_t)1 << 30) /* bytes of all texts */

enum { OBJECTS, JOBSETS, KINDS };

struct watched_object {
    struct ty_str text; /* malloc'ed */
    bool changed;
    bool given; /* by ty_cluster_watch_take */
    struct watched_object *next_deleted;
};

struct watched_kind {
    struct ty_cluster_watch *w;
    const struct ty_kind *kind;
    struct ty_reflector *reflector;
    struct ty_map objects; /* "namespace/name" -> struct watched_object */
    bool ready;            /* listed, or not readable and not needed */
    bool synced;           /* listed */
    bool refused;          /* of JobSets: the last answer was that the user may not */
};

struct ty_cluster_watch {
    struct ty_cluster_session *s;
    struct ty_arena *a; /* texts of the answer */
    struct watched_kind kinds[KINDS];
    const char *ns;
    struct watched_object *deleted, *last_deleted; /* in that order; no longer in the map */
    size_t bytes;
    int refusals;      /* since the last change */
    bool resuming;     /* there was a change, or a failure that may pass */
    int64_t synced_ms; /* when the objects were first there; 0: not yet */
    bool changed, failed, noted, keep_deleted;
    struct ty_cluster_answer answer; /* if failed */
};

static void fail(struct watched_kind *k, const struct ty_kube_response *why)
{
    struct ty_cluster_watch *w = k->w;

    w->answer = (struct ty_cluster_answer){
        .verb = "watch", .kind = k->kind, .ns = w->ns, .name = "", .sub = ""
    };
    ty_cluster_session_answer(w->a, why, &w->answer);
    w->failed = true;
}

static void free_object(struct ty_cluster_watch *w, struct watched_object *o)
{
    w->bytes -= o->text.n;
    free((void *)(uintptr_t)o->text.p);
    free(o);
}

/* Returns whether it had been given. */
static bool drop_object(struct watched_kind *k, struct ty_str key)
{
    struct watched_object *o = ty_map_del(&k->objects, key);
    bool given = o && o->given;

    if (o)
        free_object(k->w, o);
    return given;
}

/* Moves an object that was given to the list of the deleted ones, in its last state: a list that
 * shows the deletion does not have it. */
static void delete_object(struct watched_kind *k, struct ty_str key, struct ty_str text)
{
    struct ty_cluster_watch *w = k->w;
    struct watched_object *o = ty_map_get(&k->objects, key);

    if (!o || !o->given || !w->keep_deleted) {
        drop_object(k, key);
        return;
    }
    ty_map_del(&k->objects, key);
    if (text.n) {
        w->bytes += text.n - o->text.n;
        free((void *)(uintptr_t)o->text.p);
        o->text = (struct ty_str){ ty_xalloc_cstr(text), text.n };
    }
    if (w->last_deleted)
        w->last_deleted->next_deleted = o;
    else
        w->deleted = o;
    w->last_deleted = o;
    w->changed = true;
}

/* The TrainJob of a JobSet has its name. */
static void mark_changed(struct ty_cluster_watch *w, struct ty_str key)
{
    struct watched_object *o = ty_map_get(&w->kinds[OBJECTS].objects, key);

    if (o)
        w->changed = o->changed = true;
}

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct watched_kind *k = ctx;
    struct ty_cluster_watch *w = k->w;
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 20, NULL);
    struct ty_str key = ty_str(ty_arena_printf(a, "%.*s/%.*s", TY_ARG(o->ns), TY_ARG(o->name)));

    w->refusals = 0;
    w->resuming |= k == &w->kinds[OBJECTS] && k->synced;
    if (what == TY_REFLECTOR_DELETED) {
        delete_object(k, key, o->text);
        mark_changed(w, key);
        return;
    }
    bool given = drop_object(k, key);
    if (w->bytes + o->text.n > TEXT_MOST) {
        fail(k, &(struct ty_kube_response){
                    .r = -EFBIG,
                    .message = TY_LIT("there are more objects than can be watched; choose a "
                                      "namespace") });
        return;
    }
    struct watched_object *v = ty_xalloc(calloc(1, sizeof(*v)));
    *v = (struct watched_object){ .text = { ty_xalloc_cstr(o->text), o->text.n }, .given = given };
    w->bytes += o->text.n;
    ty_map_put(&k->objects, key, v);
    mark_changed(w, key);
}

/* The server works, and the caller has just listed the objects. */
static bool is_fresh(const struct ty_cluster_watch *w)
{
    return !w->resuming && (!w->synced_ms || ty_cli_monotonic_ms() - w->synced_ms < FRESH_MS);
}

/* A refusal of a fresh watch ends the command at once. Later only repeated ones do, because an API
 * server that starts refuses everybody for a moment. Other failures are retried. JobSets are not
 * needed. */
static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms TY_UNUSED)
{
    struct watched_kind *k = ctx;
    struct ty_cluster_watch *w = k->w;
    bool refused = why && (why->code == 401 || why->code == 403);

    if (state == TY_REFLECTOR_SYNCED) {
        w->noted = false;
        k->ready = k->synced = true;
        if (!w->synced_ms && k == &w->kinds[OBJECTS])
            w->synced_ms = ty_cli_monotonic_ms();
    } else if (k == &w->kinds[JOBSETS]) {
        k->ready = true;
        k->refused = refused;
    } else if (refused && (++w->refusals == REFUSALS || is_fresh(w))) {
        fail(k, why);
    } else if (!w->noted) {
        w->noted = w->resuming = true;
        ty_cli_msg(ty_cluster_session_cli(w->s), TY_MSG_NOTE,
                   "the watch of %s was interrupted and is being resumed: %.*s",
                   ty_cluster_session_where(w->s), TY_ARG(why ? why->message : TY_LIT("")));
    }
}

static void start_kind(struct watched_kind *k, const struct ty_kube_selector *which)
{
    struct ty_reflector_opts opts = {
        .which = *which, .changed = on_changed, .state = on_state, .ctx = k
    };

    k->kind = which->kind;
    k->reflector = ty_reflector_new(ty_cluster_session_kube(k->w->s), &opts);
}

struct ty_cluster_watch *ty_cluster_watch_new(struct ty_cluster_session *s,
                                              const struct ty_cluster_watch_opts *opts)
{
    struct ty_cluster_watch *w = ty_xalloc(calloc(1, sizeof(*w)));
    struct ty_kube_selector jobsets = { .kind = &ty_kind_jobset, .ns = opts->which.ns };

    w->s = s;
    w->a = ty_arena_new_input((size_t)1 << 30, NULL);
    w->ns = ty_arena_cstr(w->a, opts->which.ns);
    w->keep_deleted = opts->deleted;
    for (int i = 0; i < KINDS; i++)
        w->kinds[i].w = w;
    start_kind(&w->kinds[OBJECTS], &opts->which);
    w->kinds[JOBSETS].ready = !opts->jobsets;
    if (opts->jobsets)
        start_kind(&w->kinds[JOBSETS], &jobsets);
    return w;
}

void ty_cluster_watch_free(struct ty_cluster_watch *w)
{
    if (!w)
        return;
    for (int i = 0; i < KINDS; i++) {
        const struct ty_map_slot *slot = NULL;
        size_t at = 0;
        ty_reflector_free(w->kinds[i].reflector);
        while ((slot = ty_map_next(&w->kinds[i].objects, &at)))
            free_object(w, slot->value);
        ty_map_done(&w->kinds[i].objects);
    }
    for (struct watched_object *o = w->deleted, *next = NULL; o; o = next) {
        next = o->next_deleted;
        free_object(w, o);
    }
    ty_arena_free(w->a);
    free(w);
}

int ty_cluster_watch_wait(struct ty_cluster_watch *w)
{
    uv_loop_t *loop = ty_cluster_session_loop(w->s);

    while (!w->failed && !(w->changed && w->kinds[OBJECTS].ready && w->kinds[JOBSETS].ready))
        uv_run(loop, UV_RUN_ONCE);
    if (w->failed)
        return ty_cluster_session_error(
            w->s, ty_arena_printf(w->a, "watch %s", w->kinds[OBJECTS].kind->plural), &w->answer);
    return TY_EXIT_OK;
}

static struct ty_json *parse_text(struct ty_arena *a, const struct ty_kind *kind,
                                  struct ty_str text)
{
    struct ty_json *v = ty_json_parse(a, ty_arena_str(a, text), NULL, NULL);

    if (!v)
        return NULL;
    ty_json_set(a, v, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, v, "kind", ty_json_cstr(a, kind->kind));
    return v;
}

void ty_cluster_watch_take(struct ty_cluster_watch *w, struct ty_arena *a,
                           ty_cluster_watch_keep_fn *keep, void *ctx, struct ty_json ***ret,
                           size_t *ret_n)
{
    const struct watched_kind *k = &w->kinds[OBJECTS];
    const struct ty_map_slot *slot = NULL;
    size_t at = 0, cap = 0, parsed = 0;

    *ret = NULL;
    *ret_n = 0;
    w->changed = w->deleted != NULL;
    while ((slot = ty_map_next(&k->objects, &at))) {
        struct watched_object *o = slot->value;
        if (!o->changed)
            continue;
        struct ty_json *v = parse_text(a, k->kind, o->text);
        if (ty_arena_full(a) && parsed > 0) { /* this and the rest with the next call */
            w->changed = true;
            return;
        }
        parsed++; /* one at least, so that a caller that calls until nothing is left ends */
        o->changed = false;
        if (!v || (!o->given && keep && !keep(ctx, v)))
            continue;
        o->given = true;
        ty_room(a, *ret, *ret_n, cap);
        (*ret)[(*ret_n)++] = v;
    }
}

void ty_cluster_watch_take_deleted(struct ty_cluster_watch *w, struct ty_arena *a,
                                   struct ty_json ***ret, size_t *ret_n)
{
    size_t cap = 0;

    *ret = NULL;
    *ret_n = 0;
    for (struct watched_object *o = w->deleted; o; o = w->deleted) {
        struct ty_json *v = parse_text(a, w->kinds[OBJECTS].kind, o->text);
        if (ty_arena_full(a) && *ret_n) { /* with the next call */
            w->changed = true;
            return;
        }
        w->deleted = o->next_deleted;
        free_object(w, o);
        if (!v)
            continue;
        ty_room(a, *ret, *ret_n, cap);
        (*ret)[(*ret_n)++] = v;
    }
    w->last_deleted = NULL;
}

bool ty_cluster_watch_has_jobsets(const struct ty_cluster_watch *w)
{
    return w->kinds[JOBSETS].synced;
}

bool ty_cluster_watch_no_right_to_jobsets(const struct ty_cluster_watch *w)
{
    return w->kinds[JOBSETS].refused && !w->kinds[JOBSETS].synced;
}

struct ty_json *ty_cluster_watch_jobset(struct ty_cluster_watch *w, struct ty_arena *a,
                                        struct ty_str key)
{
    const struct watched_object *o = ty_map_get(&w->kinds[JOBSETS].objects, key);

    return o ? parse_text(a, &ty_kind_jobset, o->text) : NULL;
}
