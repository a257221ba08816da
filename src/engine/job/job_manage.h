/* Creates missing pods and deletes surplus ones. */
#ifndef TY_ENGINE_JOB_JOB_MANAGE_H
#define TY_ENGINE_JOB_JOB_MANAGE_H

#include "engine/job/job_count.h"

enum { TY_JOB_CHANGES_MAX = 500 }; /* pods created or deleted in one pass */

/* Marks pods to remove, adds CREATEs and events to out, and updates the counters of c. */
void ty_job_manage(struct ty_arena *a, const struct ty_job_spec *s,
                   const struct ty_job_observed *in, struct ty_job_count *c,
                   struct ty_changes *out);
/* Marks every active pod for deletion; mark: how its end is counted. */
void ty_job_remove_active(struct ty_job_count *c, enum ty_job_mark mark);

#endif
