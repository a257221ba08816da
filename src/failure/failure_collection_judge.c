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
