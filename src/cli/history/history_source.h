/* The history of this machine as a source of jobs. */
#ifndef TY_CLI_HISTORY_HISTORY_SOURCE_H
#define TY_CLI_HISTORY_HISTORY_SOURCE_H

#include "cli/jobs/job_source.h"

/* Opens the history; opts outlive it. gives. Returns an exit code. */
int ty_history_source_open(struct ty_cli *cli, const struct ty_cmd *cmd,
                           const struct ty_job_history_opts *opts, struct ty_job_source **ret);
/* The history behind a source of this kind; NULL: there is none, or it is another kind. */
struct ty_history_db *ty_history_source_db(const struct ty_job_source *s);

#endif
