/* Files of ConfigMaps, Secrets and projected volumes, written once for all pods of a run that mount
 * the same ones: a file system may take longer to create a file than the kernel to start a pod. The
 * mounts are read-only, as those of the kubelet, so pods cannot see each other through them. */
#ifndef TY_ENGINE_POD_VOLUME_FILES_H
#define TY_ENGINE_POD_VOLUME_FILES_H

#include "base/arena.h"
#include "base/err.h"

struct ty_volume;

/* Writes the files of the volume below the directory `pods`, if no pod needed these yet; sets
 * files_hash. The arena is for the call. */
int ty_volume_files_create(struct ty_arena *a, const char *pods, struct ty_volume *v,
                           struct ty_err *err);
/* Where they are, once created. Lives with the arena. */
char *ty_volume_files_dir(struct ty_arena *a, const char *pods, const struct ty_volume *v);
/* Removes all of them: after the last pod. */
void ty_volume_files_remove(struct ty_arena *a, const char *pods);

#endif
