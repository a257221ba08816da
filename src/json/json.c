/* The JSON tree: constructors, accessors, comparison, changes. */
#include "json/json.h"
#include "base/hash.h"

#include <assert.h>

#include "base/xalloc.h"
#include "json/json_inner.h"

#define FEW_KEYS 16u /* up to this size, comparing all pairs is cheaper than sorting */

/* Constructors */

static struct ty_json *new_node(struct ty_arena *a, enum ty_json_type type)
{
    struct ty_json *v = ty_new(a, struct ty_json);
    v->type = (uint8_t)type;
    return v;
}

struct ty_json *ty_json_null(struct ty_arena *a)
{
    return new_node(a, TY_JSON_NULL);
}

struct ty_json *ty_json_bool(struct ty_arena *a, bool b)
{
    struct ty_json *v = new_node(a, TY_JSON_BOOL);
    v->b = b;
    return v;
}

struct ty_json *ty_json_int(struct ty_arena *a, int64_t i)
{
    struct ty_json *v = new_node(a, TY_JSON_INT);
    v->i = i;
    return v;
}

struct ty_json *ty_json_str(struct ty_arena *a, struct ty_str s)
{
    assert(s.n <= UINT32_MAX);
    struct ty_json *v = new_node(a, TY_JSON_STRING);
    v->s = s.p ? s.p : "";
    v->n = (uint32_t)s.n;
    return v;
}

struct ty_json *ty_json_cstr(struct ty_arena *a, const char *s)
{
    return ty_json_str(a, ty_str(s));
}

struct ty_json *ty_json_strf(struct ty_arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = ty_arena_vprintf(a, fmt, ap);
    va_end(ap);
    return ty_json_cstr(a, text);
}

struct ty_json *ty_json_array(struct ty_arena *a)
{
    return new_node(a, TY_JSON_ARRAY);
}

struct ty_json *ty_json_object(struct ty_arena *a)
{
    return new_node(a, TY_JSON_OBJECT);
}

struct ty_json *ty_json_copy(struct ty_arena *a, const struct ty_json *v, uint16_t origin)
{
    struct ty_json *copy = ty_arena_raw(a, sizeof(*copy), _Alignof(struct ty_json));
    *copy = *v;
    if (origin)
        copy->origin = origin;
    if (v->type < TY_JSON_ARRAY || ty_arena_full(a))
        return copy;
    copy->cap = v->n;
    if (v->type == TY_JSON_ARRAY) {
        copy->items = ty_new_n(a, struct ty_json *, v->n);
        for (uint32_t i = 0; i < v->n; i++)
            copy->items[i] = ty_json_copy(a, v->items[i], origin);
    } else {
        copy->members = ty_new_n(a, struct ty_json_member, v->n);
        for (uint32_t i = 0; i < v->n; i++)
            copy->members[i] = (struct ty_json_member){
                v->members[i].key,
                ty_json_copy(a, v->members[i].value, origin),
            };
    }
    return copy;
}

struct ty_json *ty_json_shallow_copy(struct ty_arena *a, const struct ty_json *v)
{
    struct ty_json *copy = ty_arena_raw(a, sizeof(*copy), _Alignof(struct ty_json));
    *copy = *v;
    if (v->type < TY_JSON_ARRAY || v->n == 0)
        return copy;
    copy->cap = v->n;
    size_t each = v->type == TY_JSON_ARRAY ? sizeof(*v->items) : sizeof(*v->members);
    void *list = ty_arena_raw(a, v->n * each, _Alignof(max_align_t));
    memcpy(list, v->type == TY_JSON_ARRAY ? (const void *)v->items : v->members, v->n * each);
    if (v->type == TY_JSON_ARRAY)
        copy->items = list;
    else
        copy->members = list;
    return copy;
}

void ty_json_set_origin(struct ty_json *v, uint16_t origin)
{
    v->origin = origin;
    ty_each_item (it, v)
        ty_json_set_origin(*it, origin);
    ty_each_member (m, v)
        ty_json_set_origin(m->value, origin);
}

/* Accessors */

static struct ty_json_member *find_member(const struct ty_json *obj, struct ty_str key)
{
    ty_each_member (m, obj)
        if (ty_str_eq(m->key, key))
            return m;
    return NULL;
}

struct ty_json *ty_json_find(const struct ty_json *obj, struct ty_str key)
{
    struct ty_json_member *m = find_member(obj, key);
    return m ? m->value : NULL;
}

struct ty_json *ty_json_get(const struct ty_json *obj, const char *key)
{
    return ty_json_find(obj, ty_str(key));
}

struct ty_json *ty_json_at(const struct ty_json *obj, const char *path)
{
    struct ty_str rest = ty_str(path), key;
    do {
        rest = ty_str_cut(rest, '.', &key);
        struct ty_json *v = ty_json_find(obj, key);
        if (!v || !rest.p)
            return v;
        obj = v;
    } while (true);
}

