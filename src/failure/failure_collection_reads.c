/* Reads the logs of one attempt, TY_COLLECTION_AT_ONCE at a time. */
#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "failure/failure_collection_inner.h"

#define RIGHT                                                                                      \
    "failure summaries without logs: the operator may not get pods/log (see failureSummary in "    \
    "docs/operator.md)"

void ty_failure_collection_read_free(struct collection_read *r)
{
    ty_kube_cancel(r->op);
    ty_log_tail_done(&r->tail);
    ty_log_tail_done(&r->fresh);
    free(r->pod);
    free(r->container);
    free(r);
}

/* The request is over. The tail of an earlier one stays if this one has nothing: the pod is gone.
 */
static void read_done(struct collection_read *r)
{
    struct ty_failure_collection *c = r->collection;

    r->op = NULL;
    r->state = r->again && !c->forbidden ? READ_WAITING : READ_DONE;
    r->again = false;
    if (r->fresh.n) {
        ty_log_tail_done(&r->tail);
        r->tail = r->fresh;
        r->fresh = (struct ty_log_tail){ 0 };
        ty_log_tail_shrink(&r->tail);
    }
    c->reading--;
    ty_failure_collection_read_next(c);
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
            if (c->reads[i]->state == READ_WAITING)
                c->reads[i]->state = READ_DONE;
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
    r->state = READ_RUNNING;
    c->reading++;
    ++*c->s.requests;
    r->op = ty_kube_log(c->s.kube, &ask);
}

/* What an unfinished request has sent is not the end of its log. */
void ty_failure_collection_cancel_reads(struct ty_failure_collection *c)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        ty_kube_cancel(c->reads[i]->op);
        c->reads[i]->op = NULL;
        c->reads[i]->state = READ_DONE;
    }
    c->reading = 0;
}

static struct collection_read *next_waiting(const struct ty_failure_collection *c)
{
    struct collection_read *best = NULL;

    for (size_t i = 0; i < c->n_reads; i++) {
        struct collection_read *r = c->reads[i];
        if (r->state == READ_WAITING && (!best || r->turn < best->turn))
            best = r;
    }
    return best;
}

void ty_failure_collection_read_next(struct ty_failure_collection *c)
{
    struct collection_read *r = NULL;

    while (c->turn.started && c->reading < TY_COLLECTION_AT_ONCE && (r = next_waiting(c))) {
        /* Memory is short: the summary does without this log. */
        if (!r->tail.n && !ty_budget_reserve(c->s.budget, TY_LOG_TAIL_BYTES)) {
            r->state = READ_DONE;
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
        if (c->reads[i]->state == READ_WAITING && c->reads[i]->turn > turn &&
            (!last || c->reads[i]->turn > last->turn))
            last = c->reads[i];
    if (!last)
        return NULL;
    free(last->pod);
    free(last->container);
    ty_log_tail_done(&last->tail);
    return last;
}

struct collection_read *ty_failure_collection_find_read(const struct ty_failure_collection *c,
                                                        struct ty_str pod, struct ty_str container,
                                                        int restarts)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        struct collection_read *r = c->reads[i];
        if (ty_str_is(pod, r->pod) && ty_str_is(container, r->container) && r->restarts == restarts)
            return r;
    }
    return NULL;
}

void ty_failure_collection_add_read(struct ty_failure_collection *c, struct ty_str pod,
                                    struct ty_str container, enum ty_collection_turn turn,
                                    int restarts)
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
                                   .state = c->forbidden ? READ_DONE : READ_WAITING };
}
