/* Walks both trees in parallel and records the current path as a JSON pointer. */
#include "json/patch_diff.h"

struct diff_walk {
    struct ty_arena *a;
    struct ty_json *ops;
};

static void add_op(struct diff_walk *w, const char *op, const char *path,
                   const struct ty_json *value)
{
    struct ty_json *o = ty_json_object(w->a);

    ty_json_set(w->a, o, "op", ty_json_cstr(w->a, op));
    ty_json_set(w->a, o, "path", ty_json_cstr(w->a, path));
    if (value)
        ty_json_set(w->a, o, "value", ty_json_copy(w->a, value, 0));
    ty_json_push(w->a, w->ops, o);
}

/* "up/key", with ~ and / of the key escaped. */
static const char *path_below(struct diff_walk *w, const char *up, struct ty_str key)
{
    ty_auto_buf b = { 0 };

    ty_buf_cstr(&b, up);
    ty_buf_chr(&b, '/');
    for (size_t i = 0; i < key.n; i++) {
        if (key.p[i] == '~')
            ty_buf_cstr(&b, "~0");
        else if (key.p[i] == '/')
            ty_buf_cstr(&b, "~1");
        else
            ty_buf_chr(&b, key.p[i]);
    }
    return ty_arena_cstr(w->a, ty_buf_str(&b));
}

static void diff_values(struct diff_walk *w, const char *at, const struct ty_json *from,
                        const struct ty_json *to);

/* Tries index *hint first: `to` is usually a changed copy of `from` with the same key order, and an
 * object with many members must not cost quadratic time. */
static const struct ty_json *find_near(const struct ty_json *obj, struct ty_str key, uint32_t *hint)
{
    uint32_t i = *hint;

    if (i >= obj->n || !ty_str_eq(obj->members[i].key, key))
        for (i = 0; i < obj->n && !ty_str_eq(obj->members[i].key, key); i++)
            ;
    if (i >= obj->n)
        return NULL;
    *hint = i + 1;
    return obj->members[i].value;
}

static void diff_objects(struct diff_walk *w, const char *at, const struct ty_json *from,
                         const struct ty_json *to)
{
    uint32_t in_to = 0, in_from = 0;

    ty_each_member (m, from)
        if (!find_near(to, m->key, &in_to))
            add_op(w, "remove", path_below(w, at, m->key), NULL);
    ty_each_member (m, to) {
        const struct ty_json *old = find_near(from, m->key, &in_from);
        if (!old)
            add_op(w, "add", path_below(w, at, m->key), m->value);
        else if (!ty_json_eq(old, m->value))
            diff_values(w, path_below(w, at, m->key), old, m->value);
    }
}

static void diff_values(struct diff_walk *w, const char *at, const struct ty_json *from,
                        const struct ty_json *to)
{
    bool lists = ty_json_is(from, TY_JSON_ARRAY) && ty_json_is(to, TY_JSON_ARRAY);

    if (ty_json_is(from, TY_JSON_OBJECT) && ty_json_is(to, TY_JSON_OBJECT)) {
        diff_objects(w, at, from, to);
        return;
    }
    if (!lists || from->n != to->n) {
        add_op(w, "replace", at, to);
        return;
    }
    for (uint32_t i = 0; i < to->n; i++)
        if (!ty_json_eq(from->items[i], to->items[i]))
            diff_values(w, ty_arena_printf(w->a, "%s/%u", at, i), from->items[i], to->items[i]);
}

struct ty_json *ty_patch_diff(struct ty_arena *a, const struct ty_json *from,
                              const struct ty_json *to)
{
    struct diff_walk w = { .a = a, .ops = ty_json_array(a) };

    if (!ty_json_eq(from, to))
        diff_values(&w, "", from, to);
    return w.ops;
}
