/* Exec plugins: programs that print credentials. They run asynchronously on the loop. */
#ifndef TY_STORE_KUBE_KUBE_EXEC_H
#define TY_STORE_KUBE_KUBE_EXEC_H

#include <uv.h>

#include "store/kube/kubeconfig.h"

struct ty_kube_exec_run; /* one run of it */

/* The credentials that it printed. Borrowed. */
struct ty_kube_cred {
    const char *token; /* or NULL */
    struct ty_str cert, key;
    int64_t expires_s; /* Unix; INT64_MAX: never */
};
/* cred NULL: err has the reason. The run is freed when this returns. */
typedef void ty_kube_cred_fn(void *ctx, const struct ty_kube_cred *cred, const struct ty_err *err);

struct ty_kube_exec_settings {
    uv_loop_t *loop;
    const struct ty_kubeconfig *config; /* its exec is set; outlives the run */
    /* A person may be asked. As in client-go: with interactiveMode IfAvailable and Always the
     * plugin gets standard input if that is a terminal; with Always it fails without. */
    bool interactive;
    int64_t limit_ms; /* killed after this, unless a person may be at work; 0: TY_KUBE_EXEC_MS */
    ty_kube_cred_fn *fn;
    void *ctx;
};
#define TY_KUBE_EXEC_MS 60000

/* Starts it; fn is called from the loop, never from here. */
struct ty_kube_exec_run *ty_kube_exec_start(const struct ty_kube_exec_settings *s);
/* It has no time limit: a person may be typing, or has a browser open. client-go has none at all,
 * and plugins with interactiveMode Never open browsers, too. */
bool ty_kube_exec_is_patient(const struct ty_kube_exec_run *run);
void ty_kube_exec_cancel(
    struct ty_kube_exec_run *run); /* kills it; fn is not called; NULL is fine */

/* For tests: the value of KUBERNETES_EXEC_INFO, and the parser of the output. */
struct ty_str ty_kube_exec_info(struct ty_arena *a, const struct ty_kubeconfig *config,
                                bool interactive);
int ty_kube_cred_parse(struct ty_arena *a, const struct ty_kube_exec *exec, struct ty_str said,
                       struct ty_kube_cred *ret, struct ty_err *err);

#endif
