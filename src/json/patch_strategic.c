/* Strategic merge patch: a merge patch that knows types, so that lists of containers or volumes
 * merge item by item. Runtime patches of TrainJobs and kubectl's default patch use it.
 *
 * An object is merged member by member into a shallow copy of the old one: first directives that
 * remove, then the members, then directives that order. Everything from the patch is copied without
 * directives and nulls, and stamped with its origin. */
#include <errno.h>

#include "json/errs.h"
#include "json/patch.h"
#include "json/patch_inner.h"

#define PATCH  "$patch"
#define RETAIN "$retainKeys"
#define ORDER  "$setElementOrder/"
#define DELETE "$deleteFromPrimitiveList/"

struct merge {
    struct ty_arena *a;
    const struct ty_patch_schema *guide;
    struct ty_err *err;
    uint16_t origin;
};

static const char *text_of(const struct merge *m, const struct ty_field_path *at)
{
    return at ? ty_errs_path_text(m->a, at) : "the patch";
}

static bool is_directive(struct ty_str key)
{
    return key.n > 0 && key.p[0] == '$' &&
           (ty_str_is(key, PATCH) || ty_str_is(key, RETAIN) || ty_str_starts(key, TY_LIT(ORDER)) ||
            ty_str_starts(key, TY_LIT(DELETE)));
}

/* What follows the prefix, or an empty view. */
static struct ty_str cut_prefix(struct ty_str key, struct ty_str prefix)
{
    if (!ty_str_starts(key, prefix))
        return (struct ty_str){ 0 };
    return (struct ty_str){ key.p + prefix.n, key.n - prefix.n };
}

/* A copy of a part of the patch for the result. NULL if a directive deletes it. */
static struct ty_json *from_patch(const struct merge *m, const struct ty_json *v)
{
    struct ty_json *copy;

    if (v->type < TY_JSON_ARRAY)
        return ty_json_copy(m->a, v, m->origin);
    if (ty_json_is(v, TY_JSON_OBJECT) && ty_json_get(v, PATCH) &&
        !ty_str_is(ty_json_str_at(v, PATCH), "replace"))
        return NULL;
    copy = ty_patch_copy_list(m->a, v, 0);
    copy->n = 0;
    if (m->origin)
        copy->origin = m->origin;
    ty_each_item (it, v) {
        struct ty_json *item = ty_json_get(*it, PATCH) ? NULL : from_patch(m, *it);
        if (item)
            copy->items[copy->n++] = item;
    }
    ty_each_member (f, v) {
        struct ty_json *value = NULL;
        if (!is_directive(f->key) && !ty_json_is(f->value, TY_JSON_NULL))
            value = from_patch(m, f->value);
        if (value)
            copy->members[copy->n++] = (struct ty_json_member){ f->key, value };
    }
    return copy;
}

static int merge_object(const struct merge *m, const struct ty_json *doc,
                        const struct ty_json *patch, const struct ty_patch_meta *how,
                        const struct ty_field_path *at, struct ty_json **ret);

/* ---- Lists ---- */

/* The value that identifies the item; NULL with err if it has none. */
static const struct ty_json *key_of(const struct merge *m, const struct ty_json *item,
                                    const struct ty_patch_meta *how, const struct ty_field_path *at)
{
    if (how->how != TY_PATCH_MERGE_BY_KEY)
        return item;
    const struct ty_json *key = ty_json_get(item, how->key);
    if (key && key->type != TY_JSON_NULL)
        return key;
    ty_fail(m->err, -EINVAL, "%s: the item has no '%s', by which its list is merged",
            text_of(m, at), how->key);
    return NULL;
}

/* Adds the items of the old list; sets lose their duplicates. */
static int add_old(const struct merge *m, struct ty_patch_list *l, const struct ty_json *doc,
                   const struct ty_patch_meta *how, const struct ty_field_path *at)
{
    for (size_t i = 0; i < ty_json_len(doc); i++) {
        const struct ty_json *key = key_of(m, doc->items[i], how, TY_IDX(at, i));
        if (!key)
            return -EINVAL;
        if (how->how == TY_PATCH_MERGE_BY_KEY || !ty_patch_list_find(l, key))
            ty_patch_list_add(l, key, doc->items[i], i);
    }
    return 0;
}

/* `$patch` in an item: "delete" removes that item from the old list, "replace" replaces the whole
 * list. */
