/* RFC 7386: a patch has the shape of the document; null removes a member, any other value sets it.
 */
#include <assert.h>

#include "json/json_inner.h"
#include "json/patch.h"
#include "json/patch_inner.h"

struct ty_json *ty_patch_copy_list(struct ty_arena *a, const struct ty_json *v, size_t more)
{
    size_t each = v->type == TY_JSON_ARRAY ? sizeof(v->items[0]) : sizeof(v->members[0]);
    struct ty_json *shell = ty_new(a, struct ty_json);

    assert(v->n + more <= UINT32_MAX);
    *shell = *v;
    if (v->type < TY_JSON_ARRAY)
        return shell;
    void *list = ty_arena_raw(a, (v->n + more) * each, _Alignof(max_align_t));
    if (v->n > 0)
        memcpy(list, v->items, v->n * each);
    shell->items = list;
    shell->cap = (uint32_t)(v->n + more);
    return shell;
}

static size_t place_of(const struct ty_json *obj, struct ty_str key)
{
    for (size_t i = 0; i < obj->n; i++) {
        if (ty_str_eq(obj->members[i].key, key))
            return i;
    }
    return TY_PATCH_NOT_FOUND;
}

const size_t *ty_patch_member_indexes(struct ty_arena *a, const struct ty_json *obj,
                                      const struct ty_json *patch)
{
    size_t *places = ty_new_n(a, size_t, patch->n);

    if (obj->n <= 16 || patch->n <= 2) {
        for (size_t i = 0; i < patch->n; i++)
            places[i] = place_of(obj, patch->members[i].key);
        return places;
    }
    const struct ty_json_member **have = ty_json_members_sorted(obj->members, obj->n);
    const struct ty_json_member **want = ty_json_members_sorted(patch->members, patch->n);
    for (size_t i = 0, k = 0; i < patch->n; i++) {
        while (k < obj->n && ty_str_cmp(have[k]->key, want[i]->key) < 0)
            k++;
        bool found = k < obj->n && ty_str_eq(have[k]->key, want[i]->key);
        places[want[i] - patch->members] =
            found ? (size_t)(have[k] - obj->members) : TY_PATCH_NOT_FOUND;
    }
    free(have);
    free(want);
    return places;
}

void ty_patch_set_member(struct ty_json *obj, size_t place, struct ty_str key,
                         struct ty_json *value)
{
    if (place != TY_PATCH_NOT_FOUND) {
        obj->members[place].value = value;
    } else if (value) {
        assert(obj->n < obj->cap);
        obj->members[obj->n++] = (struct ty_json_member){ key, value };
    }
}

void ty_patch_sweep_members(struct ty_json *obj)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < obj->n; i++) {
        if (obj->members[i].value)
            obj->members[n++] = obj->members[i];
    }
    obj->n = n;
}

struct ty_json *ty_patch_merge(struct ty_arena *a, const struct ty_json *doc,
                               const struct ty_json *patch)
{
    struct ty_json nothing = { .type = TY_JSON_OBJECT };

    if (patch->type != TY_JSON_OBJECT)
        return ty_json_copy(a, patch, 0);
    if (!doc || doc->type != TY_JSON_OBJECT) {
        nothing.origin = patch->origin;
        nothing.line = patch->line;
        nothing.col = patch->col;
        doc = &nothing;
    }
    struct ty_json *merged = ty_patch_copy_list(a, doc, patch->n);
    const size_t *places = ty_patch_member_indexes(a, doc, patch);
    for (size_t i = 0; i < patch->n; i++) {
        const struct ty_json_member *m = &patch->members[i];
        const struct ty_json *old =
            places[i] == TY_PATCH_NOT_FOUND ? NULL : doc->members[places[i]].value;
        bool gone = m->value->type == TY_JSON_NULL;
        ty_patch_set_member(merged, places[i], m->key,
                            gone ? NULL : ty_patch_merge(a, old, m->value));
    }
    ty_patch_sweep_members(merged);
    return merged;
}
