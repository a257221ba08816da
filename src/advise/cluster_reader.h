/* Reads what it is told to of an API server into a snapshot. Asks with GET only: nothing here can
 * change a cluster. Waits, with a loop of its own. */
#ifndef TY_ADVISE_CLUSTER_READER_H
#define TY_ADVISE_CLUSTER_READER_H

#include "advise/cluster_snapshot.h"
#include "store/kube/kubeconfig.h"

struct ty_cluster_reader;

/* One question. Texts are borrowed until ty_cluster_reader_read returns. */
struct ty_cluster_query {
    const struct ty_kind *kind;
    struct ty_str ns;            /* empty: all, or a kind without */
    struct ty_str name;          /* empty: a list */
    const char *labels, *fields; /* of a list; NULL none */
    const char *path; /* instead: GET this, and keep the answer as `kind`, named `name` */
    bool meta;        /* only its metadata: no data of Secrets leaves the server */
};

/* Told with each answer, and now and then while there is none: so many of so many. */
typedef void ty_cluster_reader_progress_fn(void *ctx, size_t done, size_t of);

/* gives. -EINVAL, -ENOENT: it cannot even begin. config outlives it. */
int ty_cluster_reader_new(struct ty_cluster_reader **ret, const struct ty_kubeconfig *config,
                          struct ty_err *err);
void ty_cluster_reader_free(struct ty_cluster_reader *l); /* takes; NULL is fine */
/* Every answer goes into the snapshot: objects, "not there" of what was asked for by name, and what
 * could not be read. tick may be NULL. */
void ty_cluster_reader_read(struct ty_cluster_reader *l, struct ty_cluster_snapshot *snapshot,
                            const struct ty_cluster_query *wants, size_t n,
                            ty_cluster_reader_progress_fn *tick, void *ctx);

#endif
