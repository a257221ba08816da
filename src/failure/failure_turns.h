/* The turns of collections: namespaces share them, so many failures in one namespace do not keep
 * the others waiting. No function looks at more turns than wait; the watch bounds these. */
#ifndef TY_FAILURE_FAILURE_TURNS_H
#define TY_FAILURE_FAILURE_TURNS_H

#include "base/map.h"

struct ty_failure_turn { /* of one collection; all zero: not added */
    struct ty_failure_turns *turns;
    struct ty_failure_turns_ns *ns;
    struct ty_failure_turn *before, *after; /* that wait */
    bool waiting, started;
    void *owner; /* the caller's */
};
struct ty_failure_turns {                 /* all zero: none */
    struct ty_failure_turn *first, *last; /* that wait, the oldest first */
    struct ty_map namespaces;             /* name -> ty_failure_turns_ns; of those with a turn */
    size_t alive;                         /* turns */
    size_t active;                        /* … that were started */
};

/* One that waits, behind all others. It lives until ty_failure_turns_remove. */
void ty_failure_turns_add(struct ty_failure_turns *t, struct ty_failure_turn *it, struct ty_str ns);
void ty_failure_turns_start(struct ty_failure_turn *it);
/* It waits no more, and was not started either; nothing happens if it was. */
void ty_failure_turns_skip(struct ty_failure_turn *it);
void ty_failure_turns_remove(struct ty_failure_turn *it);

/* Of the namespaces with the fewest started the one that has waited longest. NULL: none waits. */
struct ty_failure_turn *ty_failure_turns_next(const struct ty_failure_turns *t);
/* The newest that waits, of the namespace in which most wait. NULL: one more of `ns` would be that
 * itself. */
struct ty_failure_turn *ty_failure_turns_one_too_many(const struct ty_failure_turns *t,
                                                      struct ty_str ns);

#endif
