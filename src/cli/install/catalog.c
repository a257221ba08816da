/* Parses a built-in runtime when it is requested: most commands need one of thirteen. */
#include "cli/install/catalog.h"
#include "json/yaml.h"
#include <assert.h>

struct ty_json *ty_catalog_get(struct ty_arena *a, struct ty_str name)
{
    for (const struct ty_embedded *e = ty_catalog_files; e->name; e++) {
        if (!ty_str_is(name, e->name))
            continue;
        struct ty_yaml_docs docs = { 0 };
        struct ty_err err = { 0 };
        int r = ty_yaml_parse(a, e->name, e->text, NULL, &docs, &err);
        assert(r == 0 && docs.n == 1); /* our own files, read by a test */
        return r == 0 && docs.n == 1 ? docs.v[0] : NULL;
    }
    return NULL;
}
