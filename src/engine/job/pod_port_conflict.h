/* Who holds the port that a failed container could not listen on. */
#ifndef TY_ENGINE_JOB_POD_PORT_CONFLICT_H
#define TY_ENGINE_JOB_POD_PORT_CONFLICT_H

#include "base/arena.h"

struct ty_pod_runtime;

/* One sentence with the port, who holds it and what to do, if the end of its log says that an
 * address was in use; else NULL. Ask before other pods are stopped. To find the holder, it reads
 * all of /proc: *scans is how often it still may, and is decreased; NULL when it is 0. */
const char *ty_pod_port_conflict(struct ty_arena *a, const struct ty_pod_runtime *p,
                                 struct ty_str log, int *scans);

#endif
