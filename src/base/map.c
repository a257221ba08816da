/* Slots in the order of insertion, and a table of indexes into them: open addressing with linear
 * probing. Deletion moves later entries of the table back, so there are no tombstones. Slots of
 * removed keys are dropped when the map grows. */
#include "base/map.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t hash_of(struct ty_str key)
{
    return (uint32_t)ty_hash_bytes(0, key.p, key.n);
}

static size_t slot_capacity(size_t cap)
{
    return cap / 4 * 3;
}

static bool slot_has_key(const struct ty_map_slot *s, struct ty_str key, uint32_t hash)
{
    return s->hash == hash && ty_str_eq((struct ty_str){ s->key, s->n }, key);
}

/* The index in the table of the key, or of the free entry where it would be inserted. */
static size_t place_of(const struct ty_map *m, struct ty_str key, uint32_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);

    while (m->table[i] && !slot_has_key(&m->slots[m->table[i] - 1], key, hash))
        i = (i + 1) & (m->cap - 1);
    return i;
}

/* Doubles the table, unless at least half of the slots are removed ones. */
static void grow_table(struct ty_map *m)
{
    struct ty_map to = { .n = m->n, .cap = m->cap ? m->cap : 16 };

    if (m->n * 2 >= slot_capacity(m->cap) && m->cap)
        to.cap *= 2;
    to.table = ty_xalloc(calloc(to.cap, sizeof(*to.table)));
    to.slots = ty_xalloc(calloc(slot_capacity(to.cap), sizeof(*to.slots)));
    for (size_t i = 0; i < m->used; i++) {
        if (!m->slots[i].key)
            continue;
        size_t at = (size_t)m->slots[i].hash & (to.cap - 1);
        while (to.table[at])
            at = (at + 1) & (to.cap - 1);
        to.slots[to.used++] = m->slots[i];
        to.table[at] = (uint32_t)to.used;
    }
    struct ty_map old = *m;
    *m = to;
    free(old.table);
    free(old.slots);
}

void *ty_map_get(const struct ty_map *m, struct ty_str key)
{
    uint32_t at = m->n ? m->table[place_of(m, key, hash_of(key))] : 0;

    return at ? m->slots[at - 1].value : NULL;
}

void *ty_map_put(struct ty_map *m, struct ty_str key, void *value)
{
    uint32_t hash = hash_of(key);

    if (m->used == slot_capacity(m->cap))
        grow_table(m);
    uint32_t *at = &m->table[place_of(m, key, hash)];
    if (*at) {
        void *old = m->slots[*at - 1].value;
        m->slots[*at - 1].value = value;
        return old;
    }
    struct ty_map_slot *s = &m->slots[m->used++];
    *s = (struct ty_map_slot){ ty_xalloc(malloc(key.n + 1)), value, (uint32_t)key.n, hash };
    if (key.n)
        memcpy(s->key, key.p, key.n);
    s->key[key.n] = 0;
    *at = (uint32_t)m->used;
    m->n++;
    return NULL;
}

void *ty_map_del(struct ty_map *m, struct ty_str key)
{
    size_t mask = m->cap - 1, hole = m->n ? place_of(m, key, hash_of(key)) : 0;

    if (!m->n || !m->table[hole])
        return NULL;
    struct ty_map_slot *s = &m->slots[m->table[hole] - 1];
    void *old = s->value;
    free(s->key);
    *s = (struct ty_map_slot){ 0 };
    for (size_t i = (hole + 1) & mask; m->table[i]; i = (i + 1) & mask) {
        size_t home = (size_t)m->slots[m->table[i] - 1].hash & mask;
        if (((i - home) & mask) >=
            ((i - hole) & mask)) { /* this entry was displaced past the hole */
            m->table[hole] = m->table[i];
            hole = i;
        }
    }
    m->table[hole] = 0;
    m->n--;
    return old;
}

void ty_map_done(struct ty_map *m)
{
    for (size_t i = 0; i < m->used; i++)
        free(m->slots[i].key);
    free(m->slots);
    free(m->table);
    *m = (struct ty_map){ 0 };
}

size_t ty_map_bytes(const struct ty_map *m)
{
    return slot_capacity(m->cap) * sizeof(*m->slots) + m->cap * sizeof(*m->table);
}

const struct ty_map_slot *ty_map_next(const struct ty_map *m, size_t *at)
{
    while (*at < m->used) {
        const struct ty_map_slot *s = &m->slots[(*at)++];
        if (s->key)
            return s;
    }
    return NULL;
}
