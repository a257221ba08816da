/* What is kept of a TrainJob and of its pods while the operator watches for failures: of a pod its
 * identity and a few numbers, less than 200 bytes. */
#ifndef TY_FAILURE_FAILURE_JOB_H
#define TY_FAILURE_FAILURE_JOB_H

#include "failure/failure_collection.h"
#include "report/job_phase.h"
#include "store/kube/object_table.h"

struct ty_failure_watch;

#define TY_FAILURE_JOBSET_LABEL "jobset.sigs.k8s.io/jobset-name"

struct ty_failure_container_name { /* of a job's pods: mostly one or two. Lives with the last pod */
    struct ty_failure_container_name *next;
    size_t pods;
    char text[];
};

struct ty_failure_job {
    struct ty_failure_watch *watch;
    char *ns, *name, *uid;
    size_t pods;         /* that are in the table */
    uint16_t generation; /* of the TrainJobs of this name, while pods of an earlier one exist */
    struct ty_failure_container_name *names;
    struct ty_failure_collection *collection; /* of the last failure, while it lasts; or NULL */
    struct ty_failure_collection *last; /* of the attempt before, while it is judged; or NULL */
    char *note;                         /* of the last collection, or of a problem; NULL: none */
    char *problem;                      /* text of the problem that pods have now; NULL: none */
    const char *problem_reason;         /* a literal */
    int64_t problem_ms;                 /* since when; loop time */
    uint64_t problem_pod;               /* hash of the name of the pod that has it */
    bool problem_final, problem_told;
    int64_t attempt;       /* the newest of its pods */
    uint8_t collections;   /* of this attempt */
    bool told;             /* FirstFailure was recorded for this attempt */
    bool told_before;      /* … and for the one before it */
    bool noted;            /* `note` is of this attempt */
    int64_t said_ms;       /* when a log of this attempt showed an error; loop time, 0: none did */
    uint16_t told_reasons; /* problems of this attempt that have an event: a bit for each reason */
    uint8_t phase;         /* enum ty_job_phase */
    bool phase_known;
    int64_t restarts; /* of the JobSet, at the last phase */
};

struct ty_failure_pod {        /* one allocation, with name and uid behind it */
    struct ty_object_entry id; /* first; ns is the job's */
    struct ty_failure_job *job;
    struct ty_failure_container_name *container; /* the main one; of job->names */
    uint16_t attempt, failed; /* failed: ends of containers that were bad, as far as seen */
    uint16_t generation;      /* of the job; another than the job's: it counts no more */
    bool ended, terminating;
};

/* The state of a pod as its object tells. */
struct ty_failure_pod_state {
    struct ty_str container; /* the first of the spec */
    int64_t attempt;
    int failed;        /* bad ends: of the container with most of them */
    int64_t failed_ms; /* Unix time of the last one; 0: none */
    bool ended;        /* it has no container that runs or waits */
    bool terminating;
};
void ty_failure_job_read_pod(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                             struct ty_failure_pod_state *ret);

struct ty_failure_job *ty_failure_job_new(struct ty_failure_watch *w, struct ty_str ns,
                                          struct ty_str name, struct ty_str uid); /* gives */
void ty_failure_job_free(struct ty_failure_job *job); /* takes; NULL is fine */
/* Another TrainJob has this name now: nothing of the old one counts. */
void ty_failure_job_reset(struct ty_failure_job *job, struct ty_str uid);
/* Pods of a later attempt exist. */
void ty_failure_job_next_attempt(struct ty_failure_job *job, int64_t attempt);

/* Adds the pod, or replaces its entry in the table. */
struct ty_failure_pod *ty_failure_job_put_pod(struct ty_failure_job *job, struct ty_object_table *t,
                                              const struct ty_kube_object *o,
                                              const struct ty_failure_pod_state *is);
/* Removes it from the table; NULL if it is not there. The caller frees nothing. */
struct ty_failure_job *ty_failure_job_del_pod(struct ty_object_table *t, struct ty_str ns,
                                              struct ty_str name);
/* Memory of one pod, its place in the table included. */
size_t ty_failure_job_pod_bytes(const struct ty_failure_pod *pod);

#endif
