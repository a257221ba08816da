/* Builds trees from parser events. The builder has its own stack, so nesting uses no C stack.
 * Aliases become copies, whose number is limited. "<<" is merged when its mapping ends. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "json/json_inner.h"
#include "json/yaml_inner.h"

#include <errno.h>

enum {
    FREE_COPIES = 100000, /* nodes that aliases may add to any stream; or, if that is more, */
    MOST_GROWTH = 10,     /* so many nodes for each node that is written out */
};

struct anchor {
    struct ty_str name;
    struct ty_json *v;
    struct anchor *next; /* in its bucket */
    uint64_t nodes;      /* of v, once it is complete */
    unsigned height;     /* levels of lists and mappings in v */
    bool done;
};

/* A list or mapping that has not ended. */
struct frame {
    struct ty_json *v;
    struct anchor *anchor; /* or NULL */
    uint64_t nodes_before;
    unsigned height;
    char open; /* [ or { in brackets, - or : in block style */
    /* Mappings only. */
    bool has_key, merge; /* a key waits for its value; the key is "<<" */
    struct ty_str key;
    struct ty_yaml_mark key_at;
    struct ty_yaml_mark *places; /* of the keys, beside v->members */
    struct ty_json *merged;      /* the list of mappings that "<<" names, or NULL */
};

struct ty_yaml_build {
    struct ty_arena *a;
    const char *name;
    unsigned max_depth;
    struct frame *stack; /* max_depth frames */
    unsigned depth;
    struct ty_json *root;
    uint64_t nodes, written,
        copied; /* in this document; in the stream: without aliases, by aliases */
    struct anchor **buckets;
    size_t n_buckets, n_anchors;
};

struct ty_yaml_build *ty_yaml_build_new(struct ty_arena *a, const char *name, unsigned max_depth)
{
    struct ty_yaml_build *b = ty_xalloc(calloc(1, sizeof(*b)));
    *b = (struct ty_yaml_build){ .a = a, .name = name, .max_depth = max_depth };
    b->stack = ty_xalloc(calloc(max_depth ? max_depth : 1, sizeof(*b->stack)));
    return b;
}

void ty_yaml_build_free(struct ty_yaml_build *b)
{
    if (!b)
        return;
    free(b->stack);
    free(b->buckets);
    free(b);
}

/* Anchors: a hash table by name. A later anchor of the same name replaces the earlier one. */

static struct anchor **bucket_of(const struct ty_yaml_build *b, struct ty_str name)
{
    return &b->buckets[ty_hash_bytes(0, name.p, name.n) & (b->n_buckets - 1)];
}

static struct anchor *find_anchor(const struct ty_yaml_build *b, struct ty_str name)
{
    struct anchor *x = b->n_buckets ? *bucket_of(b, name) : NULL;
    while (x && !ty_str_eq(x->name, name))
        x = x->next;
    return x;
}

static void grow_buckets(struct ty_yaml_build *b)
{
    struct anchor **old = b->buckets;
    size_t n = b->n_buckets;
    b->n_buckets = n ? n * 4 : 16;
    b->buckets = ty_xalloc(calloc(b->n_buckets, sizeof(*b->buckets)));
    for (size_t i = 0; i < n; i++) {
        for (struct anchor *x = old[i], *next = NULL; x; x = next) {
            struct anchor **to = bucket_of(b, x->name);
            next = x->next;
            x->next = *to;
            *to = x;
        }
    }
    free(old);
}

static struct anchor *set_anchor(struct ty_yaml_build *b, struct ty_str name, struct ty_json *v)
{
    if (name.n == 0)
        return NULL;
    if (b->n_anchors >= b->n_buckets)
        grow_buckets(b);
    struct anchor *x = ty_new(b->a, struct anchor);
    struct anchor **to = bucket_of(b, name);
    *x = (struct anchor){ .name = name, .v = v, .next = *to };
    *to = x; /* before an older one of the same name */
    b->n_anchors++;
    return x;
}

/* Merge keys and duplicate keys, when a mapping ends. */

static int refuse_twice(const struct ty_yaml_build *b, const struct frame *f, size_t first,
                        size_t again, struct ty_err *err)
{
    return TY_YAML_FAIL(err, b->name, f->places[again],
                        "mapping key %s is given twice (first on line %u)",
                        ty_yaml_text_show(b->a, f->v->members[again].key), f->places[first].line);
}

static int check_twice(const struct ty_yaml_build *b, const struct frame *f, struct ty_err *err)
{
    const struct ty_json_member *members = f->v->members;
    size_t n = f->v->n, first = 0, again = SIZE_MAX;
    if (n < 2)
        return 0;
    const struct ty_json_member **sorted = ty_json_members_sorted(members, n);
    for (size_t i = 1; i < n; i++) {
        size_t at = (size_t)(sorted[i] - members);
        if (at < again && ty_str_eq(sorted[i - 1]->key, sorted[i]->key)) {
            first = (size_t)(sorted[i - 1] - members);
            again = at;
        }
    }
    free(sorted);
    return again == SIZE_MAX ? 0 : refuse_twice(b, f, first, again, err);
}

