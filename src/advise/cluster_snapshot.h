/* What was read of a cluster, to be judged later by functions that read nothing themselves: objects
 * as text by kind, namespace and name, and what could not be read, with the reason. One thread. */
#ifndef TY_ADVISE_CLUSTER_SNAPSHOT_H
#define TY_ADVISE_CLUSTER_SNAPSHOT_H

#include "api/kind.h"

struct ty_cluster_snapshot;

/* One object, or the answer to the question for it; for a whole kind the name is empty. Lives with
 * the snapshot. */
struct ty_cluster_object {
    const struct ty_kind *kind;
    struct ty_str ns, name;
    struct ty_str text; /* JSON; empty unless r is 0 */
    int r;              /* 0 it is there, -ENOENT it is not, other negative: it could not be read;
                           1: a list that is whole */
    const char *why;    /* a sentence when it could not be read, else "" */
};

struct ty_cluster_snapshot *ty_cluster_snapshot_new(void); /* gives */
void ty_cluster_snapshot_free(struct ty_cluster_snapshot *s);

/* An object; the text is copied. What is known of that name already is replaced. -EFBIG: there is
 * no room for more. */
int ty_cluster_snapshot_put(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                            struct ty_str ns, struct ty_str name, struct ty_str text);
/* It could not be had: r is negative. With an empty name: the list of the kind. */
void ty_cluster_snapshot_put_error(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                   struct ty_str ns, struct ty_str name, int r, struct ty_str why);

/* The kind's list is whole: of this namespace, or with an empty one of all. */
void ty_cluster_snapshot_set_listed(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns);
/* Somebody has asked for it, or for a list that would hold it. */
bool ty_cluster_snapshot_is_queried(const struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns, struct ty_str name);

/* NULL: nobody has asked for it by name, and no list had it. */
const struct ty_cluster_object *ty_cluster_snapshot_find(const struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind,
                                                         struct ty_str ns, struct ty_str name);
/* Parsed, with apiVersion and kind, which items of lists do not carry; NULL: it is not there. Lives
 * with the arena and the snapshot. */
struct ty_json *ty_cluster_snapshot_get(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                                        const struct ty_kind *kind, struct ty_str ns,
                                        struct ty_str name);
struct ty_json *ty_cluster_snapshot_parse(struct ty_arena *a,
                                          const struct ty_cluster_object *o); /* the same */
/* Why a kind's list could not be read; NULL: it could. */
const struct ty_cluster_object *ty_cluster_snapshot_list_error(const struct ty_cluster_snapshot *s,
                                                               const struct ty_kind *kind);

/* The objects of a kind by namespace, then name: those that are there. NULL after the last; begin
 * with *at = 0. Nothing may be put in meanwhile. */
const struct ty_cluster_object *ty_cluster_snapshot_next(struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind, size_t *at);
size_t ty_cluster_snapshot_count(const struct ty_cluster_snapshot *s, const struct ty_kind *kind);

#endif
