/* The failure summary in the message of the condition Failed, after JobSet's own words: on this
 * machine from the second line on, in a cluster after a mark in the same line. */
#ifndef TY_CLI_JOBS_JOB_FAILURE_H
#define TY_CLI_JOBS_JOB_FAILURE_H

#include "json/json.h"

/* The summary; empty: there is none. *ret_own: the words before it. Borrowed. */
struct ty_str ty_job_failure_note(struct ty_str message, struct ty_str *ret_own);
/* The summary in the condition Failed of a TrainJob, if that is True; else empty. */
struct ty_str ty_job_failure_of(const struct ty_json *job);

#endif