/* The mapping's own keys, then those of the merged mappings in order; the first of equal keys wins.
 */
static void merge_keys(struct ty_yaml_build *b, struct frame *f)
{
    size_t n = f->v->n, most = n;
    ty_each_item (it, f->merged)
        most += (*it)->n;
    struct ty_json_member *all = ty_new_n(b->a, struct ty_json_member, most ? most : 1);
    if (n)
        memcpy(all, f->v->members, n * sizeof(*all));
    ty_each_item (it, f->merged)
        ty_each_member (m, *it)
            all[n++] = *m;
    const struct ty_json_member **sorted = ty_json_members_sorted(all, n);
    for (size_t i = 1; i < n; i++)
        if (ty_str_eq(sorted[i - 1]->key, sorted[i]->key))
            all[sorted[i] - all].value = NULL;
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i].value)
            all[kept++] = all[i];
    f->v->members = all;
    f->v->n = (uint32_t)kept;
    f->v->cap = (uint32_t)most;
}

/* The value of "<<" must be a mapping, or a list of mappings. */
static int add_merged(struct ty_yaml_build *b, struct frame *f, struct ty_json *v,
                      struct ty_err *err)
{
    bool ok = ty_json_is(v, TY_JSON_OBJECT) || ty_json_is(v, TY_JSON_ARRAY);
    if (!f->merged)
        f->merged = ty_json_array(b->a);
    if (ty_json_is(v, TY_JSON_OBJECT))
        ty_json_push(b->a, f->merged, v);
    ty_each_item (it, v) {
        ok = ok && ty_json_is(*it, TY_JSON_OBJECT);
        ty_json_push(b->a, f->merged, *it);
    }
    f->has_key = f->merge = false;
    if (ok)
        return 0;
    return TY_YAML_FAIL(err, b->name, f->key_at, "the key << needs a mapping %s",
                        "or a list of mappings to merge");
}

/* Adding values to their list or mapping. */

static void add_member(struct ty_yaml_build *b, struct frame *f, struct ty_json *v)
{
    struct ty_json *map = f->v;
    if (map->n == map->cap) {
        uint32_t cap = map->cap ? map->cap * 2 : 4;
        struct ty_json_member *members = ty_new_n(b->a, struct ty_json_member, cap);
        struct ty_yaml_mark *places = ty_new_n(b->a, struct ty_yaml_mark, cap);
        if (map->n) {
            memcpy(members, map->members, map->n * sizeof(*members));
            memcpy(places, f->places, map->n * sizeof(*places));
        }
        map->members = members;
        map->cap = cap;
        f->places = places;
    }
    f->places[map->n] = f->key_at;
    map->members[map->n++] = (struct ty_json_member){ f->key, v };
    f->has_key = false;
}

static int add_key(struct ty_yaml_build *b, struct frame *f, const struct ty_json *v,
                   const struct ty_yaml_event *ev, struct ty_err *err)
{
    const struct ty_yaml_scalar *s = &ev->scalar;
    if (!ty_yaml_scalar_key(b->a, v, &f->key))
        return TY_YAML_FAIL(err, b->name, ev->at, "a mapping key cannot be %s",
                            v->type == TY_JSON_NULL ? "null; write \"null\" or \"~\" in quotes"
                                                    : "a list or a mapping");
    f->has_key = true;
    f->key_at = ev->at;
    f->merge = ev->kind == TY_YAML_SCALAR && ty_str_is(f->key, "<<") && s->plain &&
               (s->tag.n == 0 || ty_str_is(s->tag, "tag:yaml.org,2002:merge"));
    return 0;
}

static int add_node(struct ty_yaml_build *b, struct ty_json *v, unsigned height,
                    const struct ty_yaml_event *ev, struct ty_err *err)
{
    if (b->depth == 0) {
        b->root = v;
        return 0;
    }
    struct frame *f = &b->stack[b->depth - 1];
    if (f->v->type == TY_JSON_OBJECT && !f->has_key)
        return add_key(b, f, v, ev, err);
    if (f->height < height + 1)
        f->height = height + 1;
    if (f->v->type == TY_JSON_ARRAY)
        ty_json_push(b->a, f->v, v);
    else if (f->merge)
        return add_merged(b, f, v, err);
    else
        add_member(b, f, v);
    return 0;
}

static struct ty_json *new_node(struct ty_yaml_build *b, const struct ty_yaml_event *ev)
{
    struct ty_json *v = ty_new(b->a, struct ty_json);
    v->line = ev->at.line;
    v->col = ev->at.col;
    b->nodes++;
    b->written++;
    return v;
}

static int add_scalar(struct ty_yaml_build *b, const struct ty_yaml_event *ev, struct ty_err *err)
{
    const char *why = NULL;
    struct ty_yaml_scalar s = ev->scalar;
    struct ty_json *v = new_node(b, ev);
    if (ty_str_is(s.text, "<<") && ty_str_is(s.tag, "tag:yaml.org,2002:merge"))
        s.tag = (struct ty_str){ 0 };
    if (!ty_yaml_scalar_parse(b->a, &s, v, &why))
        return TY_YAML_FAIL(err, b->name, ev->at, "%s", why);
    struct anchor *x = set_anchor(b, ev->anchor, v);
    if (x) {
        x->nodes = 1;
        x->done = true;
    }
    return add_node(b, v, 0, ev, err);
}

