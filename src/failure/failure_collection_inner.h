/* Between the files of a collection. */
#ifndef TY_FAILURE_FAILURE_COLLECTION_INNER_H
#define TY_FAILURE_FAILURE_COLLECTION_INNER_H

#include "failure/failure_collection.h"
#include "report/failure_summary.h"

enum read_state { READ_WAITING, READ_RUNNING, READ_DONE };

struct collection_read { /* of one container */
    struct ty_failure_collection *collection;
    char *pod, *container;
    enum ty_collection_turn turn;
    enum read_state state;
    int restarts;                   /* of the instance that is asked for; -1: the present one */
    bool previous;                  /* … which is the one before the present one */
    bool live;                      /* it may still write */
    bool again;                     /* it has ended since it was read */
    bool brief;                     /* the log was too long: only a few lines */
    size_t through;                 /* bytes of this request */
    struct ty_log_tail tail, fresh; /* of the last complete request; of this one */
    struct ty_kube_op *op;
};
struct collection_end { /* of one instance of a container; texts live with the arena */
    const char *pod;
    struct ty_ended_container is;
};

struct ty_failure_collection {
    struct ty_failure_collection_settings s;
    struct ty_arena *arena; /* names, ends; bounded by their number */
    struct collection_read *reads[TY_COLLECTION_READS];
    struct collection_end *ends;
    size_t n_reads, n_ends, cap_ends, reading;
    size_t reserved; /* of the budget */
    int64_t begin_ms;
    struct ty_failure_turn turn;
    bool over, forbidden;
    struct ty_failure_summary *summary; /* of what is judged; NULL: nothing yet */
    size_t judged;                      /* ends, then reads without an end */
};

/* failure_collection_reads.c */
/* Starts requests, as many as may run. */
void ty_failure_collection_read_next(struct ty_failure_collection *c);
/* One more log to read, if there is room. restarts: of the instance before the present one; -1: the
 * present one. */
void ty_failure_collection_add_read(struct ty_failure_collection *c, struct ty_str pod,
                                    struct ty_str container, enum ty_collection_turn turn,
                                    int restarts);
void ty_failure_collection_cancel_reads(struct ty_failure_collection *c);
struct collection_read *ty_failure_collection_find_read(const struct ty_failure_collection *c,
                                                        struct ty_str pod, struct ty_str container,
                                                        int restarts); /* or NULL */
void ty_failure_collection_read_free(struct collection_read *r); /* takes; cancels its request */

#endif
