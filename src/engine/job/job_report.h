/* What the engine knows of a TrainJob beyond its object: who made it fail, and its progress. */
#ifndef TY_ENGINE_JOB_JOB_REPORT_H
#define TY_ENGINE_JOB_JOB_REPORT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

struct ty_engine;
struct ty_json;
struct ty_pod_runtime;
struct ty_pod_update;

struct ty_job_reports {
    struct ty_map by_job; /* name of the TrainJob -> struct ty_job_report */
};

/* Adds the container to the failure summary, and the error from its log to the update. */
void ty_job_report_container_ended(struct ty_pod_runtime *p, size_t c, int wstatus,
                                   struct ty_pod_update *news);
/* A pod of the job is over. With the last one the message of a Failed condition becomes final. */
void ty_job_report_pod_over(struct ty_engine *e, const char *ns, const char *job);
void ty_job_report_start_failed(struct ty_pod_runtime *p, const char *container, const char *why);
void ty_job_report_line(struct ty_pod_runtime *p, struct ty_str line); /* progress in it */
/* Appends the failure summary to the message of a JobSet's new Failed condition. obj: the JobSet
 * with the new status. Where containers still run, it is provisional. */
void ty_job_report_amend_status(struct ty_engine *e, struct ty_json *obj);
/* The trainerStatus to write for a TrainJob, or NULL if it has not changed. It counts as written.
 */
struct ty_json *ty_job_report_trainer_status(struct ty_engine *e, const char *job,
                                             struct ty_arena *a);
void ty_job_reports_done(struct ty_job_reports *reports);

#endif
