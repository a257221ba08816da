/* Names for shell completion: TrainJobs, their nodes, namespaces and contexts. */
#ifndef TY_CLI_JOBS_COMPLETE_NAMES_H
#define TY_CLI_JOBS_COMPLETE_NAMES_H

#include "cli/cli.h"

/* Prints the names that can come next on an unfinished command line, one a line: `words` are those
 * after "trainyard" up to the cursor. The TrainJobs are those of this machine, or of the cluster
 * that the options or the user configuration choose; that is asked for two seconds at most, without
 * a prompt. Prints nothing else, also on errors. Returns TY_EXIT_OK. */
int ty_complete_names(struct ty_cli *cli, const char *const *words, size_t n);

#endif
