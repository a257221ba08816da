/* Errors and warnings about the user's objects, printed as text or as JSON. */
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
    bool unchecked; /* some rules were not checked, because an object has the wrong shape */
};

void ty_findings_done(struct ty_findings *f); /* memory outside the arena */

/* Adds an error about a field, at the position of its value or of the nearest parent in the input.
 * A message of the API server about the whole object ("<nil>") is omitted if there are other
 * errors, because it repeats them or comments on them; f->unchecked records the comment. */
void ty_findings_field(struct ty_findings *f, const struct ty_doc *doc,
                       const struct ty_field_err *e);
/* Adds a sentence about an object. */
void ty_findings_warn(struct ty_findings *f, const struct ty_doc *doc, const char *text);
void ty_findings_error(struct ty_findings *f, const struct ty_doc *doc, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Adds an unusable file or document. */
void ty_findings_input_error(struct ty_findings *f, const struct ty_input_error *t);

/* Sorts by file, in the order of each file's first finding, then by line and column. */
void ty_findings_sort(struct ty_findings *f);
void ty_findings_print_one(struct ty_buf *out, const struct ty_finding *f, bool colour);
/* Prints all, one per line:
 * "job.yaml:12:9: spec.trainer.numNode: unknown field (did you mean "numNodes"?)" */
void ty_findings_print(struct ty_buf *out, const struct ty_findings *f, bool colour);
/* A list of {severity, file, line, column, kind, name, path, type, value, detail, hint}. */
struct ty_json *ty_findings_json(struct ty_arena *a, const struct ty_findings *f);

#endif
