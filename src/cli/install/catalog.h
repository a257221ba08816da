/* The ClusterTrainingRuntimes that are in the binary (catalog/). */
#ifndef TY_CLI_INSTALL_CATALOG_H
#define TY_CLI_INSTALL_CATALOG_H

#include "cli/embedded.h"
#include "json/json.h"

/* Parses the runtime of that name; NULL if there is none. Lives with the arena. */
struct ty_json *ty_catalog_get(struct ty_arena *a, struct ty_str name);

#endif
