/* Where a run keeps what outlives it: $XDG_STATE_HOME/trainyard/runs/RUN, and the claims of all
 * runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run.h"
#include "cli/run_sweep.h"
#include "cli/state.h"

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

static int make_all(struct ty_run *r, const char *root, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", root);
    int ret = make_dirs(ty_arena_printf(a, "%s/logs", r->dir), err);
    if (ret == 0)
        ret = make_dirs(ty_arena_printf(a, "%s/pods", r->dir), err);
    return ret == 0 ? make_dirs(r->claims, err) : ret;
}

int ty_run_folders(struct ty_run *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *tmp = getenv("TMPDIR");

    if (make_all(r, ty_state_root(a), name, err) == 0) {
        r->past = ty_state_history(a);
        ty_run_sweep(a, ty_state_runs(a));
        return 0;
    }
    char *root = ty_arena_printf(a, "%s/trainyard-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(root))
        return err->code;
    ty_cli_say(r->cli, TY_SAY_WARNING, "this run has no history, its files are in %s: %s", root,
               err->text);
    return make_all(r, root, name, err);
}
