/* Shared by the files of the Job pass: a Job's spec read once, its pods sorted out, index sets. */
#ifndef TY_ENGINE_JOB_JOB_INNER_H
#define TY_ENGINE_JOB_JOB_INNER_H

#include "engine/job/job.h"

#define TY_ANN_INDEX   "batch.kubernetes.io/job-completion-index" /* a label too */
#define TY_ANN_FAILED  "batch.kubernetes.io/job-index-failure-count"
#define TY_ANN_IGNORED "batch.kubernetes.io/job-index-ignored-failure-count"

enum {
    TY_JOB_CHANGES_MAX = 500, /* pods created or deleted in one pass */
    TY_JOB_BACKOFF_S = 10,    /* before the first retry; doubles */
    TY_JOB_BACKOFF_MAX_S = 600,
};

/* --- job_indexes.c: sets of completion indexes, as ordered runs that do not touch --- */
struct ty_index_range {
    int64_t first, last;
};
struct ty_job_indexes {
    struct ty_index_range *v;
    size_t n;
};
/* "0-2,5": parts that are no numbers are skipped, indexes from `completions` on are cut off. */
struct ty_job_indexes ty_job_indexes_parse(struct ty_arena *a, struct ty_str text,
                                           int64_t completions);
/* As status.completedIndexes has it: runs of three or more as a-b, two neighbours as a,b. */
struct ty_str ty_job_indexes_text(struct ty_arena *a, const struct ty_job_indexes *s);
/* Sorts v in place; repeated values are fine. */
struct ty_job_indexes ty_job_indexes_from(struct ty_arena *a, int64_t *v, size_t n);
struct ty_job_indexes ty_job_indexes_join(struct ty_arena *a, const struct ty_job_indexes *x,
                                          const struct ty_job_indexes *y);
int64_t ty_job_indexes_total(const struct ty_job_indexes *s);
bool ty_job_indexes_has(const struct ty_job_indexes *s, int64_t index);
int64_t ty_job_indexes_common(const struct ty_job_indexes *x,
                              const struct ty_job_indexes *y); /* how many */
/* The lowest indexes below `completions` that are not in the set, at most n; gives how many. */
size_t ty_job_indexes_missing(const struct ty_job_indexes *s, int64_t completions, int64_t *ret_v,
                              size_t n);

/* --- job_spec.c --- */
struct ty_job_spec {
    struct ty_str name, ns, uid;
    bool indexed, suspended;
    bool on_failure;     /* containers restart inside their pod */
    bool replace_failed; /* podReplacementPolicy Failed: a terminating pod keeps its place */
    int64_t parallelism, completions, backoff_limit; /* -1: not set */
    int64_t per_index, max_failed, deadline_s, ttl_s;
    const struct ty_json *failure_rules, *success_rules; /* or NULL */
    const struct ty_json *pod_template;
};
void ty_job_spec_read(const struct ty_json *job, struct ty_job_spec *ret);

/* --- job_policy.c --- */
enum ty_pod_failure_action {
    TY_POD_FAILURE_COUNT,
    TY_POD_FAILURE_IGNORE,
    TY_POD_FAILURE_FAIL_INDEX,
    TY_POD_FAILURE_FAIL_JOB
};
/* What podFailurePolicy says about the end of a pod. *ret_message (may be NULL) is set for FailJob.
 */
enum ty_pod_failure_action ty_job_failure_action(struct ty_arena *a, const struct ty_job_spec *s,
                                                 const struct ty_pod_summary *pod,
                                                 const char **ret_message);
/* The index of the first rule of successPolicy that is met, or -1. */
int64_t ty_job_success_rule(struct ty_arena *a, const struct ty_job_spec *s,
                            const struct ty_job_indexes *succeeded);

