/* Builds the Jobs, the Service and the claims of a JobSet. */
#ifndef TY_ENGINE_JOBSET_JOBSET_CHILDREN_H
#define TY_ENGINE_JOBSET_JOBSET_CHILDREN_H

#include "engine/jobset/jobset_read.h"

struct ty_json *ty_jobset_make_job(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r,
                                   int64_t index);
struct ty_json *ty_jobset_make_service(struct ty_jobset_ctx *js);
struct ty_json *ty_jobset_make_claim(struct ty_jobset_ctx *js, const struct ty_json *policy,
                                     const struct ty_json *claim_template);
bool ty_jobset_mounts(const struct ty_json *pod_spec, struct ty_str volume);
char *ty_jobset_claim_name(struct ty_arena *a, struct ty_str jobset, struct ty_str claim);

#endif
