/* Prints objects on standard output: YAML documents, one v1/List, or names. */
#ifndef TY_CLI_VIEW_PRINTER_H
#define TY_CLI_VIEW_PRINTER_H

#include "base/buf.h"
#include "cli/cli.h"
#include "trainer/plan.h"

struct ty_printer {
    struct ty_cli *cli;
    bool origins; /* comment each field with its origin (YAML) */
    bool redact;  /* print <redacted> instead of Secret data */
    enum { TY_PRINT_YAML, TY_PRINT_JSON, TY_PRINT_NAME } how;
    size_t n; /* objects so far */
    int code; /* TY_EXIT_BAD once writing failed */
};

void ty_printer_begin(struct ty_printer *p, const char *format); /* NULL: yaml */
/* plan: explains origins; may be NULL. `a` is for the call only. obj may be changed (redaction). */
void ty_printer_add(struct ty_printer *p, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_json *obj, const struct ty_plan *plan);
void ty_printer_end(struct ty_printer *p);

#endif