static int obey_item(const struct merge *m, struct ty_patch_list *l, const struct ty_json *item,
                     const struct ty_patch_meta *how, const struct ty_field_path *at,
                     bool *ret_replace)
{
    struct ty_str what = ty_json_str_at(item, PATCH);

    if (ty_str_is(what, "replace")) {
        *ret_replace = true;
        return 0;
    }
    if (!ty_str_is(what, "delete"))
        return ty_fail(m->err, -EINVAL, "%s: '%.*s' is no " PATCH " directive of a list's item",
                       text_of(m, at), TY_ARG(what));
    const struct ty_json *key = key_of(m, item, how, at);
    if (!key)
        return -EINVAL;
    struct ty_patch_list_item *old = ty_patch_list_find(l, key);
    if (old)
        old->gone = true;
    return 0;
}

static int merge_item(const struct merge *m, struct ty_patch_list *l, const struct ty_json *item,
                      const struct ty_patch_meta *how, size_t turn, const struct ty_field_path *at)
{
    const struct ty_json *key = key_of(m, item, how, at);

    if (!key)
        return -EINVAL;
    struct ty_patch_list_item *old = ty_patch_list_find(l, key);
    if (!old) {
        ty_patch_list_add(l, key, from_patch(m, item), TY_PATCH_NOT_FOUND);
        old = ty_patch_list_find(l, key);
    } else if (how->how == TY_PATCH_MERGE_BY_KEY) {
        struct ty_patch_meta each = *how;
        each.type = m->guide->item(how->type);
        int failed = merge_object(m, old->value, item, &each, at, &old->value);
        if (failed)
            return failed;
    }
    if (old->turn == TY_PATCH_NOT_FOUND)
        old->turn = turn;
    return 0;
}

static int merge_list(const struct merge *m, const struct ty_json *doc, const struct ty_json *patch,
                      const struct ty_patch_meta *how, const struct ty_field_path *at,
                      struct ty_json **ret)
{
    struct ty_patch_list l;
    bool replace = how->how != TY_PATCH_MERGE_BY_KEY && how->how != TY_PATCH_MERGE_SET;

    ty_patch_list_init(&l, m->a, (size_t)doc->n + patch->n);
    int failed = replace ? 0 : add_old(m, &l, doc, how, at);
    for (size_t i = 0; !failed && !replace && i < patch->n; i++) {
        if (ty_json_get(patch->items[i], PATCH))
            failed = obey_item(m, &l, patch->items[i], how, TY_IDX(at, i), &replace);
    }
    for (size_t i = 0; !failed && !replace && i < patch->n; i++) {
        if (!ty_json_get(patch->items[i], PATCH))
            failed = merge_item(m, &l, patch->items[i], how, i, TY_IDX(at, i));
    }
    if (failed)
        return failed;
    if (replace) {
        *ret = from_patch(m, patch);
        return 0;
    }
    *ret = ty_patch_list_order(&l);
    (*ret)->origin = doc->origin;
    (*ret)->line = doc->line;
    (*ret)->col = doc->col;
    return 0;
}

/* The patch of a list must agree with its $setElementOrder: all its items must be there, in that
 * order. */
static int check_turns(const struct merge *m, const struct ty_patch_list *l,
                       const struct ty_json *patch, const struct ty_patch_meta *how,
                       const struct ty_field_path *at)
{
    size_t reached = 0;

    for (size_t i = 0; patch && i < patch->n; i++) {
        if (ty_json_get(patch->items[i], PATCH))
            continue;
        const struct ty_json *key = key_of(m, patch->items[i], how, TY_IDX(at, i));
        const struct ty_patch_list_item *it = key ? ty_patch_list_find(l, key) : NULL;
        if (!it || it->turn == TY_PATCH_NOT_FOUND || it->turn < reached)
            return ty_fail(m->err, -EINVAL, "%s: its place is not that of " ORDER,
                           text_of(m, TY_IDX(at, i)));
        reached = it->turn;
    }
    return 0;
}

