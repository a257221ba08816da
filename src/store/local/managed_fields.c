/* Field ownership, derived from the last applied object of each manager instead of field sets. */
#include "store/local/managed_fields.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>

#include "json/patch.h"

struct ty_managed_fields {
    struct ty_managed_fields *next;
    size_t n;       /* bytes of the text */
    char manager[]; /* followed, after its NUL, by the JSON text */
};

static struct ty_json *read_one(struct ty_arena *a, const struct ty_managed_fields *one)
{
    const char *text = one->manager + strlen(one->manager) + 1;
    struct ty_str copy = { ty_arena_strndup(a, text, one->n), one->n };

    return ty_json_parse(a, copy, NULL, NULL);
}

/* The values of all managers for one map of the object. */
struct manager_values {
    const struct ty_json *before, *now; /* of the manager that applies: before and now */
    const struct ty_json **others;      /* NULL where a manager has no such map */
    size_t n;
};

static struct manager_values values_below(struct ty_arena *a, const struct manager_values *s,
                                          struct ty_str key)
{
    struct manager_values in = { ty_json_find(s->before, key), ty_json_find(s->now, key),
                                 ty_new_n(a, const struct ty_json *, s->n + 1), s->n };

    for (size_t i = 0; i < s->n; i++)
        in.others[i] = ty_json_find(s->others[i], key);
    return in;
}

static bool is_wanted(const struct manager_values *s)
{
    bool any = s->now != NULL;

    for (size_t i = 0; i < s->n; i++)
        any |= s->others[i] != NULL;
    return any;
}

/* The live map without fields that were applied before and have no owner now. Empty maps are
 * removed. */
static struct ty_json *remove_unwanted(struct ty_arena *a, const struct ty_json *live,
                                       const struct manager_values *s)
{
    struct ty_json *left = ty_json_object(a);

    ty_each_member (m, live) {
        struct manager_values in = values_below(a, s, m->key);
        struct ty_json *v = m->value;
        if (in.before && in.before->type == TY_JSON_OBJECT && v->type == TY_JSON_OBJECT) {
            v = remove_unwanted(a, v, &in);
            if (v->n == 0 && !is_wanted(&in))
                continue;
        } else if (in.before && !is_wanted(&in)) {
            continue;
        }
        ty_json_put(a, left, m->key, v);
    }
    return left;
}

struct ty_json *ty_managed_fields_apply(struct ty_arena *a, const struct ty_json *live,
                                        const struct ty_managed_fields *all, const char *manager,
                                        const struct ty_json *obj)
{
    struct manager_values s = { .now = obj };

    for (const struct ty_managed_fields *it = all; it; it = it->next)
        s.n++;
    s.others = ty_new_n(a, const struct ty_json *, s.n + 1);
    s.n = 0;
    for (const struct ty_managed_fields *it = all; it; it = it->next) {
        if (strcmp(it->manager, manager) == 0)
            s.before = read_one(a, it);
        else
            s.others[s.n++] = read_one(a, it);
    }
    return ty_patch_merge(a, s.before ? remove_unwanted(a, live, &s) : live, obj);
}

/* `theirs` without the fields that `obj` has with another value. */
static struct ty_json *without_changed(struct ty_arena *a, const struct ty_json *theirs,
                                       const struct ty_json *obj)
{
    struct ty_json *left = ty_json_object(a);

    ty_each_member (m, theirs) {
        const struct ty_json *now = ty_json_find(obj, m->key);
        if (!now || ty_json_eq(now, m->value))
            ty_json_put(a, left, m->key, m->value);
        else if (now->type == TY_JSON_OBJECT && m->value->type == TY_JSON_OBJECT)
            ty_json_put(a, left, m->key, without_changed(a, m->value, now));
    }
    return left;
}

/* One allocation, which replaces the old one. */
static struct ty_managed_fields *entry_new(struct ty_arena *a, const char *manager,
                                           const struct ty_json *obj,
                                           struct ty_managed_fields *next)
{
    struct ty_str text = ty_json_text(a, obj);
    size_t n = strlen(manager) + 1;
    struct ty_managed_fields *one = ty_xalloc(malloc(sizeof(*one) + n + text.n));

    one->next = next;
    one->n = text.n;
    memcpy(one->manager, manager, n);
    memcpy(one->manager + n, text.p, text.n);
    return one;
}

void ty_managed_fields_update(struct ty_arena *a, struct ty_managed_fields **all,
                              const char *manager, const struct ty_json *obj)
{
    struct ty_managed_fields *list = entry_new(a, manager, obj, NULL);

    for (const struct ty_managed_fields *it = *all; it; it = it->next)
        if (strcmp(it->manager, manager) != 0)
            list->next =
                entry_new(a, it->manager, without_changed(a, read_one(a, it), obj), list->next);
    ty_managed_fields_free(*all);
    *all = list;
}

void ty_managed_fields_free(struct ty_managed_fields *all)
{
    for (struct ty_managed_fields *it = all, *next = NULL; it; it = next) {
        next = it->next;
        free(it);
    }
}
