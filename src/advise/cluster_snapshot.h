/* What was read of a cluster, for pure functions that evaluate it: objects as text by kind,
 * namespace and name, and errors of what could not be read. One thread. */
#ifndef TY_ADVISE_CLUSTER_SNAPSHOT_H
#define TY_ADVISE_CLUSTER_SNAPSHOT_H

#include "api/kind.h"

struct ty_cluster_snapshot;

/* One object, or the error of its query; for a whole kind the name is empty. Lives with the
 * snapshot. */
struct ty_cluster_object {
    const struct ty_kind *kind;
    struct ty_str ns, name;
    struct ty_str text; /* JSON; empty unless r is 0 */
    int r;              /* 0 it is there, -ENOENT it is not, other negative: it could not be read;
                           1: a list that is whole */
    const char *why;    /* the error if it could not be read, else "" */
};

struct ty_cluster_snapshot *ty_cluster_snapshot_new(void); /* gives */
void ty_cluster_snapshot_free(struct ty_cluster_snapshot *s);

/* Stores an object; copies the text. Replaces an object of the same name. -EFBIG: the snapshot is
 * full. */
int ty_cluster_snapshot_put(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                            struct ty_str ns, struct ty_str name, struct ty_str text);
/* Stores an error: r is negative. Empty name: of the list of the kind. */
void ty_cluster_snapshot_put_error(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                   struct ty_str ns, struct ty_str name, int r, struct ty_str why);

/* The list of the kind is complete: of this namespace, or with an empty one of all. */
void ty_cluster_snapshot_set_listed(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns);
/* Whether it was queried, by name or by a list that would contain it. */
bool ty_cluster_snapshot_is_queried(const struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns, struct ty_str name);

/* NULL: it was not queried by name, and no list had it. */
const struct ty_cluster_object *ty_cluster_snapshot_find(const struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind,
                                                         struct ty_str ns, struct ty_str name);
/* Parsed, with apiVersion and kind, which items of lists lack; NULL: it does not exist. Lives with
 * the arena and the snapshot. */
struct ty_json *ty_cluster_snapshot_get(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                                        const struct ty_kind *kind, struct ty_str ns,
                                        struct ty_str name);
struct ty_json *ty_cluster_snapshot_parse(struct ty_arena *a,
                                          const struct ty_cluster_object *o); /* the same */
/* Why the list of a kind could not be read; NULL: it could. */
const struct ty_cluster_object *ty_cluster_snapshot_list_error(const struct ty_cluster_snapshot *s,
                                                               const struct ty_kind *kind);

/* The existing objects of a kind, by namespace and name. NULL after the last; start with *at = 0.
 * Nothing may be stored in between. */
const struct ty_cluster_object *ty_cluster_snapshot_next(struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind, size_t *at);
size_t ty_cluster_snapshot_count(const struct ty_cluster_snapshot *s, const struct ty_kind *kind);

#endif
