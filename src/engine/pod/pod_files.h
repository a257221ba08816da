/* A pod's directory, volumes and bind mounts. */
#ifndef TY_ENGINE_POD_POD_FILES_H
#define TY_ENGINE_POD_POD_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "proc/shim.h"

struct ty_pod_runtime;

struct ty_bind_mount *ty_pod_files_create(struct ty_arena *a, struct ty_pod_runtime *p,
                                          const char *hosts, struct ty_err *err);
struct ty_bind_mount *ty_pod_files_binds(struct ty_arena *a, struct ty_pod_runtime *p, size_t c,
                                         struct ty_err *err);
void ty_pod_files_remove(struct ty_pod_runtime *p);
/* Or NULL. */
char *ty_pod_files_termination_message(struct ty_arena *a, const struct ty_pod_runtime *p,
                                       size_t c);

#endif
