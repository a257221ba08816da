/* Splits a streamed response into objects while it arrives, so that only one object is in memory
 * and not a page. Chunks may be cut anywhere. */
#ifndef TY_STORE_KUBE_KUBE_SPLIT_H
#define TY_STORE_KUBE_KUBE_SPLIT_H

#include "base/buf.h"
#include "base/err.h"

/* Called for one item or line; borrowed. A negative result stops the feed and is returned by it. */
typedef int ty_kube_split_fn(void *ctx, struct ty_str text);

/* A watch: one JSON value on each line. */
struct ty_kube_lines {
    struct ty_buf part; /* an incomplete line; set its ceiling */
};
/* -EFBIG: a line above the ceiling. Empty lines are skipped. */
int ty_kube_lines_feed(struct ty_kube_lines *l, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err);
void ty_kube_lines_done(struct ty_kube_lines *l);

/* A list: {..., "items": [ITEM, ...], ...}. Only brackets and quotes are scanned: the callback
 * parses the items, the caller the rest. */
struct ty_kube_split {
    struct ty_buf item; /* set its ceiling */
    struct ty_buf rest; /* everything but the items: {..., "items": [], ...}; set its ceiling */
    unsigned depth;
    unsigned key_n;      /* bytes of the string at depth 1 that match "items"; UINT_MAX: no match */
    bool string, escape; /* the state of the scanner */
    bool named;          /* the last string was "items", at depth 1 */
    bool inside;         /* inside that list */
};
/* -EFBIG: an item, or the rest, above the ceiling. -EPROTO: an item that is not an object. */
int ty_kube_split_feed(struct ty_kube_split *s, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err);
bool ty_kube_split_whole(const struct ty_kube_split *s); /* every bracket is closed */
void ty_kube_split_reset(struct ty_kube_split *s);       /* for the next page; the ceilings stay */
void ty_kube_split_done(struct ty_kube_split *s);

#endif