static int begin_collection(struct ty_yaml_build *b, const struct ty_yaml_event *ev,
                            struct ty_err *err)
{
    bool map = ev->kind == TY_YAML_MAPPING;
    const struct frame *up = &b->stack[b->depth ? b->depth - 1 : 0];
    struct ty_str tag = ev->scalar.tag;
    if (b->depth == b->max_depth)
        return TY_YAML_FAIL(err, b->name, ev->at, "nested more than %u levels deep", b->max_depth);
    if (b->depth && up->v->type == TY_JSON_OBJECT && !up->has_key)
        return TY_YAML_FAIL(err, b->name, ev->at, "a mapping key cannot be a %s",
                            map ? "mapping; quote it if it is text, such as \"{{ x }}\"" : "list");
    if (tag.n && !ty_str_is(tag, "!") &&
        !ty_str_is(tag, map ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq"))
        return TY_YAML_FAIL(err, b->name, ev->at, "the tag %s means nothing on a %s",
                            ty_yaml_scalar_tag(b->a, tag), map ? "mapping" : "list");
    struct frame *f = &b->stack[b->depth++];
    *f = (struct frame){ .nodes_before = b->nodes,
                         .open = ev->flow ? (map ? '{' : '[') : (map ? ':' : '-') };
    f->v = new_node(b, ev);
    f->v->type = map ? TY_JSON_OBJECT : TY_JSON_ARRAY;
    f->anchor = set_anchor(b, ev->anchor, f->v);
    return 0;
}

static int end_collection(struct ty_yaml_build *b, struct ty_err *err)
{
    if (b->depth == 0)
        return ty_fail(err, -EINVAL, "%s:1:1: an end without a beginning", b->name);
    struct frame *f = &b->stack[b->depth - 1];
    struct ty_yaml_event whole = { .kind = TY_YAML_END, .at = { f->v->line, f->v->col } };
    if (f->v->type == TY_JSON_OBJECT) {
        int r = check_twice(b, f, err);
        if (r < 0)
            return r;
        if (f->merged)
            merge_keys(b, f);
    }
    unsigned height = f->height ? f->height : 1;
    if (f->anchor) {
        f->anchor->nodes = b->nodes - f->nodes_before;
        f->anchor->height = height;
        f->anchor->done = true;
    }
    b->depth--;
    return add_node(b, f->v, height, &whole, err);
}

static int add_alias(struct ty_yaml_build *b, const struct ty_yaml_event *ev, struct ty_err *err)
{
    const struct anchor *x = find_anchor(b, ev->anchor);
    const char *shown = ty_yaml_text_show(b->a, ev->anchor);
    if (!x)
        return TY_YAML_FAIL(err, b->name, ev->at, "no anchor %s comes before this alias", shown);
    if (!x->done)
        return TY_YAML_FAIL(err, b->name, ev->at, "the alias %s is inside the value it means",
                            shown);
    if (b->depth + x->height > b->max_depth)
        return TY_YAML_FAIL(err, b->name, ev->at, "the alias %s nests more than %u levels deep",
                            shown, b->max_depth);
    b->written++; /* count the alias itself, so that an alias for a scalar is free */
    b->copied += x->nodes;
    if (b->copied > FREE_COPIES && b->copied > MOST_GROWTH * b->written)
        return TY_YAML_FAIL(err, b->name, ev->at,
                            "aliases make this text more than %d times larger", MOST_GROWTH);
    b->nodes += x->nodes;
    return add_node(b, ty_json_copy(b->a, x->v, 0), x->height, ev, err);
}

int ty_yaml_build_add(struct ty_yaml_build *b, const struct ty_yaml_event *ev, struct ty_err *err)
{
    switch (ev->kind) {
    case TY_YAML_SCALAR:
        return add_scalar(b, ev, err);
    case TY_YAML_LIST:
    case TY_YAML_MAPPING:
        return begin_collection(b, ev, err);
    case TY_YAML_END:
        return end_collection(b, err);
    case TY_YAML_ALIAS:
        return add_alias(b, ev, err);
    }
    return -EINVAL;
}

struct ty_json *ty_yaml_build_take(struct ty_yaml_build *b)
{
    struct ty_json *root = b->depth == 0 ? b->root : NULL;
    b->root = NULL;
    b->depth = 0;
    b->nodes = 0;
    b->n_anchors = 0;
    if (b->buckets)
        memset(b->buckets, 0, b->n_buckets * sizeof(*b->buckets));
    return root;
}

char ty_yaml_build_open(const struct ty_yaml_build *b, struct ty_yaml_mark *ret_at)
{
    if (b->depth == 0)
        return 0;
    const struct frame *f = &b->stack[b->depth - 1];
    *ret_at = (struct ty_yaml_mark){ f->v->line, f->v->col };
    return f->open;
}
