/* Volumes whose files the engine writes. */
#ifndef TY_ENGINE_POD_POD_VOLUMES_FILES_H
#define TY_ENGINE_POD_POD_VOLUMES_FILES_H

#include "engine/pod/pod_plan_inner.h"

/* The files of a configMap, secret, projected or downwardAPI source. */
int ty_pod_volumes_files(struct ty_pod_ctx *x, const struct ty_json *volume, struct ty_volume *v,
                         struct ty_err *err);

#endif
