/* One of the concurrent transfers. */
#ifndef TY_FETCH_TRANSFER_H
#define TY_FETCH_TRANSFER_H

#include "base/buf.h"
#include "fetch/fetch_run.h"
#include "fetch/part.h"
#include "fetch/retry.h"

struct ty_transfer {
    struct ty_fetch_run *run;
    struct ty_arena *arena;     /* for one item */
    struct ty_arena *asking;    /* for one request */
    struct ty_fetch_item *item; /* NULL: the slot is free */
    struct ty_part part;
    struct ty_digest digest;
    struct ty_retry retry;
    int64_t most;        /* maximum of bytes so far: more is progress */
    int64_t wake_ns;     /* time of the retry; 0: waiting for a response */
    unsigned starts;     /* restarts from the first byte, because of wrong content */
    bool headed;         /* the response's headers were checked */
    bool unsummed;       /* the server says that its ETag is not a checksum */
    const char *redo;    /* why all bytes must be fetched again; NULL: they need not */
    struct ty_buf words; /* the body of an error response */
    struct ty_err err;   /* code < 0: the run has failed */
};

void ty_transfer_init(struct ty_transfer *s, struct ty_fetch_run *run);
void ty_transfer_done(struct ty_transfer *s);
/* Starts an item: copies it at once, or requests it. Errors are in s->err. */
void ty_transfer_start(struct ty_transfer *s, struct ty_fetch_item *item);
void ty_transfer_resume(struct ty_transfer *s); /* when wake_ns has passed */

#endif
