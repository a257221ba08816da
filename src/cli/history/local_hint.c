#include "cli/history/local_hint.h"
#include "cli/history/job_history.h"
#include "cli/history/state_dir.h"

static bool found(void *ctx, struct ty_arena *a TY_UNUSED, const struct ty_job_history_entry *job)
{
    bool *any = ctx;

    *any = !job->gone;
    return !*any;
}

bool ty_local_hint(struct ty_cli *cli, const char *name, const char *ns, const char *where)
{
    ty_auto_history_db *d = NULL;
    struct ty_err err = { 0 };
    bool any = false;
    const char *path = ty_state_dir_history(cli->arena, &err);
    struct ty_job_history_query q = { .cli = cli, .name = name, .fn = found, .ctx = &any };

    if (!path || ty_history_db_open(path, TY_HISTORY_DB_READ, &d, &err) < 0)
        return false;
    q.d = d;
    any = ty_job_history_query(&q) == TY_EXIT_OK && any;
    if (any)
        ty_cli_msg(cli, TY_MSG_NOTE,
                   "no TrainJob \"%s\" in namespace \"%s\" of %s, but a run of this machine has "
                   "one: trainyard get %s --local",
                   name, ns, where, name);
    return any;
}
