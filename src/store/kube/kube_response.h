/* What an API server says when it does not give an object: metav1.Status, or plain text. Pure. */
#ifndef TY_STORE_KUBE_KUBE_RESPONSE_H
#define TY_STORE_KUBE_KUBE_RESPONSE_H

#include "store/kube/kube.h"

/* The answer of an HTTP request. `body` is borrowed by the answer, which lives with the arena.
 * `retry_after`: the header of that name, or NULL. */
void ty_kube_response_parse(struct ty_arena *a, int code, struct ty_str body,
                            const char *retry_after, struct ty_kube_response *ret);
/* The resourceVersion of an object in this text, without reading it; empty: read it. Quotes within
 * strings are escaped, so what is found is a member. It is the object's own if there is no other of
 * that name: an annotation may have it, and custom resources are written with theirs before the
 * version. */
struct ty_str ty_kube_response_peek_version(struct ty_str text);
/* The object of a watch's ERROR. */
void ty_kube_response_status(struct ty_arena *a, const struct ty_json *status,
                             struct ty_kube_response *ret);
/* No answer: -EAGAIN with this sentence. */
void ty_kube_response_lost(struct ty_str why, struct ty_kube_response *ret);

#endif
