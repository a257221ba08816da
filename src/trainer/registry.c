#include "trainer/registry.h"

#include <errno.h>

#include "api/schema.h"

#define TY_PLUGIN(n) extern const struct ty_plugin ty_plugin_##n;
#include "trainer/registry.def"
#undef TY_PLUGIN
const struct ty_plugin *const ty_plugins[] = {
#define TY_PLUGIN(n) &ty_plugin_##n,
#include "trainer/registry.def"
#undef TY_PLUGIN
    NULL,
};

static const struct ty_plugin *find_policy(const struct ty_plugin *const *plugins, const char *name)
{
    for (; *plugins; plugins++)
        if ((*plugins)->policy && strcmp((*plugins)->policy, name) == 0)
            return *plugins;
    return NULL;
}

int ty_registry_check(const struct ty_plugin *const *plugins, struct ty_err *err)
{
    for (const struct ty_plugin *const *p = plugins; *p; p++) {
        const char *name = (*p)->policy;
        if (!name)
            continue;
        const struct ty_field *f = ty_schema_field(&ty_schema_MLPolicy, ty_str(name));
        if (!f || !ty_schema_is_policy(f))
            return ty_fail(err, -EINVAL,
                           "plugin %s: the schema of mlPolicy has no policy \"%s\", so no runtime "
                           "could ask for it: add it to src/api/runtime_policy_schema.c",
                           (*p)->name, name);
        const struct ty_plugin *first = find_policy(plugins, name);
        if (first && first != *p)
            return ty_fail(err, -EINVAL, "plugins %s and %s both serve mlPolicy.%s", first->name,
                           (*p)->name, name);
    }
    for (const struct ty_field *f = ty_schema_MLPolicy.fields; f->name; f++)
        if (ty_schema_is_policy(f) && !find_policy(plugins, f->name))
            return ty_fail(err, -EINVAL,
                           "no plugin serves mlPolicy.%s: add one with .policy = \"%s\" to "
                           "src/trainer/registry.def",
                           f->name, f->name);
    return 0;
}

const struct ty_plugin *ty_registry_launcher(const struct ty_json *ml)
{
    for (size_t i = 0; ty_plugins[i]; i++)
        if (ty_plugins[i]->launcher && ty_json_get(ml, ty_plugins[i]->policy))
            return ty_plugins[i];
    return NULL;
}

bool ty_registry_launcher_is_node(const struct ty_json *ml)
{
    const struct ty_plugin *p = ty_registry_launcher(ml);

    return p && p->launcher_is_node && p->launcher_is_node(ty_json_get(ml, p->policy));
}
