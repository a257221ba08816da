/* The tables of `trainyard get`, one for each kind. */
#ifndef TY_CLI_VIEW_GET_VIEW_H
#define TY_CLI_VIEW_GET_VIEW_H

#include "cli/jobs/job_source.h"
#include "cli/view/table.h"

struct ty_get_columns {
    bool wide; /* -o wide */
    bool runs; /* RUN and what else a run of this machine has */
};
/* Heading and rows of the table of one kind. */
struct ty_get_row {
    struct ty_arena *a; /* the cells live with it */
    const struct ty_job_object *of;
    const struct ty_json *obj; /* of->obj */
    struct ty_get_columns columns;
    int64_t now_ms;
};
void ty_get_pods_head(struct ty_table *t, const struct ty_get_columns *c);
void ty_get_pods_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_jobs_head(struct ty_table *t, const struct ty_get_columns *c);
void ty_get_jobs_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_jobsets_head(struct ty_table *t, const struct ty_get_columns *c);
void ty_get_jobsets_row(struct ty_table *t, const struct ty_get_row *r);
void ty_get_trainjobs_head(struct ty_table *t, const struct ty_get_columns *c);
void ty_get_trainjobs_row(struct ty_table *t, struct ty_arena *a,
                          const struct ty_job_history_entry *job, const struct ty_get_columns *c,
                          int64_t now_ms);

#endif
