/* Kubernetes resource quantities: exact decimal arithmetic, canonical text as k8s.io prints it. */
#ifndef TY_API_QUANTITY_H
#define TY_API_QUANTITY_H

#include "base/arena.h"
#include "base/str.h"
#include "json/json.h"

__extension__ typedef __int128 ty_i128;

enum ty_quantity_format { TY_Q_DECIMAL, TY_Q_BINARY, TY_Q_EXPONENT };
struct ty_quantity {
    ty_i128 nano; /* value times 10^9, exact; Kubernetes rounds finer values up to this. Saturates
                     at 10^29 units (Kubernetes: no limit for decimals) */
    enum ty_quantity_format format;
    struct ty_str kept; /* the parsed text, if Kubernetes prints it unchanged ("+1", "1.500",
                           "1e3"); empty: print the canonical form. Arithmetic clears it */
};

/* False if it is not a quantity ("quantities must match the regular expression …"). ret_q->kept
 * borrows the text. */
bool ty_quantity_parse(struct ty_str text, struct ty_quantity *ret_q);
/* From a JSON string (surrounding spaces are ignored) or number. */
bool ty_quantity_of(const struct ty_json *v, struct ty_quantity *ret_q);
/* Canonical: 2.5 -> 2500m, 1000m -> 1, 1024Mi -> 1Gi, 1e3 -> 1e3, 0.5Gi -> 512Mi. */
struct ty_str ty_quantity_text(struct ty_arena *a, struct ty_quantity q);
struct ty_json *ty_quantity_json(struct ty_arena *a, struct ty_quantity q);
int64_t ty_quantity_value(struct ty_quantity q); /* rounded up (away from zero); saturates */
int ty_quantity_cmp(struct ty_quantity a, struct ty_quantity b);
struct ty_quantity ty_quantity_add(struct ty_quantity a,
                                   struct ty_quantity b); /* a's format unless a is 0 */
struct ty_quantity ty_quantity_mul(struct ty_quantity q, int64_t by);

/* Resource lists: objects of name -> quantity, as in requests and limits. Results live with the
 * arena; values of `from` that are not quantities are skipped, and `into` ends sorted by name. */
/* into[k] += from[k] * times */
void ty_quantity_resources_add(struct ty_arena *a, struct ty_json *into, const struct ty_json *from,
                               int64_t times);
/* into[k] = max(into[k], from[k]) */
void ty_quantity_resources_max(struct ty_arena *a, struct ty_json *into,
                               const struct ty_json *from);

#endif
