/* Tells observers that a container which ended is started again, and when. */
#ifndef TY_ENGINE_POD_POD_RESTART_H
#define TY_ENGINE_POD_POD_RESTART_H

#include <stddef.h>

struct ty_pod_runtime;
struct ty_pod_update;

/* Sets restarts_again and what belongs to it in an update about the end of container `c`. */
void ty_pod_restart_update(const struct ty_pod_runtime *p, size_t c, struct ty_pod_update *ret);

#endif
