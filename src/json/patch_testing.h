/* For tests: applies the JSON patches (RFC 6902) that the program only writes (patch_diff.h), with
 * the operations it uses: add, remove and replace. */
#ifndef TY_JSON_PATCH_TESTING_H
#define TY_JSON_PATCH_TESTING_H

#include "json/json.h"

/* "~1" is a slash, "~0" a tilde. */
static inline struct ty_str json_pointer_key(struct ty_arena *a, struct ty_str token)
{
    char *out = ty_arena_strndup(a, token.n ? token.p : "", token.n);
    size_t n = 0;

    for (size_t i = 0; i < token.n; i++) {
        bool escaped = token.p[i] == '~' && i + 1 < token.n;
        out[n++] = !escaped ? token.p[i] : token.p[++i] == '1' ? '/' : '~';
    }
    return (struct ty_str){ out, n };
}

/* One operation on a document, in place. False if there is nothing at its path. */
static inline bool json_patch_one(struct ty_arena *a, struct ty_json **doc,
                                  const struct ty_json *op)
{
    struct ty_str rest = ty_json_str_at(op, "path"), key, name = ty_json_str_at(op, "op");
    const struct ty_json *value = ty_json_get(op, "value");
    struct ty_json *parent = NULL, *at = *doc;
    uint64_t index = 0;

    rest = ty_str_cut(rest, '/', &key); /* what is before the first slash is empty */
    while (rest.p && at) {
        rest = ty_str_cut(rest, '/', &key);
        key = json_pointer_key(a, key);
        parent = at;
        index = 0;
        if (ty_json_is(parent, TY_JSON_ARRAY) && !ty_str_parse_u64(key, &index))
            index = parent->n; /* "-": append */
        at = ty_json_is(parent, TY_JSON_ARRAY) ? ty_json_item(parent, index)
                                               : ty_json_find(parent, key);
    }
    bool add = ty_str_is(name, "add") && parent && parent->type >= TY_JSON_ARRAY;
    if (rest.p || (!at && !(add && index <= parent->n)))
        return false;
    if (!parent)
        *doc = ty_json_copy(a, value, 0);
    else if (ty_json_is(parent, TY_JSON_OBJECT) && value)
        ty_json_put(a, parent, key, ty_json_copy(a, value, 0));
    else if (ty_json_is(parent, TY_JSON_OBJECT))
        return ty_json_del(parent, key);
    else if (ty_str_is(name, "replace"))
        parent->items[index] = ty_json_copy(a, value, 0);
    else if (value)
        ty_json_insert(a, parent, index, ty_json_copy(a, value, 0));
    else
        ty_json_remove(parent, index);
    return true;
}

/* A patched copy; NULL if an operation finds nothing at its path. */
static inline struct ty_json *json_patched(struct ty_arena *a, const struct ty_json *doc,
                                           const struct ty_json *ops)
{
    struct ty_json *next = ty_json_copy(a, doc, 0);

    ty_each_item (op, ops)
        if (!json_patch_one(a, &next, *op))
            return NULL;
    return next;
}

#endif
