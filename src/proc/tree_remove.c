#include "proc/tree_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/no_links.h"

enum { LEVELS_MAX = 64 }; /* of directories that are open at once */

struct tree_removal {
    int root;
    dev_t dev;
    unsigned moved; /* directories of too deep a level, to names in the root */
};

/* The name is new, or that of an empty directory, which is replaced: it would be removed too. */
static void move_up(struct tree_removal *t, int dir, const char *name)
{
    char to[32];
    int r;

    do {
        snprintf(to, sizeof(to), ".moved-%u", t->moved++);
        r = renameat(dir, name, t->root, to);
    } while (r < 0 && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
    if (r < 0)
        t->moved--; /* it stays */
}

/* -1 if it is no directory, or something is mounted there. A job may have taken our own rights to
 * it away: caches of Go and conda are read-only. */
static int open_entry(const struct tree_removal *t, int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) ||
        st.st_dev != t->dev)
        return -1;
    if ((st.st_mode & S_IRWXU) != S_IRWXU && st.st_uid == geteuid() &&
        fchmodat(dir, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_dev == t->dev))
        return fd;
    close(fd);
    return -1;
}

/* Not nftw(FTW_MOUNT): files of an overlay may have another st_dev than their directory, and would
 * stay. An entry that cannot be removed does not stop the removal of the others. Each level takes a
 * descriptor, and a job may make any number of levels. */
static void remove_entries(struct tree_removal *t, int dir, int levels)
{
    DIR *d = fdopendir(dir);

    if (!d)
        close(dir);
    /* Each thread has its own stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            unlinkat(dir, e->d_name, 0) == 0 || unlinkat(dir, e->d_name, AT_REMOVEDIR) == 0)
            continue;
        int below = open_entry(t, dir, e->d_name);
        if (below < 0)
            continue;
        if (levels > 0) {
            remove_entries(t, below, levels - 1);
            unlinkat(dir, e->d_name, AT_REMOVEDIR);
        } else {
            close(below);
            move_up(t, dir, e->d_name);
        }
    }
    if (d)
        closedir(d);
}

void ty_tree_remove(const char *path, unsigned depth)
{
    struct tree_removal t = { .root =
                                  ty_no_links_open_last(path, depth, O_RDONLY | O_DIRECTORY, 0) };
    struct stat st;
    unsigned before = 0;

    if (t.root >= 0 && fstat(t.root, &st) == 0) {
        t.dev = st.st_dev;
        do { /* what was moved is that many levels deep again */
            before = t.moved;
            int dir = openat(t.root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (dir >= 0)
                remove_entries(&t, dir, LEVELS_MAX);
        } while (t.moved > before);
    }
    if (t.root >= 0)
        close(t.root);
    ty_no_links_unlink(path, depth, AT_REMOVEDIR);
}
