/* What a failure summary keeps, for its files: failure_summary.c fills it, failure_summary_print.c
 * prints it. */
#ifndef TY_REPORT_FAILURE_SUMMARY_INNER_H
#define TY_REPORT_FAILURE_SUMMARY_INNER_H

#include "base/map.h"
#include "report/failure_summary.h"
#include "report/failure_summary_tail.h"
#include "report/failure_symptoms.h"

enum { TY_FAILURES_KEPT = 64, TY_FAILURE_ATTEMPTS = 32 };

/* Evidence against a container: that of its log, in steps of four. A process that ended by itself
 * ended of its error; one that was stopped may have caught it. */
enum ty_failure_score {
    TY_SCORE_NONE = 0,
    TY_SCORE_OLD = 1, /* an error that it survived long before anybody failed */
    TY_SCORE_PEER = 4 * TY_EVIDENCE_PEER,
    TY_SCORE_SURVIVED, /* stopped; it went on after its error */
    TY_SCORE_LATE,     /* the error came after the order to end */
    TY_SCORE_EXIT = 4 * TY_EVIDENCE_EXIT,
    TY_SCORE_STOPPED_OWN, /* stopped; its error is the last that it wrote */
    TY_SCORE_OWN = 4 * TY_EVIDENCE_OWN,
};

struct ty_container_failure {
    char *node, *container;
    char *what;  /* in words */
    char *error; /* from its log; empty: none */
    char *tail;  /* whole lines, indented */
    char *hint;  /* what to do about it; or NULL */
    int64_t ranks[TY_TAIL_RANKS];
    size_t n_ranks;
    int score;                       /* evidence: the highest is to blame */
    bool peer;                       /* it lost a peer */
    bool timed_out;                  /* because that did not answer in time: it may hang */
    enum ty_failure_refusal refusal; /* because that refused its connection */
    bool stopped;                    /* by the engine */
    int64_t first_rank, procs;
    uint64_t heard;                    /* which of these left last words */
    int64_t began_ms, at_ms, ended_ms; /* at_ms: of the error; a launcher ends seconds later */
    int restarts;
};

/* A container that ended well. */
struct ty_failure_leaver {
    char *node, *container;
    int64_t ended_ms, rank; /* rank: -1 if it is not known, or has several */
};

struct ty_failure_summary {
    int64_t attempt;
    struct ty_container_failure kept[TY_FAILURES_KEPT]; /* of this attempt, in the order of time */
    size_t n, more;                                     /* more: failed, too, but only counted */
    struct ty_failure_leaver left[TY_FAILURES_KEPT];    /* the first of this attempt, by time */
    size_t n_left;
    struct ty_map stopped;             /* nodes that ended because of the failure */
    char *before[TY_FAILURE_ATTEMPTS]; /* who was to blame in each attempt before, in words */
    size_t n_before, more_before;
};

/* It was stopped, and its error is older than what the culprit failed of: it had survived that. */
bool ty_failure_summary_is_bystander(const struct ty_container_failure *culprit,
                                     const struct ty_container_failure *f);
/* Most evidence; of several the first in time. NULL: nothing failed. */
const struct ty_container_failure *ty_failure_summary_culprit(const struct ty_failure_summary *v);
/* Everybody lost a peer, and all processes but one say so: the node of that one, else NULL.
 * ret_rank: -1 if it is not known. */
const char *ty_failure_summary_silent(const struct ty_failure_summary *v, int64_t *ret_rank);
/* Everybody lost a peer, and one node of the same job had ended well before: those that lost it
 * still needed it. Else NULL. */
const struct ty_failure_leaver *ty_failure_summary_leaver(const struct ty_failure_summary *v);
/* "node-0-1 (rank 2 or 3)", "node-0-0 (container tracker)" */
void ty_failure_summary_who(const struct ty_container_failure *f, struct ty_buf *out);
/* "node-0-1 (rank 3) failed first: ValueError: boom (exit code 1), after 1.2 s". over: all have
 * ended; alone: nobody else failed. */
void ty_failure_summary_first(const struct ty_failure_summary *v, bool over, bool alone,
                              struct ty_buf *out);

#endif
