/* Out-of-tree plugins: shared objects that see include/trainyard/plugin.h and nothing else. */
#ifndef TY_PLUGIN_HOST_EXTERN_PLUGIN_H
#define TY_PLUGIN_HOST_EXTERN_PLUGIN_H

#include "trainer/plugin.h"

#define TY_EXTERN_PLUGINS_MAX 32

struct ty_extern_plugins {
    const struct ty_plugin
        *v[TY_EXTERN_PLUGINS_MAX + 1]; /* NULL-terminated, for ty_pipeline_init */
    void *handles[TY_EXTERN_PLUGINS_MAX];
    size_t n;
};

/* Loads every *.so of the directory in byte order. -EINVAL with an error that names the file if one
 * cannot be used; those before it stay loaded. Descriptions live with the arena. */
int ty_extern_plugins_load(struct ty_extern_plugins *x, struct ty_arena *a, const char *dir,
                           struct ty_err *err);
void ty_extern_plugins_done(
    struct ty_extern_plugins *x); /* unloads; no plugin may be used afterwards */

#endif
