/* The report of `doctor`, as text and as JSON. */
#ifndef TY_CLI_VIEW_DOCTOR_VIEW_H
#define TY_CLI_VIEW_DOCTOR_VIEW_H

#include "advise/check.h"
#include "base/buf.h"
#include "json/json.h"

/* Prints one line per check, "warn  what  -- fix: ...", then the number of each level. */
void ty_doctor_view_print(struct ty_arena *a, struct ty_buf *out, const struct ty_check_results *c,
                          bool colour);
/* {ok, checks: [{area, name, level, what, fix}]} */
struct ty_json *ty_doctor_view_json(struct ty_arena *a, const struct ty_check_results *c);

#endif
