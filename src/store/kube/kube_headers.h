/* The headers of a request to the API server. Pure. */
#ifndef TY_STORE_KUBE_KUBE_HEADERS_H
#define TY_STORE_KUBE_KUBE_HEADERS_H

#include "base/arena.h"
#include "store/kube/kubeconfig.h"

struct ty_kube_head {
    const char *accept; /* NULL: JSON */
    const char *type;   /* of the body, NULL: JSON */
    bool has_body;
    const char *auth, *host; /* complete lines, or NULL */
};

/* "Name: value" lines, ending with NULL, including impersonation from the kubeconfig. Lives with
 * the arena, `auth` and `host`. */
const char *const *ty_kube_headers(struct ty_arena *a, const struct ty_kubeconfig *config,
                                   const struct ty_kube_head *head);

#endif
