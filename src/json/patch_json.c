/* RFC 6902: a list of operations, all or none. They are applied to a copy, so a failed patch
 * changes nothing. The size that `copy` may add is limited, because each `copy` can double the
 * document. */
#include <errno.h>

#include "json/patch.h"

#define COPY_LIMIT ((size_t)4 << 20) /* nodes and bytes of text that `copy` may add */

struct patch_run {
    struct ty_arena *a;
    struct ty_json *root;
    size_t copied;
    struct ty_err *err;
};

struct op {
    struct ty_str path, from;
    const struct ty_json *value;
};

/* The target of a pointer. value is NULL if it does not exist but could be added. */
struct patch_target {
    struct ty_json *parent; /* NULL: the whole document */
    struct ty_str key;      /* in an object */
    size_t index;           /* in an array; its length: append */
    struct ty_json *value;
};

/* "~1" is a slash, "~0" a tilde; any other character after a tilde is an error. */
static bool unescape_token(struct ty_arena *a, struct ty_str *token)
{
    if (token->n == 0 || !memchr(token->p, '~', token->n))
        return true;
    char *out = ty_arena_strndup(a, token->p, token->n);
    size_t n = 0;
    for (size_t i = 0; i < token->n; i++) {
        char c = token->p[i];
        if (c == '~') {
            char code = ++i < token->n ? token->p[i] : '\0';
            if (code != '0' && code != '1')
                return false;
            c = code == '0' ? '~' : '/';
        }
        out[n++] = c;
    }
    *token = (struct ty_str){ out, n };
    return true;
}

static bool array_index(struct ty_str token, size_t length, size_t *ret_index)
{
    uint64_t index;

    if (ty_str_is(token, "-")) {
        *ret_index = length;
        return true;
    }
    if (token.n == 0 || token.p[0] < '0' || token.p[0] > '9' || (token.p[0] == '0' && token.n > 1))
        return false;
    if (!ty_str_parse_u64(token, &index) || index > length)
        return false;
    *ret_index = (size_t)index;
    return true;
}

static int resolve_token(struct patch_run *r, struct ty_json *parent, struct ty_str token,
                         struct patch_target *ret_place)
{
    *ret_place = (struct patch_target){ .parent = parent };
    if (!unescape_token(r->a, &token))
        return ty_fail(r->err, -EINVAL, "'%.*s' is not well escaped", TY_ARG(token));
    if (ty_json_is(parent, TY_JSON_OBJECT)) {
        ret_place->key = token;
        ret_place->value = ty_json_find(parent, token);
        return 0;
    }
    if (!ty_json_is(parent, TY_JSON_ARRAY))
        return ty_fail(r->err, -EINVAL, "'%.*s' is looked for in what is neither object nor list",
                       TY_ARG(token));
    if (!array_index(token, parent->n, &ret_place->index))
        return ty_fail(r->err, -EINVAL, "'%.*s' is no index of a list of %u", TY_ARG(token),
                       parent->n);
    ret_place->value = ty_json_item(parent, ret_place->index);
    return 0;
}

static int find_place(struct patch_run *r, struct ty_str pointer, struct patch_target *ret_place)
{
    *ret_place = (struct patch_target){ .value = r->root };
    if (pointer.n == 0)
        return 0;
    if (pointer.p[0] != '/')
        return ty_fail(r->err, -EINVAL, "'%.*s' is not a JSON pointer: it must start with '/'",
                       TY_ARG(pointer));
    struct ty_str rest = { pointer.p + 1, pointer.n - 1 }, token;
    do {
        if (!ret_place->value)
            return ty_fail(r->err, -EINVAL, "there is nothing at '%.*s'",
                           (int)(rest.p - 1 - pointer.p), pointer.p);
        rest = ty_str_cut(rest, '/', &token);
        int failed = resolve_token(r, ret_place->value, token, ret_place);
        if (failed)
            return failed;
    } while (rest.p);
    return 0;
}

static int find_value(struct patch_run *r, struct ty_str pointer, struct patch_target *ret_place)
{
    int failed = find_place(r, pointer, ret_place);
    if (failed == 0 && !ret_place->value)
        failed = ty_fail(r->err, -EINVAL, "there is nothing at '%.*s'", TY_ARG(pointer));
    return failed;
}

