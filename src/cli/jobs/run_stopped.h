/* A run whose process is stopped (SIGSTOP, Ctrl-Z) does not answer: commands that need its answer
 * say so instead of waiting for it. */
#ifndef TY_CLI_JOBS_RUN_STOPPED_H
#define TY_CLI_JOBS_RUN_STOPPED_H

#include "cli/history/job_history.h"

bool ty_run_stopped_is(int64_t pid);
/* TY_EXIT_OK if the job's run is not stopped, or continues within a second; else prints an error
 * and gives TY_EXIT_BAD. */
int ty_run_stopped_check(struct ty_cli *cli, const struct ty_job_history_entry *job);
/* The same for commands that need a live run: an error, too, if the run has ended. */
int ty_run_stopped_check_live(struct ty_cli *cli, const struct ty_job_history_entry *job);
void ty_run_stopped_print(struct ty_cli *cli, const struct ty_job_history_entry *job);

#endif
