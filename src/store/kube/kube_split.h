/* Answers that are read while they arrive, so that what is held is one object, not a page of them.
 * Fed with pieces cut anywhere. */
#ifndef TY_STORE_KUBE_KUBE_SPLIT_H
#define TY_STORE_KUBE_KUBE_SPLIT_H

#include "base/buf.h"
#include "base/err.h"

/* One item or line; borrowed. Negative stops the feeding and comes back from it. */
typedef int ty_kube_split_fn(void *ctx, struct ty_str text);

/* A watch: one JSON value a line. */
struct ty_kube_lines {
    struct ty_buf part; /* of a line that has not ended; set its ceiling */
};
/* -EFBIG: a line above the ceiling. Empty lines are skipped. */
int ty_kube_lines_feed(struct ty_kube_lines *l, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err);
void ty_kube_lines_done(struct ty_kube_lines *l);

/* A list: {..., "items": [ITEM, ...], ...}. Only brackets and quotes are looked at here: each item
 * and the rest are parsed by whoever gets them. */
struct ty_kube_split {
    struct ty_buf item; /* set its ceiling */
    struct ty_buf rest; /* all but the items: {..., "items": [], ...}; set its ceiling */
    unsigned depth;
    unsigned key_n;      /* bytes of the string at depth 1 that fit "items"; UINT_MAX: none */
    bool string, escape; /* where we are */
    bool named;          /* the last string was "items", at depth 1 */
    bool inside;         /* of that list */
};
/* -EFBIG: an item, or the rest, above the ceiling. -EPROTO: an item that is no object. */
int ty_kube_split_feed(struct ty_kube_split *s, struct ty_str piece, ty_kube_split_fn *fn,
                       void *ctx, struct ty_err *err);
bool ty_kube_split_whole(const struct ty_kube_split *s); /* every bracket is closed */
void ty_kube_split_reset(struct ty_kube_split *s);       /* for the next page; keeps the ceilings */
void ty_kube_split_done(struct ty_kube_split *s);

#endif
