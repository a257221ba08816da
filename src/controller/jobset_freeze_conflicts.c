/* Compares two apply bodies and reports the paths of the fields that differ. Linear in both:
 * members and items are found by tables, because users choose their number and order. */
#include "api/kind.h"
#include "base/map.h"
#include "controller/applied_digest_inner.h"
#include "controller/jobset_freeze.h"

struct conflict_walk {
    struct ty_arena *a;
    struct ty_field_changes *ret;
    bool less; /* fields that only `was` has would be removed */
};

#define KEY_SHOWN 64 /* bytes of a key in a path, because users may choose keys of kilobytes */

static void diff_value(const struct conflict_walk *w, const struct ty_schema *s,
                       const struct ty_json *was, const struct ty_json *now,
                       const struct ty_field_path *at);

static struct ty_str shorten_key(struct ty_str key)
{
    return ty_str_head(key, KEY_SHOWN);
}

static void add_change(const struct conflict_walk *w, const struct ty_field_path *at,
                       const struct ty_json *was, const struct ty_json *now)
{
    ty_applied_digest_diff_add(w->a, w->ret, at, was, now);
}

static bool covers(const struct ty_json *live, const struct ty_json *wanted);

static bool covers_members(const struct ty_json *live, const struct ty_json *wanted)
{
    struct ty_map there = { 0 };
    bool all = true;

    ty_each_member (m, live)
        ty_map_put(&there, m->key, m->value);
    ty_each_member (m, wanted)
        all = all && covers(ty_map_get(&there, m->key), m->value);
    ty_map_done(&there);
    return all;
}

/* Whether `live` is `wanted` plus defaults, which the API server adds in atomic lists. */
static bool covers(const struct ty_json *live, const struct ty_json *wanted)
{
    if (!live || live->type != wanted->type)
        return false;
    if (wanted->type == TY_JSON_OBJECT)
        return covers_members(live, wanted);
    if (wanted->type != TY_JSON_ARRAY)
        return ty_json_eq(live, wanted);
    if (live->n != wanted->n)
        return false;
    for (uint32_t i = 0; i < wanted->n; i++)
        if (!covers(live->items[i], wanted->items[i]))
            return false;
    return true;
}

static void diff_members(const struct conflict_walk *w, const struct ty_schema *s,
                         const struct ty_json *was, const struct ty_json *now,
                         const struct ty_field_path *at)
{
    struct ty_map old = { 0 }, new = { 0 };

    ty_each_member (m, was)
        ty_map_put(&old, m->key, m->value);
    ty_each_member (m, now) {
        ty_map_put(&new, m->key, m->value);
        diff_value(w, ty_applied_digest_member(s, m->key), ty_map_get(&old, m->key), m->value,
                   TY_KEYS(at, shorten_key(m->key)));
    }
    ty_each_member (m, was)
        if (w->less && !ty_arena_full(w->a) && !ty_map_get(&new, m->key))
            add_change(w, TY_KEYS(at, shorten_key(m->key)), m->value, NULL);
    ty_map_done(&old);
    ty_map_done(&new);
}

static void index_items(struct ty_arena *a, const struct ty_schema *s, const struct ty_json *list,
                        struct ty_map *ret)
{
    ty_each_item (it, list) {
        if (ty_arena_full(a))
            break;
        ty_map_put(ret, ty_applied_digest_key(a, s, *it), *it);
    }
}

/* An item by its first key: [node], [80]. */
static struct ty_field_path item_path(const struct ty_field_path *at, struct ty_arena *a,
                                      const struct ty_schema *s, const struct ty_json *v)
{
    const struct ty_json *key = ty_json_get(v, s->list_keys[0]);
    struct ty_str text = ty_json_as_str(key);

    return (struct ty_field_path){ at, shorten_key(text.n || !key ? text : ty_json_text(a, key)),
                                   -1, true };
}

/* Whether the common items have another order: the apply would reorder the live list, which
 * JobSet's webhook takes for a change. */
static bool is_reordered(const struct conflict_walk *w, const struct ty_schema *s,
                         const struct ty_json *was, const struct ty_json *now)
{
    struct ty_map places = { 0 };
    struct ty_json **last = NULL;
    bool other = false;

    ty_each_item (it, was)
        if (!ty_arena_full(w->a))
            ty_map_put(&places, ty_applied_digest_key(w->a, s, *it), it);
    ty_each_item (it, now) {
        struct ty_json **place = ty_map_get(&places, ty_applied_digest_key(w->a, s, *it));
        other = other || (place && last && place < last);
        last = place ? place : last;
    }
    ty_map_done(&places);
    return other;
}

static void diff_items(const struct conflict_walk *w, const struct ty_schema *s,
                       const struct ty_json *was, const struct ty_json *now,
                       const struct ty_field_path *at)
{
    struct ty_map old = { 0 }, new = { 0 };

    if (is_reordered(w, s, was, now))
        add_change(w, at, was, now);
    index_items(w->a, s, was, &old);
    index_items(w->a, s, now, &new);
    ty_each_item (it, now) {
        struct ty_field_path here = item_path(at, w->a, s, *it);
        diff_value(w, s->items, ty_map_get(&old, ty_applied_digest_key(w->a, s, *it)), *it, &here);
    }
    ty_each_item (it, was) {
        struct ty_field_path here = item_path(at, w->a, s, *it);
        if (w->less && !ty_arena_full(w->a) &&
            !ty_map_get(&new, ty_applied_digest_key(w->a, s, *it)))
            add_change(w, &here, *it, NULL);
    }
    ty_map_done(&old);
    ty_map_done(&new);
}

static void diff_value(const struct conflict_walk *w, const struct ty_schema *s,
                       const struct ty_json *was, const struct ty_json *now,
                       const struct ty_field_path *at)
{
    if (ty_arena_full(w->a))
        return;
    if (!was)
        add_change(w, at, NULL, now);
    else if (ty_json_is(was, TY_JSON_OBJECT) && ty_json_is(now, TY_JSON_OBJECT) &&
             !(s && s->map_atomic))
        diff_members(w, s, was, now, at);
    else if (ty_json_is(was, TY_JSON_ARRAY) && ty_json_is(now, TY_JSON_ARRAY) && s && s->list_keys)
        diff_items(w, s, was, now, at);
    else if (!covers(was, now))
        add_change(w, at, was, now);
}

/* A JobSet without managedFields (a restored backup) has no owner: nothing of it would be removed,
 * and it is compared whole. */
void ty_jobset_freeze_conflicts(struct ty_arena *a, const struct ty_json *wanted,
                                const struct ty_json *live, struct ty_field_changes *ret)
{
    const struct ty_schema *s = ty_kind_jobset.schema;
    struct conflict_walk w = { .a = a,
                               .ret = ret,
                               .less = ty_applied_digest_fields(live, "trainer") };
    const struct ty_json *now = ty_applied_digest_normalize(a, s, wanted);
    const struct ty_json *was =
        w.less ? ty_applied_digest_normalize(a, s, ty_jobset_freeze(a, wanted, live, false))
               : ty_jobset_freeze_overlay(a, ty_json_copy(a, live, 0), wanted, live, false);

    *ret = (struct ty_field_changes){ 0 };
    diff_value(&w, ty_applied_digest_member(s, TY_LIT("spec")), ty_json_get(was, "spec"),
               ty_json_get(now, "spec"), TY_KEY(NULL, "spec"));
}
