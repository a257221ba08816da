/* Creates or applies the objects of the user's files in a cluster. */
#ifndef TY_CLI_CLUSTER_CLUSTER_SUBMIT_H
#define TY_CLI_CLUSTER_CLUSTER_SUBMIT_H

#include "cli/cluster/cluster_session.h"

struct ty_submit_input;
struct ty_cluster_submit_opts {
    const struct ty_submit_input *input;
    const struct ty_where_opts *where;
    const char *output; /* "name", "json", "yaml"; NULL: "… created" */
    bool apply;         /* server-side apply */
    bool force;         /* with it: take fields over from other field managers */
    bool dry_server, dry_client;
    bool wait, logs;
    int64_t end_ms; /* of --wait: monotonic; 0: never */
};
/* Returns an exit code; 130 after Ctrl-C while it waited. */
int ty_cluster_submit(struct ty_cli *cli, const struct ty_cluster_submit_opts *opts);

#endif
