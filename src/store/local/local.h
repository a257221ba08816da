/* The embedded store: Kubernetes objects by kind, namespace and name, as JSON text or as their
 * difference from a sister's, so that a pod among thousands costs a few hundred bytes. One process,
 * one thread; every change is told at once. */
#ifndef TY_STORE_LOCAL_LOCAL_H
#define TY_STORE_LOCAL_LOCAL_H

#include "api/kind.h"
#include "base/err.h"
#include "json/json.h"

struct ty_local;

/* A stored object. Borrowed: valid until the object changes. */
struct ty_stored {
    const struct ty_kind *kind;
    const char *ns, *name, *uid;
    const char *owner; /* uid of its controller, or NULL */
    uint64_t version;  /* resourceVersion: counts every change in the store */
    bool deleting;     /* deletionTimestamp is set */
};

enum ty_stored_change { TY_STORED_ADDED, TY_STORED_MODIFIED, TY_STORED_DELETED };
typedef void ty_stored_fn(void *ctx, enum ty_stored_change what, const struct ty_stored *obj);

/* now: wall clock, Unix seconds. gives. */
struct ty_local *ty_local_new(int64_t (*now)(void *ctx), void *ctx);
void ty_local_free(struct ty_local *l);
/* Watchers are told after each change, in the order in which they came; at most
 * TY_LOCAL_WATCHERS. They may read the store, not change it: the next one would be told of what is
 * no longer so. */
#define TY_LOCAL_WATCHERS 4
void ty_local_watch(struct ty_local *l, ty_stored_fn *fn, void *ctx);
void ty_local_unwatch(struct ty_local *l, ty_stored_fn *fn, const void *ctx);

const struct ty_stored *ty_local_find(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name);        /* or NULL */
const struct ty_stored *ty_local_by_uid(const struct ty_local *l, const char *uid); /* or NULL */
/* Parsed, lives with the arena; NULL if it is not there. */
struct ty_json *ty_local_get(const struct ty_local *l, struct ty_arena *a,
                             const struct ty_kind *kind, struct ty_str ns, struct ty_str name);
struct ty_json *ty_local_read(struct ty_arena *a, const struct ty_stored *obj);
struct ty_str ty_local_text(struct ty_arena *a, const struct ty_stored *obj); /* as JSON */
/* Each object of a kind (kind NULL: all), or each child of an owner. fn must not change the store.
 */
void ty_local_each(const struct ty_local *l, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx);
void ty_local_children(const struct ty_local *l, const char *owner_uid,
                       void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx);
size_t ty_local_count(const struct ty_local *l);
size_t ty_local_bytes(const struct ty_local *l); /* memory that the objects take */

/* Writes fill in metadata (uid, creationTimestamp, resourceVersion, generation) in obj, too.
 * CREATE: -EEXIST. UPDATE: -ENOENT; -ESTALE if obj carries another resourceVersion than the stored
 * one; status is kept as stored. STATUS: only .status of obj is taken. */
int ty_local_create(struct ty_local *l, struct ty_arena *a, struct ty_json *obj,
                    struct ty_err *err);
int ty_local_update(struct ty_local *l, struct ty_arena *a, struct ty_json *obj,
                    struct ty_err *err);
/* A merge patch that carries apiVersion, kind and metadata.name of its object. */
int ty_local_merge(struct ty_local *l, struct ty_arena *a, const struct ty_json *patch,
                   struct ty_err *err);
int ty_local_status(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                    struct ty_err *err);
/* Server-side apply by one manager, by force: creates, or replaces what this manager applied
 * before. Fields it no longer wants go away unless another manager applied them, too; a field that
 * another one applied with another value is this one's from now on. What nobody applied stays.
 * Lists are one value. */
int ty_local_apply(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                   const char *manager, struct ty_err *err);
/* Foreground deletion: children first. An object with children, and a Pod, gets a deletionTimestamp
 * and goes when its last child is gone, or when ty_local_finalize says that the pod's processes
 * are.
 */
int ty_local_delete(struct ty_local *l, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_str ns, struct ty_str name, struct ty_err *err);
void ty_local_finalize(struct ty_local *l, const struct ty_kind *kind, struct ty_str ns,
                       struct ty_str name);

#endif
