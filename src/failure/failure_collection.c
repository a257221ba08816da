/* What a collection knows of its attempt: which containers have ended, and when it has waited long
 * enough. failure_collection_reads.c reads the logs, failure_collection_judge.c compares them. */
#include "failure/failure_collection.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "failure/failure_collection_inner.h"
#include "report/pod_failure.h"

/* Names and texts of one end take less than 4 KiB: pod_failure.h bounds them. */
#define ARENA_BYTES ((size_t)4 << 20)

struct ty_failure_collection *
ty_failure_collection_new(const struct ty_failure_collection_settings *s)
{
    struct ty_failure_collection *c = ty_xalloc(calloc(1, sizeof(*c)));

    c->s = *s;
    c->arena = ty_arena_new_input(ARENA_BYTES, s->budget);
    c->s.ns = ty_arena_str(c->arena, s->ns);
    c->s.job = ty_arena_str(c->arena, s->job);
    c->begin_ms = s->now_ms;
    c->turn.owner = s->owner;
    ty_failure_turns_add(s->turns, &c->turn, s->ns);
    return c;
}

void ty_failure_collection_free(struct ty_failure_collection *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_reads; i++)
        ty_failure_collection_read_free(c->reads[i]);
    ty_failure_summary_free(c->summary);
    ty_budget_release(c->s.budget, c->reserved);
    ty_arena_free(c->arena);
    ty_failure_turns_remove(&c->turn);
    free(c->ends);
    free(c);
}

int64_t ty_failure_collection_attempt(const struct ty_failure_collection *c)
{
    return c->s.attempt;
}

bool ty_failure_collection_started(const struct ty_failure_collection *c)
{
    return c->turn.started;
}

void ty_failure_collection_add(struct ty_failure_collection *c, struct ty_str pod,
                               struct ty_str container, enum ty_collection_turn turn)
{
    if (c->over)
        return;
    if (!ty_failure_collection_find_read(c, pod, container, -1))
        ty_failure_collection_add_read(c, pod, container, turn, -1);
    ty_failure_collection_read_next(c);
}

/* ---- states ---- */

static bool same_end(const struct collection_end *e, struct ty_str pod,
                     const struct ty_ended_container *is)
{
    return ty_str_is(pod, e->pod) && strcmp(e->is.container, is->container) == 0 &&
           e->is.restarts == is->restarts;
}

static const char *keep_text(struct ty_failure_collection *c, const char *text)
{
    return text ? ty_arena_cstr(c->arena, ty_str(text)) : NULL;
}

/* The first report of an end counts: what follows it, such as the deletion of the pod, would only
 * make it look stopped. False: it is known. */
static bool add_end(struct ty_failure_collection *c, struct ty_str pod,
                    const struct ty_ended_container *is)
{
    for (size_t i = 0; i < c->n_ends; i++)
        if (same_end(&c->ends[i], pod, is))
            return false;
    if (c->n_ends == TY_COLLECTION_ENDS || ty_arena_full(c->arena))
        return false;
    if (c->n_ends == c->cap_ends) {
        c->cap_ends = c->cap_ends ? 2 * c->cap_ends : 4;
        c->ends = ty_xalloc(realloc(c->ends, c->cap_ends * sizeof(*c->ends)));
    }
    struct collection_end *e = &c->ends[c->n_ends++];
    *e = (struct collection_end){ .pod = ty_arena_cstr(c->arena, pod), .is = *is };
    e->is.node = keep_text(c, is->node);
    e->is.container = keep_text(c, is->container);
    e->is.never = keep_text(c, is->never);
    e->is.forced = keep_text(c, is->forced);
    e->is.lost = keep_text(c, is->lost);
    e->is.hint = keep_text(c, is->hint);
    e->is.log = (struct ty_str){ 0 };
    e->is.arrive = NULL;
    e->is.n_arrive = 0;
    return true;
}

static int restarts_of(const struct ty_json *pod, const char *container)
{
    static const char *const lists[] = { "status.containerStatuses",
                                         "status.initContainerStatuses" };
    int64_t n = 0;

    for (size_t i = 0; i < TY_COUNT(lists); i++) {
        const struct ty_json *it =
            ty_json_find_item(ty_json_at(pod, lists[i]), "name", ty_str(container), NULL);
        if (it && ty_json_int_at(it, "restartCount", &n))
            return (int)n;
    }
    return 0;
}

/* An instance has ended: its log is complete now. */
static void observe_end(struct ty_failure_collection *c, const struct ty_json *pod,
                        struct ty_str name, const struct ty_ended_container *e)
{
    bool previous = e->restarts < restarts_of(pod, e->container);
    struct collection_read *r =
        ty_failure_collection_find_read(c, name, ty_str(e->container), previous ? e->restarts : -1);
    bool bad = ty_pod_failure_is_bad(e);

    if (!r && (bad || e->stopped) && !e->never)
        ty_failure_collection_add_read(c, name, ty_str(e->container),
                                       bad ? TY_COLLECTION_FAILED : TY_COLLECTION_TERMINATING,
                                       previous ? e->restarts : -1);
    if (!r)
        return;
    if (bad)
        r->turn = TY_COLLECTION_FAILED;
    if (r->live && r->state == READ_DONE && !c->forbidden)
        r->state = READ_WAITING;
    r->again |= r->live && r->state == READ_RUNNING;
    r->live = false;
}

void ty_failure_collection_observe(struct ty_failure_collection *c, const struct ty_json *pod)
{
    ty_auto_arena *a = ty_arena_new_input(ARENA_BYTES, c->s.budget);
    struct ty_str name = ty_json_str_at(pod, "metadata.name");
    struct ty_ended_container *ended = NULL;

    if (c->over || ty_pod_failure_attempt(pod) != c->s.attempt)
        return;
    size_t n = ty_pod_failure_ended(a, pod, c->s.job, &ended);
    for (size_t i = 0; i < n; i++)
        if (add_end(c, name, &ended[i]))
            observe_end(c, pod, name, &ended[i]);
    ty_failure_collection_read_next(c);
}

void ty_failure_collection_deleted(struct ty_failure_collection *c, struct ty_str pod)
{
    for (size_t i = 0; i < c->n_reads; i++)
        if (ty_str_is(pod, c->reads[i]->pod))
            c->reads[i]->live = false;
}

void ty_failure_collection_start(struct ty_failure_collection *c, int64_t now_ms)
{
    ty_failure_turns_start(&c->turn);
    c->begin_ms = now_ms;
    ty_failure_collection_read_next(c);
}

void ty_failure_collection_tick(struct ty_failure_collection *c, int64_t now_ms)
{
    bool live = false;

    if (c->over || !c->turn.started)
        return;
    bool late = now_ms - c->begin_ms >= TY_COLLECTION_MS;
    for (size_t i = 0; i < c->n_reads && !late; i++) {
        if (c->reads[i]->state != READ_DONE)
            return;
        live |= c->reads[i]->live;
    }
    if (late || !live || now_ms - c->begin_ms >= TY_COLLECTION_SETTLE_MS)
        ty_failure_collection_end(c);
}

void ty_failure_collection_end(struct ty_failure_collection *c)
{
    c->over = true;
    ty_failure_turns_skip(&c->turn);
    ty_failure_collection_cancel_reads(c);
}

bool ty_failure_collection_is_over(const struct ty_failure_collection *c)
{
    return c->over;
}
