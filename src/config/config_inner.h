/* What the files of config share: the schema of the file, a row for each field, the checks. */
#ifndef TY_CONFIG_CONFIG_INNER_H
#define TY_CONFIG_CONFIG_INNER_H

#include "api/schema.h"
#include "config/config.h"
#include "json/errs.h"

extern const struct ty_schema ty_config_schema;

enum ty_config_type {
    TY_CONFIG_INT,
    TY_CONFIG_NUMBER,
    TY_CONFIG_BOOL,
    TY_CONFIG_TEXT,     /* "" counts as absent */
    TY_CONFIG_DURATION, /* in milliseconds; 0 counts as absent */
    TY_CONFIG_WORDS,
    TY_CONFIG_WORKERS,
    TY_CONFIG_PROTECTION,
};
struct ty_config_row {
    const char *path; /* in the file */
    size_t at;        /* in struct ty_config */
    enum ty_config_type type;
    bool live; /* can change while the operator runs */
};
extern const struct ty_config_row ty_config_rows[]; /* ends with path NULL */

/* Stores the values of the file in c, except those of a wrong type. Adds invalid durations to errs,
 * and to existing schema errors of durations a hint about the unit. */
void ty_config_decode(struct ty_arena *a, const struct ty_json *doc, struct ty_config *c,
                      struct ty_errs *errs);
/* v2.3.0's checks in its order, then ours. doc: for positions. */
void ty_config_validate(const struct ty_config *c, const struct ty_json *doc, struct ty_errs *errs);

#endif
