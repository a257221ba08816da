/* Sets of completion indexes, as ordered ranges that neither touch nor overlap. */
#ifndef TY_ENGINE_JOB_JOB_INDEXES_H
#define TY_ENGINE_JOB_JOB_INDEXES_H

#include "base/arena.h"
#include "base/str.h"

struct ty_index_range {
    int64_t first, last;
};
struct ty_job_indexes {
    struct ty_index_range *v;
    size_t n;
};
/* "0-2,5": parts that are no numbers are skipped, indexes from `completions` on are cut off. */
struct ty_job_indexes ty_job_indexes_parse(struct ty_arena *a, struct ty_str text,
                                           int64_t completions);
/* As status.completedIndexes has it: runs of three or more as a-b, two neighbours as a,b. */
struct ty_str ty_job_indexes_text(struct ty_arena *a, const struct ty_job_indexes *s);
/* Sorts v in place; repeated values are fine. */
struct ty_job_indexes ty_job_indexes_from(struct ty_arena *a, int64_t *v, size_t n);
struct ty_job_indexes ty_job_indexes_join(struct ty_arena *a, const struct ty_job_indexes *x,
                                          const struct ty_job_indexes *y);
int64_t ty_job_indexes_total(const struct ty_job_indexes *s);
bool ty_job_indexes_has(const struct ty_job_indexes *s, int64_t index);
/* How many. */
int64_t ty_job_indexes_common(const struct ty_job_indexes *x, const struct ty_job_indexes *y);
/* The lowest indexes below `completions` that are not in the set, at most n; gives how many. */
size_t ty_job_indexes_missing(const struct ty_job_indexes *s, int64_t completions, int64_t *ret_v,
                              size_t n);

#endif
