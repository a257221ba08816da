/* One place among those that transfer at once. */
#ifndef TY_FETCH_TRANSFER_H
#define TY_FETCH_TRANSFER_H

#include "base/buf.h"
#include "fetch/part.h"
#include "fetch/fetch_run.h"
#include "fetch/retry.h"

struct ty_transfer {
    struct ty_fetch_run *run;
    struct ty_arena *arena;     /* for one item */
    struct ty_arena *asking;    /* for one request */
    struct ty_fetch_item *item; /* NULL: the slot is free */
    struct ty_part part;
    struct ty_digest digest;
    struct ty_retry retry;
    int64_t most;        /* bytes that were ever there: more is progress */
    int64_t wake_ns;     /* when to ask again; 0: an answer is awaited */
    unsigned starts;     /* from the first byte, because what came was wrong */
    bool headed;         /* the answer's head was looked at */
    bool unsummed;       /* the server says that its ETag is no checksum */
    const char *redo;    /* why all bytes must come again; NULL they need not */
    struct ty_buf words; /* the body of a refusal */
    struct ty_err err;   /* code < 0: the run has failed */
};

void ty_transfer_init(struct ty_transfer *s, struct ty_fetch_run *run);
void ty_transfer_done(struct ty_transfer *s);
/* Takes up an item: copies it at once, or asks for it. What goes wrong is in s->err. */
void ty_transfer_start(struct ty_transfer *s, struct ty_fetch_item *item);
void ty_transfer_resume(struct ty_transfer *s); /* its time has come */

#endif
