#include "cli/state.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/durable.h"

char *ty_state_root(struct ty_arena *a)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && state[0] == '/') /* the standard has relative ones ignored */
        return ty_arena_printf(a, "%s/trainyard", state);
    return ty_arena_printf(a, "%s/.local/state/trainyard", home && home[0] ? home : "/tmp");
}

char *ty_state_history(struct ty_arena *a)
{
    return ty_arena_printf(a, "%s/%s", ty_state_root(a), TY_DURABLE_FILE);
}

char *ty_state_runs(struct ty_arena *a)
{
    return ty_arena_printf(a, "%s/runs", ty_state_root(a));
}

static int remove_one(const char *path, const struct stat *st TY_UNUSED, int kind TY_UNUSED,
                      struct FTW *f TY_UNUSED)
{
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

/* Below runs/, with no way back up. */
static bool is_ours(struct ty_arena *a, struct ty_str path)
{
    char *runs = ty_arena_printf(a, "%s/", ty_state_runs(a));
    struct ty_str part, rest = { 0 };

    if (!ty_str_starts(path, ty_str(runs)))
        return false;
    rest = (struct ty_str){ path.p + strlen(runs), path.n - strlen(runs) };
    if (rest.n == 0)
        return false;
    while (rest.p) {
        rest = ty_str_cut(rest, '/', &part);
        if (part.n == 0 || ty_str_is(part, ".") || ty_str_is(part, ".."))
            return false;
    }
    return true;
}

int ty_state_remove(struct ty_arena *a, const char *path, struct ty_err *err)
{
    if (!is_ours(a, ty_str(path)))
        return 0;
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    return 0;
}
