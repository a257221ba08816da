/* A cluster as a source of jobs, with the user's own rights. */
#ifndef TY_CLI_CLUSTER_CLUSTER_SOURCE_H
#define TY_CLI_CLUSTER_CLUSTER_SOURCE_H

#include "cli/cluster/cluster_session.h"
#include "cli/jobs/job_source.h"

/* all: of all namespaces, even if opts name one, as kubectl's -A. gives. Returns an exit code. */
int ty_cluster_source_open(struct ty_cli *cli, const struct ty_where_opts *opts, bool all,
                           struct ty_job_source **ret);
/* The session of a source of this kind; NULL: it is another kind. */
struct ty_cluster_session *ty_cluster_source_session(const struct ty_job_source *s);

#endif
