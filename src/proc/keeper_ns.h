/* The view of files that a pod or a container has: mounts in a mount namespace of its own. Only
 * async-signal-safe calls: they run between fork and exec, too. */
#ifndef TY_PROC_KEEPER_NS_H
#define TY_PROC_KEEPER_NS_H

#include "proc/inner.h"

enum { TY_BINDS_MOST = 256 };

/* Changes of mounts stay in this namespace; what the host mounts later (autofs) still comes in. */
int ty_ns_seclude(struct ty_step *fail);
int ty_ns_proc(struct ty_step *fail); /* /proc of this pid namespace */
int ty_ns_binds(const struct ty_bind *binds, struct ty_step *fail); /* ends with to NULL */

/* A directory (dir) or an empty file at `to`, as struct ty_bind tells. made: the binds before. */
int ty_target_make(const char *to, bool dir, const struct ty_bind *made, size_t n_made,
                   struct ty_step *fail);

/* What is at name below dir, with all that is mounted there, as it is now: a tree that hangs
 * nowhere, to be put somewhere. -1 and errno. */
int ty_ns_copy(int dir, const char *name);
int ty_ns_put(int tree, const char *to);

/* A path that grows by names; never truncated: -ENAMETOOLONG. */
struct ty_ns_path {
    size_t n;
    char p[4096];
};
int ty_ns_path_add(struct ty_ns_path *p, const char *s, size_t n);

#endif
