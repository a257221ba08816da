/* The end of the logs of all pods of one attempt, read at once after the first of them failed: when
 * the victim exits first, the Job controller deletes the culprit, and its log with it.
 *
 *   pods of the attempt --> reads (failed first, then terminating, then running) --> tails
 *   ends of containers  --------------------------------> judge, a log at a time --> headline
 *
 * It ends when every pod was read and none runs any more, at the latest TY_COLLECTION_SETTLE_MS
 * after its start if all were read, and after TY_COLLECTION_MS in any case. What cannot be read
 * (the pod is gone, the log is too long, a right is missing) is judged without its log. */
#ifndef TY_FAILURE_FAILURE_COLLECTION_H
#define TY_FAILURE_FAILURE_COLLECTION_H

#include "base/budget.h"
#include "failure/failure_turns.h"
#include "failure/log_tail.h"
#include "log/log.h"
#include "store/kube/kube.h"

struct ty_failure_collection;

enum {
    TY_COLLECTION_READS = 64,       /* containers, mostly one for each pod */
    TY_COLLECTION_AT_ONCE = 8,      /* requests */
    TY_COLLECTION_ENDS = 256,       /* ends of containers that are judged */
    TY_COLLECTION_LINES = 2048,     /* asked for of a log */
    TY_COLLECTION_SHORT_LINES = 64, /* … and if these have more than TY_COLLECTION_BYTES */
    TY_COLLECTION_SETTLE_MS = 3000, /* for pods that end as a result */
    TY_COLLECTION_MS = 20000,
};
/* Read through of one log; then fewer lines are asked for, and at last the log is left out. CRI
 * runtimes cut lines at 16 KiB, so this is reached only with another runtime. */
#define TY_COLLECTION_BYTES ((size_t)32 << 20)

/* Which pods are read first. */
enum ty_collection_turn {
    TY_COLLECTION_FAILED,
    TY_COLLECTION_TERMINATING,
    TY_COLLECTION_RUNNING,
};
struct ty_failure_collection_settings { /* everything pointed to outlives it, except the texts */
    struct ty_kube *kube;
    struct ty_budget *budget; /* may be NULL */
    const struct ty_log *log;
    struct ty_str ns, job; /* copied */
    int64_t attempt;
    int64_t now_ms;                 /* loop time */
    uint64_t *requests;             /* counts log requests */
    struct ty_failure_turns *turns; /* it waits there until it is started */
    void *owner;                    /* … with this owner */
};

struct ty_failure_collection *
ty_failure_collection_new(const struct ty_failure_collection_settings *s); /* gives */
/* takes; cancels its requests; no callback follows. NULL is fine. */
void ty_failure_collection_free(struct ty_failure_collection *c);
int64_t ty_failure_collection_attempt(const struct ty_failure_collection *c);

/* A pod of the attempt, of which only this is known. */
void ty_failure_collection_add(struct ty_failure_collection *c, struct ty_str pod,
                               struct ty_str container, enum ty_collection_turn turn);
/* The present state of a pod of this job; ignored if it is of another attempt. Borrowed. */
void ty_failure_collection_observe(struct ty_failure_collection *c, const struct ty_json *pod);
void ty_failure_collection_deleted(struct ty_failure_collection *c, struct ty_str pod);
/* Requests may be sent from now on; until then only states are collected. */
void ty_failure_collection_start(struct ty_failure_collection *c, int64_t now_ms);
bool ty_failure_collection_started(const struct ty_failure_collection *c);
/* Ends it if it is complete, or too late. */
void ty_failure_collection_tick(struct ty_failure_collection *c, int64_t now_ms);
/* Nothing is read or observed any more: what there is, is judged. */
void ty_failure_collection_end(struct ty_failure_collection *c);
bool ty_failure_collection_is_over(const struct ty_failure_collection *c);

/* Judges at most one log of a collection that is over: a log takes milliseconds, all of them would
 * keep the loop from leases and webhooks. False: all are judged. */
bool ty_failure_collection_judge(struct ty_failure_collection *c);
/* When all are judged: "node-0-1 (rank 3) failed first: ValueError: boom (exit code 1), after 1.2
 * s"; not masked yet. Empty: nothing failed. *ret_said: a log shows an error. Lives with the arena.
 */
struct ty_str ty_failure_collection_headline(const struct ty_failure_collection *c,
                                             struct ty_arena *a, bool *ret_said);

#endif
