/* A pod's directory, volumes and bind mounts. */
#ifndef TY_ENGINE_POD_POD_FILES_H
#define TY_ENGINE_POD_POD_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "proc/shim.h"
#include "proc/shim_mounts.h"

struct ty_pod_runtime;

/* The pod's own scratch directory, where the pod sees it. Sockets are made below TMPDIR (by
 * Python's multiprocessing, by Open MPI), and their paths must fit into 108 bytes. */
#define TY_POD_TMP "/run/trainyard/tmp"
/* volumeMounts of a container; one more mount is the file of its termination message. */
enum { TY_POD_FILES_MOUNTS_MAX = TY_SHIM_BINDS_MAX - 1 };

struct ty_bind_mount *ty_pod_files_create(struct ty_arena *a, struct ty_pod_runtime *p,
                                          const char *hosts, struct ty_err *err);
struct ty_bind_mount *ty_pod_files_binds(struct ty_arena *a, struct ty_pod_runtime *p, size_t c,
                                         struct ty_err *err);
void ty_pod_files_remove(struct ty_pod_runtime *p);
/* Or NULL. */
char *ty_pod_files_termination_message(struct ty_arena *a, const struct ty_pod_runtime *p,
                                       size_t c);

#endif
