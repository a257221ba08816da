/* Between job_phase.c and job_phase_timeline.c. */
#ifndef TY_REPORT_JOB_PHASE_INNER_H
#define TY_REPORT_JOB_PHASE_INNER_H

#include <stdbool.h>

struct ty_json;

/* Of status.conditions; obj may be NULL. */
const struct ty_json *ty_job_phase_condition(const struct ty_json *obj, const char *type);
bool ty_job_phase_is_true(const struct ty_json *obj, const char *type);
/* Somebody else than a person resumes it. */
bool ty_job_phase_has_queue(const struct ty_json *trainjob);

#endif
