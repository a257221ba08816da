/* Regular expressions of failure rules. Users write Go's (RE2); we match with POSIX ones, so every
 * pattern is translated first, and what has no translation is refused when the JobSet is read. */
#ifndef TY_ENGINE_JOBSET_JOBSET_REGEX_H
#define TY_ENGINE_JOBSET_JOBSET_REGEX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* 0, or -EINVAL with a sentence: Go would refuse it too, or we cannot say it in POSIX. */
int ty_jobset_regex_check(struct ty_arena *a, struct ty_str pattern, struct ty_err *err);
/* Does it match anywhere in the text? False for a pattern that ty_jobset_regex_check refuses. */
bool ty_jobset_regex_found(struct ty_arena *a, struct ty_str pattern, struct ty_str text);

#endif
