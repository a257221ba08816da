#include "cli/history/claims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/name.h"
#include "cli/history/state_dir.h"
#include "engine/jobset/jobset_children.h"
#include "proc/no_links.h"
#include "proc/regular_file.h"
#include "proc/tree_remove.h"

#define REMOVED ".removed-" /* a claim under this name is being removed */

static char *claims_dir(struct ty_arena *a, struct ty_err *err)
{
    const char *root = ty_state_dir_root(a, err);
    return root ? ty_arena_printf(a, "%s/claims", root) : NULL;
}

static int64_t birth_s(const char *path)
{
    struct statx st;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &st) < 0)
        return 0;
    return st.stx_mask & STATX_BTIME ? st.stx_btime.tv_sec : st.stx_mtime.tv_sec;
}

/* Opens the claim's directory with an exclusive lock. -EBUSY: a run uses it. */
static int open_alone(const char *path)
{
    int fd = ty_no_links_open_last(path, TY_DEPTH_ENTRY, O_RDONLY | O_DIRECTORY, 0);

    if (fd < 0)
        return fd;
    for (int i = 0; i < 10; i++) {
        int r = ty_regular_file_lock(fd, LOCK_EX, AT_FDCWD, path);
        if (r == -ESTALE)
            break; /* removed meanwhile, and made again by a run */
        if (r != -EWOULDBLOCK)
            return fd;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); /* a concurrent `get` holds it */
    }
    close(fd);
    return -EBUSY;
}

static int compare_claims(const void *a, const void *b)
{
    const struct ty_claim *x = a, *y = b;
    return strcmp(x->name, y->name);
}

int ty_claims_list(struct ty_arena *a, struct ty_claim **ret, size_t *ret_n, struct ty_err *err)
{
    const char *dir = claims_dir(a, err);
    DIR *d = dir ? ty_no_links_opendir(dir, TY_DEPTH_DIR) : NULL;
    struct ty_claim *v = NULL;
    size_t n = 0, cap = 0;

    if (!dir)
        return err->code;
    if (!d && errno != ENOENT)
        return ty_fail(err, -errno, "%s: %s", dir, strerrordesc_np(errno));
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char *path = ty_arena_printf(a, "%s/%s", dir, e->d_name);
        int fd = ty_name_is_dns1123_subdomain(ty_str(e->d_name)) ? open_alone(path) : -ENOENT;
        if (fd < 0 && fd != -EBUSY)
            continue;
        ty_room(a, v, n, cap);
        v[n++] = (struct ty_claim){ .name = ty_arena_strdup(a, e->d_name),
                                    .path = path,
                                    .created_s = birth_s(path),
                                    .in_use = fd == -EBUSY };
        if (fd >= 0)
            close(fd);
    }
    if (d)
        closedir(d);
    if (n)
        qsort(v, n, sizeof(*v), compare_claims);
    *ret = v;
    *ret_n = n;
    return 0;
}

int ty_claims_find(struct ty_arena *a, const char *name)
{
    struct ty_claim *v = NULL;
    size_t n = 0;

    if (ty_claims_list(a, &v, &n, &(struct ty_err){ 0 }) < 0)
        return TY_NOT_FOUND;
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].name, name) == 0)
            return 0;
    return TY_NOT_FOUND;
}

/* Also those of a command that was interrupted. */
static void remove_renamed(struct ty_arena *a, const char *dir)
{
    DIR *d = ty_no_links_opendir(dir, TY_DEPTH_DIR);

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        if (ty_str_starts(ty_str(e->d_name), TY_LIT(REMOVED)))
            ty_tree_remove(ty_arena_printf(a, "%s/%s", dir, e->d_name), TY_DEPTH_ENTRY);
    if (d)
        closedir(d);
}

int ty_claims_remove(struct ty_arena *a, const char *name, struct ty_err *err)
{
    const char *dir = claims_dir(a, err);

    if (!dir)
        return err->code;
    if (!ty_name_is_dns1123_subdomain(ty_str(name)))
        return TY_NOT_FOUND;
    const char *path = ty_arena_printf(a, "%s/%s", dir, name);
    int fd = open_alone(path);
    if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
        return TY_NOT_FOUND;
    if (fd < 0)
        return ty_fail(err, fd, "persistentvolumeclaim \"%s\": %s", name,
                       fd == -EBUSY ? "a job that runs uses it; delete or stop that job first"
                                    : strerrordesc_np(-fd));
    /* At once: a run that begins meanwhile gets a new directory, not one that is half removed. */
    int r = ty_no_links_rename(path, TY_DEPTH_ENTRY,
                               ty_arena_printf(a, REMOVED "%d-%s", (int)getpid(), name));
    if (r < 0)
        r = ty_fail(err, r, "%s: %s", path, strerrordesc_np(-r));
    close(fd);
    remove_renamed(a, dir);
    return r;
}

/* ---- of a job ---- */

static void each_policy(struct ty_arena *a, const struct ty_json *jobset, ty_claims_fn *fn,
                        void *ctx)
{
    struct ty_str js = ty_json_str_at(jobset, "metadata.name");

    ty_each_item (p, ty_json_at(jobset, "spec.volumeClaimPolicies")) {
        bool with_job = ty_str_is(ty_json_str_at(*p, "retentionPolicy.whenDeleted"), "Delete");
        ty_each_item (t, ty_json_get(*p, "templates"))
            fn(ctx, ty_jobset_claim_name(a, js, ty_json_str_at(*t, "metadata.name")), true,
               with_job);
    }
}

void ty_claims_each(struct ty_arena *a, const struct ty_json *jobset, ty_claims_fn *fn, void *ctx)
{
    each_policy(a, jobset, fn, ctx);
    ty_each_item (rj, ty_json_at(jobset, "spec.replicatedJobs")) {
        ty_each_item (v, ty_json_at(*rj, "template.spec.template.spec.volumes")) {
            struct ty_str name = ty_json_str_at(*v, "persistentVolumeClaim.claimName");
            if (name.n)
                fn(ctx, ty_arena_cstr(a, name), false, false);
        }
    }
}
