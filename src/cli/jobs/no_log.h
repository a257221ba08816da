/* Why `logs` has found nothing to print, and what there is instead. */
#ifndef TY_CLI_JOBS_NO_LOG_H
#define TY_CLI_JOBS_NO_LOG_H

#include "cli/cli.h"
#include "json/json.h"

struct ty_no_log {
    const char *job;
    const char *node;      /* NULL: all; one that exists */
    const char *container; /* --container; NULL: not given */
    int64_t attempt;       /* --attempt, from 0; -1: not given */
    bool previous;
    bool local;   /* this machine: it has the logs of all attempts, of the pods only the newest */
    bool cut_off; /* local: the run has ended, and nothing starts any more */
    struct ty_json *const *pods; /* of the job; at least one of the node */
    size_t n;
};
/* Prints one error: no such attempt, no such container, nothing before a restart, or what the pod
 * waits for. Returns TY_EXIT_BAD. */
int ty_no_log(struct ty_cli *cli, const struct ty_no_log *q);

#endif