static unsigned depth_of(const struct ty_json *v)
{
    unsigned deepest = 0;

    if (v->type < TY_JSON_ARRAY)
        return 0;
    ty_each_item (it, v) {
        unsigned d = depth_of(*it);
        deepest = d > deepest ? d : deepest;
    }
    ty_each_member (m, v) {
        unsigned d = depth_of(m->value);
        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

static size_t weight_of(const struct ty_json *v)
{
    size_t weight = 1;

    if (v->type == TY_JSON_STRING || v->type == TY_JSON_NUMBER)
        weight += v->n;
    ty_each_item (it, v)
        weight += weight_of(*it);
    ty_each_member (m, v)
        weight += m->key.n + weight_of(m->value);
    return weight;
}

/* The depth is limited: the document must be parseable after it is printed. */
static int add_at(struct patch_run *r, struct ty_str pointer, struct ty_json *v)
{
    struct patch_target at;
    size_t depth = depth_of(v);
    int failed = find_place(r, pointer, &at);

    if (failed)
        return failed;
    for (size_t i = 0; i < pointer.n; i++)
        depth += pointer.p[i] == '/';
    if (depth > TY_JSON_MAX_DEPTH)
        return ty_fail(r->err, -EINVAL, "the result is nested deeper than %u", TY_JSON_MAX_DEPTH);
    if (!at.parent)
        r->root = v;
    else if (at.parent->type == TY_JSON_ARRAY)
        ty_json_insert(r->a, at.parent, at.index, v);
    else
        ty_json_put(r->a, at.parent, at.key, v);
    return 0;
}

static int remove_at(struct patch_run *r, struct ty_str pointer, struct ty_json **ret_removed)
{
    struct patch_target at;
    int failed = find_value(r, pointer, &at);

    if (failed)
        return failed;
    if (!at.parent)
        return ty_fail(r->err, -EINVAL, "the whole document cannot be removed");
    if (at.parent->type == TY_JSON_ARRAY)
        ty_json_remove(at.parent, at.index);
    else
        ty_json_del(at.parent, at.key);
    *ret_removed = at.value;
    return 0;
}

static int do_add(struct patch_run *r, const struct op *op)
{
    return add_at(r, op->path, ty_json_copy(r->a, op->value, 0));
}

static int do_remove(struct patch_run *r, const struct op *op)
{
    struct ty_json *removed;
    return remove_at(r, op->path, &removed);
}

static int do_replace(struct patch_run *r, const struct op *op)
{
    struct patch_target at;
    int failed = find_value(r, op->path, &at);

    if (failed == 0 && at.parent && at.parent->type == TY_JSON_ARRAY)
        ty_json_remove(at.parent, at.index);
    return failed ? failed : do_add(r, op);
}

static int do_move(struct patch_run *r, const struct op *op)
{
    struct ty_json *v = NULL;
    struct patch_target at;

    if (ty_str_eq(op->from, op->path))
        return find_value(r, op->from, &at);
    if (ty_str_starts(op->path, op->from) && op->path.p[op->from.n] == '/')
        return ty_fail(r->err, -EINVAL, "'%.*s' cannot move into itself", TY_ARG(op->from));
    int failed = remove_at(r, op->from, &v);
    return failed ? failed : add_at(r, op->path, v);
}

static int do_copy(struct patch_run *r, const struct op *op)
{
    struct patch_target at;
    int failed = find_value(r, op->from, &at);

    if (failed)
        return failed;
    r->copied += weight_of(at.value);
    if (r->copied > COPY_LIMIT)
        return ty_fail(r->err, -EINVAL, "the patch copies too much");
    return add_at(r, op->path, ty_json_copy(r->a, at.value, 0));
}

static int do_test(struct patch_run *r, const struct op *op)
{
    struct patch_target at;
    int failed = find_value(r, op->path, &at);

    if (failed == 0 && !ty_json_eq(at.value, op->value))
        failed = ty_fail(r->err, -ECANCELED, "the value is another");
    return failed;
}

static const struct operation {
    const char *name;
    bool wants_value, wants_from;
    int (*apply)(struct patch_run *r, const struct op *op);
} operations[] = {
    { "add", true, false, do_add },         { "remove", false, false, do_remove },
    { "replace", true, false, do_replace }, { "move", false, true, do_move },
    { "copy", false, true, do_copy },       { "test", true, false, do_test },
};

static int apply_one(struct patch_run *r, const struct ty_json *v)
{
    struct ty_str name = ty_json_str_at(v, "op");
    const struct ty_json *path = ty_json_get(v, "path"), *from = ty_json_get(v, "from");
    struct op op = { ty_json_as_str(path), ty_json_as_str(from), ty_json_get(v, "value") };
    const struct operation *known = NULL;

    for (size_t i = 0; i < TY_COUNT(operations); i++) {
        if (ty_str_is(name, operations[i].name))
            known = &operations[i];
    }
    if (!known)
        return ty_fail(r->err, -EINVAL, "'%.*s' is no operation of a JSON patch", TY_ARG(name));
    if (!ty_json_is(path, TY_JSON_STRING))
        return ty_fail(r->err, -EINVAL, "%s needs a path", known->name);
    if (known->wants_from && !ty_json_is(from, TY_JSON_STRING))
        return ty_fail(r->err, -EINVAL, "%s needs a from", known->name);
    if (known->wants_value && !op.value)
        return ty_fail(r->err, -EINVAL, "%s needs a value", known->name);
    int failed = known->apply(r, &op);
    return failed ? ty_wrap(r->err, "%s '%.*s'", known->name, TY_ARG(op.path)) : 0;
}

int ty_patch_json(struct ty_arena *a, const struct ty_json *doc, const struct ty_json *ops,
                  struct ty_json **ret_doc, struct ty_err *err)
{
    struct ty_err unused = { 0 };
    struct patch_run r = { .a = a, .err = err ? err : &unused };

    if (!ty_json_is(ops, TY_JSON_ARRAY))
        return ty_fail(r.err, -EINVAL, "a JSON patch must be a list of operations");
    r.root = ty_json_copy(a, doc, 0);
    ty_each_item (it, ops) {
        int failed = apply_one(&r, *it);
        if (failed)
            return ty_wrap(r.err, "operation %zu", (size_t)(it - ops->items));
    }
    *ret_doc = r.root;
    return 0;
}
