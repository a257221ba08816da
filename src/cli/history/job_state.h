/* State of a TrainJob of the history, and the other cells of its row in `get` and `describe`. */
#ifndef TY_CLI_HISTORY_JOB_STATE_H
#define TY_CLI_HISTORY_JOB_STATE_H

#include "cli/history/job_history.h"

/* Created, Queued, Suspended, Starting, Initializing, Running, "Restarting 1/3", Complete, Failed,
 * Interrupted or Terminating: the phase (report/job_phase.h), and what ended the job. */
const char *ty_job_state_text(struct ty_arena *a, const struct ty_job_history_entry *job);
const char *ty_job_state_nodes(struct ty_arena *a, const struct ty_job_history_entry *job);
const char *ty_job_state_progress(struct ty_arena *a,
                                  const struct ty_job_history_entry *job); /* "" unknown */
int64_t ty_job_state_restarts(const struct ty_job_history_entry *job);
/* Unix milliseconds; 0: still running; -1: unknown. */
int64_t ty_job_state_ended_ms(const struct ty_job_history_entry *job);
const char *ty_job_state_duration(struct ty_arena *a, const struct ty_job_history_entry *job,
                                  int64_t now_ms);

#endif
