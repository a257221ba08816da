/* What is wrong with the user's objects, as lines for people or as JSON for programs. */
#ifndef TY_CLI_VIEW_FINDINGS_H
#define TY_CLI_VIEW_FINDINGS_H

#include "base/buf.h"
#include "cli/inputs.h"
#include "cli/view/finding_dedup.h"
#include "json/errs.h"

struct ty_finding {
    struct ty_finding *next;
    const char *file;
    unsigned line, col;      /* 0 unknown */
    const char *kind, *name; /* of the object; NULL when there is none */
    const char *path;        /* of the field; NULL */
    const char *type;        /* "Invalid value", "Unknown field", …; NULL for plain sentences */
    const char *value, *detail, *hint; /* may be NULL */
    bool warning;
};

struct ty_findings {
    struct ty_arena *arena;
    struct ty_finding *first, *last;
    size_t n_errors, n_warnings;
    struct ty_finding_dedup dedup;
    bool unchecked; /* rules of some object wait until its shape is right */
};

void ty_findings_done(struct ty_findings *f); /* what the arena does not hold */

/* A field's mistake; its place is that of the value, or of the nearest thing above it in the input.
 * What the API server says of the whole object ("<nil>") repeats or comments other mistakes once
 * there are some: then it is left out, and f->unchecked remembers the comment. */
void ty_findings_field(struct ty_findings *f, const struct ty_doc *doc,
                       const struct ty_field_err *e);
/* A sentence about an object. */
void ty_findings_warn(struct ty_findings *f, const struct ty_doc *doc, const char *text);
void ty_findings_error(struct ty_findings *f, const struct ty_doc *doc, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* A file that cannot be used. */
void ty_findings_input_error(struct ty_findings *f, const struct ty_input_error *t);

/* By file, in the order in which files were first blamed, then by line and column. */
void ty_findings_sort(struct ty_findings *f);
/* "job.yaml:12:9: spec.trainer.numNode: unknown field (did you mean "numNodes"?)" */
void ty_findings_print_one(struct ty_buf *out, const struct ty_finding *f, bool colour);
/* All, one a line. */
void ty_findings_print(struct ty_buf *out, const struct ty_findings *f, bool colour);
/* A list of {severity, file, line, column, kind, name, path, type, value, detail, hint}. */
struct ty_json *ty_findings_json(struct ty_arena *a, const struct ty_findings *f);

#endif
