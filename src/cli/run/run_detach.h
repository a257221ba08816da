/* `run --detach`: the run continues in a session of its own while the caller's command returns.
 *
 *   caller --fork--> run: checks its input, submits the job --accepted--> leaves the terminal
 *      waits for the answer, prints it, ends                              and runs on
 */
#ifndef TY_CLI_RUN_RUN_DETACH_H
#define TY_CLI_RUN_RUN_DETACH_H

#include "cli/run/run.h"

/* Forks. Returns -1 in the run, with *ret_fd for r->detach_fd. In the caller, returns its
 * exit code after the run has accepted its jobs or has ended; what was wrong is on the caller's
 * terminal then. */
int ty_run_detach_begin(struct ty_cli *cli, int *ret_fd);
/* The jobs are accepted: the caller prints their names and ends. Standard input and output become
 * /dev/null, standard error RUN/run.log. Returns an exit code; other than 0, nothing may be
 * started: the history does not work, or the caller has been killed. Closes r->detach_fd. */
int ty_run_detach_report(struct ty_run_ctx *r, const struct ty_json *const *objs, size_t n);

#endif
