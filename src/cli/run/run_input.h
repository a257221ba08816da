/* The objects that `trainyard run` submits to the engine. */
#ifndef TY_CLI_RUN_RUN_INPUT_H
#define TY_CLI_RUN_RUN_INPUT_H

#include "cli/run/run.h"

/* Every accepted object, and the runtimes that the TrainJobs refer to. objs has room for twice the
 * inputs; returns how many there are. */
size_t ty_run_input_gather(struct ty_run_ctx *r, const struct ty_json **objs, size_t *ret_jobs);
/* --set spec.trainer.numNodes=4: sets the field in every TrainJob of the input. The value is YAML;
 * null removes the field. */
int ty_run_input_set(struct ty_inputs *in, const struct ty_strlist *sets, struct ty_err *err);
/* Names objects that have a generateName and no name, as the API server does: bert- becomes
 * bert-x7k2p, another one in each run. */
void ty_run_input_generate_names(struct ty_run_ctx *r);

#endif