struct ty_json *ty_json_item(const struct ty_json *arr, size_t i)
{
    return ty_json_is(arr, TY_JSON_ARRAY) && i < arr->n ? arr->items[i] : NULL;
}

struct ty_json *ty_json_find_item(const struct ty_json *arr, const char *key, struct ty_str value,
                                  size_t *ret_index)
{
    ty_each_item (it, arr) {
        const struct ty_json *have = ty_json_get(*it, key);
        if (!ty_json_is(have, TY_JSON_STRING) || !ty_str_eq(ty_json_as_str(have), value))
            continue;
        if (ret_index)
            *ret_index = (size_t)(it - arr->items);
        return *it;
    }
    return NULL;
}

struct ty_str ty_json_str_at(const struct ty_json *obj, const char *path)
{
    return ty_json_as_str(ty_json_at(obj, path));
}

bool ty_json_true_at(const struct ty_json *obj, const char *path)
{
    const struct ty_json *v = ty_json_at(obj, path);
    return ty_json_is(v, TY_JSON_BOOL) && v->b;
}

bool ty_json_int_at(const struct ty_json *obj, const char *path, int64_t *ret_v)
{
    const struct ty_json *v = ty_json_at(obj, path);
    if (!ty_json_is(v, TY_JSON_INT))
        return false;
    *ret_v = v->i;
    return true;
}

/* Comparison */

static int compare_keys(const void *a, const void *b)
{
    const struct ty_json_member *x = *(const struct ty_json_member *const *)a;
    const struct ty_json_member *y = *(const struct ty_json_member *const *)b;
    int c = ty_str_cmp(x->key, y->key);
    return c ? c : (x > y) - (x < y);
}

const struct ty_json_member **ty_json_members_sorted(const struct ty_json_member *members, size_t n)
{
    const struct ty_json_member **sorted = ty_xalloc(calloc(n ? n : 1, sizeof(*sorted)));
    for (size_t i = 0; i < n; i++)
        sorted[i] = &members[i];
    qsort(sorted, n, sizeof(struct ty_json_member *), compare_keys);
    return sorted;
}

const struct ty_json_member *ty_json_duplicate_member(const struct ty_json_member *members,
                                                      size_t n)
{
    const struct ty_json_member *twice = NULL;
    if (n <= FEW_KEYS) {
        for (size_t i = 1; i < n; i++)
            for (size_t j = 0; j < i; j++)
                if (ty_str_eq(members[i].key, members[j].key))
                    return &members[i];
        return NULL;
    }
    const struct ty_json_member **sorted = ty_json_members_sorted(members, n);
    for (size_t i = 1; i < n; i++)
        if (ty_str_eq(sorted[i - 1]->key, sorted[i]->key) && (!twice || sorted[i] < twice))
            twice = sorted[i];
    free(sorted);
    return twice;
}

/* Two objects of the same size. Their keys usually have the same order; if not, large objects are
 * sorted, so that no input makes this quadratic. */
static bool eq_members(const struct ty_json *a, const struct ty_json *b)
{
    uint32_t i = 0;
    while (i < a->n && ty_str_eq(a->members[i].key, b->members[i].key)) {
        if (!ty_json_eq(a->members[i].value, b->members[i].value))
            return false;
        i++;
    }
    uint32_t left = a->n - i;
    bool same = true;
    if (left <= FEW_KEYS) {
        for (; same && i < a->n; i++)
            same = ty_json_eq(a->members[i].value, ty_json_find(b, a->members[i].key));
        return same;
    }
    const struct ty_json_member **x = ty_json_members_sorted(a->members + i, left);
    const struct ty_json_member **y = ty_json_members_sorted(b->members + i, left);
    for (uint32_t k = 0; same && k < left; k++)
        same = ty_str_eq(x[k]->key, y[k]->key) && ty_json_eq(x[k]->value, y[k]->value);
    free(x);
    free(y);
    return same;
}

bool ty_json_eq(const struct ty_json *a, const struct ty_json *b)
{
    if (a == b || !a || !b || a->type != b->type)
        return a == b;
    switch ((enum ty_json_type)a->type) {
    case TY_JSON_NULL:
        return true;
    case TY_JSON_BOOL:
        return a->b == b->b;
    case TY_JSON_INT:
        return a->i == b->i;
    case TY_JSON_NUMBER:
    case TY_JSON_STRING:
        return ty_str_eq((struct ty_str){ a->s, a->n }, (struct ty_str){ b->s, b->n });
    case TY_JSON_ARRAY:
        if (a->n != b->n)
            return false;
        for (uint32_t i = 0; i < a->n; i++)
            if (!ty_json_eq(a->items[i], b->items[i]))
                return false;
        return true;
    case TY_JSON_OBJECT:
        return a->n == b->n && eq_members(a, b);
    }
    return false;
}

