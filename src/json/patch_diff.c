/* Walks both trees side by side; the way to here is a JSON pointer. */
#include "json/patch_diff.h"

struct walk {
    struct ty_arena *a;
    struct ty_json *ops;
};

static void add_op(struct walk *w, const char *op, const char *path, const struct ty_json *value)
{
    struct ty_json *o = ty_json_object(w->a);

    ty_json_set(w->a, o, "op", ty_json_cstr(w->a, op));
    ty_json_set(w->a, o, "path", ty_json_cstr(w->a, path));
    if (value)
        ty_json_set(w->a, o, "value", ty_json_copy(w->a, value, 0));
    ty_json_push(w->a, w->ops, o);
}

/* "up/key", with ~ and / of the key escaped. */
static const char *below(struct walk *w, const char *up, struct ty_str key)
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
    return ty_arena_strndup(w->a, b.p, b.n);
}

static void diff(struct walk *w, const char *at, const struct ty_json *from,
                 const struct ty_json *to);

/* Looks at place *hint first: what is compared is mostly a changed copy, whose keys keep their
 * order, and a wide object must not cost its square. */
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

static void diff_objects(struct walk *w, const char *at, const struct ty_json *from,
                         const struct ty_json *to)
{
    uint32_t in_to = 0, in_from = 0;

    ty_each_member (m, from)
        if (!find_near(to, m->key, &in_to))
            add_op(w, "remove", below(w, at, m->key), NULL);
    ty_each_member (m, to) {
        const struct ty_json *old = find_near(from, m->key, &in_from);
        if (!old)
            add_op(w, "add", below(w, at, m->key), m->value);
        else if (!ty_json_eq(old, m->value))
            diff(w, below(w, at, m->key), old, m->value);
    }
}

static void diff(struct walk *w, const char *at, const struct ty_json *from,
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
            diff(w, ty_arena_printf(w->a, "%s/%u", at, i), from->items[i], to->items[i]);
}

struct ty_json *ty_json_diff(struct ty_arena *a, const struct ty_json *from,
                             const struct ty_json *to)
{
    struct walk w = { .a = a, .ops = ty_json_array(a) };

    if (!ty_json_eq(from, to))
        diff(&w, "", from, to);
    return w.ops;
}
