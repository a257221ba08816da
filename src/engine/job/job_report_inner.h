/* What the two halves of job_report share: who made the job fail, and how far it is. */
#ifndef TY_ENGINE_JOB_JOB_REPORT_INNER_H
#define TY_ENGINE_JOB_JOB_REPORT_INNER_H

#include "engine/job/job_report.h"
#include "report/progress.h"

struct ty_job_report {
    struct ty_failure_summary *failure;
    struct ty_progress progress;
    int64_t index, attempt; /* of the pod that it is from; index -1 none yet */
    int64_t since_ms, written_ms;
    double since_part;    /* how much was done at since_ms: for the time left */
    char *own;            /* the job's own report, as JSON; NULL: lines count */
    bool dirty;           /* to be written */
    int64_t scanned;      /* the attempt that scans_left is of */
    int scans_left;       /* how often /proc may be read for who holds a port */
    int64_t announced;    /* attempts whose first failure was announced */
    char *jobset_message; /* JobSet's own, of a condition with a provisional summary; or NULL */
};
/* That of the job, new if there is none yet; lives with the engine. */
struct ty_job_report *ty_job_report_of(struct ty_engine *e, const char *job);

#endif
