/* Images whose program the engine replaces. */
#ifndef TY_ENGINE_POD_POD_PLAN_IMAGE_H
#define TY_ENGINE_POD_POD_PLAN_IMAGE_H

#include "engine/pod/pod_plan_inner.h"

/* "dataset" or "model" when the container runs the program of one of Kubeflow's initializers. */
const char *ty_pod_initializer(const struct ty_json *container);
/* It only runs sshd. */
bool ty_pod_is_sshd(const struct ty_json *container);

#endif
