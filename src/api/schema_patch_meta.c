/* The merge keys and strategies of strategic merge, from the schema tables. Also gives a patched
 * volume, variable or mount a single source: upstream's merge leaves the old one beside the new
 * (B21). */
#include "api/schema.h"

static struct ty_patch_meta guide_member(const void *type, struct ty_str key)
{
    const struct ty_schema *s = type;
    struct ty_patch_meta t = { .how = TY_PATCH_MERGE };

    if (!s)
        return t;
    if (s->type == TY_T_MAP) {
        t.type = s->items;
        return t;
    }
    const struct ty_field *f = ty_schema_field(s, key);
    if (!f)
        return t;
    t.type = f->schema;
    t.retain_keys = (f->flags & TY_F_RETAIN) != 0;
    if (f->schema->type == TY_T_ARRAY) {
        bool merge = (f->flags & TY_F_MERGE) != 0;
        t.how = !merge         ? TY_PATCH_REPLACE
                : f->patch_key ? TY_PATCH_MERGE_BY_KEY
                               : TY_PATCH_MERGE_SET;
        t.key = merge ? f->patch_key : NULL;
    }
    return t;
}

static const void *guide_item(const void *type)
{
    const struct ty_schema *s = type;

    return s ? s->items : NULL;
}

/* Does the patch have members other than `key`? Directives ($patch, …) do not count. */
static bool says_more(const struct ty_json *patch, const char *key)
{
    ty_each_member (m, patch)
        if (m->key.n > 0 && m->key.p[0] != '$' && !ty_str_is(m->key, key))
            return true;
    return false;
}

/* Removes all members except those that the patch sets, and `key`. */
static void keep_patched(struct ty_json *merged, const struct ty_json *patch, const char *key)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < merged->n; i++)
        if (ty_str_is(merged->members[i].key, key) || ty_json_find(patch, merged->members[i].key))
            merged->members[kept++] = merged->members[i];
    merged->n = kept;
}

static void merge_variable(struct ty_json *merged, const struct ty_json *patch)
{
    const struct ty_json *value = ty_json_get(patch, "value");
    const struct ty_json *from = ty_json_get(patch, "valueFrom");

    if (value && value->type != TY_JSON_NULL)
        ty_json_del(merged, TY_LIT("valueFrom"));
    if (!ty_json_is(from, TY_JSON_OBJECT))
        return;
    ty_json_del(merged, TY_LIT("value"));
    struct ty_json *source = ty_json_get(merged, "valueFrom");
    if (ty_json_is(source, TY_JSON_OBJECT) && says_more(from, ""))
        keep_patched(source, from, "");
}

static void guide_merged(struct ty_arena *a TY_UNUSED, const void *type, struct ty_json *merged,
                         const struct ty_json *patch)
{
    if (!ty_json_is(merged, TY_JSON_OBJECT) || !ty_json_is(patch, TY_JSON_OBJECT))
        return;
    if (type == &ty_schema_Volume && says_more(patch, "name"))
        keep_patched(merged, patch, "name");
    else if (type == &ty_schema_EnvVar)
        merge_variable(merged, patch);
    else if (type == &ty_schema_VolumeMount && says_more(patch, "mountPath"))
        keep_patched(merged, patch, "mountPath");
}

const struct ty_patch_schema ty_schema_patch_meta = {
    .member = guide_member,
    .item = guide_item,
    .merged = guide_merged,
};
