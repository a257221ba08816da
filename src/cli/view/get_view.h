/* The tables of `trainyard get`, one for each kind. */
#ifndef TY_CLI_VIEW_GET_VIEW_H
#define TY_CLI_VIEW_GET_VIEW_H

#include "cli/history/job_history.h"
#include "cli/view/table.h"

/* Heading and rows of the table of one kind. wide adds columns. */
struct ty_get_row {
    struct ty_arena *a; /* the cells live with it */
    struct ty_json *obj;
    const struct ty_history_read_object *row; /* NULL for TrainJobs */
    bool cut_off, wide;
    int64_t now_ms;
};
void ty_get_pods_head(struct ty_table *t, bool wide);
void ty_get_pods_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_jobs_head(struct ty_table *t, bool wide);
void ty_get_jobs_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_jobsets_head(struct ty_table *t, bool wide);
void ty_get_jobsets_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_trainjobs_head(struct ty_table *t, bool wide);
void ty_get_trainjobs_row(struct ty_table *t, struct ty_arena *a,
                          const struct ty_job_history_entry *job, bool wide, int64_t now_ms);

#endif
