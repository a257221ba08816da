/* What the end of a log says: whose error it is, of which rank, and the lines to show of it. */
#ifndef TY_REPORT_FAILURE_SUMMARY_TAIL_H
#define TY_REPORT_FAILURE_SUMMARY_TAIL_H

#include "base/arena.h"
#include "base/str.h"

enum {
    TY_TAIL_LINES = 20,     /* shown */
    TY_TAIL_BYTES = 65536,  /* read; more if a line of it begins before, at most … */
    TY_TAIL_MOST = 1 << 20, /* … so far back */
    TY_TAIL_RANKS = 8,      /* told */
};

/* How much it says about who is to blame, from nothing to everything. */
enum ty_failure_evidence {
    TY_EVIDENCE_NONE,
    TY_EVIDENCE_STOPPED, /* told to end by a signal, of the engine or of a launcher */
    TY_EVIDENCE_PEER,    /* lost a peer, or waited for one in vain */
    TY_EVIDENCE_EXIT,    /* ended badly without a word */
    TY_EVIDENCE_OWN,     /* an error of its own: traceback, crash, out of memory */
};

struct ty_failure_tail_in {
    struct ty_str log;         /* its end: ty_failure_summary_tail_part() */
    int64_t first_rank, procs; /* of its launcher's processes; procs 0: unknown */
    int code;                  /* it exited by itself with this; 0: it did not, or unknown */
};
/* Lives with the arena. */
struct ty_failure_tail {
    enum ty_failure_evidence weight; /* NONE: the log says nothing about a failure */
    struct ty_str error;             /* "ValueError: boom"; or empty */
    bool lived;                      /* its process went on for a while, or logged it */
    size_t at;                       /* where its line is in the log; SIZE_MAX unknown */
    int64_t ranks[TY_TAIL_RANKS];    /* whose it is: one of these */
    size_t n_ranks;                  /* 0: unknown */
    uint64_t heard;                  /* bit i: process i of the launcher left last words */
    const char **lines;              /* clean, at most TY_TAIL_LINES */
    size_t n;
    size_t hidden; /* lines after those */
    bool many;     /* and some of these are of other processes, or of a launcher */
};
/* The last TY_TAIL_BYTES of a log begin in the middle of a long line: one that may be an error. */
bool ty_failure_summary_tail_is_short(struct ty_str log);
/* Of the last TY_TAIL_MOST bytes those to read: TY_TAIL_BYTES, and if these are too short the whole
 * line and what is before it. */
struct ty_str ty_failure_summary_tail_part(struct ty_str log);
/* Time and memory are linear in the bytes of the log. */
void ty_failure_summary_tail(struct ty_arena *a, const struct ty_failure_tail_in *in,
                             struct ty_failure_tail *ret);

#endif
