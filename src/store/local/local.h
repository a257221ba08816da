/* The embedded store: Kubernetes objects by kind, namespace and name, as JSON text.
 * Single-threaded; watchers are called synchronously for every change. */
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
    uint64_t version;  /* resourceVersion: incremented with every change in the store */
    bool deleting;     /* deletionTimestamp is set */
};

enum ty_stored_change { TY_STORED_ADDED, TY_STORED_MODIFIED, TY_STORED_DELETED };
typedef void ty_stored_fn(void *ctx, enum ty_stored_change what, const struct ty_stored *obj);

/* now: wall clock, Unix seconds. gives. */
struct ty_local *ty_local_new(int64_t (*now)(void *ctx), void *ctx);
void ty_local_free(struct ty_local *l);
/* Watchers are called after each change, in the order of their registration; at most
 * TY_LOCAL_WATCHERS. They may read the store, but not change it: later watchers would get outdated
 * events. */
#define TY_LOCAL_WATCHERS 4
void ty_local_watch(struct ty_local *l, ty_stored_fn *fn, void *ctx);
void ty_local_unwatch(struct ty_local *l, ty_stored_fn *fn, const void *ctx);

const struct ty_stored *ty_local_find(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name);        /* or NULL */
const struct ty_stored *ty_local_by_uid(const struct ty_local *l, const char *uid); /* or NULL */
/* Parsed, lives with the arena; NULL if it does not exist. */
struct ty_json *ty_local_get(const struct ty_local *l, struct ty_arena *a,
                             const struct ty_kind *kind, struct ty_str ns, struct ty_str name);
struct ty_json *ty_local_read(struct ty_arena *a, const struct ty_stored *obj);
struct ty_str ty_local_text(const struct ty_stored *obj); /* as JSON; borrowed, as obj itself */
/* Calls fn for each object of a kind (kind NULL: all), or for each child of an owner. fn must not
 * change the store. */
void ty_local_each(const struct ty_local *l, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx);
void ty_local_children(const struct ty_local *l, const char *owner_uid,
                       void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx);

/* Writes also set metadata (uid, creationTimestamp, resourceVersion, generation) in obj. CREATE:
 * -EEXIST. UPDATE: -ENOENT; -ESTALE if obj has another resourceVersion than the stored object; the
 * stored status is preserved. STATUS: writes only .status of obj. */
int ty_local_create(struct ty_local *l, struct ty_arena *a, struct ty_json *obj,
                    struct ty_err *err);
int ty_local_update(struct ty_local *l, struct ty_arena *a, struct ty_json *obj,
                    struct ty_err *err);
/* A merge patch that contains apiVersion, kind and metadata.name of its object. */
int ty_local_merge(struct ty_local *l, struct ty_arena *a, const struct ty_json *patch,
                   struct ty_err *err);
int ty_local_status(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                    struct ty_err *err);
/* Server-side apply with force by one manager: creates the object, or replaces what this manager
 * applied before. Fields that it no longer applies are removed unless another manager applied them,
 * too; a field that another manager applied with another value changes its owner. Fields without an
 * owner stay. Lists are atomic. */
int ty_local_apply(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                   const char *manager, struct ty_err *err);
/* Foreground deletion: children first. An object with children, or a Pod, gets a deletionTimestamp;
 * it is removed with its last child, or, for a pod, when ty_local_finalize reports that its
 * processes have ended. */
int ty_local_delete(struct ty_local *l, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_str ns, struct ty_str name, struct ty_err *err);
void ty_local_finalize(struct ty_local *l, const struct ty_kind *kind, struct ty_str ns,
                       struct ty_str name);

#endif
