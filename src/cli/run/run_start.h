/* Starts what a run needs before its jobs are submitted: the zygote, the directories, the engine.
 */
#ifndef TY_CLI_RUN_RUN_START_H
#define TY_CLI_RUN_RUN_START_H

#include "cli/run/run.h"

struct ty_run_start_opts {
    const char *workdir; /* --workdir; NULL: the current directory */
    enum ty_restarts restarts;
    bool keep;        /* --keep */
    bool detach;      /* --detach */
    bool own_network; /* --network pod */
};

/* In this order. Each gives 0, or a negative errno with *err. Forks the zygote: first of all, while
 * this process is small. */
int ty_run_start_fork(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                      struct ty_err *err);
/* Creates the run's directories, waits for the zygote, and finds out what this machine has. */
int ty_run_start_prepare(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                         struct ty_err *err);
/* Makes the engine, with its observers, its network and the status API. */
int ty_run_start_engine(struct ty_run_ctx *r, const struct ty_run_start_opts *opts,
                        struct ty_err *err);

#endif
