/* For tests of the embedded store: a store, and a watcher that records its events. */
#ifndef TY_STORE_LOCAL_LOCAL_TESTING_H
#define TY_STORE_LOCAL_LOCAL_TESTING_H

#include <errno.h>

#include "api/kind.h"
#include "store/local/local.h"
#include "json/json_testing.h"

struct local_world {
    struct ty_arena *a;
    struct ty_local *l;
    char log[4096]; /* "+pods/a ~pods/a -pods/a " */
};

static inline int64_t local_noon(void *ctx)
{
    (void)ctx;
    return 1767323045;
}

static inline void local_note(void *ctx, enum ty_stored_change what, const struct ty_stored *obj)
{
    struct local_world *w = ctx;
    size_t n = strlen(w->log);

    snprintf(w->log + n, sizeof(w->log) - n, "%c%s/%s ", "+~-"[what], obj -> kind -> plural,
             obj -> name);
}

static inline int local_setup(void **state)
{
    struct local_world *w = calloc(1, sizeof(*w));

    w->a = ty_arena_new((size_t)64 << 20);
    w->l = ty_local_new(local_noon, NULL);
    ty_local_watch(w->l, local_note, w);
    *state = w;
    return 0;
}

static inline int local_teardown(void **state)
{
    struct local_world *w = *state;

    ty_local_free(w->l);
    ty_arena_free(w->a);
    free(w);
    return 0;
}

/* An object with a spec, controlled by `owner`; NULL: without a controller. */
static inline struct ty_json *local_make(struct ty_arena *a, const char *ns, const char *api,
                                         const char *kind, const char *name,
                                         const struct ty_json *owner)
{
    return json_read(
        a, ty_arena_printf(a,
                           "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\","
                           "\"namespace\":\"%s\"%s%.*s%s},\"spec\":{\"x\":1}}",
                           api, kind, name, ns,
                           owner ? ",\"ownerReferences\":[{\"controller\":true,\"uid\":\"" : "",
                           TY_ARG(ty_json_str_at(owner, "metadata.uid")), owner ? "\"}]" : ""));
}

static inline struct ty_json *local_obj(struct local_world *w, const char *api, const char *kind,
                                        const char *name, const struct ty_json *owner)
{
    return local_make(w->a, "ns", api, kind, name, owner);
}

static inline struct ty_json *local_create(struct local_world *w, const char *api, const char *kind,
                                           const char *name, const struct ty_json *owner)
{
    struct ty_json *v = local_obj(w, api, kind, name, owner);
    struct ty_err err = { 0 };

    assert_int_equal(ty_local_create(w->l, w->a, v, &err), 0);
    return v;
}

static inline struct ty_json *local_stored(struct local_world *w, const struct ty_kind *kind,
                                           const char *name)
{
    return ty_local_get(w->l, w->a, kind, TY_LIT("ns"), ty_str(name));
}

static inline void local_add_one(void *ctx, const struct ty_stored *obj)
{
    (void)obj;
    (*(size_t *)ctx)++;
}

static inline size_t local_count(const struct local_world *w)
{
    size_t n = 0;

    ty_local_each(w->l, NULL, local_add_one, &n);
    return n;
}

#define LOCAL_TEST(fn) cmocka_unit_test_setup_teardown(fn, local_setup, local_teardown)

#endif
