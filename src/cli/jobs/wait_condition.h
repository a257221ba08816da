/* The conditions that `wait` waits for, in kubectl's words. Without I/O. */
#ifndef TY_CLI_JOBS_WAIT_CONDITION_H
#define TY_CLI_JOBS_WAIT_CONDITION_H

#include "json/json.h"

struct ty_wait_condition {
    bool gone;                 /* the object is deleted */
    const char *type, *status; /* else the condition, in any case */
};
/* "complete", "failed", "suspended", "delete", "condition=TYPE[=STATUS]". Lives with the arena. */
bool ty_wait_condition_parse(struct ty_arena *a, const char *word, struct ty_wait_condition *ret);
/* False for `gone`. */
bool ty_wait_condition_met(const struct ty_wait_condition *c, const struct ty_json *job);

#endif
