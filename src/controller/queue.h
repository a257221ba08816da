/* Which objects are to be looked at: each key at most once, in the order in which it was added.
 *
 *   add ------------------------------> waiting ---> next ---> in work ---> done
 *   add_after, retry ---> (a timer) -------^                      |
 *                                          +--- added meanwhile --+
 *
 * A key in work is not handed out again before done; if it was added meanwhile it then waits anew,
 * so no change is ever missed and no two passes of one object overlap. A retry waits 5 ms, then
 * twice as long each time, at most 1000 s, until the key is forgotten. A delayed add does not stand
 * in the way of an earlier one.
 *
 * For ten thousand keys: about 100 bytes and the name each, and nothing for a key that is neither
 * waiting, in work, delayed nor being retried. One thread. */
#ifndef TY_CONTROLLER_QUEUE_H
#define TY_CONTROLLER_QUEUE_H

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
    /* From the loop, when there is something to take that was not there before; once, until
     * ty_queue_next has answered false. May be NULL. */
    void (*ready)(void *ctx);
    void *ctx;
    int64_t base_ms, max_ms; /* of retries; 0: 5 and 1000000 */
};

struct ty_queue_counts {    /* since the start; for metrics */
    uint64_t adds, retries; /* what was added and not yet waiting; retry calls */
    size_t depth, delayed, working;
};
struct ty_queue_kind { /* of the keys of one kind */
    uint64_t adds, retries;
    size_t depth;
    struct ty_histogram waited, worked; /* seconds from add to next, from next to done */
};

struct ty_queue *ty_queue_new(const struct ty_queue_settings *s); /* gives */
/* takes; NULL is fine. The loop must turn once more before it is closed. */
void ty_queue_free(struct ty_queue *q);

void ty_queue_add(struct ty_queue *q, struct ty_key key);
void ty_queue_add_after(struct ty_queue *q, struct ty_key key, int64_t ms); /* <= 0: now */
/* After a failure: adds it after its back-off, which it answers (ms). */
int64_t ty_queue_retry(struct ty_queue *q, struct ty_key key);
void ty_queue_forget(struct ty_queue *q, struct ty_key key); /* it worked: back-off begins anew */
/* What waits for the end of a back-off waits no longer: something says that it may work now. The
 * back-off goes on from where it was if it does not. */
void ty_queue_retry_now(struct ty_queue *q);
int ty_queue_failures(const struct ty_queue *q, struct ty_key key); /* retries since forget */

/* There is nothing to look at any more: neither now, nor later, nor again. One in work is not
 * stopped. */
void ty_queue_drop(struct ty_queue *q, struct ty_key key);

/* Takes the oldest; false: none. ret_key lives until ty_queue_done of it. */
bool ty_queue_next(struct ty_queue *q, struct ty_key *ret_key);
void ty_queue_done(struct ty_queue *q, struct ty_key key);

/* Moves what is due by now_ms (any clock that only goes forward; the loop's when there is one).
 * Answers in how many ms to come again; -1: nothing is delayed. The timer does this by itself. */
int64_t ty_queue_tick(struct ty_queue *q, int64_t now_ms);
void ty_queue_count(const struct ty_queue *q, struct ty_queue_counts *ret);    /* of all kinds */
const struct ty_queue_kind *ty_queue_kind(const struct ty_queue *q, int kind); /* borrowed */
/* Of waited and worked: powers of ten, as client-go has them. */
extern const double ty_queue_bounds[];

#endif
