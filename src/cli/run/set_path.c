#include "cli/run/set_path.h"

#include <errno.h>

struct set_step {
    struct ty_str key; /* p NULL: an item of a list */
    int64_t index;
};
struct set_steps {
    struct set_step *v;
    size_t n, cap;
};

bool ty_set_path_split(struct ty_str word, struct ty_str *ret_path, struct ty_str *ret_value)
{
    size_t i = 0;

    while (i < word.n && word.p[i] != '=')
        i += word.p[i] == '\\' ? 2 : 1;
    if (i >= word.n || i == 0)
        return false;
    *ret_path = (struct ty_str){ word.p, i };
    *ret_value = (struct ty_str){ word.p + i + 1, word.n - i - 1 };
    return true;
}

/* One key up to a dot or bracket that is not escaped; the rest of the path. */
static struct ty_str read_key(struct ty_arena *a, struct ty_str path, struct ty_str *ret)
{
    char *key = ty_arena_raw(a, path.n + 1, 1);
    size_t i = 0, n = 0;

    for (; i < path.n && path.p[i] != '.' && path.p[i] != '['; i++) {
        if (path.p[i] == '\\' && i + 1 < path.n)
            i++;
        key[n++] = path.p[i];
    }
    *ret = (struct ty_str){ key, n };
    return (struct ty_str){ path.p + i, path.n - i };
}

static int read_index(struct ty_str path, struct ty_str *ret_rest, int64_t *ret, struct ty_err *err)
{
    struct ty_str number,
        rest = ty_str_cut((struct ty_str){ path.p + 1, path.n - 1 }, ']', &number);

    if (!rest.p || !ty_str_parse_i64(number, ret) || *ret < 0)
        return ty_fail(err, -EINVAL, "[%.*s is not the number of an item, such as [0]",
                       TY_ARG(number));
    if (rest.n && rest.p[0] != '.' && rest.p[0] != '[')
        return ty_fail(err, -EINVAL, "a dot is missing after [%.*s]", TY_ARG(number));
    *ret_rest = rest;
    return 0;
}

static int parse_path(struct ty_arena *a, struct ty_str path, struct set_steps *ret,
                      struct ty_err *err)
{
    struct ty_str rest = path;

    do {
        struct set_step s = { .index = 0 };
        if (rest.n && rest.p[0] == '[' && ret->n) {
            int r = read_index(rest, &rest, &s.index, err);
            if (r < 0)
                return r;
        } else {
            rest = read_key(a, rest, &s.key);
            if (!s.key.n)
                return ty_fail(err, -EINVAL, "a part of the path is empty");
        }
        ty_room(a, ret->v, ret->n, ret->cap);
        ret->v[ret->n++] = s;
        if (rest.n && rest.p[0] == '.') {
            rest = (struct ty_str){ rest.p + 1, rest.n - 1 };
            if (!rest.n)
                return ty_fail(err, -EINVAL, "a part of the path is empty");
        }
    } while (rest.n);
    if (ty_str_is(ret->v[0].key, "apiVersion") || ty_str_is(ret->v[0].key, "kind"))
        return ty_fail(err, -EINVAL, "what an object is cannot be changed");
    return 0;
}

static int check_item(const struct ty_json *list, int64_t index, bool append, struct ty_err *err)
{
    int64_t n = (int64_t)ty_json_len(list);

    if (!ty_json_is(list, TY_JSON_ARRAY))
        return ty_fail(err, -EINVAL, "there is no list to have an item [%lld]", (long long)index);
    if (index < n + append)
        return 0;
    return ty_fail(err, -EINVAL, "the list has %lld item%s: [%lld] is beyond its end", (long long)n,
                   n == 1 ? "" : "s", (long long)index);
}

static bool is_item(const struct set_step *s)
{
    return !s->key.p;
}

/* What the step leads to; made if it is missing, with the line of the value: a list if the step
 * after it is an item. */
static int step_into(struct ty_arena *a, struct ty_json **at, const struct set_step *s,
                     uint32_t line, struct ty_err *err)
{
    const char *key = is_item(s) ? NULL : ty_arena_cstr(a, s->key);

    if (is_item(s)) {
        int r = check_item(*at, s->index, true, err);
        if (r < 0)
            return r;
        bool made = s->index == (int64_t)ty_json_len(*at);
        if (made)
            ty_json_push(a, *at, is_item(s + 1) ? ty_json_array(a) : ty_json_object(a));
        *at = ty_json_item(*at, (size_t)s->index);
        if (made)
            (*at)->line = line;
        if (!is_item(s + 1) && !ty_json_is(*at, TY_JSON_OBJECT))
            return ty_fail(err, -EINVAL, "item [%lld] is no object", (long long)s->index);
        return 0;
    }
    const struct ty_json *before = ty_json_get(*at, key);
    *at = is_item(s + 1) ? ty_json_ensure_array(a, *at, key) : ty_json_ensure_object(a, *at, key);
    if (*at != before)
        (*at)->line = line;
    return 0;
}

static int set_last(struct ty_arena *a, struct ty_json *at, const struct set_step *s,
                    const struct ty_json *value, struct ty_err *err)
{
    struct ty_json *copy = ty_json_copy(a, value, 0); /* jobs are edited later: no sharing */

    if (!is_item(s)) {
        ty_json_put(a, at, s->key, copy);
        return 0;
    }
    int r = check_item(at, s->index, true, err);
    if (r < 0)
        return r;
    if (s->index == (int64_t)ty_json_len(at))
        ty_json_push(a, at, copy);
    else
        at->items[s->index] = copy;
    return 0;
}

static int remove_at(struct ty_json *at, const struct set_steps *steps, struct ty_err *err)
{
    for (size_t i = 0; i + 1 < steps->n && at; i++) {
        const struct set_step *s = &steps->v[i];
        if (is_item(s))
            at = ty_json_is(at, TY_JSON_ARRAY) && s->index < (int64_t)at->n ? at->items[s->index]
                                                                            : NULL;
        else
            at = ty_json_is(at, TY_JSON_OBJECT) ? ty_json_find(at, s->key) : NULL;
    }
    const struct set_step *last = &steps->v[steps->n - 1];
    if (!is_item(last) && ty_json_is(at, TY_JSON_OBJECT))
        ty_json_del(at, last->key);
    if (!is_item(last) || !at)
        return 0;
    int r = check_item(at, last->index, false, err);
    if (r < 0)
        return r;
    ty_json_remove(at, (size_t)last->index);
    return 0;
}

int ty_set_path(struct ty_arena *a, struct ty_json *obj, struct ty_str path,
                const struct ty_json *value, struct ty_err *err)
{
    struct set_steps steps = { 0 };
    int r = parse_path(a, path, &steps, err);

    if (r == 0 && !value)
        return remove_at(obj, &steps, err);
    for (size_t i = 0; r == 0 && i + 1 < steps.n; i++)
        r = step_into(a, &obj, &steps.v[i], value->line, err);
    return r == 0 ? set_last(a, obj, &steps.v[steps.n - 1], value, err) : r;
}
