/* failurePolicy and successPolicy. */
#ifndef TY_ENGINE_JOBSET_JOBSET_POLICY_H
#define TY_ENGINE_JOBSET_JOBSET_POLICY_H

#include "engine/jobset/jobset_read.h"

void ty_jobset_apply_failure_policy(struct ty_jobset_ctx *js);
bool ty_jobset_apply_success_policy(struct ty_jobset_ctx *js); /* true: completed */

#endif
