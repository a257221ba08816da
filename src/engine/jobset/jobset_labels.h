/* Labels and annotations of a JobSet's Jobs and pods. */
#ifndef TY_ENGINE_JOBSET_JOBSET_LABELS_H
#define TY_ENGINE_JOBSET_JOBSET_LABELS_H

#include "engine/jobset/jobset_read.h"

/* Labels and annotations of a Job, or of its pod template, into metadata. */
void ty_jobset_mark(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r, int64_t index,
                    struct ty_json *metadata);
/* Of the Job's placement, into its pod template. */
void ty_jobset_mark_placement(struct ty_jobset_ctx *js, const struct ty_json *job_metadata,
                              struct ty_json *pod_template);

#endif
