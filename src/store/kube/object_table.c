/* Entries in the order in which they were added, and a hash table of their places: open addressing
 * with linear probing, as base/map.c. The key is in the entry itself: a copy of it would take as
 * much memory as what a pod's entry says. */
#include "store/kube/object_table.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"

#define LONGEST 640 /* a longer name finds nothing */

static size_t slot_capacity(size_t cap)
{
    return cap / 4 * 3;
}

static uint32_t hash_of(const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    uint64_t h = ty_hash_bytes(0, name.p, name.n);

    if (kind->namespaced)
        h = ty_hash_bytes(h, ns.p, ns.n);
    return (uint32_t)ty_hash_bytes(h, kind->plural, strlen(kind->plural));
}

static bool is_at(const struct ty_object_slot *s, const struct ty_kind *kind, struct ty_str ns,
                  struct ty_str name, uint32_t hash)
{
    const struct ty_object_entry *e = s->entry;

    return s->hash == hash &&
           (e->kind == kind || (strcmp(e->kind->singular, kind->singular) == 0 &&
                                strcmp(e->kind->group, kind->group) == 0)) &&
           ty_str_is(name, e->name) && (!kind->namespaced || ty_str_is(ns, e->ns));
}

/* The index in the table of the object, or of the free place where it would be. */
static size_t place_of(const struct ty_object_table *t, const struct ty_kind *kind,
                       struct ty_str ns, struct ty_str name, uint32_t hash)
{
    size_t i = (size_t)hash & (t->cap - 1);

    while (t->table[i] && !is_at(&t->slots[t->table[i] - 1], kind, ns, name, hash))
        i = (i + 1) & (t->cap - 1);
    return i;
}

/* Doubles the table, unless at least half of the slots are removed ones. */
static void grow(struct ty_object_table *t)
{
    struct ty_object_table to = { .n = t->n, .cap = t->cap ? t->cap : 16 };

    if (t->cap && t->n * 2 >= slot_capacity(t->cap))
        to.cap *= 2;
    to.table = ty_xalloc(calloc(to.cap, sizeof(*to.table)));
    to.slots = ty_xalloc(calloc(slot_capacity(to.cap), sizeof(*to.slots)));
    for (size_t i = 0; i < t->used; i++) {
        if (!t->slots[i].entry)
            continue;
        size_t at = (size_t)t->slots[i].hash & (to.cap - 1);
        while (to.table[at])
            at = (at + 1) & (to.cap - 1);
        to.slots[to.used++] = t->slots[i];
        to.table[at] = (uint32_t)to.used;
    }
    free(t->table);
    free(t->slots);
    t->table = to.table;
    t->slots = to.slots;
    t->used = to.used;
    t->cap = to.cap;
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
    if (!t->n || ns.n > LONGEST || name.n > LONGEST)
        return NULL;
    uint32_t at = t->table[place_of(t, kind, ns, name, hash_of(kind, ns, name))];
    return at ? t->slots[at - 1].entry : NULL;
}

struct ty_object_entry *ty_object_table_put(struct ty_object_table *t, struct ty_object_entry *e)
{
    struct ty_str ns = ty_str(e->ns), name = ty_str(e->name);
    uint32_t hash = hash_of(e->kind, ns, name);

    if (t->used == slot_capacity(t->cap))
        grow(t);
    uint32_t *at = &t->table[place_of(t, e->kind, ns, name, hash)];
    struct ty_object_entry *was = *at ? t->slots[*at - 1].entry : NULL;
    e->round = was ? was->round : 0;
    if (was) {
        t->slots[*at - 1].entry = e;
        return was;
    }
    t->slots[t->used++] = (struct ty_object_slot){ e, hash };
    *at = (uint32_t)t->used;
    t->n++;
    return NULL;
}

struct ty_object_entry *ty_object_table_del(struct ty_object_table *t, const struct ty_kind *kind,
                                            struct ty_str ns, struct ty_str name)
{
    size_t mask = t->cap - 1;
    size_t hole = t->n ? place_of(t, kind, ns, name, hash_of(kind, ns, name)) : 0;

    if (!t->n || !t->table[hole])
        return NULL;
    struct ty_object_slot *s = &t->slots[t->table[hole] - 1];
    struct ty_object_entry *old = s->entry;
    *s = (struct ty_object_slot){ 0 };
    for (size_t i = (hole + 1) & mask; t->table[i]; i = (i + 1) & mask) {
        size_t home = (size_t)t->slots[t->table[i] - 1].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) { /* it was displaced past the hole */
            t->table[hole] = t->table[i];
            hole = i;
        }
    }
    t->table[hole] = 0;
    t->n--;
    return old;
}

struct ty_object_entry *ty_object_table_next(const struct ty_object_table *t,
                                             const struct ty_kind *kind, size_t *at)
{
    while (*at < t->used) {
        struct ty_object_entry *e = t->slots[(*at)++].entry;
        if (e && (!kind || e->kind == kind))
            return e;
    }
    return NULL;
}

size_t ty_object_table_bytes(const struct ty_object_table *t)
{
    return slot_capacity(t->cap) * sizeof(*t->slots) + t->cap * sizeof(*t->table);
}

void ty_object_table_done(struct ty_object_table *t)
{
    free(t->slots);
    free(t->table);
    *t = (struct ty_object_table){ 0 };
}
