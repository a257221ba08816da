/* Where a run keeps what outlives it: $XDG_STATE_HOME/trainyard/runs/RUN, and the claims of all
 * runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run.h"

/* One level at a time. */
static int make_dirs(const char *path, struct ty_err *err)
{
    char *copy = strdup(path);
    int r = 0;

    for (char *p = copy + 1; copy && r == 0; p++) {
        bool end = !*p;
        if (!end && *p != '/')
            continue;
        *p = 0;
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            r = ty_fail(err, -errno, "%s: %s", copy, strerrordesc_np(errno));
        if (end)
            break;
        *p = '/';
    }
    free(copy);
    return r;
}

int ty_run_folders(struct ty_run *r, const char *name, struct ty_err *err)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct ty_arena *a = r->cli->arena;
    char *root = state && state[0]
                     ? ty_arena_printf(a, "%s/trainyard", state)
                     : ty_arena_printf(a, "%s/.local/state/trainyard", home ? home : "/tmp");

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", root);
    int ret = make_dirs(ty_arena_printf(a, "%s/logs", r->dir), err);
    if (ret == 0)
        ret = make_dirs(ty_arena_printf(a, "%s/pods", r->dir), err);
    return ret == 0 ? make_dirs(r->claims, err) : ret;
}
