/* Names of nodes as users write them, checked before anything starts. */
#ifndef TY_CLI_RUN_RUN_NODES_H
#define TY_CLI_RUN_RUN_NODES_H

#include "base/buf.h"
#include "engine/preflight/preflight.h"

/* "node-0-1", "ddp/node-0-1" or a pod's name, "ddp-node-0-1": will one of the pods have it? */
bool ty_run_nodes_match(const struct ty_preflight_pods *pods, const char *name);
/* "node-0-0 … node-0-3, launcher-0-0"; with several TrainJobs "ddp/node-0-0, eval/node-0-0". */
void ty_run_nodes_print(struct ty_buf *out, const struct ty_preflight_pods *pods);

#endif