/* The hash of a value. The hashes of members are added, because members have no order. Keys
 * are unique, and the hash is keyed, so users cannot choose the terms of the sum. */
uint64_t ty_json_hash(const struct ty_json *v)
{
    uint64_t h = 0;

    if (!v)
        return 1;
    switch ((enum ty_json_type)v->type) {
    case TY_JSON_NULL:
        return 2;
    case TY_JSON_BOOL:
        return 3 + (uint64_t)v->b;
    case TY_JSON_INT:
        return ty_hash_pair(5, (uint64_t)v->i);
    case TY_JSON_NUMBER:
    case TY_JSON_STRING:
        return ty_hash_bytes(6 + (uint64_t)v->type, v->s, v->n);
    case TY_JSON_ARRAY:
        ty_each_item (it, v)
            h = ty_hash_pair(h, ty_json_hash(*it));
        return ty_hash_pair(h, 20);
    case TY_JSON_OBJECT:
        ty_each_member (m, v)
            h += ty_hash_bytes(ty_json_hash(m->value), m->key.p, m->key.n);
        return ty_hash_pair(h, 22);
    default:
        return 0;
    }
}

/* Changes */

/* The list of v with room for one more item; the old array stays in the arena. */
static void *grow_list(struct ty_arena *a, struct ty_json *v, void *old, size_t each)
{
    if (v->n < v->cap)
        return old;
    assert(v->cap < UINT32_MAX / 2);
    v->cap = v->cap < 4 ? 4 : v->cap * 2;
    void *list = ty_arena_raw(a, v->cap * each, _Alignof(max_align_t));
    if (v->n > 0)
        memcpy(list, old, v->n * each);
    return list;
}

void ty_json_put(struct ty_arena *a, struct ty_json *obj, struct ty_str key, struct ty_json *v)
{
    assert(ty_json_is(obj, TY_JSON_OBJECT) && v);
    struct ty_json_member *m = find_member(obj, key);
    if (m)
        m->value = v;
    else
        ty_json_append(a, obj, key, v);
}

void ty_json_append(struct ty_arena *a, struct ty_json *obj, struct ty_str key, struct ty_json *v)
{
    assert(ty_json_is(obj, TY_JSON_OBJECT) && v);
    obj->members = grow_list(a, obj, obj->members, sizeof(*obj->members));
    obj->members[obj->n++] = (struct ty_json_member){ key, v };
}

void ty_json_set(struct ty_arena *a, struct ty_json *obj, const char *key, struct ty_json *v)
{
    ty_json_put(a, obj, ty_str(key), v);
}

bool ty_json_del(struct ty_json *obj, struct ty_str key)
{
    struct ty_json_member *m = find_member(obj, key);
    if (!m)
        return false;
    size_t after = (size_t)(obj->members + obj->n - (m + 1));
    memmove(m, m + 1, after * sizeof(*m));
    obj->n--;
    return true;
}

void ty_json_insert(struct ty_arena *a, struct ty_json *arr, size_t at, struct ty_json *v)
{
    assert(ty_json_is(arr, TY_JSON_ARRAY) && v && at <= arr->n);
    arr->items = grow_list(a, arr, arr->items, sizeof(struct ty_json *));
    memmove(arr->items + at + 1, arr->items + at, (arr->n - at) * sizeof(struct ty_json *));
    arr->items[at] = v;
    arr->n++;
}

void ty_json_push(struct ty_arena *a, struct ty_json *arr, struct ty_json *v)
{
    ty_json_insert(a, arr, arr->n, v);
}

void ty_json_remove(struct ty_json *arr, size_t at)
{
    assert(ty_json_is(arr, TY_JSON_ARRAY) && at < arr->n);
    memmove(arr->items + at, arr->items + at + 1, (arr->n - at - 1) * sizeof(struct ty_json *));
    arr->n--;
}

/* A value of another type is replaced: callers have validated the object against its schema. */
static struct ty_json *ensure_member(struct ty_arena *a, struct ty_json *obj, const char *key,
                                     enum ty_json_type type)
{
    struct ty_json *v = ty_json_get(obj, key);
    if (!ty_json_is(v, type)) {
        v = new_node(a, type);
        ty_json_set(a, obj, key, v);
    }
    return v;
}

struct ty_json *ty_json_ensure_object(struct ty_arena *a, struct ty_json *obj, const char *key)
{
    return ensure_member(a, obj, key, TY_JSON_OBJECT);
}

struct ty_json *ty_json_ensure_array(struct ty_arena *a, struct ty_json *obj, const char *key)
{
    return ensure_member(a, obj, key, TY_JSON_ARRAY);
}
