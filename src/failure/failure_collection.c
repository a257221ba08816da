/* Reads the logs of one attempt, TY_COLLECTION_AT_ONCE at a time, and judges them. */
#include "failure/failure_collection.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "failure/failure_text.h"
#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include "report/pod_failure.h"

#define RIGHT                                                                                      \
    "failure summaries without logs: the operator may not get pods/log (see failureSummary in "    \
    "docs/operator.md)"

enum read_state { WAITING, READING, DONE };

struct collection_read { /* of one container */
    struct ty_failure_collection *collection;
    char *pod, *container;
    enum ty_collection_turn turn;
    enum read_state state;
    int restarts;                   /* of the instance that is asked for; -1: the present one */
    bool previous;                  /* … which is the one before the present one */
    bool live;                      /* it may still write */
    bool again;                     /* it has ended since it was read */
    bool brief;                     /* the log was too long: only a few lines */
    size_t through;                 /* bytes of this request */
    struct ty_log_tail tail, fresh; /* of the last complete request; of this one */
    struct ty_kube_op *op;
};
struct collection_end { /* of one instance of a container; texts live with the arena */
    const char *pod;
    struct ty_ended_container is;
};

struct ty_failure_collection {
    struct ty_failure_collection_settings s;
    struct ty_arena *arena; /* names, ends; bounded by their number */
    struct collection_read *reads[TY_COLLECTION_READS];
    struct collection_end *ends;
    size_t n_reads, n_ends, cap_ends, reading;
    size_t reserved; /* of the budget */
    int64_t begin_ms;
    bool started, over, forbidden;
};

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
    ++*c->s.alive;
    return c;
}

static void read_free(struct collection_read *r)
{
    ty_kube_cancel(r->op);
    ty_log_tail_done(&r->tail);
    ty_log_tail_done(&r->fresh);
    free(r->pod);
    free(r->container);
    free(r);
}

void ty_failure_collection_free(struct ty_failure_collection *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_reads; i++)
        read_free(c->reads[i]);
    ty_budget_release(c->s.budget, c->reserved);
    ty_arena_free(c->arena);
    --*c->s.alive;
    free(c->ends);
    free(c);
}

int64_t ty_failure_collection_begin_ms(const struct ty_failure_collection *c)
{
    return c->begin_ms;
}

int64_t ty_failure_collection_attempt(const struct ty_failure_collection *c)
{
    return c->s.attempt;
}

bool ty_failure_collection_started(const struct ty_failure_collection *c)
{
    return c->started;
}

/* ---- reads ---- */

static void read_next(struct ty_failure_collection *c);

static void end_if_complete(struct ty_failure_collection *c, int64_t now_ms)
{
    bool live = false;

    if (c->over || !c->started)
        return;
    bool late = now_ms - c->begin_ms >= TY_COLLECTION_MS;
    for (size_t i = 0; i < c->n_reads && !late; i++) {
        if (c->reads[i]->state != DONE)
            return;
        live |= c->reads[i]->live;
    }
    if (!late && live && now_ms - c->begin_ms < TY_COLLECTION_SETTLE_MS)
        return;
    c->over = true;
    c->s.done(c->s.ctx, c);
}

/* The request is over. The tail of an earlier one stays if this one has nothing: the pod is gone.
 */
static void read_done(struct collection_read *r)
{
    struct ty_failure_collection *c = r->collection;

    r->op = NULL;
    r->state = r->again && !c->forbidden ? WAITING : DONE;
    r->again = false;
    if (r->fresh.n) {
        ty_log_tail_done(&r->tail);
        r->tail = r->fresh;
        r->fresh = (struct ty_log_tail){ 0 };
        ty_log_tail_shrink(&r->tail);
    }
    c->reading--;
    read_next(c);
}

/* The log is longer than TY_COLLECTION_BYTES: what arrived is not its end. */
static void read_too_long(struct collection_read *r)
{
    ty_kube_cancel(r->op);
    ty_log_tail_done(&r->fresh);
    r->again = !r->brief;
    r->brief = true;
    read_done(r);
}

static void on_log_data(void *ctx, struct ty_str chunk)
{
    struct collection_read *r = ctx;

    r->through += chunk.n;
    ty_log_tail_add(&r->fresh, chunk);
    if (r->through > TY_COLLECTION_BYTES)
        read_too_long(r);
}

