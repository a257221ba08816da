/* Opens absolute paths of which no part is a link. Others may own directories on the way and
 * replace them by links at any time, and we may be root: after a path was resolved and checked, it
 * is opened by these, and all that follows is relative to the descriptor. */
#ifndef TY_PROC_NO_LINKS_H
#define TY_PROC_NO_LINKS_H

#include <dirent.h>
#include <sys/types.h>

#include "base/err.h"

/* Gives a descriptor, or -errno: -ENOTDIR or -ELOOP for a link. O_NOFOLLOW and O_CLOEXEC are added
 * to the flags. */
int ty_no_links_open(const char *path, int flags);
/* The directory that has the last name of the path, as O_PATH. *name is in path; empty for "/". */
int ty_no_links_open_parent(const char *path, const char **name);

/* How many of a path's last names are in the state directory, into which jobs can write: from
 * `trainyard` on. */
enum ty_state_depth {
    TY_DEPTH_DIR = 2,    /* trainyard/runs, trainyard/claims */
    TY_DEPTH_ENTRY = 3,  /* trainyard/runs/RUN, trainyard/claims/NAME */
    TY_DEPTH_RUN = 4,    /* trainyard/runs/RUN/FILE, or a directory there */
    TY_DEPTH_POD = 5,    /* trainyard/runs/RUN/logs/POD, and below pods and bin */
    TY_DEPTH_LOG = 6,    /* trainyard/runs/RUN/logs/POD/FILE, and below pods */
    TY_DEPTH_VOLUME = 7, /* trainyard/runs/RUN/pods/POD/volumes/NAME */
};
/* The same for a part of the path: none of its last `depth` names is a link; what is above them may
 * be, because the state directory can be anywhere. */
int ty_no_links_open_last(const char *path, unsigned depth, int flags, mode_t mode);
int ty_no_links_open_last_parent(const char *path, unsigned depth, const char **name);
/* opendir(3), mkdir(2), rename(2) in one directory, and unlinkat(2), in the same way. NULL or
 * -errno. mkdir gives 1 if the directory exists already, and -ENOTDIR if it is something else. */
DIR *ty_no_links_opendir(const char *path, unsigned depth);
int ty_no_links_mkdir(const char *path, unsigned depth, mode_t mode);
/* The error of one of these, with its path. Returns code. */
int ty_no_links_fail(struct ty_err *err, const char *path, int code);
int ty_no_links_rename(const char *path, unsigned depth, const char *to_name);
int ty_no_links_unlink(const char *path, unsigned depth, int flags);

#endif
