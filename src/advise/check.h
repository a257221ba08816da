/* Results of checks: one line each, with a fix. */
#ifndef TY_ADVISE_CHECK_H
#define TY_ADVISE_CHECK_H

#include "base/arena.h"

enum ty_check_level {
    TY_CHECK_LEVEL_OK,
    TY_CHECK_LEVEL_WARN, /* something will not work, or not as well */
    TY_CHECK_LEVEL_FAIL, /* nothing will work */
    TY_CHECK_LEVELS,
};
extern const char *const ty_check_level_names[TY_CHECK_LEVELS]; /* "ok", "warn", "fail" */

struct ty_check_result {
    struct ty_check_result *next;
    enum ty_check_level level;
    const char *area; /* "machine", "cluster" */
    const char *name; /* one word, stable: "python", "crds" */
    const char *what; /* a sentence */
    const char *fix;  /* what to do; NULL: nothing */
};
struct ty_check_results { /* zeroed except for arena and area */
    struct ty_arena *arena;
    const char *area;
    struct ty_check_result *first, *last;
    size_t n[TY_CHECK_LEVELS];
};

/* Appends a result, for ty_check_set_fix. The name is borrowed. */
struct ty_check_result *ty_check_add(struct ty_check_results *c, enum ty_check_level level,
                                     const char *name, const char *fmt, ...) TY_PRINTF(4, 5);
void ty_check_set_fix(struct ty_check_results *c, struct ty_check_result *one, const char *fmt, ...)
    TY_PRINTF(3, 4);

#endif
