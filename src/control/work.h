/* One look at one TrainJob, over the cache: which writes are needed, and in which order. Pure: what
 * is read is the world, what is impure is given. Who sends the writes is the operator. */
#ifndef TY_CONTROL_WORK_H
#define TY_CONTROL_WORK_H

#include "control/world.h"
#include "trainer/pass.h"

/* An object that the world keeps only in part, fetched for this look. */
struct ty_given {
    const struct ty_kind *kind;
    struct ty_str name;         /* its namespace, if it has one, is the job's */
    const struct ty_json *json; /* as ty_keep gives it; a JobSet whole; of a ConfigMap its `data` */
    const struct ty_given *next;
};

struct ty_work_in {
    const struct ty_world *world;
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
    struct ty_str refused;        /* why the API server refuses it for good; empty: it does not */
    const struct ty_given *given; /* may be NULL */
    struct ty_work_memo *memo;    /* kept from look to look; NULL is fine */
    /* Why the world may lack objects of a kind; NULL: it does not. May be NULL. */
    const char *(*unread)(void *ctx, const struct ty_kind *kind);
    void *ctx;
};

/* The text of the last snapshot that was made, the same as JSON, and the runtime that it is of:
 * jobs that are made together mostly name one runtime. */
struct ty_work_memo { /* zeroed at first */
    struct ty_arena *arena;
    struct ty_str yaml, json;
    struct ty_str uid, version;
};
void ty_work_memo_done(struct ty_work_memo *m);

enum ty_step_op {
    TY_STEP_APPLY,  /* body by manager `trainer`, by force */
    TY_STEP_STATUS, /* body: merge patch of the TrainJob's status */
    TY_STEP_DELETE, /* this object, if it still has this uid */
};
struct ty_step {
    enum ty_step_op op;
    const struct ty_kind *kind;
    struct ty_str name; /* its namespace is the job's */
    /* DELETE: only this one, at this version if one is said. APPLY of a JobSet: one that may be
     * deleted and re-created if the API server refuses to change it; else empty. */
    struct ty_str uid, version;
    struct ty_str body; /* JSON */
    struct ty_str data; /* APPLY of a snapshot: its `data`, for ty_world_body */
    uint64_t want;      /* APPLY: for ty_world_settle */
    struct ty_step *next;
    /* For who sends it: versions of the object, as the answer and as others told it meanwhile. */
    uint64_t answered, told; /* 0: none */
    bool others;             /* more than one was told */
};

struct ty_work {
    struct ty_step *steps;
    struct ty_pass_event *events;
    bool right;      /* when the steps are done its children are what they should be */
    uint64_t wish;   /* of the job that this is for */
    uint64_t status; /* ty_known.status that the job has then */
    bool last;       /* and then there is nothing more to do, if nobody else writes */
    bool fetch;      /* nothing is said yet: this object must be got first: */
    const struct ty_kind
        *fetch_kind; /* the TrainJob, its runtime, JobSet, or snapshot (its data) */
    struct ty_str fetch_name;
    bool large;        /* it is, or may be, larger than the world keeps it */
    int64_t requeue_s; /* 0: when something changes */
    struct ty_err err; /* code < 0: again later; steps are to be done all the same */
    bool starved;      /* -EAGAIN, because memory is short at the moment */
};

/* A number for the job as it is wanted and the JobSet as it is owned: as long as it stays, so do
 * the children. Never 0. */
uint64_t ty_work_mark(const struct ty_known *job, const struct ty_known *jobset);
/* A snapshot's data as the world keeps it: its runtime as JSON, which is read ten times faster than
 * YAML. Lives with the arena. */
struct ty_str ty_work_data(struct ty_arena *a, const struct ty_json *data);
/* The TrainJob, or what is made of it, does not fit into the memory that is left: nothing is to be
 * written, and an event says so. */
void ty_work_too_large(struct ty_arena *a, size_t allowed, struct ty_work *ret);
#define TY_WORK_STARVED "the operator's memory is short at the moment"
/* Others hold the memory that it needs: nothing is to be written, and nothing is wrong with it. */
void ty_work_starved(struct ty_work *ret);
/* All lives with the arena, of ty_arena_new_input: who finds it full afterwards calls
 * ty_work_starved or ty_work_too_large. A job that is not known, or is not ours to touch: nothing
 * to do. */
void ty_work_make(struct ty_arena *a, const struct ty_work_in *in, struct ty_work *ret);

#endif
