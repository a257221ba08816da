/* Prints objects as `kubectl get -o` does. */
#ifndef TY_CLI_VIEW_OBJECTS_VIEW_H
#define TY_CLI_VIEW_OBJECTS_VIEW_H

#include "cli/cli.h"
#include "json/json.h"

/* One object alone, or a v1 List if `list`. output: json, yaml or name. Gives an exit code. */
int ty_objects_view_print(struct ty_cli *cli, struct ty_json *const *objs, size_t n, bool list,
                          const char *output);

#endif
