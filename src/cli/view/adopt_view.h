/* The report of `adopt`, as text and as JSON. */
#ifndef TY_CLI_VIEW_ADOPT_VIEW_H
#define TY_CLI_VIEW_ADOPT_VIEW_H

#include "advise/adopt.h"
#include "base/buf.h"

struct ty_adopt_view_opts {
    bool verbose; /* every object and note; else only what prevents a switch */
    bool colour;
};
/* Prints one line per object with its reasons below it, a table of counts, and the result. */
void ty_adopt_view_print(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt *r,
                         const struct ty_adopt_view_opts *how);
/* {safe, because, summary, objects: [{kind, namespace, name, result, text, reasons}]} */
struct ty_json *ty_adopt_view_json(struct ty_arena *a, const struct ty_adopt *r);

#endif
