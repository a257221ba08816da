/* The view of files that a pod or a container has: mounts in a mount namespace of its own. Only
 * async-signal-safe calls: they run between fork and exec, too. */
#ifndef TY_PROC_SHIM_MOUNTS_H
#define TY_PROC_SHIM_MOUNTS_H

#include "proc/proc_failure.h"
#include "proc/shim.h"

enum { TY_SHIM_BINDS_MAX = 256 };

/* Changes of mounts stay in this namespace; what the host mounts later (autofs) still comes in. */
int ty_shim_mounts_make_private(struct ty_proc_failure *fail);
int ty_shim_mounts_proc(struct ty_proc_failure *fail); /* /proc of this pid namespace */
/* binds: ends with to NULL. keep: directories that stay the host's own where a copy of one above
 * them is needed (HOME, the working directory); ends with NULL, or is NULL. */
int ty_shim_mounts_bind(const struct ty_bind_mount *binds, const char *const *keep,
                        struct ty_proc_failure *fail);

/* A directory (dir) or an empty file at `to`, as described at struct ty_bind_mount. */
struct ty_shim_mounts_ctx {
    const struct ty_bind_mount *made; /* the binds before */
    size_t n_made;
    const char *const *keep;
};
int ty_shim_mount_target_create(const char *to, bool dir, const struct ty_shim_mounts_ctx *x,
                                struct ty_proc_failure *fail);

/* What is at name below dir, with all that is mounted there, as it is now: a tree that hangs
 * nowhere, to be put somewhere. -1 and errno. */
int ty_shim_mounts_clone(int dir, const char *name);
int ty_shim_mounts_attach(int tree, const char *to);

/* A path that grows by names; never truncated: -ENAMETOOLONG. */
struct ty_shim_path {
    size_t n;
    char p[4096];
};
int ty_shim_path_add(struct ty_shim_path *p, const char *s, size_t n);
int ty_shim_path_add_number(struct ty_shim_path *p, int v);
/* The path of an open file or directory, without links. -errno, and *ret as it was: no /proc. */
int ty_shim_path_resolve(int fd, struct ty_shim_path *ret);

#endif
