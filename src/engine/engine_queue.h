/* The engine's work queue: keys of objects to reconcile, each at most once, and keys that are added
 * after a delay. */
#ifndef TY_ENGINE_ENGINE_QUEUE_H
#define TY_ENGINE_ENGINE_QUEUE_H

#include <uv.h>

#include "api/kind.h"
#include "base/map.h"
#include "base/str.h"

struct ty_delayed_key {
    char *key;
    int64_t at_ms; /* time of the loop, uv_now */
    struct ty_delayed_key *next;
};
struct ty_engine_queue {
    struct ty_map queued; /* key -> itself */
    char **keys;          /* in order */
    size_t n, cap;
    struct ty_delayed_key *delayed;
    uv_timer_t timer; /* expires when the first of them is due */
    int handles;      /* that libuv has not closed yet */
};

void ty_engine_queue_init(struct ty_engine_queue *q, uv_loop_t *loop);
void ty_engine_queue_add(struct ty_engine_queue *q, const struct ty_kind *kind, const char *ns,
                         const char *name);
/* A key that is already delayed keeps the earlier of the two times. */
void ty_engine_queue_add_after(struct ty_engine_queue *q, const struct ty_kind *kind,
                               const char *ns, const char *name, int64_t ms);

typedef void ty_engine_queue_fn(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                struct ty_str name);
/* Calls fn for every key that is queued now, and returns how many there were. Keys that fn adds
 * stay in the queue for the next call. */
size_t ty_engine_queue_drain(struct ty_engine_queue *q, ty_engine_queue_fn *fn, void *ctx);

/* The timer; then run the loop until !handles. */
void ty_engine_queue_close(struct ty_engine_queue *q);
void ty_engine_queue_done(struct ty_engine_queue *q);

#endif
