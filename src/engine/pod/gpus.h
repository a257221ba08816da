/* Assigns the machine's GPUs to pods, job by job. */
#ifndef TY_ENGINE_POD_GPUS_H
#define TY_ENGINE_POD_GPUS_H

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "engine/pod/gpu_lock.h"

struct ty_engine;
struct ty_json;
struct ty_pod_runtime;
struct ty_gpu_claim;

struct ty_gpus {
    struct ty_gpu_claim *claims; /* in the order in which jobs first asked for devices */
    bool admit;                  /* pods that wait for devices may fit now */
    uint64_t used;               /* devices that pods hold, as bits */
    struct ty_gpu_locks locks;   /* at least those of granted claims */
    uv_timer_t retry;            /* while another run has devices that a job waits for */
    int refused;                 /* attempts since then */
    char blocked[sizeof(((struct ty_err *)0)->text)]; /* who has them; "" nobody */
};

void ty_gpus_init(struct ty_engine *e);
/* Sets p->waiting if the pod has to wait for ty_gpus_schedule to start it. -ENOTSUP: it never fits.
 */
int ty_gpus_request(struct ty_pod_runtime *p, const struct ty_json *jobset, struct ty_err *err);
void ty_gpus_release(struct ty_pod_runtime *p); /* the pod is over */
/* Admits waiting pods; must not be called while a pod is handled. */
void ty_gpus_schedule(struct ty_engine *e);
/* "0,2": what container `c` has of the pod's devices. */
void ty_gpus_print(struct ty_buf *out, const struct ty_pod_runtime *p, size_t c);
void ty_gpus_done(struct ty_gpus *g);

#endif
