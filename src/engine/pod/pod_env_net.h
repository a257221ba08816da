/* Replaces ports and host names in a pod's environment and arguments. */
#ifndef TY_ENGINE_POD_POD_ENV_NET_H
#define TY_ENGINE_POD_POD_ENV_NET_H

#include "engine/pod/pod_plan_inner.h"

/* The text with this run's port instead of 29500 and, if need be, addresses instead of names.
 * `before`: the text that stands before it (a variable's name, the previous argument), or "". */
struct ty_str ty_pod_net_text(const struct ty_pod_ctx *x, struct ty_str before, struct ty_str text);
/* The same for a variable's value. In variables that list where every pod listens (TF_CONFIG), each
 * pod has a port of its own. */
struct ty_str ty_pod_net_variable(const struct ty_pod_ctx *x, struct ty_str name,
                                  struct ty_str value);
/* The port on which a container of this pod listens here, instead of the one that is written. */
int ty_pod_net_port(const struct ty_pod_ctx *x, int port);
/* Settings for libraries that would look for other machines; `i` from 0, NULL ends: NAME=value.
 * own_network: of the pod. */
const char *ty_pod_net_setting(size_t i, bool root, bool own_network);

#endif
