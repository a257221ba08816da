/* Files that the build embeds in the binary (tools/embed). */
#ifndef TY_CLI_EMBEDDED_H
#define TY_CLI_EMBEDDED_H

#include "base/str.h"

struct ty_embedded {
    const char *name; /* the file's name without extension; NULL ends a table */
    struct ty_str text;
};

extern const struct ty_embedded ty_catalog_files[]; /* catalog/NAME.yaml */
extern const struct ty_embedded ty_install_files[]; /* manifests/.../NAME.yaml */

#endif
