/* The operator's cache: the objects that it watches, cut down to what is needed (cache_project.h),
 * as compact text by kind, namespace and name. One thread; nothing here waits or talks.
 *
 * Of an object whose text is longer than TY_CACHE_WHOLE only the short members stay (partial): who
 * it is, its runtime, whether it is suspended, its conditions. Whoever needs the rest fetches it.
 * Once the cache takes half of the budget that goes for all above TY_CACHE_TIGHT. So nothing that
 * ty_cache_parse parses is large. */
#ifndef TY_CONTROLLER_CACHE_H
#define TY_CONTROLLER_CACHE_H

#include "api/kind.h"
#include "controller/trainjob_state.h"

struct ty_cache;
struct ty_budget;

#define TY_CACHE_WHOLE ((size_t)64 << 10)
#define TY_CACHE_TIGHT ((size_t)4 << 10)

/* Borrowed: until this object changes. */
struct ty_cached {
    const struct ty_kind *kind;
    const char *ns, *name, *uid;
    const char *job;     /* TrainJob that controls it; NULL none */
    const char *job_uid; /* that one's uid; NULL none */
    const char *maker;   /* field manager that wrote it first, where no TrainJob controls it; NULL:
                            not known */
    uint64_t version;    /* resourceVersion */
    uint64_t owned; /* ty_applied_digest_live for manager `trainer`; 0: nothing, or not known */
    uint64_t want,
        at; /* our last apply: what was wanted (ty_applied_digest_desired), version after it */
    uint64_t wish;   /* TrainJobs: a number for what is wanted: spec, labels, annotations */
    uint64_t status; /* TrainJobs, JobSets: a number for the status; 0: none */
    uint64_t
        right; /* TrainJobs: ty_reconcile_digest when its children were last found right; 0 never */
    int64_t applied_s; /* when `trainer` last changed it by apply; 0 never. Unix seconds */
    int64_t foreign_s; /* when anybody else last changed it, status aside; 0 never */
    const char *body;  /* its `data` as JSON text, where we have it (snapshots); NULL none */
    enum ty_trainjob_state
        state;          /* TrainJobs, JobSets: what it says by itself (trainjob_state.h) */
    bool partial;       /* text lacks its large members: they are null */
    struct ty_str text; /* JSON */
};

struct ty_cache *ty_cache_new(void);
/* What is kept is charged to it from now on; outlives the cache. */
void ty_cache_set_budget(struct ty_cache *w, struct ty_budget *budget);
void ty_cache_free(struct ty_cache *w);

/* Something was told by a watch, or answered to a write. The object as known from now on; NULL:
 * nothing of it is kept. *ret_news (may be NULL): what passes could see has changed. */
const struct ty_cached *ty_cache_put(struct ty_cache *w, const struct ty_kind *kind,
                                     const struct ty_json *obj, bool *ret_news);
/* False: it was not known, or another one (uid) has taken its place meanwhile. */
bool ty_cache_delete(struct ty_cache *w, const struct ty_kind *kind, struct ty_str ns,
                     struct ty_str name, struct ty_str uid);
const struct ty_cached *ty_cache_get(const struct ty_cache *w, const struct ty_kind *kind,
                                     struct ty_str ns, struct ty_str name); /* or NULL */
/* What was put was not the whole object: it is partial, however short. */
void ty_cache_set_partial(struct ty_cache *w, const struct ty_cached *o);
/* Parsed: lives with the arena. NULL: the arena, of ty_arena_new_input, is full. */
struct ty_json *ty_cache_parse(struct ty_arena *a, const struct ty_cached *o);
void ty_cache_each(const struct ty_cache *w, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_cached *o), void *ctx);

/* Our apply of `want` was answered by what is known now: the same again needs no write, as long as
 * nobody else has written. */
void ty_cache_set_applied(struct ty_cache *w, const struct ty_cached *o, uint64_t want);
void ty_cache_set_in_sync(struct ty_cache *w, const struct ty_cached *o, uint64_t mark);
/* The `data` of an object as JSON text; equal texts are kept once: a thousand jobs of one runtime
 * have one snapshot. Empty: forget it. False: it is too large to be kept. */
bool ty_cache_set_data(struct ty_cache *w, const struct ty_cached *o, struct ty_str data);

size_t ty_cache_count(const struct ty_cache *w, const struct ty_kind *kind); /* NULL: all */
size_t ty_cache_bytes(const struct ty_cache *w);

#endif
