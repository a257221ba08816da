/* RFC 7386: a patch has the shape of the document; a null in it takes away, anything else is set.
 */
#include "json/patch.h"
#include "json/patch_inner.h"

struct ty_json *ty_json_shell(struct ty_arena *a, const struct ty_json *v)
{
    size_t each = v->type == TY_JSON_ARRAY ? sizeof(v->items[0]) : sizeof(v->members[0]);
    struct ty_json *shell = ty_new(a, struct ty_json);

    *shell = *v;
    if (v->type < TY_JSON_ARRAY || v->n == 0) {
        shell->cap = 0;
        return shell;
    }
    void *list = ty_arena_raw(a, v->n * each, _Alignof(max_align_t));
    memcpy(list, v->items, v->n * each);
    shell->items = list;
    shell->cap = v->n;
    return shell;
}

struct ty_json *ty_merge_patch(struct ty_arena *a, const struct ty_json *doc,
                               const struct ty_json *patch)
{
    static const struct ty_json nothing = { .type = TY_JSON_OBJECT };
    struct ty_json *merged;

    if (!ty_json_is(patch, TY_JSON_OBJECT))
        return ty_json_copy(a, patch, 0);
    if (ty_json_is(doc, TY_JSON_OBJECT)) {
        merged = ty_json_shell(a, doc);
    } else {
        merged = ty_json_shell(a, &nothing);
        merged->origin = patch->origin;
        merged->line = patch->line;
        merged->col = patch->col;
    }
    ty_each_member (m, patch) {
        if (ty_json_is(m->value, TY_JSON_NULL)) {
            ty_json_del(merged, m->key);
            continue;
        }
        struct ty_json *old = ty_json_find(merged, m->key);
        ty_json_put(a, merged, m->key, ty_merge_patch(a, old, m->value));
    }
    return merged;
}

struct ty_json *ty_merge_diff(struct ty_arena *a, const struct ty_json *from,
                              const struct ty_json *to)
{
    if (!ty_json_is(from, TY_JSON_OBJECT) || !ty_json_is(to, TY_JSON_OBJECT))
        return ty_json_copy(a, to, 0);
    struct ty_json *patch = ty_json_object(a);
    ty_each_member (m, from) {
        if (!ty_json_find(to, m->key))
            ty_json_put(a, patch, m->key, ty_json_null(a));
    }
    ty_each_member (m, to) {
        struct ty_json *old = ty_json_find(from, m->key);
        if (!old || !ty_json_eq(old, m->value))
            ty_json_put(a, patch, m->key, ty_merge_diff(a, old, m->value));
    }
    return patch;
}
