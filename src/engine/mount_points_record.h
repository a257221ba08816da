/* The file in the run's directory that lists what the run created on the host, so that another run
 * can remove it if this one is killed. */
#ifndef TY_ENGINE_MOUNT_POINTS_RECORD_H
#define TY_ENGINE_MOUNT_POINTS_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that a run created on the host. */
struct ty_host_entry {
    char *path;        /* without links */
    uint64_t dev, ino; /* another one of the same name is not ours */
    bool dir;
    bool stays; /* could not be removed */
};
struct ty_mount_points_list {
    struct ty_host_entry *v;
    size_t n;
    char *text; /* has the paths */
};

void ty_mount_points_record_path(char ret[PATH_MAX], const char *dir);
/* At the end of the file. A full disk is no error: what the run creates would stay if it is killed.
 */
void ty_mount_points_record_add(const char *record, const struct ty_host_entry *e);
/* False: there is none, it is not a regular file, or it cannot be read. Free the list in any case.
 */
bool ty_mount_points_record_read(const char *record, struct ty_mount_points_list *ret);
void ty_mount_points_record_done(struct ty_mount_points_list *list);
void ty_mount_points_record_remove(const char *record);

#endif
