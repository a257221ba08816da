/* `delete` and the claims of this machine: those that are named, and those that go with a run. */
#ifndef TY_CLI_HISTORY_CLAIMS_DELETE_H
#define TY_CLI_HISTORY_CLAIMS_DELETE_H

#include "cli/history/job_history.h"

/* All return an exit code, and print a line for each claim that is deleted or, with dry_run, would
 * be. */
int ty_claims_delete_named(struct ty_cli *cli, const char *const *names, size_t n, bool dry_run);
int ty_claims_delete_all(struct ty_cli *cli, bool dry_run);
/* Whether a TrainJob of the history has this name. */
int ty_claims_delete_is_job(struct ty_cli *cli, const char *name, bool *ret);

/* Claims that go with a run of a job, as by the JobSet's owner reference on a cluster. Lives with
 * the cli's arena. */
struct ty_claims_delete {
    struct ty_strlist names;
    bool newer; /* a newer run of the same job: they are its own now */
};
/* Before the rows of the job are deleted, which say which they are. */
int ty_claims_delete_find(struct ty_cli *cli, struct ty_history_db *d,
                          const struct ty_job_history_entry *job, struct ty_claims_delete *ret);
/* After that; none if a newer run has them. */
int ty_claims_delete_found(struct ty_cli *cli, const struct ty_claims_delete *c, bool dry_run);

#endif
