/* Fenced writes: checks the fence before each request of such an operation is sent, and cancels the
 * operations when the fence closes. net/ checks the fence again whenever bytes are passed to the
 * kernel. */
#include "store/kube/kube_inner.h"

#include <errno.h>

struct ty_http_client *ty_kube_http_client(const struct ty_kube_op *op)
{
    const struct ty_kube *k = op->k;
    if (op->reads)
        return k->reads;
    if (op->log)
        return k->logs;
    return op->fenced && k->fenced ? k->fenced : k->writes;
}

static void cancel_fenced_op(struct ty_kube_op *op)
{
    op->k->canceled++;
    ty_kube_op_fail(op, -ECANCELED, "%s", TY_FENCE_CLOSED);
}

bool ty_kube_check_fence(struct ty_kube_op *op)
{
    if (!op->fenced || ty_fence_is_open(&op->k->set.fence))
        return false;
    cancel_fenced_op(op);
    return true;
}

size_t ty_kube_cancel_fenced(struct ty_kube *k)
{
    if (k->fenced)
        ty_http_client_reset(k->fenced); /* cancels the requests of all fenced operations */
    for (struct ty_kube_op *op = k->ops; op; op = op->next) {
        if (!op->fenced || op->busy || op->state == TY_KUBE_FAILED)
            continue; /* it ends without our help */
        if (!k->fenced)
            ty_http_client_cancel(op->call);
        op->call = NULL;
        cancel_fenced_op(op);
    }
    size_t n = k->canceled;
    k->canceled = 0;
    return n;
}
