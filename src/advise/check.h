/* What was checked and what came of it: a line each, with what to do about it. */
#ifndef TY_ADVISE_CHECK_H
#define TY_ADVISE_CHECK_H

#include "base/arena.h"

enum ty_level {
    TY_LEVEL_OK,
    TY_LEVEL_WARN, /* something will not work, or not as well */
    TY_LEVEL_FAIL, /* nothing will */
    TY_LEVELS,
};
extern const char *const ty_level_words[TY_LEVELS]; /* "ok", "warn", "fail" */

struct ty_check {
    struct ty_check *next;
    enum ty_level level;
    const char *area; /* "machine", "cluster" */
    const char *name; /* one word, the same for ever: "python", "crds" */
    const char *what; /* a sentence */
    const char *fix;  /* what to do; NULL: nothing */
};
struct ty_checks { /* zeroed but for the arena and the area */
    struct ty_arena *arena;
    const char *area;
    struct ty_check *first, *last;
    size_t n[TY_LEVELS];
};

/* Appends; what it gives is for ty_check_fix. The name is borrowed. */
struct ty_check *ty_checks_add(struct ty_checks *c, enum ty_level level, const char *name,
                               const char *fmt, ...) TY_PRINTF(4, 5);
void ty_check_fix(struct ty_checks *c, struct ty_check *one, const char *fmt, ...) TY_PRINTF(3, 4);

#endif
