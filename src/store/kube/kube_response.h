/* Parses responses of an API server that are not objects: metav1.Status, or plain text. Pure. */
#ifndef TY_STORE_KUBE_KUBE_RESPONSE_H
#define TY_STORE_KUBE_KUBE_RESPONSE_H

#include "store/kube/kube.h"

/* Parses an HTTP response. `body` is borrowed by the result, which lives with the arena.
 * `retry_after`: the header of that name, or NULL. */
void ty_kube_response_parse(struct ty_arena *a, int code, struct ty_str body,
                            const char *retry_after, struct ty_kube_response *ret);
/* From the object of a watch's ERROR event. */
void ty_kube_response_status(struct ty_arena *a, const struct ty_json *status,
                             struct ty_kube_response *ret);
/* No response: -EAGAIN with this message. */
void ty_kube_response_lost(struct ty_str why, struct ty_kube_response *ret);

#endif
