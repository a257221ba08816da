/* A directory is named after what is in it, and renamed to that when it is complete: a disk that
 * fills up leaves none that later pods would take for theirs. */
#include "engine/pod/volume_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "engine/pod/pod_plan.h"
#include "proc/no_links.h"
#include "proc/tree_remove.h"

#define ROOT "%s/files" /* pods have longer names */

static uint64_t hash_text(uint64_t h, struct ty_str s)
{
    return ty_hash_pair(h, ty_hash_bytes(s.n, s.n ? s.p : "", s.n));
}

/* Of everything that a pod can see: names, bytes and modes. */
static uint64_t hash_files(const struct ty_volume *v)
{
    uint64_t h = v->secret;

    for (const struct ty_file *f = v->files; f; f = f->next) {
        h = hash_text(h, ty_str(f->path));
        h = ty_hash_pair(hash_text(h, f->data), f->mode);
    }
    return h;
}

/* The directories above a file. *depth: how many of the path's names are in the state directory. */
static int create_parents(char *path, const char *below, unsigned *depth, struct ty_err *err)
{
    *depth = TY_DEPTH_LOG + 1;
    for (char *p = path + strlen(below) + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        int r = ty_no_links_mkdir(path, (*depth)++, 0755);
        r = r < 0 ? ty_no_links_fail(err, path, r) : 0;
        *p = '/';
        if (r < 0)
            return r;
    }
    return 0;
}

static int write_file(const char *dir, const struct ty_file *f, struct ty_err *err)
{
    char path[4096];
    unsigned depth = 0;
    size_t done = 0;
    int r = 0;

    if (snprintf(path, sizeof(path), "%s/%s", dir, f->path) >= (int)sizeof(path))
        return ty_fail(err, -ENAMETOOLONG, "%s/%.64s…: %s", dir, f->path,
                       strerrordesc_np(ENAMETOOLONG));
    if (create_parents(path, dir, &depth, err) < 0)
        return err->code;
    int fd = ty_no_links_open_last(path, depth, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return ty_no_links_fail(err, path, fd);
    while (done < f->data.n && r == 0) {
        ssize_t n = write(fd, f->data.p + done, f->data.n - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            r = n == 0 ? -EIO : -errno;
    }
    if (r == 0 && fchmod(fd, f->mode) < 0)
        r = -errno;
    close(fd);
    return r < 0 ? ty_no_links_fail(err, path, r) : 0;
}

/* With the exact mode, whatever the umask is. */
static int create_fresh(const char *dir, mode_t mode, struct ty_err *err)
{
    int r = ty_no_links_mkdir(dir, TY_DEPTH_LOG, mode);
    int fd = r == 0 ? ty_no_links_open_last(dir, TY_DEPTH_LOG, O_RDONLY | O_DIRECTORY, 0) : -EEXIST;

    if (r < 0 || fd < 0)
        return ty_no_links_fail(err, dir, r < 0 ? r : fd);
    r = fchmod(fd, mode) < 0 ? ty_no_links_fail(err, dir, -errno) : 0;
    close(fd);
    return r;
}

static int write_all(const char *dir, const struct ty_volume *v, struct ty_err *err)
{
    /* Of an earlier pod, whose files could not all be written. */
    ty_tree_remove(dir, TY_DEPTH_LOG);
    int r = create_fresh(dir, v->secret ? 0700 : 0755, err);
    for (const struct ty_file *f = v->files; f && r == 0; f = f->next)
        r = write_file(dir, f, err);
    return r;
}

char *ty_volume_files_dir(struct ty_arena *a, const char *pods, const struct ty_volume *v)
{
    return ty_arena_printf(a, ROOT "/%016llx", pods, (unsigned long long)v->files_hash);
}

int ty_volume_files_create(struct ty_arena *a, const char *pods, struct ty_volume *v,
                           struct ty_err *err)
{
    const char *root = ty_arena_printf(a, ROOT, pods), *dir;
    const char *fresh = ty_arena_printf(a, "%s/new", root);

    v->files_hash = hash_files(v);
    dir = ty_volume_files_dir(a, pods, v);
    int r = ty_no_links_open_last(dir, TY_DEPTH_LOG, O_PATH | O_DIRECTORY, 0);
    if (r >= 0) {
        close(r);
        return 0;
    }
    r = ty_no_links_mkdir(root, TY_DEPTH_POD, 0755);
    if (r < 0)
        return ty_no_links_fail(err, root, r);
    if (write_all(fresh, v, err) < 0)
        return err->code;
    r = ty_no_links_rename(fresh, TY_DEPTH_LOG, strrchr(dir, '/') + 1);
    return r < 0 ? ty_no_links_fail(err, dir, r) : 0;
}

void ty_volume_files_remove(struct ty_arena *a, const char *pods)
{
    ty_tree_remove(ty_arena_printf(a, ROOT, pods), TY_DEPTH_POD);
}
