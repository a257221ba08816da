/* The operator's cache: watched objects, projected to what is needed (cache_project.h), as compact
 * JSON text by kind, namespace and name. One thread; no I/O.
 *
 * An object whose text is longer than TY_CACHE_WHOLE loses its large members and is `partial`:
 * identity, runtime reference, suspension and conditions stay. A reconcile that needs the rest
 * fetches the live object. When the cache takes half of the budget, the limit is TY_CACHE_TIGHT.
 * So ty_cache_parse never parses a large text. */
#ifndef TY_CONTROLLER_CACHE_H
#define TY_CONTROLLER_CACHE_H

#include "api/kind.h"
#include "controller/trainjob_state.h"
#include "store/kube/object_table.h"

struct ty_cache;
struct ty_budget;

#define TY_CACHE_WHOLE ((size_t)64 << 10)
#define TY_CACHE_TIGHT ((size_t)4 << 10)

/* Borrowed until this object changes. */
struct ty_cached {
    struct ty_object_entry id; /* kind, names, version; first */
    const char *job;           /* TrainJob that controls it; NULL none */
    const char *job_uid;       /* uid of that TrainJob; NULL none */
    const char *creator; /* field manager that wrote it first, if no TrainJob controls it; NULL: not
                            known */
    uint64_t
        owned_digest; /* ty_applied_digest_live for manager `trainer`; 0: nothing, or not known */
    uint64_t applied_digest, applied_version; /* our last apply: ty_applied_digest_desired of it,
                                                 and the version after it */
    uint64_t spec_digest;    /* TrainJobs: digest of spec, labels and annotations */
    uint64_t in_sync_digest; /* TrainJobs: ty_reconcile_digest when the children were last in sync;
                                0: never */
    int64_t applied_s;       /* when manager `trainer` last applied it; 0: never. Unix seconds */
    int64_t foreign_s;       /* when another manager last changed it, except status; 0: never */
    const char *body;        /* its `data` as JSON text, if stored (snapshots); NULL: not */
    enum ty_trainjob_state state; /* TrainJobs, JobSets: of this object alone (trainjob_state.h) */
    bool partial;                 /* text lacks its large members: they are null */
    struct ty_str text;           /* JSON */
};

struct ty_cache *ty_cache_new(void);
/* The cache is charged to the budget from now on, which outlives it. */
void ty_cache_set_budget(struct ty_cache *c, struct ty_budget *budget);
void ty_cache_free(struct ty_cache *c);

/* For the reflectors, which compare versions with it. Borrowed. */
struct ty_object_table *ty_cache_objects(struct ty_cache *c);

/* Stores an object of a watch event, or of the answer to a write. NULL: none of it is needed. */
const struct ty_cached *ty_cache_put(struct ty_cache *c, const struct ty_kind *kind,
                                     const struct ty_json *obj);
/* False: it is not in the cache, or has been replaced by an object with another uid. */
bool ty_cache_delete(struct ty_cache *c, const struct ty_kind *kind, struct ty_str ns,
                     struct ty_str name, struct ty_str uid);
const struct ty_cached *ty_cache_get(const struct ty_cache *c, const struct ty_kind *kind,
                                     struct ty_str ns, struct ty_str name); /* or NULL */
/* The stored object was cut by the client: marks it partial, however short it is. */
void ty_cache_set_partial(struct ty_cache *c, const struct ty_cached *o);
/* The parsed text; lives with the arena. NULL: the arena, of ty_arena_new_input, is full. */
struct ty_json *ty_cache_parse(struct ty_arena *a, const struct ty_cached *o);
void ty_cache_each(const struct ty_cache *c, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_cached *o), void *ctx);

/* The cached version is the answer to our apply of `want`: the same apply is skipped as long as the
 * version stays. */
void ty_cache_set_applied(struct ty_cache *c, const struct ty_cached *o, uint64_t want);
void ty_cache_set_in_sync(struct ty_cache *c, const struct ty_cached *o, uint64_t mark);
/* Stores the `data` of an object as JSON text, once for equal texts: a thousand jobs of one runtime
 * share one snapshot. Empty: removes it. False: too large for the cache. */
bool ty_cache_set_data(struct ty_cache *c, const struct ty_cached *o, struct ty_str data);

size_t ty_cache_count(const struct ty_cache *c, const struct ty_kind *kind); /* NULL: all */
size_t ty_cache_bytes(const struct ty_cache *c);

#endif
