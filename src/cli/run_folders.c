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

static int make_all(struct ty_run *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", r->root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", r->root);
    int ret = ty_state_make_dirs(ty_arena_printf(a, "%s/logs", r->dir), err);
    if (ret == 0)
        ret = ty_state_make_dirs(ty_arena_printf(a, "%s/pods", r->dir), err);
    return ret == 0 ? ty_state_make_dirs(r->claims, err) : ret;
}

int ty_run_folders(struct ty_run *r, const char *name, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *tmp = getenv("TMPDIR");

    r->root = ty_state_root(a, err);
    if (!r->root)
        return err->code;
    if (ty_state_make(a, err) == 0 && make_all(r, name, err) == 0) {
        r->past = ty_state_history(a, err);
        ty_run_sweep(a, ty_state_runs(a, err));
        return 0;
    }
    r->root = ty_arena_printf(a, "%s/trainyard-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(r->root))
        return err->code;
    ty_cli_say(r->cli, TY_SAY_WARNING, "this run has no history, its files are in %s: %s", r->root,
               err->text);
    return make_all(r, name, err);
}
