/* Private copies of directories of the host, in the mount namespace of a pod or a container. Only
 * async-signal-safe calls: they run between fork and exec, too. */
#ifndef TY_PROC_SHIM_OVERLAY_H
#define TY_PROC_SHIM_OVERLAY_H

#include <stdbool.h>

#include "proc/proc_failure.h"

/* Mounts a copy over dir, an absolute path without links, in which names can be made that the host
 * does not see. What exists in it is the host's own, and what a pod writes there stays; new entries
 * of dir itself are private. Only in directories of software with more than 64 entries (below /etc,
 * /usr but for /usr/local, /lib, /lib64, /bin and /sbin) everything that a pod writes is private,
 * in their subdirectories, too. keep: directories that stay the host's own even there; ends with
 * NULL, or is NULL. Returns 0, or -errno with the reason in fail; dir is as before then. */
int ty_shim_overlay_mount(const char *dir, const char *const *keep, struct ty_proc_failure *fail);
/* True if the open directory is in such a copy, and not in something of the host's that it shows;
 * false, too, if it cannot be examined. */
bool ty_shim_overlay_has(int dir);

#endif
