/* How the configuration is put together: the shape of the file, a row for each field, the checks.
 */
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
    TY_CONFIG_TEXT,     /* "" is as if it were not there */
    TY_CONFIG_DURATION, /* into milliseconds; 0 is as if it were not there */
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

/* What the file says, into c; values of a wrong type are left out. Durations that are none go to
 * errs; the entries that are there are those of the shape, and a duration without its unit gets
 * a hint there. */
void ty_config_decode(struct ty_arena *a, const struct ty_json *doc, struct ty_config *c,
                      struct ty_errs *errs);
/* v2.3.0's checks in its order, then ours. doc: for places. */
void ty_config_validate(const struct ty_config *c, const struct ty_json *doc, struct ty_errs *errs);

#endif
