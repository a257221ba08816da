/* $(VAR) expansion in commands, arguments and variables, as the kubelet does it. */
#ifndef TY_ENGINE_POD_ENV_EXPAND_H
#define TY_ENGINE_POD_ENV_EXPAND_H

#include "base/arena.h"
#include "base/str.h"

/* $(VAR) expansion (docs/spec/jobset.md 5.7): `env` is a NULL-terminated list of NAME=value. */
char *ty_env_expand(struct ty_arena *a, struct ty_str text, const char *const *env);
/* As ty_env_expand, for subPathExpr: false, with the names that have no value ("A, B") in
 * *ret_missing.
 */
bool ty_env_expand_strict(struct ty_arena *a, struct ty_str text, const char *const *env,
                          const char **ret_text, const char **ret_missing);
/* The value of NAME in a NULL-terminated list of NAME=value, or NULL. */
const char *ty_env_find(const char *const *env, struct ty_str name);

#endif
