/* Reads objects of an API server into a snapshot. Sends only GET, so it cannot change a cluster.
 * Blocks, with a loop of its own. */
#ifndef TY_ADVISE_CLUSTER_READER_H
#define TY_ADVISE_CLUSTER_READER_H

#include "advise/cluster_snapshot.h"
#include "store/kube/kubeconfig.h"

struct ty_cluster_reader;

/* One query. Texts are borrowed until ty_cluster_reader_read returns. */
struct ty_cluster_query {
    const struct ty_kind *kind;
    struct ty_str ns;            /* empty: all, or a cluster-scoped kind */
    struct ty_str name;          /* empty: a list */
    const char *labels, *fields; /* of a list; NULL none */
    const char *path; /* instead: GET this path, and store the answer as `kind`, named `name` */
    bool meta;        /* only metadata: no data of Secrets leaves the server */
};

/* Called for each answer, and periodically: progress. */
typedef void ty_cluster_reader_progress_fn(void *ctx, size_t done, size_t of);

/* gives. -EINVAL, -ENOENT: the kubeconfig cannot be used. config outlives it. */
int ty_cluster_reader_new(struct ty_cluster_reader **ret, const struct ty_kubeconfig *config,
                          struct ty_err *err);
void ty_cluster_reader_free(struct ty_cluster_reader *l); /* takes; NULL is fine */
/* Stores every answer in the snapshot: objects, "not found" of objects by name, and errors. tick
 * may be NULL. */
void ty_cluster_reader_read(struct ty_cluster_reader *l, struct ty_cluster_snapshot *snapshot,
                            const struct ty_cluster_query *wants, size_t n,
                            ty_cluster_reader_progress_fn *tick, void *ctx);

#endif
