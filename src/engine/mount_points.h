/* Mount points on the host's file system: only where what a pod writes beside its volume has to
 * stay, below HOME, the working directory and /tmp, and in hostPath volumes and claims. They are
 * removed again when no pod needs them, if they are empty. All others are private to the pod
 * (proc/shim_overlay.h).
 *
 * Other runs, of other users, too, may use and remove the same names at any time. So a run holds a
 * shared lock on each mount point that it uses, also on one that existed before, and removes one
 * only with an exclusive lock: the kernel would unmount what a pod has mounted there. */
#ifndef TY_ENGINE_MOUNT_POINTS_H
#define TY_ENGINE_MOUNT_POINTS_H

#include "base/map.h"

#define TY_MOUNT_POINTS_FILE "mount-points" /* in the run's directory: what it created */

struct ty_mount_point_hold; /* a mount point that a pod uses */

struct ty_mount_points {
    struct ty_map in_use;  /* host path -> struct mount_point */
    struct ty_map created; /* host path -> struct host_entry, of this run */
    char *places[3];       /* without links; NULL: not there */
    char *record;          /* path of the file */
};

/* dir: the run's directory. workdir may be NULL. */
void ty_mount_points_init(struct ty_mount_points *m, const char *dir, const char *workdir);
/* Creates `path` (a directory or an empty file) with all directories above it, if its nearest
 * directory that exists is below `root`, or, without root, in one of the places; and keeps it until
 * the list is released. Returns 0, or -errno, and the list is as before: -EPERM elsewhere, -EACCES
 * where we may not write, -EAGAIN if somebody else has an exclusive lock on it. Waits 10 ms at most
 * for that. A pod may use a mount point that is not held if it exists, but another run may then
 * remove it. */
int ty_mount_points_hold(struct ty_mount_points *m, struct ty_mount_point_hold **list,
                         const char *root, const char *path, bool dir);
void ty_mount_points_release(struct ty_mount_points *m, struct ty_mount_point_hold **list);
/* After all lists: removes what is left. What another run uses stays in the record. */
void ty_mount_points_done(struct ty_mount_points *m);
/* Removes what the run of this directory, which has ended, left on the host. */
void ty_mount_points_gc(const char *dir);

#endif
