/* Replaces ports and host names in a pod's environment and arguments. */
#ifndef TY_ENGINE_POD_POD_ENV_NET_H
#define TY_ENGINE_POD_POD_ENV_NET_H

#include "engine/pod/pod_plan_inner.h"

/* The text with this run's port instead of 29500 and, if need be, addresses instead of names.
 * `before`: the text that stands before it (a variable's name, the previous argument), or "". */
struct ty_str ty_pod_net_text(const struct ty_pod_ctx *x, struct ty_str before, struct ty_str text);
/* Settings for libraries that would look for other machines; `i` from 0, NULL ends: NAME=value. */
const char *ty_pod_net_setting(size_t i, bool root);

#endif
