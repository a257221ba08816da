/* What `logs` on a cluster needs of a pod: its node's name, and which of its containers have a log.
 * Without I/O. */
#ifndef TY_CLI_CLUSTER_LOG_PODS_H
#define TY_CLI_CLUSTER_LOG_PODS_H

#include "json/json.h"

#define TY_LOG_PODS_CONTAINERS 64 /* of one pod; more are ignored */

struct ty_log_container {
    const char *name;
    /* How often it was restarted in place before the newest start, which has the log that the
     * kubelet gives; -1: it has not started. The log of the start before can be read, too. */
    int64_t instance;
    bool ended; /* the newest instance */
};

struct ty_log_pod {
    const char *name, *uid;
    const char *host, *node; /* "t-node-0-1", "node-0-1" of job t */
    int64_t attempt;         /* restarts of the JobSet before it was created */
    int64_t created_s;       /* Unix time; 0 unknown */
    bool over;               /* Succeeded or Failed: no container starts any more */
    bool replaced;           /* of --previous: its newest log is the one before its successor's */
    struct ty_log_container *containers; /* init containers first, then as in the spec */
    size_t n;
};

/* Everything lives with the arena. */
void ty_log_pods_parse(struct ty_arena *a, const struct ty_json *pod, const char *job,
                       struct ty_log_pod *ret);
/* "node-0-1", "t-node-0-1", "t-node-0-1-x7k2p" or "pod/t-node-0-1-x7k2p" of job t. */
bool ty_log_pods_is(const struct ty_log_pod *pod, const char *node);
/* Whether x replaces y: the same node, and of a later attempt or created later. */
bool ty_log_pods_is_newer(const struct ty_log_pod *x, const struct ty_log_pod *y);

#endif