/* --- job_count.c: the pods sorted out --- */
enum ty_job_mark { TY_MARK_NONE, TY_MARK_COUNT, TY_MARK_NEVER };
struct ty_job_pod {
    const struct ty_pod_summary *summary;
    bool active, terminating;
    bool valid;             /* its index belongs to the Job; true without indexes */
    bool failed;            /* counts as a failure */
    bool fresh;             /* its end, if it has ended, is not counted yet */
    bool held;              /* counted only when its index has a replacement */
    bool remove;            /* this pass deletes it */
    uint8_t mark;           /* enum ty_job_mark: what this pass writes down about it */
    uint8_t failure_action; /* enum ty_pod_failure_action, of fresh failed pods */
    const char *fail_job;   /* the message of its FailJob action, or NULL */
};
struct ty_job_count {
    struct ty_job_pod *pods;
    size_t n;
    int64_t active, ready, terminating;
    int64_t succeeded, failed;        /* with the ends that are not yet in the status */
    int64_t restarts;                 /* in pods that are Pending or Running */
    int64_t last_count;               /* greatest counted_at */
    struct ty_job_indexes done, lost; /* succeeded and failed indexes, as of now */
    struct ty_job_indexes busy;       /* indexes of active pods */
    struct ty_job_pod **held;         /* pods that are held, by index */
    size_t n_held;
};
void ty_job_count(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                  struct ty_job_count *ret);
const struct ty_job_pod *ty_job_held(const struct ty_job_count *c, int64_t index); /* or NULL */

/* --- job_backoff.c: when a failed pod is tried again --- */
int64_t ty_job_backoff_s(int64_t failures, int64_t first_s, int64_t max_s);
/* Seconds until new pods may be created; 0: now. */
int64_t ty_job_backoff_wait_s(const struct ty_job_count *c, int64_t now_s);
int64_t ty_job_backoff_index_wait_s(const struct ty_pod_summary *lost,
                                    int64_t now_s); /* lost: may be NULL */

/* --- job_pod_builder.c: Pod objects --- */
struct ty_job_pod_builder { /* what all pods of a pass have in common */
    struct ty_arena *arena;
    const struct ty_job_spec *spec;
    struct ty_json *labels, *annotations, *pod_spec, *owners;
    uint64_t seed;
    uint32_t *taken; /* name suffixes that exist: a hash table of size mask + 1 */
    size_t mask;
};
/* `more`: how many pods will be made. */
void ty_job_pod_builder_init(struct ty_job_pod_builder *m, struct ty_arena *a,
                             const struct ty_job_spec *s, const struct ty_job_observed *in,
                             size_t more);
/* index -1 without indexes; failures, ignored -1: do not say. */
struct ty_json *ty_job_pod_builder_make(struct ty_job_pod_builder *m, int64_t index,
                                        int64_t failures, int64_t ignored);

/* --- job_manage.c: too many or too few --- */
/* Marks pods to remove, adds CREATEs and events to out; keeps the counters of c true. */
void ty_job_manage(struct ty_arena *a, const struct ty_job_spec *s,
                   const struct ty_job_observed *in, struct ty_job_count *c,
                   struct ty_changes *out);
/* Every active pod goes; mark: how they are written down. */
void ty_job_remove_active(struct ty_job_count *c, enum ty_job_mark mark);

/* --- job_end.c: is it over, and why --- */
struct ty_job_end {
    bool over, success;
    bool in_status; /* FailureTarget or SuccessCriteriaMet is in the status already */
    const char *reason, *message;
};
void ty_job_end(struct ty_arena *a, const struct ty_job_spec *s, const struct ty_job_observed *in,
                const struct ty_job_count *c, int64_t start_s, struct ty_job_end *ret);

/* --- job_status.c --- */
/* Conditions as this controller sets them: a new one only when True; any difference rewrites its
 * times. True if something changed. */
bool ty_job_condition_set(struct ty_arena *a, struct ty_json *conditions, const char *type, bool on,
                          const char *reason, const char *message, int64_t now_s);
bool ty_job_condition_is(const struct ty_json *job, const char *type); /* there and True */
struct ty_job_status {
    struct ty_json *conditions;    /* array */
    int64_t start_s, completion_s; /* 0: none */
    int64_t succeeded, failed;     /* final counters */
    const struct ty_job_count *count;
};
struct ty_json *ty_job_status_make(struct ty_arena *a, const struct ty_job_spec *s,
                                   const struct ty_job_status *st);

#endif
