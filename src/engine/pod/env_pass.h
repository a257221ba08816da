/* Which variables of the caller every container gets (docs/run.md, "Environment"). */
#ifndef TY_ENGINE_POD_ENV_PASS_H
#define TY_ENGINE_POD_ENV_PASS_H

#include "base/arena.h"
#include "base/str.h"

/* Whether a variable of this name is passed on. Not those that the engine sets for one machine,
 * and not those with which devices are chosen. */
bool ty_env_pass_allows(struct ty_str name);
/* The variables of `from` (NULL-terminated, NAME=value) that are passed on. Lives with the arena;
 * the texts are copied. */
const char *const *ty_env_pass_filter(struct ty_arena *a, char *const *from);
/* NULL, or the value of no_proxy for pods of this JobSet: if `env` names a proxy, pods must still
 * reach each other without it. Lives with the arena. */
const char *ty_env_pass_no_proxy(struct ty_arena *a, const char *const *env, const char *jobset);

#endif
