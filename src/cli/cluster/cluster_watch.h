/* Changes of objects in a cluster, by the API server's watch. */
#ifndef TY_CLI_CLUSTER_CLUSTER_WATCH_H
#define TY_CLI_CLUSTER_CLUSTER_WATCH_H

#include "cli/cluster/cluster_session.h"

struct ty_cluster_watch;
typedef bool ty_cluster_watch_keep_fn(void *ctx, const struct ty_json *obj);

struct ty_cluster_watch_opts {
    struct ty_kube_selector which;
    /* JobSets are watched, too; a change of one is a change of the object of its name. */
    bool jobsets;
    bool deleted; /* ty_cluster_watch_take_deleted will be called */
};
/* Starts to list and watch. The session outlives it. gives. */
struct ty_cluster_watch *ty_cluster_watch_new(struct ty_cluster_session *s,
                                              const struct ty_cluster_watch_opts *opts);
void ty_cluster_watch_free(struct ty_cluster_watch *w); /* takes; NULL is fine */
/* Blocks until an object has changed; the first call until all are listed. An interrupted watch is
 * resumed, after a note. Returns an exit code: an error if the objects may not be watched. */
int ty_cluster_watch_wait(struct ty_cluster_watch *w);
/* Gives the objects that were added or changed since the last call and that keep (may be NULL)
 * accepts, as ty_cluster_session_list_if; what it has accepted once needs no further consent. What
 * exceeds the arena, which is empty at first, follows with the next call. */
void ty_cluster_watch_take(struct ty_cluster_watch *w, struct ty_arena *a,
                           ty_cluster_watch_keep_fn *keep, void *ctx, struct ty_json ***ret,
                           size_t *ret_n);
/* Gives the last states of those that were given and have been deleted since the last call. */
void ty_cluster_watch_take_deleted(struct ty_cluster_watch *w, struct ty_arena *a,
                                   struct ty_json ***ret, size_t *ret_n);
/* False: JobSets were never listed, most often because the user may not. */
bool ty_cluster_watch_has_jobsets(const struct ty_cluster_watch *w);
/* Then because the user may not; else the cluster may have no JobSets at all. */
bool ty_cluster_watch_no_right_to_jobsets(const struct ty_cluster_watch *w);
/* The JobSet of that name, or NULL. Lives with the arena. */
struct ty_json *ty_cluster_watch_jobset(struct ty_cluster_watch *w, struct ty_arena *a,
                                        struct ty_str key /* "namespace/name" */);

#endif
