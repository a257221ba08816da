/* Watches one TrainJob of a cluster, across watches that expire and servers that restart. */
#ifndef TY_CLI_CLUSTER_JOB_WATCH_H
#define TY_CLI_CLUSTER_JOB_WATCH_H

#include "cli/cluster/cluster_session.h"

struct ty_job_watch;
struct ty_job_watch_opts {
    struct ty_cli *cli;
    struct ty_cluster_session *session;
    const char *ns, *name;
    /* Its state, from the loop: once at the beginning, then for each change. NULL: it does not
     * exist, or not any more. Must not free the watch. */
    void (*state)(void *ctx, const struct ty_json *job);
    /* It may not be watched, which was said. */
    void (*refused)(void *ctx);
    void *ctx;
};
/* gives. Borrows cli and session, which outlive it. */
struct ty_job_watch *ty_job_watch_new(const struct ty_job_watch_opts *opts);
void ty_job_watch_free(struct ty_job_watch *w); /* takes; NULL is fine */

/* "Complete", "Failed", or NULL: it is not over. ret_why may be NULL: the condition's message. */
const char *ty_job_watch_over(const struct ty_json *job, struct ty_str *ret_why);

/* Blocks Ctrl-C, which then waits for the next ty_job_watch_run with sigint, or unblocks it. */
void ty_job_watch_block_sigint(bool block);
/* Runs the loop until *done, *end_ms of the monotonic clock (0: never) or, with sigint, Ctrl-C. */
enum ty_job_watch_end { TY_JOB_WATCH_DONE, TY_JOB_WATCH_TIMEOUT, TY_JOB_WATCH_INTERRUPTED };
enum ty_job_watch_end ty_job_watch_run(struct ty_cluster_session *s, const bool *done,
                                       int64_t end_ms, bool sigint);

#endif
