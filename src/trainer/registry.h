/* The built-in plugins, in the order of registry.def, and lookups by ML policy. */
#ifndef TY_TRAINER_REGISTRY_H
#define TY_TRAINER_REGISTRY_H

#include "trainer/plugin.h"

extern const struct ty_plugin *const ty_plugins[]; /* in registry order, NULL-terminated */
/* Every policy of a plugin must be a member of mlPolicy in the schema, and every policy of the
 * schema must have exactly one plugin; else -EINVAL with what to change. `plugins` ends with NULL.
 */
int ty_registry_check(const struct ty_plugin *const *plugins, struct ty_err *err);
/* The plugin with a launcher whose policy this mlPolicy (may be NULL) has, or NULL. */
const struct ty_plugin *ty_registry_launcher(const struct ty_json *ml);
/* Whether the launcher of this mlPolicy is one of the nodes. */
bool ty_registry_launcher_is_node(const struct ty_json *ml);

#endif
