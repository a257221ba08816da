/* `run --shrink`: a TrainJob that was written for many GPU nodes, made small enough for this
 * machine. Pure; the objects that it returns are planned like any other. */
#ifndef TY_ENGINE_SHRINK_H
#define TY_ENGINE_SHRINK_H

#include "engine/host.h"
#include "json/json.h"

/* The rule: at most so many nodes, and processes on each; no more processes on a node than CPUs. */
#define TY_SHRINK_NODES 2
#define TY_SHRINK_PROCS 2

struct ty_shrink_size {
    int64_t nodes, procs; /* procs: on each node, 1 if nothing is said about them */
    const char *without;  /* "GPUs" or "devices" that it asks for; NULL: none */
};

/* The size of a TrainJob as it would be planned. False: it cannot be planned. */
bool ty_shrink_measure(struct ty_arena *a, const struct ty_json *job, const struct ty_json *runtime,
                       struct ty_shrink_size *ret);
/* A copy of a runtime without devices, node selectors and runtime classes; counts of nodes,
 * replicas and processes within the rule, CPU and memory within the machine. Lives with the arena.
 */
struct ty_json *ty_shrink_runtime(struct ty_arena *a, const struct ty_json *runtime,
                                  const struct ty_host *host);
/* The same of a TrainJob, whose size with its runtime is `before`: numProcPerNode is written out,
 * because without GPUs torch would count CPUs instead. */
struct ty_json *ty_shrink_trainjob(struct ty_arena *a, const struct ty_json *job,
                                   const struct ty_shrink_size *before, const struct ty_host *host);
/* "8 nodes x 8 → 2 x 2, no GPUs". Lives with the arena. */
const char *ty_shrink_text(struct ty_arena *a, const struct ty_shrink_size *before,
                           const struct ty_shrink_size *after);
/* What --shrink would make of it: "2 nodes x 2". NULL: it cannot be planned. */
const char *ty_shrink_offer(struct ty_arena *a, const struct ty_json *job,
                            const struct ty_json *runtime, const struct ty_host *host);

#endif
