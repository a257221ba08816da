/* A map from names to objects, and the same objects in order. */
#include "advise/cluster_snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/xalloc.h"

#define CEILING ((size_t)8 << 30) /* far above real clusters */

struct list { /* the result of a list; there are few */
    const struct ty_cluster_object *o;
    struct list *next;
};

struct ty_cluster_snapshot {
    struct ty_arena *arena;
    struct list *lists;
    struct ty_map by_name;
    struct ty_cluster_object **v;
    size_t n, cap;
    bool sorted;
};

struct ty_cluster_snapshot *ty_cluster_snapshot_new(void)
{
    struct ty_cluster_snapshot *s = ty_xalloc(calloc(1, sizeof(*s)));
    s->arena = ty_arena_new_input(CEILING, NULL);
    return s;
}

void ty_cluster_snapshot_free(struct ty_cluster_snapshot *s)
{
    if (!s)
        return;
    ty_map_done(&s->by_name);
    ty_arena_free(s->arena);
    free((void *)s->v);
    free(s);
}

static void key_of(struct ty_buf *b, const struct ty_kind *kind, struct ty_str ns,
                   struct ty_str name)
{
    ty_buf_printf(b, "%s.%s/", kind->plural, kind->group);
    if (kind->namespaced)
        ty_buf_add(b, ns);
    ty_buf_chr(b, '/');
    ty_buf_add(b, name);
}

const struct ty_cluster_object *ty_cluster_snapshot_find(const struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind,
                                                         struct ty_str ns, struct ty_str name)
{
    ty_auto_buf key = { 0 };

    key_of(&key, kind, ns, name);
    return ty_map_get(&s->by_name, ty_buf_str(&key));
}

static struct ty_cluster_object *get_or_add(struct ty_cluster_snapshot *s,
                                            const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name)
{
    ty_auto_buf key = { 0 };

    key_of(&key, kind, ns, name);
    struct ty_cluster_object *o = ty_map_get(&s->by_name, ty_buf_str(&key));
    if (o)
        return o;
    ty_xroom(s->v, s->n, s->cap);
    o = ty_new(s->arena, struct ty_cluster_object);
    *o = (struct ty_cluster_object){ .kind = kind,
                                     .ns =
                                         kind->namespaced ? ty_arena_str(s->arena, ns) : TY_LIT(""),
                                     .name = ty_arena_str(s->arena, name) };
    ty_map_put(&s->by_name, ty_buf_str(&key), o);
    s->v[s->n++] = o;
    s->sorted = false;
    if (!o->name.n) {
        struct list *l = ty_new(s->arena, struct list);
        *l = (struct list){ .o = o, .next = s->lists };
        s->lists = l;
    }
    return o;
}

int ty_cluster_snapshot_put(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                            struct ty_str ns, struct ty_str name, struct ty_str text)
{
    if (ty_arena_full(s->arena))
        return -EFBIG;
    struct ty_cluster_object *o = get_or_add(s, kind, ns, name);
    o->text = ty_arena_str(s->arena, text);
    o->r = 0;
    o->why = "";
    return 0;
}

void ty_cluster_snapshot_put_error(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                   struct ty_str ns, struct ty_str name, int r, struct ty_str why)
{
    struct ty_cluster_object *o = get_or_add(s, kind, ns, name);

    o->text = TY_LIT("");
    o->r = r;
    o->why = ty_arena_str(s->arena, why).p;
}

void ty_cluster_snapshot_set_listed(struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns)
{
    struct ty_cluster_object *o = get_or_add(s, kind, ns, TY_LIT(""));

    o->r = 1;
    o->why = "";
}

bool ty_cluster_snapshot_is_queried(const struct ty_cluster_snapshot *s, const struct ty_kind *kind,
                                    struct ty_str ns, struct ty_str name)
{
    const struct ty_cluster_object *all = ty_cluster_snapshot_find(s, kind, TY_LIT(""), TY_LIT(""));
    const struct ty_cluster_object *here = ty_cluster_snapshot_find(s, kind, ns, TY_LIT(""));

    return ty_cluster_snapshot_find(s, kind, ns, name) || (all && all->r != -EACCES) ||
           (here && here->r != -EACCES);
}

struct ty_json *ty_cluster_snapshot_parse(struct ty_arena *a, const struct ty_cluster_object *o)
{
    struct ty_json *obj = o && o->r == 0 ? ty_json_parse(a, o->text, NULL, NULL) : NULL;

    if (!ty_json_is(obj, TY_JSON_OBJECT))
        return NULL;
    /* Items of lists lack them, and metadata alone has the kind PartialObjectMetadata. */
    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, o->kind)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, o->kind->kind));
    return obj;
}

struct ty_json *ty_cluster_snapshot_get(struct ty_arena *a, const struct ty_cluster_snapshot *s,
                                        const struct ty_kind *kind, struct ty_str ns,
                                        struct ty_str name)
{
    return ty_cluster_snapshot_parse(a, ty_cluster_snapshot_find(s, kind, ns, name));
}

const struct ty_cluster_object *ty_cluster_snapshot_list_error(const struct ty_cluster_snapshot *s,
                                                               const struct ty_kind *kind)
{
    for (const struct list *l = s->lists; l; l = l->next)
        if (l->o->kind == kind && l->o->r < 0)
            return l->o;
    return NULL;
}

static int compare_objects(const void *x, const void *y)
{
    const struct ty_cluster_object *a = *(const struct ty_cluster_object *const *)x;
    const struct ty_cluster_object *b = *(const struct ty_cluster_object *const *)y;
    int ns = ty_str_cmp(a->ns, b->ns);

    return ns ? ns : ty_str_cmp(a->name, b->name);
}

const struct ty_cluster_object *ty_cluster_snapshot_next(struct ty_cluster_snapshot *s,
                                                         const struct ty_kind *kind, size_t *at)
{
    if (!s->sorted && s->n)
        qsort((void *)s->v, s->n, sizeof(*s->v), compare_objects);
    s->sorted = true;
    while (*at < s->n) {
        const struct ty_cluster_object *o = s->v[(*at)++];
        if (o->kind == kind && o->r == 0)
            return o;
    }
    return NULL;
}

size_t ty_cluster_snapshot_count(const struct ty_cluster_snapshot *s, const struct ty_kind *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->v[i]->kind == kind && s->v[i]->r == 0;
    return n;
}
