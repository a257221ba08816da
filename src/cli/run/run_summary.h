/* The summary at the end of a run, in lines. */
#ifndef TY_CLI_RUN_RUN_SUMMARY_H
#define TY_CLI_RUN_RUN_SUMMARY_H

#include "cli/run/run_view.h"

/* The failure summary of the first failed node, then one line for each job. */
void ty_run_summary(struct ty_buf *out, const struct ty_run_model *m,
                    const struct ty_run_outcome *o, bool colour);
/* ", restarts in 40 s (4 of 6)"; nothing for a container that is not started again */
void ty_run_summary_restart(struct ty_buf *out, const struct ty_pod_update *news);
/* "loss 0.31, lr 1e-5" */
void ty_run_summary_metrics(struct ty_buf *out, const struct ty_progress *p);
/* "0:05", "12:34", "1:02:03" */
void ty_run_summary_clock(struct ty_buf *out, int64_t seconds);

#endif
