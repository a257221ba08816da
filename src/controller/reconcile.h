/* Reconciles one TrainJob: compares desired and observed state in the cache and returns the writes
 * that are needed, in order. Pure: the caller passes clock, entropy and fetched objects, and sends
 * the writes. */
#ifndef TY_CONTROLLER_RECONCILE_H
#define TY_CONTROLLER_RECONCILE_H

#include "controller/cache.h"
#include "trainer/trainjob_reconcile.h"

/* A live object that the cache stores only in part, fetched for this reconcile. */
struct ty_fetched {
    const struct ty_kind *kind;
    struct ty_str name; /* its namespace, if it has one, is the job's */
    const struct ty_json
        *json; /* as ty_cache_project returns it; a JobSet whole; of a ConfigMap its `data` */
    const struct ty_fetched *next;
};

struct ty_reconcile_in {
    const struct ty_cache *cache;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_json
        *hook_secret; /* the webhook's Secret, for the status API; NULL: it does not exist */
    struct ty_str ns, name;
    int64_t now_s;
    const unsigned char *entropy; /* TY_ENTROPY bytes */
    bool initial; /* the first reconcile since the start, from the initial list: children that were
                     in sync when the last operator stopped still are */
    bool check_children; /* a child was deleted, or another client wrote to it: compare all children
                          */
    bool freeze; /* the API server refused an apply to its JobSet as immutable: write only what may
                    change */
    bool unapplied;        /* an apply failed: compute only the status, from the live children */
    struct ty_str refused; /* the API server's permanent refusal; empty: none */
    struct ty_str failure_note;     /* for Failed (trainer/failure_note.h); empty: none */
    const struct ty_fetched *given; /* may be NULL */
    struct ty_reconcile_memo *memo; /* shared by reconciles; may be NULL */
    /* Why the cache may lack objects of a kind; NULL: it is complete. May be NULL. */
    const char *(*unread)(void *ctx, const struct ty_kind *kind);
    void *ctx;
};

/* The last snapshot as YAML and JSON, with uid and version of its runtime: jobs that are created
 * together mostly refer to one runtime. */
struct ty_reconcile_memo { /* zeroed at first */
    struct ty_arena *arena;
    struct ty_str yaml, json;
    struct ty_str uid, version;
};
void ty_reconcile_memo_done(struct ty_reconcile_memo *m);

enum ty_write_op {
    TY_WRITE_APPLY,      /* server-side apply of body by field manager `trainer`, forced */
    TY_WRITE_STATUS,     /* body: merge patch of the TrainJob's status */
    TY_WRITE_DELETE,     /* this object, if it still has this uid */
    TY_WRITE_FINALIZERS, /* body: merge patch of a runtime's finalizers; not of ty_reconcile */
};
struct ty_write_step {
    enum ty_write_op op;
    const struct ty_kind *kind;
    struct ty_str name; /* its namespace is the job's */
    /* DELETE: preconditions; version may be empty. APPLY: set for a JobSet that may be deleted and
     * re-created if the API server refuses the change; else empty. */
    struct ty_str uid, version;
    struct ty_str body;      /* JSON */
    struct ty_str data;      /* APPLY of a snapshot: its `data`, for ty_cache_set_data */
    uint64_t desired_digest; /* APPLY: for ty_cache_set_applied */
    struct ty_write_step *next;
};

struct ty_reconcile_result {
    struct ty_write_step *steps;
    struct ty_trainjob_event *events;
    bool in_sync; /* no apply is needed, or the children did not have to be compared */
    bool fetch;   /* no steps yet: this live object must be fetched first: */
    const struct ty_kind
        *fetch_kind; /* the TrainJob, its runtime, JobSet, or snapshot (its data) */
    struct ty_str fetch_name;
    bool large;        /* the job is, or may be, larger than what the cache stores whole */
    int64_t requeue_s; /* 0: when a watch event enqueues it */
    struct ty_err err; /* code < 0: retry; the steps are sent all the same */
    bool starved;      /* -EAGAIN, because memory is short at the moment */
};

/* Digest of the desired job and of what manager `trainer` owns of its JobSet: the children change
 * only if it changes. Never 0. */
uint64_t ty_reconcile_digest(const struct ty_cached *job, const struct ty_cached *jobset);
/* A snapshot's data as the cache stores it: its runtime as JSON, which is parsed ten times faster
 * than YAML. Lives with the arena. */
struct ty_str ty_reconcile_snapshot_data(struct ty_arena *a, const struct ty_json *data);
/* The TrainJob or its rendering does not fit into the memory budget: no steps, a Warning event, and
 * a late requeue. */
void ty_reconcile_too_large(struct ty_arena *a, size_t allowed, struct ty_reconcile_result *ret);
#define TY_RECONCILE_STARVED "the operator's memory is short at the moment"
/* Other jobs use the memory that it needs: no steps; the job itself is valid. */
void ty_reconcile_starved(struct ty_reconcile_result *ret);
/* Everything lives with the arena, of ty_arena_new_input; a caller that finds it full afterwards
 * calls ty_reconcile_starved or ty_reconcile_too_large. No steps for a job that is not in the cache
 * or is managed by another controller. */
void ty_reconcile(struct ty_arena *a, const struct ty_reconcile_in *in,
                  struct ty_reconcile_result *ret);

#endif
