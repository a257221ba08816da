/* Opens absolute paths of which no part is a link. Others may own directories on the way and
 * replace them by links at any time, and we may be root: after a path was resolved and checked, it
 * is opened by these, and all that follows is relative to the descriptor. */
#ifndef TY_PROC_NO_LINKS_H
#define TY_PROC_NO_LINKS_H

/* Gives a descriptor, or -errno: -ENOTDIR or -ELOOP for a link. O_NOFOLLOW and O_CLOEXEC are added
 * to the flags. */
int ty_no_links_open(const char *path, int flags);
/* The directory that has the last name of the path, as O_PATH. *name is in path; empty for "/". */
int ty_no_links_open_parent(const char *path, const char **name);

#endif