/* $setElementOrder: items that `order` names get its order. old and patch may be NULL. */
static int set_order(const struct merge *m, const struct ty_json *old, const struct ty_json *patch,
                     const struct ty_json *order, const struct ty_patch_meta *how,
                     const struct ty_field_path *at, struct ty_json **list)
{
    struct ty_patch_list was, l;

    ty_patch_list_init(&was, m->a, ty_json_len(old));
    ty_patch_list_init(&l, m->a, (*list)->n);
    int failed = add_old(m, &was, old, how, at);
    for (size_t i = 0; !failed && i < (*list)->n; i++) {
        const struct ty_json *key = key_of(m, (*list)->items[i], how, TY_IDX(at, i));
        if (!key)
            return -EINVAL;
        const struct ty_patch_list_item *before = ty_patch_list_find(&was, key);
        ty_patch_list_add(&l, key, (*list)->items[i], before ? before->old : TY_PATCH_NOT_FOUND);
    }
    for (size_t i = 0; !failed && i < order->n; i++) {
        const struct ty_json *key = key_of(m, order->items[i], how, TY_IDX(at, i));
        if (!key)
            return -EINVAL;
        struct ty_patch_list_item *it = ty_patch_list_find(&l, key);
        if (it && it->turn == TY_PATCH_NOT_FOUND)
            it->turn = i;
    }
    if (!failed)
        failed = check_turns(m, &l, patch, how, at);
    if (!failed)
        *list = ty_patch_list_order(&l);
    return failed;
}

/* ---- Objects ---- */

static bool list_names(const struct ty_json *list, struct ty_str key)
{
    ty_each_item (it, list) {
        if (ty_json_is(*it, TY_JSON_STRING) && ty_str_eq(ty_json_as_str(*it), key))
            return true;
    }
    return false;
}

/* Removes members of the old object: all that $retainKeys does not list, and in a union all others
 * if the patch sets one. */
static int drop_unnamed(const struct merge *m, struct ty_json *merged, const struct ty_json *patch,
                        const struct ty_patch_meta *how, const struct ty_field_path *at)
{
    const struct ty_json *keep = ty_json_get(patch, RETAIN);
    bool chooses = false;
    uint32_t n = 0;

    if (keep && keep->type != TY_JSON_ARRAY)
        return ty_fail(m->err, -EINVAL, "%s: " RETAIN " is not a list", text_of(m, at));
    ty_each_member (f, patch) {
        if (is_directive(f->key) || f->value->type == TY_JSON_NULL)
            continue;
        chooses |= how->retain_keys && !(how->key && ty_str_is(f->key, how->key));
        if (keep && !list_names(keep, f->key))
            return ty_fail(m->err, -EINVAL, "%s: " RETAIN " does not list '%.*s'", text_of(m, at),
                           TY_ARG(f->key));
    }
    if (!keep && !chooses)
        return 0;
    ty_each_member (f, merged) {
        bool stays = keep
                         ? list_names(keep, f->key)
                         : ty_json_find(patch, f->key) || (how->key && ty_str_is(f->key, how->key));
        if (stays)
            merged->members[n++] = *f;
    }
    merged->n = n;
    return 0;
}

/* $deleteFromPrimitiveList: removes these values from the old list. */
static int delete_values(const struct merge *m, struct ty_json *merged,
                         const struct ty_json_member *f, const struct ty_field_path *at)
{
    struct ty_str key = cut_prefix(f->key, TY_LIT(DELETE));
    const struct ty_json *old = ty_json_find(merged, key);
    struct ty_patch_list doomed;

    if (f->value->type != TY_JSON_ARRAY)
        return ty_fail(m->err, -EINVAL, "%s: it is not a list", text_of(m, TY_KEYS(at, f->key)));
    if (!ty_json_is(old, TY_JSON_ARRAY))
        return 0;
    ty_patch_list_init(&doomed, m->a, f->value->n);
    ty_each_item (it, f->value)
        ty_patch_list_add(&doomed, *it, *it, TY_PATCH_NOT_FOUND);
    struct ty_json *left = ty_patch_copy_list(m->a, old, 0);
    left->n = 0;
    ty_each_item (it, old) {
        if (!ty_patch_list_find(&doomed, *it))
            left->items[left->n++] = *it;
    }
    ty_json_put(m->a, merged, key, left);
    return 0;
}

static int order_values(const struct merge *m, const struct ty_json *doc,
                        const struct ty_json *patch, const struct ty_json_member *f,
                        const struct ty_patch_meta *how, const struct ty_field_path *at,
                        struct ty_json *merged)
{
    struct ty_str key = cut_prefix(f->key, TY_LIT(ORDER));
    struct ty_json *list = ty_json_find(merged, key);
    struct ty_patch_meta each = m->guide->member(how->type, key);
    const struct ty_json *old = ty_json_find(doc, key), *change = ty_json_find(patch, key);
    bool was_list = ty_json_is(old, TY_JSON_ARRAY), is_list = ty_json_is(change, TY_JSON_ARRAY);

