/* What ends the loop of a run: signals, --timeout, the end of the last job. */
#ifndef TY_CLI_RUN_RUN_STOP_H
#define TY_CLI_RUN_RUN_STOP_H

#include "cli/run/run.h"

/* Starts the handles of r. SIGINT, SIGTERM and SIGHUP stop the engine, with its grace period; a
 * second SIGINT or SIGTERM kills. */
void ty_run_stop_watch(struct ty_run_ctx *r);

#endif
