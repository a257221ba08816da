/* run --notify CMD: runs a command for each TrainJob at the end of the run. */
#ifndef TY_CLI_RUN_RUN_NOTIFY_H
#define TY_CLI_RUN_RUN_NOTIFY_H

#include "cli/run/run.h"

/* Runs /bin/sh -c COMMAND with TRAINYARD_JOB, TRAINYARD_RESULT ("Complete", "Failed", "Stopped",
 * "Deleted"), TRAINYARD_HEADLINE and TRAINYARD_LOGS in its environment, and waits for it, for at
 * most 30 s: then its process group is killed. Its output goes to standard error. If it fails, that
 * is one warning. Before the view is closed. */
void ty_run_notify(struct ty_run_ctx *r, const char *command);

#endif
