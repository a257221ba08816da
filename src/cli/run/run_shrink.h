/* `run --shrink`: the TrainJobs and runtimes of a run, made small enough for this machine. */
#ifndef TY_CLI_RUN_RUN_SHRINK_H
#define TY_CLI_RUN_RUN_SHRINK_H

#include "cli/run/run.h"

/* Replaces the TrainJobs and runtimes among the objects by smaller ones, prints the rule's result
 * for each TrainJob, hides the machine's GPUs, and adds to r->env what keeps torch off them. */
void ty_run_shrink(struct ty_run_ctx *r, const struct ty_json **objs, size_t n);

#endif
