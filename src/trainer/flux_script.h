/* The two scripts and the certificate that start a Flux instance in the nodes of a job: the init
 * container runs init.sh, the main container entrypoint.sh. */
#ifndef TY_TRAINER_FLUX_SCRIPT_H
#define TY_TRAINER_FLUX_SCRIPT_H

#include "base/arena.h"
#include "base/str.h"

struct ty_flux {
    struct ty_str job, ns, subdomain; /* the TrainJob; the subdomain of its pods */
    struct ty_str rjob;               /* the replicated job whose pods are the nodes */
    int64_t nodes, tasks, gpus;       /* tasks and GPUs of one node */
    struct ty_str device, queue_policy;
};

/* Results are NUL-terminated and live with the arena. */
struct ty_str ty_flux_init(struct ty_arena *a, const struct ty_flux *f);
struct ty_str ty_flux_entrypoint(struct ty_arena *a, const struct ty_flux *f);
/* The key pair is derived from the 32 bytes of seed only. */
struct ty_str ty_flux_curve(struct ty_arena *a, struct ty_str job, const unsigned char seed[32]);

#endif
