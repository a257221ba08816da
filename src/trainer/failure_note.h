/* The failure summary in the message of the condition Failed: JobSet's own words first, unchanged,
 * then a separator and the note. Failed is computed in each reconcile, so a note that is stored in
 * the status already is taken over from there: it stays the same across reconciles, restarts and
 * leaders, and is dropped only when the job is not failed any more. Pure. */
#ifndef TY_TRAINER_FAILURE_NOTE_H
#define TY_TRAINER_FAILURE_NOTE_H

#include "base/arena.h"
#include "base/str.h"

struct ty_json;

#define TY_FAILURE_NOTE_MARK "; first failure: "

/* The note in the stored status; empty: it has none. Borrowed. */
struct ty_str ty_failure_note_stored(const struct ty_json *status);
/* Appends the note to the message of Failed in `status`, if that is True because of the job itself:
 * `note` if it is not empty, else the one of `was`, whose own words must be the same.
 * lastTransitionTime stays. */
void ty_failure_note_apply(struct ty_arena *a, const struct ty_json *was, struct ty_str note,
                           struct ty_json *status);

#endif
