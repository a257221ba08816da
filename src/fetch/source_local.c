/* file:///path: a file, or a directory with everything below it. Symbolic links are followed: in
 * the Hub's cache every file is one. */
#include "fetch/fetch_run.h"
#include "fetch/safename.h"

#include <errno.h>
#include <fts.h>
#include <sys/stat.h>

static int add_file(struct ty_fetch_run *run, const char *name, const char *from,
                    const struct stat *st, struct ty_err *err)
{
    struct ty_arena *a = run->arena;
    const struct ty_fetch_item item = {
        .name = ty_arena_strdup(a, name),
        .from = ty_arena_strdup(a, from),
        .size = st->st_size,
        .tag = ty_arena_printf(a, "copy:%llx:%llx:%lld.%09ld", (unsigned long long)st->st_dev,
                               (unsigned long long)st->st_ino, (long long)st->st_mtim.tv_sec,
                               st->st_mtim.tv_nsec),
    };
    return ty_fetch_run_add(run, name, &item, err);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Handles one entry of the walk. */
static int visit_entry(struct ty_fetch_run *run, FTS *fts, FTSENT *e, size_t n_root,
                       struct ty_err *err)
{
    const char *name = e->fts_path + n_root;
    while (*name == '/')
        name++;
    switch (e->fts_info) {
    case FTS_D:
        if (e->fts_level == 1 && strcmp(e->fts_name, TY_FETCH_FOLDER) == 0)
            fts_set(fts, e, FTS_SKIP); /* written by `trainyard initialize` */
        return 0;
    case FTS_F:
        return add_file(run, name, e->fts_path, e->fts_statp, err);
    case FTS_DC:
        return ty_fail(err, -ELOOP, "%s: a link leads back to a folder it is in", e->fts_path);
    case FTS_SLNONE:
        return ty_fail(err, -ENOENT, "%s: a link to nothing", e->fts_path);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return ty_fail(err, -e->fts_errno, "%s: %s", e->fts_path, strerrordesc_np(e->fts_errno));
    default: /* the second visit of a directory; sockets and devices are skipped */
        return 0;
    }
}

static int walk_tree(struct ty_fetch_run *run, char *root, struct ty_err *err)
{
    char *roots[] = { root, NULL };
    int r = 0;
    FTS *fts = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!fts)
        return ty_fail(err, -errno, "%s: %s", root, strerrordesc_np(errno));
    errno = 0;
    for (FTSENT *e = fts_read(fts); e && r == 0; e = r == 0 ? fts_read(fts) : NULL)
        r = visit_entry(run, fts, e, strlen(root), err);
    fts_close(fts);
    return r;
}

/* A copy of a directory into itself would never end. */
static int check_apart(const char *from, const char *to, struct ty_err *err)
{
    char *real_from = realpath(from, NULL), *real_to = realpath(to, NULL);
    int r = 0;
    if (real_from && real_to) {
        size_t n = strlen(real_from);
        if (strncmp(real_from, real_to, n) == 0 && (real_to[n] == '/' || !real_to[n] || n == 1))
            r = ty_fail(err, -EINVAL, "%s lies in %s, which is to be copied into it", to, from);
    }
    free(real_from);
    free(real_to);
    return r;
}

static int list_local(struct ty_fetch_run *run, struct ty_err *err)
{
    char *root = ty_arena_strdup(run->arena, run->uri.path);
    struct stat st;
    if (stat(root, &st) < 0)
        return ty_fail(err, -errno, "%s: %s", root, strerrordesc_np(errno));
    if (S_ISDIR(st.st_mode)) {
        int r = check_apart(root, run->opts->to, err);
        return r < 0 ? r : walk_tree(run, root, err);
    }
    if (!S_ISREG(st.st_mode))
        return ty_fail(err, -EINVAL, "%s: neither a file nor a folder", root);
    return add_file(run, strrchr(root, '/') + 1, root, &st, err);
}

const struct ty_fetch_source ty_source_file = { .scheme = TY_SCHEME_FILE, .list = list_local };
