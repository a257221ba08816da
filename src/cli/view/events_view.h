/* Prints events: a table as `kubectl events`, or a v1 List. */
#ifndef TY_CLI_VIEW_EVENTS_VIEW_H
#define TY_CLI_VIEW_EVENTS_VIEW_H

#include "cli/jobs/job_source.h"
#include "cli/view/table_watch.h"

/* job NULL: of all TrainJobs; on this machine of the newest run. output: NULL (table), json or
 * yaml. Gives an exit code. */
int ty_events_view_print(struct ty_job_source *source, const struct ty_job_history_entry *job,
                         const char *output);
struct ty_phase_mark; /* report/job_phase.h */
/* For describe: adds the table to `out`, indented, and gives the times and reasons of the events,
 * and the message of the last FirstFailure event, or NULL. They live with the cli's arena. */
struct ty_events_marks {
    struct ty_phase_mark *v;
    size_t n, cap;
    const char *failure;
};
int ty_events_view_describe(struct ty_job_source *source, const struct ty_job_history_entry *job,
                            const char *indent, struct ty_buf *out, struct ty_events_marks *ret);
/* Adds the heading and the events to the table, each followed by w's check for changes. */
int ty_events_view_watch(struct ty_job_source *source, const struct ty_job_history_entry *job,
                         struct ty_table_watch *w, struct ty_table *t);

#endif
