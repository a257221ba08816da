/* Whose finding it is: marks of launchers, their reports, and who is left. */
#include <signal.h>

#include "report/failure_summary_tail_inner.h"

void ty_failure_tail_add_rank(struct ty_tail_reader *t, int64_t rank)
{
    size_t i = t->ret->n_ranks;

    if (rank < 0 || i == TY_TAIL_RANKS)
        return;
    for (; i > 0 && t->ret->ranks[i - 1] > rank; i--)
        t->ret->ranks[i] = t->ret->ranks[i - 1];
    t->ret->ranks[i] = rank;
    t->ret->n_ranks++;
}

bool ty_failure_tail_is_of_child(const struct ty_failure_finding *f,
                                 const struct ty_failure_child *c)
{
    return (f->rank >= 0 && f->rank == c->rank) || (f->local >= 0 && f->local == c->local);
}

bool ty_failure_tail_is_interrupt(const struct ty_failure_finding *f)
{
    return f->line == f->end && ty_str_starts(f->error, TY_LIT("KeyboardInterrupt"));
}

bool ty_failure_tail_may_be_of_child(const struct ty_failure_finding *f,
                                     const struct ty_failure_child *c)
{
    if ((f->rank >= 0 || f->local >= 0) && (c->rank >= 0 || c->local >= 0))
        return ty_failure_tail_is_of_child(f, c);
    if (c->error.n)
        return ty_str_eq(f->error, c->error);
    if (f->crash)
        return c->code != 1;
    if (ty_failure_tail_is_interrupt(f) && (c->sig || c->code))
        return c->sig == SIGINT || c->code == 128 + SIGINT;
    return c->sig == 0 && c->code <= 1;
}

void ty_failure_tail_find_rank(const struct ty_tail_reader *t, struct ty_failure_finding *f)
{
    for (size_t i = 0; i < t->found.n_children && f->rank < 0; i++) {
        const struct ty_failure_child *c = &t->found.children[i];
        if ((f->local >= 0 && f->local == c->local) ||
            (f->local < 0 && c->error.n && ty_str_eq(f->error, c->error)))
            f->rank = c->rank;
    }
    if (f->rank < 0 && f->local >= 0 && f->local < t->in->procs)
        f->rank = t->in->first_rank + f->local;
    if (f->rank < 0 && t->in->procs == 1)
        f->rank = t->in->first_rank;
}

bool ty_failure_tail_is_claimed(const struct ty_tail_reader *t, const struct ty_failure_child *c)
{
    for (size_t i = 0; i < t->found.n; i++)
        if (!t->found.v[i].survived && t->found.v[i].rank >= 0 && t->found.v[i].rank == c->rank)
            return true;
    return false;
}

/* Findings without a mark of processes that ended in the same way. */
static size_t count_alike(const struct ty_tail_reader *t, const struct ty_failure_finding *f)
{
    size_t n = 0;

    for (size_t i = 0; i < t->found.n; i++) {
        const struct ty_failure_finding *g = &t->found.v[i];
        n += !g->survived && g->rank < 0 && g->crash == f->crash &&
             ty_failure_tail_is_interrupt(g) == ty_failure_tail_is_interrupt(f);
    }
    return n;
}

void ty_failure_tail_add_ranks(struct ty_tail_reader *t, const struct ty_failure_finding *f)
{
    size_t named = 0;

    ty_failure_tail_add_rank(t, f->rank);
    for (size_t i = 0; i < t->found.n_children && f->rank < 0; i++) {
        const struct ty_failure_child *c = &t->found.children[i];
        if (c->rank < 0 || !ty_failure_tail_may_be_of_child(f, c) ||
            ty_failure_tail_is_claimed(t, c))
            continue;
        ty_failure_tail_add_rank(t, c->rank);
        named++;
    }
    if (named == 0 || (named <= TY_TAIL_RANKS && count_alike(t, f) <= named))
        return;
    t->ret->n_ranks = 0; /* the launcher has not named all that it can be of */
    for (int64_t i = 0; i < t->in->procs && t->in->procs <= TY_TAIL_RANKS; i++)
        if (!(t->ret->heard >> i & 1))
            ty_failure_tail_add_rank(t, t->in->first_rank + i);
}

int64_t ty_failure_tail_silent_rank(const struct ty_tail_reader *t)
{
    int64_t rank = -1;

    for (int64_t i = 0; i < t->in->procs && i < 64; i++) {
        if (t->ret->heard >> i & 1)
            continue;
        if (rank >= 0)
            return -1;
        rank = t->in->first_rank + i;
    }
    return rank;
}
