/* Pods as their Job sees them, kept per version: a Job of a thousand pods reads each only when it
 * changed. */
#include <stdlib.h>

#include "engine/inner.h"

struct ty_seen {
    uint64_t version;
    struct ty_pod_seen seen;
    /* and in the same piece of memory its exits, its conditions, and their texts */
    _Alignas(max_align_t) char rest[];
};

static size_t text_bytes(const struct ty_pod_seen *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_exits; i++)
        n += s->exits[i].container.n;
    for (size_t i = 0; i < s->n_conditions; i++)
        n += s->conditions[i].type.n + s->conditions[i].status.n;
    return n;
}

static struct ty_str keep(char **at, struct ty_str s)
{
    struct ty_str kept = { *at, s.n };

    if (s.n)
        memcpy(*at, s.p, s.n);
    *at += s.n;
    return kept;
}

/* Copies what ty_pod_see borrowed from an object that will be gone after this pass. Name and uid
 * are the store's, as long as the pod is. */
static struct ty_seen *own(const struct ty_stored *pod, const struct ty_pod_seen *from)
{
    size_t exits_n = from->n_exits * sizeof(struct ty_exit);
    size_t conditions_n = from->n_conditions * sizeof(struct ty_seen_condition);
    struct ty_seen *s = calloc(1, sizeof(*s) + exits_n + conditions_n + text_bytes(from));

    if (!s)
        abort();
    struct ty_seen_condition *conditions = (void *)s->rest;
    struct ty_exit *exits = (void *)(s->rest + conditions_n);
    char *text = s->rest + conditions_n + exits_n;
    s->version = pod->version;
    s->seen = *from;
    s->seen.name = ty_str(pod->name);
    s->seen.uid = ty_str(pod->uid);
    for (size_t i = 0; i < from->n_exits; i++) {
        exits[i] = from->exits[i];
        exits[i].container = keep(&text, from->exits[i].container);
    }
    for (size_t i = 0; i < from->n_conditions; i++) {
        conditions[i].type = keep(&text, from->conditions[i].type);
        conditions[i].status = keep(&text, from->conditions[i].status);
    }
    s->seen.exits = exits;
    s->seen.conditions = conditions;
    return s;
}

const struct ty_pod_seen *ty_engine_seen(struct ty_engine *e, const struct ty_stored *pod)
{
    struct ty_seen *s = ty_map_get(&e->seen, ty_str(pod->uid));
    struct ty_pod_seen seen;

    if (s && s->version == pod->version)
        return &s->seen;
    ty_arena_reset(e->scratch);
    ty_pod_see(e->scratch, ty_local_read(e->scratch, pod), &seen);
    s = own(pod, &seen);
    free(ty_map_put(&e->seen, ty_str(pod->uid), s));
    return &s->seen;
}

void ty_engine_unsee(struct ty_engine *e, const char *uid)
{
    free(ty_map_del(&e->seen, ty_str(uid)));
}

void ty_engine_seen_done(struct ty_engine *e)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&e->seen, &at)))
        free(s->value);
    ty_map_done(&e->seen);
}
