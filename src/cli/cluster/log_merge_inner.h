/* Shared by log_merge.c (which logs are read, and when) and log_merge_read.c (one of them). */
#ifndef TY_CLI_CLUSTER_LOG_MERGE_INNER_H
#define TY_CLI_CLUSTER_LOG_MERGE_INNER_H

#include <uv.h>

#include "base/map.h"
#include "cli/cluster/log_lines.h"
#include "cli/cluster/log_merge.h"

enum ty_log_merge_state { READ_WAITING, READ_OPEN, READ_ENDED, READ_DELAYED, READ_OVER };

struct ty_log_merge_source {
    struct ty_log_merge_source *next; /* in the order in which they are read */
    struct ty_log_merge *m;
    struct ty_log_merge_of_pod *pod;
    char *container;
    /* The status: */
    int64_t latest;
    bool latest_ended;
    /* Reading: */
    enum ty_log_merge_state state;
    int64_t reads;  /* the instance that is being read; -1: none */
    int64_t done;   /* the last one that was read whole; -1: none */
    bool last_read; /* the read that makes sure of the end */
    bool began;     /* the instance was read before: resume it */
    bool told;      /* that the connection was lost */
    int tries;
    int64_t due_ms; /* when delayed or ended */
    struct ty_log_lines lines;
    struct ty_kube_op *op;
};

struct ty_log_merge_of_pod {
    struct ty_log_merge *m;
    char *name, *node;
    bool gone, over, replaced;
    struct ty_log_merge_source *first; /* of n in a row */
    size_t n;
};

struct ty_log_merge {
    struct ty_log_merge_opts o;
    char *container;
    struct ty_map pods; /* uid -> struct ty_log_merge_of_pod */
    struct ty_log_merge_source *first, *last_source;
    size_t n_open, n_sources;
    uv_timer_t *timer;
    bool ticking, clean, over, any, fatal, told_limit;
    bool printed;     /* a line that is not flushed */
    int64_t spoke_ms; /* when the last line was written: a pager that blocks is no silence */
    int code;
    struct ty_buf text; /* a cleaned line */
};

/* Opens the logs that can be opened now; after each change of a source. */
void ty_log_merge_pump(struct ty_log_merge *m);

/* One line of the log, with its prefix; for struct ty_log_lines. */
void ty_log_merge_read_line(void *ctx, struct ty_str stamp, struct ty_str text);
/* True: there is something to open now. Chooses which instance of the container. */
bool ty_log_merge_read_is_ready(struct ty_log_merge_source *s, int64_t now_ms);
/* Begins to read, or resumes. */
void ty_log_merge_read_open(struct ty_log_merge_source *s);

#endif
