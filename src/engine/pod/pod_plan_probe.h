/* Probes and lifecycle handlers of a pod plan. */
#ifndef TY_ENGINE_POD_POD_PLAN_PROBE_H
#define TY_ENGINE_POD_POD_PLAN_PROBE_H

#include "engine/pod/pod_plan_inner.h"

/* A probe or lifecycle handler; NULL for none. Ports by name are the container's. */
int ty_pod_probe(struct ty_pod_ctx *x, const struct ty_json *container, const struct ty_json *spec,
                 const struct ty_probe **ret, struct ty_err *err);

#endif
