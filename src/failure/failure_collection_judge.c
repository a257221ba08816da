/* Compares the ends of an attempt's containers with what their logs say. */
#include <signal.h>

#include "failure/failure_collection_inner.h"
#include "failure/failure_text.h"
#include "report/failure_summary_tail.h"

static const struct collection_read *read_of(const struct ty_failure_collection *c,
                                             const struct collection_end *e)
{
    const struct collection_read *now =
        ty_failure_collection_find_read(c, ty_str(e->pod), ty_str(e->is.container), -1);
    const struct collection_read *before =
        ty_failure_collection_find_read(c, ty_str(e->pod), ty_str(e->is.container), e->is.restarts);

    return before ? before : now;
}

static struct ty_str log_of(const struct collection_read *r)
{
    return ty_failure_summary_tail_part(ty_log_tail_view(&r->tail));
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

/* Returns the bytes of log that it has read. */
static size_t judge_end(struct ty_failure_collection *c, const struct collection_end *end)
{
    const struct collection_read *r = read_of(c, end);
    struct ty_ended_container e = end->is;

    if (r)
        e.log = log_of(r);
    ty_failure_summary_add(c->summary, &e);
    return e.log.n;
}

/* It still ran, or is gone without a last state: as if it was stopped. */
static size_t judge_unended(struct ty_failure_collection *c, const struct collection_read *r)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 16);
    struct ty_ended_container e = { .container = r->container,
                                    .attempt = c->s.attempt,
                                    .sig = SIGTERM,
                                    .stopped = true,
                                    .log = log_of(r) };

    if (has_end(c, r))
        return 0;
    e.node = ty_failure_text_node(a, ty_str(r->pod), c->s.job);
    ty_failure_summary_add(c->summary, &e);
    return e.log.n;
}

bool ty_failure_collection_judge(struct ty_failure_collection *c)
{
    size_t all = c->n_ends + c->n_reads, bytes = 0;

    if (!c->summary)
        c->summary = ty_failure_summary_new();
    while (c->judged < all && !bytes) {
        size_t i = c->judged++;
        bytes =
            i < c->n_ends ? judge_end(c, &c->ends[i]) : judge_unended(c, c->reads[i - c->n_ends]);
    }
    return c->judged < all;
}

struct ty_str ty_failure_collection_headline(const struct ty_failure_collection *c,
                                             struct ty_arena *a, bool *ret_said)
{
    ty_auto_buf out = { 0 };

    ty_failure_summary_headline(c->summary, 0, &out);
    const char *node = ty_failure_summary_node(c->summary);
    *ret_said = node && ty_failure_summary_error(c->summary, node, NULL);
    return ty_arena_str(a, ty_buf_str(&out));
}
