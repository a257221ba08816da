#include "cli/jobs/run_stopped.h"
#include "cli/history/job_state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define CHECKS   20 /* a stop and a continue of a shell's job control may come at once */
#define CHECK_NS 50000000

bool ty_run_stopped_is(int64_t pid)
{
    char path[64], text[512] = "", state = 0;

    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    FILE *f = pid > 0 ? fopen(path, "re") : NULL;
    bool got = f && fgets(text, sizeof(text), f);
    if (f)
        fclose(f);
    const char *p = got ? strrchr(text, ')') : NULL; /* the name before it may hold anything */
    return p && sscanf(p + 1, " %c", &state) == 1 && state == 'T';
}

void ty_run_stopped_print(struct ty_cli *cli, const struct ty_job_history_entry *job)
{
    ty_cli_msg(cli, TY_MSG_ERROR,
               "the run of trainjob \"%s\" (pid %lld) is stopped; continue it: kill -CONT %lld",
               job->name, (long long)job->run.pid, (long long)job->run.pid);
}

int ty_run_stopped_check(struct ty_cli *cli, const struct ty_job_history_entry *job)
{
    for (int i = 0; i < CHECKS; i++) {
        if (job->alive != TY_HISTORY_RUN_LIVE || !ty_run_stopped_is(job->run.pid))
            return TY_EXIT_OK;
        nanosleep(&(struct timespec){ .tv_nsec = CHECK_NS }, NULL);
    }
    ty_run_stopped_print(cli, job);
    return TY_EXIT_BAD;
}

int ty_run_stopped_check_live(struct ty_cli *cli, const struct ty_job_history_entry *job)
{
    if (job->alive == TY_HISTORY_RUN_LIVE)
        return ty_run_stopped_check(cli, job);
    ty_cli_msg(cli, TY_MSG_ERROR, "trainjob \"%s\" does not run: it is %s", job->name,
               ty_job_state_text(cli->arena, job));
    return TY_EXIT_BAD;
}
