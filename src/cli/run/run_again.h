/* `rerun`: a run keeps its input in its directory, as RUN/input.json, a v1 List. Secrets and
 * ConfigMaps are left out, because they may contain keys; so are the values of --env. */
#ifndef TY_CLI_RUN_RUN_AGAIN_H
#define TY_CLI_RUN_RUN_AGAIN_H

#include "cli/run/run.h"

/* Keeps the objects of the session. A failure is ignored: rerun reports that there is no input. */
void ty_run_again_keep(struct ty_run_ctx *r);

struct ty_run_again {
    const char *path;    /* of the input */
    const char *workdir; /* where the run ran; "" unknown */
};
/* Finds the input of a run by its number or by the name of a TrainJob of it, and warns of what was
 * left out. Returns an exit code. Lives with the cli's arena. */
int ty_run_again_find(struct ty_cli *cli, const char *word, struct ty_run_again *ret);

#endif
