/* A pod's volumes and its containers' mounts. */
#ifndef TY_ENGINE_POD_POD_VOLUMES_H
#define TY_ENGINE_POD_POD_VOLUMES_H

#include "engine/pod/pod_plan_inner.h"

int ty_pod_volumes(struct ty_pod_ctx *x, struct ty_volume **ret, struct ty_err *err);
int ty_pod_mounts(struct ty_pod_ctx *x, const struct ty_json *container,
                  const char *const *declared, const struct ty_volume *volumes,
                  struct ty_mount **ret, struct ty_err *err);
/* Relative, not empty, no "..": what a file's path or a subPath must be. */
bool ty_pod_path_ok(struct ty_str path);

#endif
