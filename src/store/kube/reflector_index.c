/* An open hash table; each entry is one allocation. */
#include "store/kube/reflector_index.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

static uint32_t hash_of(struct ty_str ns, struct ty_str name)
{
    return (uint32_t)ty_hash_bytes(ty_hash_bytes(0, ns.p, ns.n), name.p, name.n);
}

struct ty_str ty_reflector_entry_ns(const struct ty_reflector_entry *e)
{
    return (struct ty_str){ e->text, e->ns_n };
}
struct ty_str ty_reflector_entry_name(const struct ty_reflector_entry *e)
{
    return (struct ty_str){ e->text + e->ns_n, e->name_n };
}
struct ty_str ty_reflector_entry_uid(const struct ty_reflector_entry *e)
{
    return (struct ty_str){ e->text + e->ns_n + e->name_n, e->uid_n };
}

/* The slot of an entry, or the free slot where it would be inserted. The table is never full. */
static size_t slot_of(const struct ty_reflector_index *s, uint32_t hash, struct ty_str ns,
                      struct ty_str name)
{
    size_t i = hash & (s->cap - 1);
    for (; s->slots[i]; i = (i + 1) & (s->cap - 1)) {
        const struct ty_reflector_entry *e = s->slots[i];
        if (e->hash == hash && ty_str_eq(ty_reflector_entry_ns(e), ns) &&
            ty_str_eq(ty_reflector_entry_name(e), name))
            break;
    }
    return i;
}

struct ty_reflector_entry *ty_reflector_index_find(const struct ty_reflector_index *s,
                                                   struct ty_str ns, struct ty_str name)
{
    if (s->cap == 0)
        return NULL;
    return s->slots[slot_of(s, hash_of(ns, name), ns, name)];
}

static void grow_slots(struct ty_reflector_index *s)
{
    struct ty_reflector_index more = { .n = s->n, .cap = s->cap ? s->cap * 2 : 16 };
    more.slots = ty_xalloc(calloc(more.cap, sizeof(struct ty_reflector_entry *)));
    for (size_t i = 0; i < s->cap; i++) {
        struct ty_reflector_entry *e = s->slots[i];
        if (e)
            more.slots[slot_of(&more, e->hash, ty_reflector_entry_ns(e),
                               ty_reflector_entry_name(e))] = e;
    }
    free(s->slots);
    *s = more;
}

struct ty_reflector_entry *ty_reflector_index_add(struct ty_reflector_index *s, struct ty_str ns,
                                                  struct ty_str name, struct ty_str uid)
{
    if (ns.n > UINT8_MAX || name.n > UINT8_MAX || uid.n > UINT8_MAX)
        return NULL;
    if ((s->n + 1) * 4 > s->cap * 3)
        grow_slots(s);
    struct ty_reflector_entry *e = ty_xalloc(calloc(1, sizeof(*e) + ns.n + name.n + uid.n));
    e->hash = hash_of(ns, name);
    e->ns_n = (uint8_t)ns.n;
    e->name_n = (uint8_t)name.n;
    e->uid_n = (uint8_t)uid.n;
    struct ty_str parts[] = { ns, name, uid };
    char *to = e->text;
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].n)
            memcpy(to, parts[i].p, parts[i].n);
        to += parts[i].n;
    }
    s->slots[slot_of(s, e->hash, ns, name)] = e;
    s->n++;
    return e;
}

struct ty_reflector_entry *ty_reflector_index_remove(struct ty_reflector_index *s,
                                                     struct ty_reflector_entry *e)
{
    size_t mask = s->cap - 1;
    size_t gap = slot_of(s, e->hash, ty_reflector_entry_ns(e), ty_reflector_entry_name(e));
    s->slots[gap] = NULL;
    s->n--;
    /* Entries that follow without a gap may have been displaced by the removed one: move them back.
     */
    for (size_t i = (gap + 1) & mask; s->slots[i]; i = (i + 1) & mask) {
        size_t home = s->slots[i]->hash & mask;
        if (((i - home) & mask) < ((i - gap) & mask))
            continue;
        s->slots[gap] = s->slots[i];
        s->slots[i] = NULL;
        gap = i;
    }
    return e;
}

void ty_reflector_index_done(struct ty_reflector_index *s)
{
    for (size_t i = 0; i < s->cap; i++)
        free(s->slots[i]);
    free(s->slots);
    *s = (struct ty_reflector_index){ 0 };
}

void ty_reflector_index_reset_versions(struct ty_reflector_index *s)
{
    for (size_t i = 0; i < s->cap; i++)
        if (s->slots[i])
            s->slots[i]->number = false;
}

void ty_reflector_entry_set_version(struct ty_reflector_entry *e, struct ty_str version)
{
    e->number = ty_str_parse_u64(version, &e->version);
    if (!e->number)
        e->version = ty_hash_bytes(0, version.p, version.n);
}

bool ty_reflector_entry_is_older(const struct ty_reflector_entry *e, struct ty_str version)
{
    uint64_t v = 0;
    bool number = ty_str_parse_u64(version, &v);
    if (number && e->number)
        return v > e->version;
    return number != e->number || ty_hash_bytes(0, version.p, version.n) != e->version;
}
