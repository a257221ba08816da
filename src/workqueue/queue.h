/* The work queue: keys to reconcile, each at most once, first in, first out (client-go's
 * workqueue).
 *
 *   add ------------------------------> waiting ---> next ---> working ---> done
 *   add_after, retry ---> (a timer) -------^                      |
 *                                          +--- added meanwhile --+
 *
 * A key that is being worked on is not handed out again before done; if it was added in between it
 * is then queued again, so no change is missed and reconciles of one key never overlap. A retry
 * backs off 5 ms, doubled each time up to 1000 s, until the key is forgotten. A delayed add never
 * delays an earlier one, and a plain add does not wait for a back-off.
 *
 * Ten thousand keys take about 100 bytes and the name each; a key that is neither waiting,
 * working, delayed nor in a back-off takes nothing. One thread. */
#ifndef TY_WORKQUEUE_QUEUE_H
#define TY_WORKQUEUE_QUEUE_H

#include "base/histogram.h"
#include "base/str.h"

struct uv_loop_s;
struct ty_queue;

#define TY_QUEUE_KINDS 4
struct ty_key {
    int kind; /* the caller's number, below TY_QUEUE_KINDS */
    struct ty_str ns, name;
};

struct ty_queue_settings {
    struct uv_loop_s *loop; /* outlives the queue; NULL: delayed keys come due in ty_queue_tick */
    /* Called from the loop when a key becomes available; once, until ty_queue_next has returned
     * false. May be NULL; must be without a loop. */
    void (*ready)(void *ctx);
    void *ctx;
};

struct ty_queue_kind {      /* of the keys of one kind, since the start; for metrics */
    uint64_t adds, retries; /* keys that were added and not waiting already; calls of retry */
    size_t depth;
    struct ty_histogram waited, worked; /* seconds from add to next, from next to done */
};

struct ty_queue *ty_queue_new(const struct ty_queue_settings *s); /* gives */
/* takes; NULL is fine. The loop must run once more before it is closed. */
void ty_queue_free(struct ty_queue *q);

void ty_queue_add(struct ty_queue *q, struct ty_key key);
void ty_queue_add_after(struct ty_queue *q, struct ty_key key, int64_t ms); /* <= 0: now */
/* After a failure: adds the key after its back-off, which it returns (ms). */
int64_t ty_queue_retry(struct ty_queue *q, struct ty_key key);
void ty_queue_forget(struct ty_queue *q, struct ty_key key); /* success: resets the back-off */
/* Ends all back-offs now, because their reason may be gone. If the retry fails, the back-off
 * continues from where it was. */
void ty_queue_retry_now(struct ty_queue *q);

/* Drops a key: waiting, delayed and in a back-off. One that is being worked on is not stopped. */
void ty_queue_drop(struct ty_queue *q, struct ty_key key);

/* Takes the oldest key; false: none. ret_key lives until its ty_queue_done. */
bool ty_queue_next(struct ty_queue *q, struct ty_key *ret_key);
void ty_queue_done(struct ty_queue *q, struct ty_key key);

/* Queues delayed keys that are due by now_ms (any monotonic clock; the loop's if there is one).
 * Returns the ms until the next one is due; -1: none is delayed. With a loop the timer calls
 * this. */
int64_t ty_queue_tick(struct ty_queue *q, int64_t now_ms);
const struct ty_queue_kind *ty_queue_kind(const struct ty_queue *q, int kind); /* borrowed */
/* Buckets of waited and worked: powers of ten, as in client-go. */
extern const double ty_queue_bounds[];

#endif
