/* Reads the logs of many containers at once and prints them line by line, across broken connections
 * and restarts in place. The caller says what the pods' statuses are; the logs follow from that.
 *
 * One container:
 *
 *              started, a slot is free                  the server ended it
 *   WAITING ---------------------------> OPEN --------------------------------> ENDED
 *      ^                                 ^  | connection lost                     |
 *      |                                 |  v                                     |
 *      |                               DELAYED <-- the status says that it runs --+
 *      |                                                                          |
 *      +--- the next start <--- read once more from the last line on <------------+
 *                                  (a proxy may have ended it, and not the container)
 */
#ifndef TY_CLI_CLUSTER_LOG_MERGE_H
#define TY_CLI_CLUSTER_LOG_MERGE_H

#include "cli/cluster/cluster_session.h"
#include "cli/cluster/log_pods.h"

#define TY_LOG_MERGE_STREAMS 100 /* logs that are followed at the same time */

struct ty_log_merge;
struct ty_log_merge_opts {
    struct ty_cli *cli;
    struct ty_cluster_session *session;
    const char *container; /* NULL: all */
    int64_t tail;          /* of the first log of a container; -1: all */
    int64_t since_s;       /* the same; 0: all */
    bool follow;           /* through restarts; else one log after the other */
    bool previous;         /* the log before the last start, not followed; of a pod that was
                              replaced its newest one */
    bool timestamps;
    bool prefix;                /* print the node before each line */
    size_t streams;             /* 0: TY_LOG_MERGE_STREAMS */
    void (*changed)(void *ctx); /* something ended, from the loop; must not free it */
    void *ctx;
};
/* gives. Borrows session and cli, which outlive it. */
struct ty_log_merge *ty_log_merge_new(const struct ty_log_merge_opts *opts);
/* takes. The loop must run once more before it is closed. NULL is fine. */
void ty_log_merge_free(struct ty_log_merge *m);
/* A pod and its status; the first call for a uid adds its containers. */
void ty_log_merge_pod(struct ty_log_merge *m, const struct ty_log_pod *pod);
/* It is deleted; what is being read is read to its end. */
void ty_log_merge_pod_gone(struct ty_log_merge *m, const char *uid);
/* The job is over: nothing starts any more, and failures are no longer retried for ever. */
void ty_log_merge_last(struct ty_log_merge *m);

/* Nothing is being read, nor could be now. */
bool ty_log_merge_idle(const struct ty_log_merge *m);
bool ty_log_merge_any(const struct ty_log_merge *m); /* a log was read, if only an empty one */
int64_t ty_log_merge_quiet_ms(const struct ty_log_merge *m); /* since the last line */
/* TY_EXIT_OK, or TY_EXIT_BAD: a log could not be read, which was said. */
int ty_log_merge_code(const struct ty_log_merge *m);
bool ty_log_merge_fatal(const struct ty_log_merge *m); /* no right, or no reader: stop */

#endif
