/* The answer of `adopt`, for people and for programs. */
#ifndef TY_CLI_VIEW_ADOPT_VIEW_H
#define TY_CLI_VIEW_ADOPT_VIEW_H

#include "advise/adopt.h"
#include "base/buf.h"

struct ty_adopt_view_opts {
    bool verbose; /* every object and every note; else only what stands against a switch */
    bool colour;
};
/* A line an object, its reasons below it, a table of all, and the last word. */
void ty_adopt_view_print(struct ty_arena *a, struct ty_buf *out, const struct ty_adopt *r,
                         const struct ty_adopt_view_opts *how);
/* {safe, because, summary, objects: [{kind, namespace, name, result, text, reasons}]} */
struct ty_json *ty_adopt_view_json(struct ty_arena *a, const struct ty_adopt *r);

#endif