    if (f->value->type != TY_JSON_ARRAY)
        return ty_fail(m->err, -EINVAL, "%s: it is not a list", text_of(m, TY_KEYS(at, f->key)));
    if (!ty_json_is(list, TY_JSON_ARRAY))
        return 0;
    int failed = set_order(m, was_list ? old : NULL, is_list ? change : NULL, f->value, &each,
                           TY_KEYS(at, key), &list);
    if (failed == 0)
        ty_json_put(m->a, merged, key, list);
    return failed;
}

static int merge_member(const struct merge *m, struct ty_json *merged, size_t place,
                        const struct ty_json_member *f, const struct ty_patch_meta *parent,
                        const struct ty_field_path *at)
{
    struct ty_json *old = place == TY_PATCH_NOT_FOUND ? NULL : merged->members[place].value,
                   *value = NULL;
    struct ty_patch_meta how = { 0 };
    int failed = 0;

    if (old && old->type < TY_JSON_ARRAY && ty_json_eq(old, f->value) && old->type != TY_JSON_NULL)
        return 0; /* no change (typically the merge key of an item): preserve the origin of the old
                     value */
    if (old && old->type == f->value->type && old->type >= TY_JSON_ARRAY)
        how = m->guide->member(parent->type, f->key);
    if (how.how == TY_PATCH_REPLACE)
        value = f->value->type == TY_JSON_NULL ? NULL : from_patch(m, f->value);
    else if (old->type == TY_JSON_ARRAY)
        failed = merge_list(m, old, f->value, &how, at, &value);
    else
        failed = merge_object(m, old, f->value, &how, at, &value);
    if (!failed)
        ty_patch_set_member(merged, place, f->key, value);
    return failed;
}

/* `$patch` of an object. True if nothing is left to merge. */
static bool obey_object(const struct merge *m, const struct ty_json *patch,
                        const struct ty_field_path *at, struct ty_json **ret, int *failed)
{
    struct ty_str what = ty_json_str_at(patch, PATCH);

    if (!ty_json_get(patch, PATCH))
        return false;
    if (ty_str_is(what, "replace"))
        *ret = from_patch(m, patch);
    else if (ty_str_is(what, "delete"))
        *ret = ty_json_object(m->a);
    else
        *failed = ty_fail(m->err, -EINVAL, "%s: '%.*s' is no " PATCH " directive of an object",
                          text_of(m, at), TY_ARG(what));
    return true;
}

static int merge_object(const struct merge *m, const struct ty_json *doc,
                        const struct ty_json *patch, const struct ty_patch_meta *how,
                        const struct ty_field_path *at, struct ty_json **ret)
{
    int failed = 0;

    if (obey_object(m, patch, at, ret, &failed))
        return failed;
    struct ty_json *merged = ty_patch_copy_list(m->a, doc, patch->n);
    failed = drop_unnamed(m, merged, patch, how, at);
    ty_each_member (f, patch) {
        if (!failed && cut_prefix(f->key, TY_LIT(DELETE)).n > 0)
            failed = delete_values(m, merged, f, at);
    }
    const size_t *places = ty_patch_member_indexes(m->a, merged, patch);
    for (size_t i = 0; !failed && i < patch->n; i++) {
        const struct ty_json_member *f = &patch->members[i];
        if (!is_directive(f->key))
            failed = merge_member(m, merged, places[i], f, how, TY_KEYS(at, f->key));
    }
    ty_patch_sweep_members(merged);
    ty_each_member (f, patch) {
        if (!failed && cut_prefix(f->key, TY_LIT(ORDER)).n > 0)
            failed = order_values(m, doc, patch, f, how, at, merged);
    }
    if (failed)
        return failed;
    if (m->guide->merged)
        m->guide->merged(m->a, how->type, merged, patch);
    *ret = merged;
    return 0;
}

int ty_patch_strategic(struct ty_arena *a, const struct ty_json *doc, const struct ty_json *patch,
                       const struct ty_patch_schema *guide, const void *type, uint16_t origin,
                       struct ty_json **ret_doc, struct ty_err *err)
{
    static const struct ty_json nothing = { .type = TY_JSON_OBJECT };
    struct merge m = { .a = a, .guide = guide, .err = err, .origin = origin };
    struct ty_patch_meta root = { .how = TY_PATCH_MERGE, .type = type };

    if (!doc || doc->type == TY_JSON_NULL)
        doc = &nothing;
    if (!ty_json_is(doc, TY_JSON_OBJECT) || !ty_json_is(patch, TY_JSON_OBJECT))
        return ty_fail(err, -EINVAL, "strategic merge: the document and the patch must be objects");
    return merge_object(&m, doc, patch, &root, NULL, ret_doc);
}
