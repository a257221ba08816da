/* A run creates pod directories after it has locked its run directory. So a run directory that has
 * some and is not locked belongs to a run that was killed. */
#include "cli/run/run_gc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/mount_points.h"
#include "proc/no_links.h"
#include "proc/regular_file.h"
#include "proc/tree_remove.h"
#include "store/history/run_lock.h"

#define KEPT "kept"

/* A file or directory of the run, not through a link. */
static bool run_has(struct ty_arena *a, const char *dir, const char *file)
{
    int fd = ty_no_links_open_last(ty_arena_printf(a, "%s/%s", dir, file), TY_DEPTH_RUN, O_PATH, 0);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool ty_run_gc_is_excluded(struct ty_arena *a, const char *dir)
{
    return run_has(a, dir, KEPT);
}

static bool is_empty(const char *pods)
{
    DIR *d = ty_no_links_opendir(pods, TY_DEPTH_RUN);
    bool empty = true;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        empty = empty && e->d_name[0] == '.';
    if (d)
        closedir(d);
    return empty;
}

static void gc_run(struct ty_arena *a, const char *dir)
{
    static const char *const sockets[] = { "rsh.sock", "control.sock" };
    char *pods = ty_arena_printf(a, "%s/pods", dir);

    if (run_has(a, dir, TY_MOUNT_POINTS_FILE) && !ty_run_lock_is_held(dir))
        ty_mount_points_gc(dir);
    /* A run that ended normally has removed `pods`; in one that begins it is empty. */
    if (!run_has(a, dir, "pods") || ty_run_lock_is_held(dir))
        return;
    if (!run_has(a, dir, "lock") || ty_run_gc_is_excluded(a, dir) || is_empty(pods))
        return;
    ty_tree_remove(pods, TY_DEPTH_RUN);
    for (size_t i = 0; i < TY_COUNT(sockets); i++)
        ty_no_links_unlink(ty_arena_printf(a, "%s/%s", dir, sockets[i]), TY_DEPTH_RUN, 0);
}

/* Removes a port file that is not locked: its run was killed. */
static void gc_port(const char *path)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_ENTRY, O_RDWR, 0);

    if (fd >= 0 && ty_regular_file_lock(fd, LOCK_EX, AT_FDCWD, path) == 0)
        ty_no_links_unlink(path, TY_DEPTH_ENTRY, 0);
    if (fd >= 0)
        close(fd);
}

static void gc_entry(struct ty_arena *a, const char *runs, const char *name)
{
    char *path = ty_arena_printf(a, "%s/%s", runs, name);

    if (ty_str_starts(ty_str(name), TY_LIT("port-")) && ty_str_ends(ty_str(name), TY_LIT(".lock")))
        gc_port(path);
    else if (name[0] != '.')
        gc_run(a, path);
}

void ty_run_gc(struct ty_arena *a, const char *runs)
{
    DIR *d = ty_no_links_opendir(runs, TY_DEPTH_DIR);

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        gc_entry(a, runs, e->d_name);
    if (d)
        closedir(d);
}

void ty_run_gc_exclude(struct ty_arena *a, const char *dir)
{
    int fd = ty_regular_file_open(ty_arena_printf(a, "%s/" KEPT, dir), TY_DEPTH_RUN,
                                  O_WRONLY | O_CREAT, 0600);

    if (fd >= 0)
        close(fd);
}
