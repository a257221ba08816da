/* Which process failed first, why, and what followed from it. Pure: the engine adds every process
 * that ends, and prints the summary when a JobSet has failed.
 *
 *   process ends --> struct ty_ended_container --> struct ty_failure_summary --> text for
 *                    with the tail of its log      one for each TrainJob         conditions, users
 */
#ifndef TY_REPORT_FAILURE_SUMMARY_H
#define TY_REPORT_FAILURE_SUMMARY_H

#include "base/buf.h"

/* One container that ended. Borrowed for the call. */
struct ty_ended_container {
    const char *node; /* "node-0-1" */
    const char *container;
    int64_t attempt;      /* JobSet restarts before it */
    int restarts;         /* of the container */
    int code, sig;        /* exit code; or the signal that ended it, then code is not used */
    bool oom;             /* the kernel killed it for memory */
    int64_t memory_limit; /* bytes; 0 none */
    const char *never;    /* why it could not start at all; or NULL */
    const char *forced;   /* why the engine had to end it, if for a fault of its own; or NULL */
    bool stopped;         /* the engine ended it because it was not needed any more */
    int64_t began_ms, ended_ms;
    struct ty_str log; /* the end of its log, at most TY_TAIL_BYTES */
};

struct ty_failure_summary;
struct ty_failure_summary *ty_failure_summary_new(void);
void ty_failure_summary_free(struct ty_failure_summary *v); /* NULL is fine */
/* A failure counts until the same container of the same node ends well: then it was made good. The
 * first end of a later attempt closes the attempts before it. */
void ty_failure_summary_add(struct ty_failure_summary *v, const struct ty_ended_container *end);
/* Something failed, and was not made good. */
bool ty_failure_summary_any(const struct ty_failure_summary *v);
/* The node that failed first in the last attempt, or NULL. */
const char *ty_failure_summary_node(const struct ty_failure_summary *v);
/* What the log of a failed container says: "ValueError: boom"; NULL if nothing. */
const char *ty_failure_summary_error(const struct ty_failure_summary *v, const char *node,
                                     const char *container);
/* All of it, in whole lines: the headline ("node-0-1 failed first: ValueError: boom (exit code 1),
 * after 1.2 s, in attempt 2"), the last lines of its log, what followed, the attempts before.
 * running: processes of the job that still run. */
void ty_failure_summary_print(const struct ty_failure_summary *v, size_t running,
                              struct ty_buf *out);
/* "exit code 127: command not found", "segmentation fault (SIGSEGV)" */
void ty_failure_summary_exit_text(const struct ty_ended_container *end, struct ty_buf *out);
/* "0.2 s", "12 s", "3 min 20 s", "2 h 5 min" */
void ty_failure_summary_duration(int64_t ms, struct ty_buf *out);

#endif
