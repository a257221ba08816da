/* A map of entries. Keys are in a fixed buffer, built by hand: twenty for every TrainJob, where
 * snprintf() took 4 % of all instructions. */
#include "store/kube/object_table.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct object_key {
    size_t n;
    char text[640]; /* a longer name finds nothing */
};

static void key_add(struct object_key *k, struct ty_str s)
{
    size_t n = s.n < sizeof(k->text) - k->n ? s.n : sizeof(k->text) - k->n;
    if (n)
        memcpy(k->text + k->n, s.p, n);
    k->n += n;
}

static struct ty_str key_of(struct object_key *k, const struct ty_kind *kind, struct ty_str ns,
                            struct ty_str name)
{
    k->n = 0;
    key_add(k, ty_str(kind->singular));
    key_add(k, TY_LIT("."));
    key_add(k, ty_str(kind->group));
    key_add(k, TY_LIT("/"));
    if (kind->namespaced)
        key_add(k, ns);
    key_add(k, TY_LIT("/"));
    key_add(k, name);
    return (struct ty_str){ k->text, k->n };
}

struct ty_object_entry *ty_object_entry_new(const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name, struct ty_str uid)
{
    struct ty_str part[] = { ns, name, uid };
    const char *at[3] = { 0 };
    struct ty_object_entry *e = ty_xalloc(calloc(1, sizeof(*e) + ns.n + name.n + uid.n + 3));
    char *to = (char *)(e + 1);

    for (size_t i = 0; i < 3; i++) {
        at[i] = to;
        if (part[i].n)
            memcpy(to, part[i].p, part[i].n);
        to += part[i].n + 1;
    }
    *e = (struct ty_object_entry){ .kind = kind, .ns = at[0], .name = at[1], .uid = at[2] };
    return e;
}

bool ty_object_entry_is_older(const struct ty_object_entry *e, uint64_t version)
{
    return e->any_version || !e->version || !version || e->version < version;
}

struct ty_object_entry *ty_object_table_get(const struct ty_object_table *t,
                                            const struct ty_kind *kind, struct ty_str ns,
                                            struct ty_str name)
{
    struct object_key k;

    return ty_map_get(&t->by_key, key_of(&k, kind, ns, name));
}

struct ty_object_entry *ty_object_table_put(struct ty_object_table *t, struct ty_object_entry *e)
{
    struct object_key k;
    struct ty_object_entry *was =
        ty_map_put(&t->by_key, key_of(&k, e->kind, ty_str(e->ns), ty_str(e->name)), e);

    e->round = was ? was->round : 0;
    return was;
}

struct ty_object_entry *ty_object_table_del(struct ty_object_table *t, const struct ty_kind *kind,
                                            struct ty_str ns, struct ty_str name)
{
    struct object_key k;

    return ty_map_del(&t->by_key, key_of(&k, kind, ns, name));
}

struct ty_object_entry *ty_object_table_next(const struct ty_object_table *t,
                                             const struct ty_kind *kind, size_t *at)
{
    const struct ty_map_slot *s = NULL;

    while ((s = ty_map_next(&t->by_key, at))) {
        struct ty_object_entry *e = s->value;
        if (!kind || e->kind == kind)
            return e;
    }
    return NULL;
}

void ty_object_table_done(struct ty_object_table *t)
{
    ty_map_done(&t->by_key);
}
