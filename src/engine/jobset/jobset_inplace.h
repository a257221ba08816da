/* Feature gate InPlaceRestart. */
#ifndef TY_ENGINE_JOBSET_JOBSET_INPLACE_H
#define TY_ENGINE_JOBSET_JOBSET_INPLACE_H

#include "engine/jobset/jobset_read.h"

bool ty_jobset_in_place_enabled(const struct ty_jobset_ctx *js);
void ty_jobset_in_place_restart(struct ty_jobset_ctx *js);
bool ty_jobset_in_place_exceeded(const int64_t *attempts, size_t n, int64_t restarts,
                                 int64_t toward_max, int64_t max_restarts);

#endif
