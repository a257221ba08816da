/* Files in folders into which a job can write: it may put a FIFO, on which open(2) waits for ever,
 * or a link in their place. And locks on files that another process may remove meanwhile. */
#ifndef TY_PROC_REGULAR_FILE_H
#define TY_PROC_REGULAR_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "proc/no_links.h"

/* open(2) of a regular file, close-on-exec, never through a link, and without waiting. Gives a
 * descriptor or -errno; -EBADF: what is there, or on the way, is something else. */
int ty_regular_file_open(const char *path, enum ty_state_depth depth, int flags, mode_t mode);
/* fopen(3) in the same way; mode: "r", "w" or "a". NULL: errno says why. */
FILE *ty_regular_file_fopen(const char *path, enum ty_state_depth depth, const char *mode);

const char *ty_regular_file_error(int code); /* of -EBADF, too: "it is not a regular file" */

/* flock(2) without waiting, then a check that the file (or directory) still has that name: a lock
 * on one that was removed protects nothing. dir: AT_FDCWD, or the directory of the name. Gives 0 or
 * -errno; -EWOULDBLOCK: another process has a lock. -ESTALE: the name is gone, or another file's.
 */
int ty_regular_file_lock(int fd, int operation, int dir, const char *name);

#endif
