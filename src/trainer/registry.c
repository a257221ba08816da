/* The plugins, in order, from registry.def. */
#include "trainer/plugin.h"

#define TY_PLUGIN(n) extern const struct ty_plugin ty_plugin_##n;
#include "trainer/registry.def"
#undef TY_PLUGIN
const struct ty_plugin *const ty_plugins[] = {
#define TY_PLUGIN(n) &ty_plugin_##n,
#include "trainer/registry.def"
#undef TY_PLUGIN
    NULL,
};
