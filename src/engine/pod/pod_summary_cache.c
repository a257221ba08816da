/* A cache of pod summaries by version: a Job of a thousand pods parses a Pod object only when it
 * changed. */
#include "engine/pod/pod_summary_cache.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/pod/pod_summary.h"
#include "store/local/local.h"

struct ty_pod_summary_entry {
    uint64_t version;
    struct ty_pod_summary summary;
    /* and in the same piece of memory its exits, its conditions, and their texts */
    _Alignas(max_align_t) char rest[];
};

static size_t text_bytes(const struct ty_pod_summary *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_exits; i++)
        n += s->exits[i].container.n;
    for (size_t i = 0; i < s->n_conditions; i++)
        n += s->conditions[i].type.n + s->conditions[i].status.n;
    return n;
}

static struct ty_str copy_text(char **at, struct ty_str s)
{
    struct ty_str kept = { *at, s.n };

    if (s.n)
        memcpy(*at, s.p, s.n);
    *at += s.n;
    return kept;
}

/* Copies what ty_pod_summary_read borrowed from an object that will be gone after this pass. Name
 * and uid are the store's, as long as the pod is. */
static struct ty_pod_summary_entry *copy_summary(const struct ty_stored *pod,
                                                 const struct ty_pod_summary *from)
{
    size_t exits_n = from->n_exits * sizeof(struct ty_pod_summary_exit);
    size_t conditions_n = from->n_conditions * sizeof(struct ty_pod_summary_condition);
    struct ty_pod_summary_entry *s =
        ty_xalloc(calloc(1, sizeof(*s) + exits_n + conditions_n + text_bytes(from)));
    struct ty_pod_summary_condition *conditions = (void *)s->rest;
    struct ty_pod_summary_exit *exits = (void *)(s->rest + conditions_n);
    char *text = s->rest + conditions_n + exits_n;
    s->version = pod->version;
    s->summary = *from;
    s->summary.name = ty_str(pod->name);
    s->summary.uid = ty_str(pod->uid);
    for (size_t i = 0; i < from->n_exits; i++) {
        exits[i] = from->exits[i];
        exits[i].container = copy_text(&text, from->exits[i].container);
    }
    for (size_t i = 0; i < from->n_conditions; i++) {
        conditions[i].type = copy_text(&text, from->conditions[i].type);
        conditions[i].status = copy_text(&text, from->conditions[i].status);
    }
    s->summary.exits = exits;
    s->summary.conditions = conditions;
    return s;
}

const struct ty_pod_summary *ty_pod_summary_cache_get(struct ty_pod_summary_cache *cache,
                                                      struct ty_arena *scratch,
                                                      const struct ty_stored *pod)
{
    struct ty_pod_summary_entry *s = ty_map_get(&cache->by_uid, ty_str(pod->uid));
    struct ty_pod_summary summary;

    if (s && s->version == pod->version)
        return &s->summary;
    ty_arena_reset(scratch);
    ty_pod_summary_read(scratch, ty_local_read(scratch, pod), &summary);
    s = copy_summary(pod, &summary);
    free(ty_map_put(&cache->by_uid, ty_str(pod->uid), s));
    return &s->summary;
}

void ty_pod_summary_cache_drop(struct ty_pod_summary_cache *cache, const char *uid)
{
    free(ty_map_del(&cache->by_uid, ty_str(uid)));
}

void ty_pod_summary_cache_done(struct ty_pod_summary_cache *cache)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&cache->by_uid, &at)))
        free(s->value);
    ty_map_done(&cache->by_uid);
}
