/* For tests: a cache, and an arena for what is put into it. */
#ifndef TY_CONTROLLER_CACHE_TESTING_H
#define TY_CONTROLLER_CACHE_TESTING_H

#include "controller/cache.h"
#include "json/json_testing.h"

struct fixture {
    struct ty_arena *a;
    struct ty_cache *w;
    struct ty_err err;
};

static inline int up(void **state)
{
    static struct fixture f;

    f = (struct fixture){ .a = ty_arena_new((size_t)16 << 20), .w = ty_cache_new() };
    *state = &f;
    return 0;
}

static inline int down(void **state)
{
    struct fixture *f = *state;

    ty_cache_free(f->w);
    ty_arena_free(f->a);
    return 0;
}

/* As from a watch event. */
static inline const struct ty_cached *tell(struct fixture *f, const struct ty_kind *kind,
                                           const char *text)
{
    return ty_cache_put(f->w, kind, json_read(f->a, text));
}

#endif
