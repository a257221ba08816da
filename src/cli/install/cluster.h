/* A cluster that a command reads, found as kubectl finds it. A long read shows a progress line on a
 * terminal. */
#ifndef TY_CLI_INSTALL_CLUSTER_H
#define TY_CLI_INSTALL_CLUSTER_H

#include "advise/cluster_reader.h"
#include "cli/cli.h"

struct ty_kube_opts;

struct ty_cluster {
    struct ty_cli *cli;
    struct ty_kubeconfig config;
    struct ty_cluster_reader *look;
    struct ty_cluster_snapshot *snapshot;
    int64_t began_ms, drawn_ms; /* of the current read */
    bool drawn;
};

/* -ENOENT: there is no kubeconfig; other errors: *err has the reason. ty_cluster_close must follow
 * in any case. */
int ty_cluster_open(struct ty_cluster *c, struct ty_cli *cli, const struct ty_kube_opts *kube,
                    struct ty_err *err);
void ty_cluster_close(struct ty_cluster *c);
/* Reads into c->snapshot. */
void ty_cluster_read(struct ty_cluster *c, const struct ty_cluster_query *wants, size_t n);

#endif
