/* One look at one TrainJob, over the cache: which writes are needed, and in which order. Pure: what
 * is read is the cache, what is impure is given. Who sends the writes is the operator. */
#ifndef TY_CONTROLLER_RECONCILE_H
#define TY_CONTROLLER_RECONCILE_H

#include "controller/cache.h"
#include "trainer/trainjob_reconcile.h"

/* An object that the cache keeps only in part, fetched for this look. */
struct ty_fetched {
    const struct ty_kind *kind;
    struct ty_str name; /* its namespace, if it has one, is the job's */
    const struct ty_json
        *json; /* as ty_cache_project gives it; a JobSet whole; of a ConfigMap its `data` */
    const struct ty_fetched *next;
};

struct ty_reconcile_in {
    const struct ty_cache *cache;
    const struct ty_pipeline *pipeline;
    const struct ty_settings *settings;
    const struct ty_json
        *hook_secret; /* the webhook's Secret, for the status API; NULL: not there */
    struct ty_str ns, name;
    int64_t now_s;
    const unsigned char *entropy; /* TY_ENTROPY bytes */
    bool first;  /* nothing has been told of this job since we started: what was right when the last
                    operator left is right still */
    bool full;   /* a child has gone or somebody wrote to it: look at them all */
    bool freeze; /* the API server has refused to change its JobSet: only what may change is written
                  */
    bool unapplied; /* an apply has just failed: only the status is made, of children as they are */
    struct ty_str refused;          /* why the API server refuses it for good; empty: it does not */
    const struct ty_fetched *given; /* may be NULL */
    struct ty_reconcile_memo *memo; /* kept from look to look; NULL is fine */
    /* Why the cache may lack objects of a kind; NULL: it does not. May be NULL. */
    const char *(*unread)(void *ctx, const struct ty_kind *kind);
    void *ctx;
};

/* The text of the last snapshot that was made, the same as JSON, and the runtime that it is of:
 * jobs that are made together mostly name one runtime. */
struct ty_reconcile_memo { /* zeroed at first */
    struct ty_arena *arena;
    struct ty_str yaml, json;
    struct ty_str uid, version;
};
void ty_reconcile_memo_done(struct ty_reconcile_memo *m);

enum ty_write_op {
    TY_WRITE_APPLY,  /* body by manager `trainer`, by force */
    TY_WRITE_STATUS, /* body: merge patch of the TrainJob's status */
    TY_WRITE_DELETE, /* this object, if it still has this uid */
};
struct ty_write_step {
    enum ty_write_op op;
    const struct ty_kind *kind;
    struct ty_str name; /* its namespace is the job's */
    /* DELETE: only this one, at this version if one is said. APPLY of a JobSet: one that may be
     * deleted and re-created if the API server refuses to change it; else empty. */
    struct ty_str uid, version;
    struct ty_str body; /* JSON */
    struct ty_str data; /* APPLY of a snapshot: its `data`, for ty_cache_set_data */
    uint64_t want;      /* APPLY: for ty_cache_set_applied */
    struct ty_write_step *next;
    /* For who sends it: versions of the object, as the answer and as others told it meanwhile. */
    uint64_t answered, told; /* 0: none */
    bool others;             /* more than one was told */
};

struct ty_reconcile_result {
    struct ty_write_step *steps;
    struct ty_trainjob_event *events;
    bool right;      /* when the steps are done its children are what they should be */
    uint64_t wish;   /* of the job that this is for */
    uint64_t status; /* ty_cached.status that the job has then */
    bool last;       /* and then there is nothing more to do, if nobody else writes */
    bool fetch;      /* nothing is said yet: this object must be got first: */
    const struct ty_kind
        *fetch_kind; /* the TrainJob, its runtime, JobSet, or snapshot (its data) */
    struct ty_str fetch_name;
    bool large;        /* it is, or may be, larger than the cache keeps it */
    int64_t requeue_s; /* 0: when something changes */
    struct ty_err err; /* code < 0: again later; steps are to be done all the same */
    bool starved;      /* -EAGAIN, because memory is short at the moment */
};

/* A number for the job as it is wanted and the JobSet as it is owned: as long as it stays, so do
 * the children. Never 0. */
uint64_t ty_reconcile_digest(const struct ty_cached *job, const struct ty_cached *jobset);
/* A snapshot's data as the cache keeps it: its runtime as JSON, which is read ten times faster than
 * YAML. Lives with the arena. */
struct ty_str ty_reconcile_snapshot_data(struct ty_arena *a, const struct ty_json *data);
/* The TrainJob, or what is made of it, does not fit into the memory that is left: nothing is to be
 * written, and an event says so. */
void ty_reconcile_too_large(struct ty_arena *a, size_t allowed, struct ty_reconcile_result *ret);
#define TY_RECONCILE_STARVED "the operator's memory is short at the moment"
/* Others hold the memory that it needs: nothing is to be written, and nothing is wrong with it. */
void ty_reconcile_starved(struct ty_reconcile_result *ret);
/* All lives with the arena, of ty_arena_new_input: who finds it full afterwards calls
 * ty_reconcile_starved or ty_reconcile_too_large. A job that is not known, or is not ours to touch:
 * nothing to do. */
void ty_reconcile(struct ty_arena *a, const struct ty_reconcile_in *in,
                  struct ty_reconcile_result *ret);

#endif
