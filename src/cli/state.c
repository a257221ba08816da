#include "cli/state.h"

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
