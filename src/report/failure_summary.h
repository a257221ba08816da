/* Which process made a job fail, why, and what followed from it. Pure: the caller adds every
 * container that ends, stopped ones included, and prints the summary at any time.
 *
 *   struct ty_ended_container --> struct ty_failure_summary --> text
 *   with the end of its log       one for each TrainJob         for conditions and users
 *
 * The first to exit is seldom the first to fail: a rank that raises takes its peers with it, and
 * their launchers may see it sooner. So containers are compared by evidence
 * (failure_summary_tail.h): an error of its own, then an exit without a word, then the loss of a
 * peer. A container that was stopped may have survived what it printed: its error counts less than
 * that of one that ended by itself (enum ty_failure_score). Time breaks ties: that of the error's
 * line if it is known, else that of the exit. Clocks of different machines may differ: then only
 * ties are affected. */
#ifndef TY_REPORT_FAILURE_SUMMARY_H
#define TY_REPORT_FAILURE_SUMMARY_H

#include "base/buf.h"

struct ty_log_arrival; /* log_arrivals.h */

/* One container that ended. Borrowed for the call. */
struct ty_ended_container {
    const char *node; /* "node-0-1" */
    const char *container;
    int64_t attempt;      /* JobSet restarts before it */
    int restarts;         /* of the container */
    int code, sig;        /* exit code; or the signal that ended it, then code is not used */
    bool oom;             /* the kernel killed it for memory */
    bool stopped;         /* the engine ended it because it was not needed any more … */
    bool asked;           /* … and that because somebody asked for it: timeout, Ctrl-C, delete */
    bool sidecar;         /* its end decides nothing */
    int64_t memory_limit; /* bytes; 0 none */
    const char *never;    /* why it could not start at all; or NULL */
    const char *forced;   /* why the engine had to end it, if for a fault of its own; or NULL */
    const char *lost;     /* what the cluster did to its pod: "was evicted: …"; or NULL */
    int64_t began_ms, ended_ms;
    int64_t stop_ms;                     /* when it was told to end; 0 it was not, or unknown */
    int64_t first_rank, procs;           /* of its launcher's processes; procs 0: unknown */
    struct ty_str log;                   /* its end: ty_failure_summary_tail_part() */
    const struct ty_log_arrival *arrive; /* of that, with ascending offsets; may be NULL */
    size_t n_arrive;
    const char *hint; /* what to do about it, one sentence; or NULL */
};

struct ty_failure_summary;
struct ty_failure_summary *ty_failure_summary_new(void);
void ty_failure_summary_free(struct ty_failure_summary *v); /* NULL is fine */
/* A failure counts until the same container of the same node ends well: then it was made good. The
 * first end of a later attempt closes the attempts before it. */
void ty_failure_summary_add(struct ty_failure_summary *v, const struct ty_ended_container *end);
/* Something failed, and was not made good. */
bool ty_failure_summary_any(const struct ty_failure_summary *v);
/* The node that is to blame in the last attempt, or NULL. */
const char *ty_failure_summary_node(const struct ty_failure_summary *v);
/* Its rank, -1 if that is not known for certain. */
int64_t ty_failure_summary_rank(const struct ty_failure_summary *v);
/* What the log of a failed container says: "ValueError: boom"; NULL if nothing. */
const char *ty_failure_summary_error(const struct ty_failure_summary *v, const char *node,
                                     const char *container);
/* "node-0-1 (rank 3) failed first: ValueError: boom (exit code 1), after 1.2 s, in attempt 2" */
void ty_failure_summary_headline(const struct ty_failure_summary *v, size_t running,
                                 struct ty_buf *out);
/* All of it, in whole lines: the headline, the last lines of its log, what followed, the attempts
 * before. running: processes of the job that still run. */
void ty_failure_summary_print(const struct ty_failure_summary *v, size_t running,
                              struct ty_buf *out);
/* "exit code 127: command not found", "segmentation fault (SIGSEGV)" */
void ty_failure_summary_exit_text(const struct ty_ended_container *end, struct ty_buf *out);
/* "0.2 s", "12 s", "3 min 20 s", "2 h 5 min" */
void ty_failure_summary_duration(int64_t ms, struct ty_buf *out);

#endif