static void on_log_end(void *ctx, const struct ty_kube_response *answer)
{
    struct collection_read *r = ctx;
    struct ty_failure_collection *c = r->collection;

    if (answer->r == -EACCES && answer->code == 403) {
        c->forbidden = true;
        if (!ty_log_seen(c->s.log, TY_LIT(RIGHT)))
            ty_warn(c->s.log, RIGHT, TY_STR("error", answer->message), TY_STR("namespace", c->s.ns),
                    TY_STR("name", c->s.job));
        for (size_t i = 0; i < c->n_reads; i++)
            if (c->reads[i]->state == WAITING)
                c->reads[i]->state = DONE;
    }
    read_done(r);
}

static void read_start(struct collection_read *r)
{
    struct ty_failure_collection *c = r->collection;
    struct ty_kube_log ask = { .ns = c->s.ns,
                               .pod = ty_str(r->pod),
                               .container = ty_str(r->container),
                               .previous = r->previous,
                               .tail_lines =
                                   r->brief ? TY_COLLECTION_SHORT_LINES : TY_COLLECTION_LINES,
                               .data = on_log_data,
                               .end = on_log_end,
                               .ctx = r };

    r->through = 0;
    r->state = READING;
    c->reading++;
    ++*c->s.requests;
    r->op = ty_kube_log(c->s.kube, &ask);
}

static struct collection_read *next_waiting(const struct ty_failure_collection *c)
{
    struct collection_read *best = NULL;

    for (size_t i = 0; i < c->n_reads; i++) {
        struct collection_read *r = c->reads[i];
        if (r->state == WAITING && (!best || r->turn < best->turn))
            best = r;
    }
    return best;
}

static void read_next(struct ty_failure_collection *c)
{
    struct collection_read *r = NULL;

    while (c->started && c->reading < TY_COLLECTION_AT_ONCE && (r = next_waiting(c))) {
        /* Memory is short: the summary does without this log. */
        if (!r->tail.n && !ty_budget_reserve(c->s.budget, TY_LOG_TAIL_BYTES)) {
            r->state = DONE;
            continue;
        }
        c->reserved += r->tail.n ? 0 : TY_LOG_TAIL_BYTES;
        read_start(r);
    }
}

/* A place for one more: that of the waiting one with the latest turn, if all are taken. */
static struct collection_read *make_room(struct ty_failure_collection *c,
                                         enum ty_collection_turn turn)
{
    struct collection_read *last = NULL;

    if (c->n_reads < TY_COLLECTION_READS) {
        struct collection_read *r = ty_xalloc(calloc(1, sizeof(*r)));
        c->reads[c->n_reads++] = r;
        return r;
    }
    for (size_t i = 0; i < c->n_reads; i++)
        if (c->reads[i]->state == WAITING && c->reads[i]->turn > turn &&
            (!last || c->reads[i]->turn > last->turn))
            last = c->reads[i];
    if (!last)
        return NULL;
    free(last->pod);
    free(last->container);
    ty_log_tail_done(&last->tail);
    return last;
}

static struct collection_read *find_read(const struct ty_failure_collection *c, struct ty_str pod,
                                         struct ty_str container, int restarts)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        struct collection_read *r = c->reads[i];
        if (ty_str_is(pod, r->pod) && ty_str_is(container, r->container) && r->restarts == restarts)
            return r;
    }
    return NULL;
}

static void add_read(struct ty_failure_collection *c, struct ty_str pod, struct ty_str container,
                     enum ty_collection_turn turn, int restarts)
{
    struct collection_read *r = make_room(c, turn);

    if (!r)
        return;
    *r = (struct collection_read){ .collection = c,
                                   .pod = ty_xalloc_cstr(pod),
                                   .container = ty_xalloc_cstr(container),
                                   .turn = turn,
                                   .restarts = restarts,
                                   .previous = restarts >= 0,
                                   .live = turn != TY_COLLECTION_FAILED,
                                   .state = c->forbidden ? DONE : WAITING };
}

