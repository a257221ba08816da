/* What is known of one log, for the files of ty_failure_summary_tail: failure_summary_tail.c
 * chooses the error, failure_summary_tail_ranks.c finds out which process it is of. */
#ifndef TY_REPORT_FAILURE_SUMMARY_TAIL_INNER_H
#define TY_REPORT_FAILURE_SUMMARY_TAIL_INNER_H

#include "report/failure_findings.h"
#include "report/failure_summary_tail.h"

struct ty_tail_reader {
    struct ty_arena *arena;
    const struct ty_failure_tail_in *in;
    struct ty_failure_log log;
    struct ty_failure_findings found;
    struct ty_failure_tail *ret;
    size_t end; /* line that ends the chosen finding; SIZE_MAX none */
};

/* Python ends itself by SIGINT after it, unless something else was raised meanwhile. */
bool ty_failure_tail_is_interrupt(const struct ty_failure_finding *f);
/* Both have the same mark. */
bool ty_failure_tail_is_of_child(const struct ty_failure_finding *f,
                                 const struct ty_failure_child *c);
/* A traceback of a process without a mark can be of any child that ended as after one. */
bool ty_failure_tail_may_be_of_child(const struct ty_failure_finding *f,
                                     const struct ty_failure_child *c);
/* A child with a finding that can only be its own. */
bool ty_failure_tail_is_claimed(const struct ty_tail_reader *t, const struct ty_failure_child *c);
/* The rank of a child that its launcher does not name: the only one without last words. -1: there
 * are several, or none. */
int64_t ty_failure_tail_silent_rank(const struct ty_tail_reader *t);
/* Sets the rank of a finding, if that is certain. */
void ty_failure_tail_find_rank(const struct ty_tail_reader *t, struct ty_failure_finding *f);
/* Adds to the ranks of the result, in order. -1 adds nothing. */
void ty_failure_tail_add_rank(struct ty_tail_reader *t, int64_t rank);
/* Adds all that the finding can be of. All findings must have their rank, and the result who was
 * heard. */
void ty_failure_tail_add_ranks(struct ty_tail_reader *t, const struct ty_failure_finding *f);

#endif
