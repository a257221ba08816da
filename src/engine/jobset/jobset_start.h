/* Decides which Jobs exist, and which are suspended. */
#ifndef TY_ENGINE_JOBSET_JOBSET_START_H
#define TY_ENGINE_JOBSET_JOBSET_START_H

#include "engine/jobset/jobset_read.h"

bool ty_jobset_started(const struct ty_jobset_rjob *r);
void ty_jobset_create_jobs(struct ty_jobset_ctx *js);
void ty_jobset_suspend_jobs(struct ty_jobset_ctx *js);
void ty_jobset_resume_jobs(struct ty_jobset_ctx *js);

#endif