void ty_failure_collection_add(struct ty_failure_collection *c, struct ty_str pod,
                               struct ty_str container, enum ty_collection_turn turn)
{
    if (!c->over && !find_read(c, pod, container, -1))
        add_read(c, pod, container, turn, -1);
    read_next(c);
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

static bool ended_badly(const struct ty_ended_container *e)
{
    return !e->stopped && !e->sidecar && (e->code != 0 || e->sig || e->oom || e->forced);
}

/* An instance has ended: its log is complete now. */
static void observe_end(struct ty_failure_collection *c, const struct ty_json *pod,
                        struct ty_str name, const struct ty_ended_container *e)
{
    bool previous = e->restarts < restarts_of(pod, e->container);
    struct collection_read *r =
        find_read(c, name, ty_str(e->container), previous ? e->restarts : -1);
    bool bad = ended_badly(e);

    if (!r && (bad || e->stopped) && !e->never)
        add_read(c, name, ty_str(e->container),
                 bad ? TY_COLLECTION_FAILED : TY_COLLECTION_TERMINATING,
                 previous ? e->restarts : -1);
    if (!r)
        return;
    if (bad)
        r->turn = TY_COLLECTION_FAILED;
    if (r->live && r->state == DONE && !c->forbidden)
        r->state = WAITING;
    r->again |= r->live && r->state == READING;
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
    read_next(c);
}

void ty_failure_collection_deleted(struct ty_failure_collection *c, struct ty_str pod)
{
    for (size_t i = 0; i < c->n_reads; i++)
        if (ty_str_is(pod, c->reads[i]->pod))
            c->reads[i]->live = false;
}

void ty_failure_collection_start(struct ty_failure_collection *c, int64_t now_ms)
{
    c->started = true;
    c->begin_ms = now_ms;
    read_next(c);
}

void ty_failure_collection_tick(struct ty_failure_collection *c, int64_t now_ms)
{
    end_if_complete(c, now_ms);
}

/* ---- the judge ---- */

static const struct collection_read *read_of(const struct ty_failure_collection *c,
                                             const struct collection_end *e)
{
    const struct collection_read *now = find_read(c, ty_str(e->pod), ty_str(e->is.container), -1);
    const struct collection_read *before =
        find_read(c, ty_str(e->pod), ty_str(e->is.container), e->is.restarts);

    return before ? before : now;
}

/* It still ran, or is gone without a last state: as if it was stopped. */
static void add_unended(const struct ty_failure_collection *c, struct ty_failure_summary *v,
                        const struct collection_read *r, struct ty_arena *a)
{
    struct ty_ended_container e = { .node = ty_failure_text_node(a, ty_str(r->pod), c->s.job),
                                    .container = r->container,
                                    .attempt = c->s.attempt,
                                    .sig = SIGTERM,
                                    .stopped = true };

    e.log = ty_failure_summary_tail_part(ty_log_tail_view(&r->tail));
    ty_failure_summary_add(v, &e);
}

static bool has_end(const struct ty_failure_collection *c, const struct collection_read *r)
{
    for (size_t i = 0; i < c->n_ends; i++)
        if (strcmp(c->ends[i].pod, r->pod) == 0 &&
            strcmp(c->ends[i].is.container, r->container) == 0 &&
            (r->restarts < 0 || c->ends[i].is.restarts == r->restarts))
            return true;
    return false;
}

struct ty_str ty_failure_collection_judge(const struct ty_failure_collection *c, struct ty_arena *a,
                                          bool *ret_said)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    ty_auto_buf out = { 0 };

    for (size_t i = 0; i < c->n_ends; i++) {
        struct ty_ended_container e = c->ends[i].is;
        const struct collection_read *r = read_of(c, &c->ends[i]);
        if (r)
            e.log = ty_failure_summary_tail_part(ty_log_tail_view(&r->tail));
        ty_failure_summary_add(v, &e);
    }
    for (size_t i = 0; i < c->n_reads; i++)
        if (!has_end(c, c->reads[i]))
            add_unended(c, v, c->reads[i], a);
    ty_failure_summary_headline(v, 0, &out);
    const char *node = ty_failure_summary_node(v);
    *ret_said = node && ty_failure_summary_error(v, node, NULL);
    ty_failure_summary_free(v);
    return ty_arena_str(a, ty_buf_str(&out));
}
