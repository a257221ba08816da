/* Open addressing with linear probing; deletion moves later slots back, so there are no tombstones.
 */
#include "base/map.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

/* FNV-1a, finished with a mix so that the low bits are good. */
static uint32_t hash_of(struct ty_str key)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < key.n; i++)
        h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3u;
    h ^= h >> 32;
    return (uint32_t)((h * 0x9e3779b97f4a7c15u) >> 32);
}

/* The slot of the key, or the free one where it would go. */
static struct ty_map_slot *slot_of(const struct ty_map *m, struct ty_str key, uint32_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);

    while (m->slots[i].key && (m->slots[i].hash != hash ||
                               !ty_str_eq((struct ty_str){ m->slots[i].key, m->slots[i].n }, key)))
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

static void grow(struct ty_map *m)
{
    struct ty_map bigger = { .cap = m->cap ? m->cap * 2 : 16 };

    bigger.slots = ty_must(calloc(bigger.cap, sizeof(*bigger.slots)));
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key)
            *slot_of(&bigger, (struct ty_str){ m->slots[i].key, m->slots[i].n }, m->slots[i].hash) =
                m->slots[i];
    bigger.n = m->n;
    free(m->slots);
    *m = bigger;
}

void *ty_map_get(const struct ty_map *m, struct ty_str key)
{
    return m->n ? slot_of(m, key, hash_of(key))->value : NULL;
}

void *ty_map_put(struct ty_map *m, struct ty_str key, void *value)
{
    uint32_t hash = hash_of(key);

    if (m->n * 4 >= m->cap * 3)
        grow(m);
    struct ty_map_slot *s = slot_of(m, key, hash);
    void *old = s->value;
    if (!s->key) {
        s->key = ty_must(malloc(key.n + 1));
        if (key.n)
            memcpy(s->key, key.p, key.n);
        s->key[key.n] = 0;
        s->n = (uint32_t)key.n;
        s->hash = hash;
        m->n++;
    }
    s->value = value;
    return old;
}

void *ty_map_del(struct ty_map *m, struct ty_str key)
{
    struct ty_map_slot *s = m->n ? slot_of(m, key, hash_of(key)) : NULL;

    if (!s || !s->key)
        return NULL;
    void *old = s->value;
    free(s->key);
    size_t hole = (size_t)(s - m->slots), i = hole;
    for (;;) { /* whoever was pushed past the hole moves into it */
        i = (i + 1) & (m->cap - 1);
        if (!m->slots[i].key)
            break;
        size_t home = (size_t)m->slots[i].hash & (m->cap - 1);
        if (((i - home) & (m->cap - 1)) >= ((i - hole) & (m->cap - 1))) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole] = (struct ty_map_slot){ 0 };
    m->n--;
    return old;
}

void ty_map_done(struct ty_map *m)
{
    for (size_t i = 0; i < m->cap; i++)
        free(m->slots[i].key);
    free(m->slots);
    *m = (struct ty_map){ 0 };
}

const struct ty_map_slot *ty_map_next(const struct ty_map *m, size_t *at)
{
    while (*at < m->cap) {
        const struct ty_map_slot *s = &m->slots[(*at)++];
        if (s->key)
            return s;
    }
    return NULL;
}
