/* Which collection comes next, and which gives up its place. */
#include "failure/failure_turns.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct ty_failure_turns_ns { /* lives with its last turn */
    size_t turns, waiting, started;
    char *name;
};

static struct ty_failure_turns_ns *take_ns(struct ty_failure_turns *t, struct ty_str name)
{
    struct ty_failure_turns_ns *ns = ty_map_get(&t->namespaces, name);

    if (!ns) {
        ns = ty_xalloc(calloc(1, sizeof(*ns)));
        ns->name = ty_xalloc_cstr(name);
        ty_map_put(&t->namespaces, name, ns);
    }
    ns->turns++;
    return ns;
}

static void release_ns(struct ty_failure_turns *t, struct ty_failure_turns_ns *ns)
{
    if (--ns->turns)
        return;
    ty_map_del(&t->namespaces, ty_str(ns->name));
    if (!t->namespaces.n)
        ty_map_done(&t->namespaces);
    free(ns->name);
    free(ns);
}

void ty_failure_turns_add(struct ty_failure_turns *t, struct ty_failure_turn *it, struct ty_str ns)
{
    it->turns = t;
    it->ns = take_ns(t, ns);
    it->before = t->last;
    *(t->last ? &t->last->after : &t->first) = it;
    t->last = it;
    it->waiting = true;
    it->ns->waiting++;
    t->alive++;
}

void ty_failure_turns_skip(struct ty_failure_turn *it)
{
    struct ty_failure_turns *t = it->turns;

    if (!it->waiting)
        return;
    *(it->before ? &it->before->after : &t->first) = it->after;
    *(it->after ? &it->after->before : &t->last) = it->before;
    it->before = it->after = NULL;
    it->waiting = false;
    it->ns->waiting--;
}

void ty_failure_turns_start(struct ty_failure_turn *it)
{
    ty_failure_turns_skip(it);
    it->started = true;
    it->ns->started++;
    it->turns->active++;
}

void ty_failure_turns_remove(struct ty_failure_turn *it)
{
    struct ty_failure_turns *t = it->turns;

    ty_failure_turns_skip(it);
    it->ns->started -= it->started;
    t->active -= it->started;
    t->alive--;
    release_ns(t, it->ns);
}

struct ty_failure_turn *ty_failure_turns_next(const struct ty_failure_turns *t)
{
    struct ty_failure_turn *best = NULL;

    for (struct ty_failure_turn *it = t->first; it; it = it->after)
        if (!best || it->ns->started < best->ns->started)
            best = it;
    return best;
}

struct ty_failure_turn *ty_failure_turns_one_too_many(const struct ty_failure_turns *t,
                                                      struct ty_str ns)
{
    const struct ty_failure_turns_ns *own = ty_map_get(&t->namespaces, ns);
    size_t most = own ? own->waiting + 1 : 1; /* with the one that comes */
    struct ty_failure_turn *best = NULL;

    for (struct ty_failure_turn *it = t->last; it; it = it->before)
        if (it->ns->waiting > most) {
            best = it;
            most = it->ns->waiting;
        }
    return best;
}
