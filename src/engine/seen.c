/* Pods as their Job sees them, kept per version: a Job of a thousand pods reads each only when it
 * changed. */
#include <stdlib.h>

#include "engine/inner.h"

struct ty_seen {
    uint64_t version;
    struct ty_arena *arena;
    struct ty_pod_seen seen;
};

/* A summary is small; most of what it takes is its names. */
#define SEEN_CEILING ((size_t)4 << 20)

static struct ty_str keep(struct ty_arena *a, struct ty_str s)
{
    return (struct ty_str){ ty_arena_strndup(a, s.p, s.n), s.n };
}

/* Copies what ty_pod_see borrowed from an object that will be gone after this pass. */
static void own(struct ty_seen *s, const struct ty_pod_seen *from)
{
    struct ty_exit *exits = ty_new_n(s->arena, struct ty_exit, from->n_exits + 1);
    struct ty_seen_condition *conditions =
        ty_new_n(s->arena, struct ty_seen_condition, from->n_conditions + 1);

    s->seen = *from;
    s->seen.name = keep(s->arena, from->name);
    s->seen.uid = keep(s->arena, from->uid);
    for (size_t i = 0; i < from->n_exits; i++) {
        exits[i] = from->exits[i];
        exits[i].container = keep(s->arena, from->exits[i].container);
    }
    for (size_t i = 0; i < from->n_conditions; i++)
        conditions[i] = (struct ty_seen_condition){ keep(s->arena, from->conditions[i].type),
                                                    keep(s->arena, from->conditions[i].status) };
    s->seen.exits = exits;
    s->seen.conditions = conditions;
}

const struct ty_pod_seen *ty_engine_seen(struct ty_engine *e, const struct ty_stored *pod)
{
    struct ty_seen *s = ty_map_get(&e->seen, ty_str(pod->uid));
    struct ty_pod_seen seen;

    if (s && s->version == pod->version)
        return &s->seen;
    if (!s) {
        s = calloc(1, sizeof(*s));
        if (!s)
            abort();
        s->arena = ty_arena_new_small(SEEN_CEILING, 256);
        ty_map_put(&e->seen, ty_str(pod->uid), s);
    }
    ty_arena_reset(s->arena);
    ty_pod_see(e->pass, ty_local_read(e->pass, pod), &seen);
    own(s, &seen);
    s->version = pod->version;
    return &s->seen;
}

static void seen_free(struct ty_seen *s)
{
    if (s)
        ty_arena_free(s->arena);
    free(s);
}

void ty_engine_unsee(struct ty_engine *e, const char *uid)
{
    seen_free(ty_map_del(&e->seen, ty_str(uid)));
}

void ty_engine_seen_done(struct ty_engine *e)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&e->seen, &at)))
        seen_free(s->value);
    ty_map_done(&e->seen);
}
