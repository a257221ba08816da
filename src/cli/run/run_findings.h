/* What this machine cannot do of a run, for the user: each finding with its field and place. */
#ifndef TY_CLI_RUN_RUN_FINDINGS_H
#define TY_CLI_RUN_RUN_FINDINGS_H

#include "cli/run/run.h"

/* Prints the findings of the preflight check. A resource that the machine has too little of is
 * reported where the user wrote it: in the TrainJob, or in its runtime. */
void ty_run_findings_print(struct ty_run_ctx *r, const struct ty_preflight_findings *f);

#endif
