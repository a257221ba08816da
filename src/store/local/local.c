/* Two maps index the objects: by kind, namespace and name, and by uid. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "store/local/local_inner.h"

struct ty_local *ty_local_new(int64_t (*now)(void *ctx), void *ctx)
{
    struct ty_local *l = ty_xalloc(calloc(1, sizeof(*l)));

    l->now = now;
    l->now_ctx = ctx;
    return l;
}

void ty_local_free(struct ty_local *l)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!l)
        return;
    while ((s = ty_map_next(&l->by_key, &at)))
        ty_local_entry_free(s->value);
    ty_map_done(&l->by_key);
    ty_map_done(&l->by_uid);
    free(l);
}

void ty_local_watch(struct ty_local *l, ty_stored_fn *fn, void *ctx)
{
    assert(l->n_watchers < TY_LOCAL_WATCHERS);
    l->watchers[l->n_watchers++] = (struct ty_local_watcher){ fn, ctx };
}

void ty_local_unwatch(struct ty_local *l, ty_stored_fn *fn, const void *ctx)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_watchers; i++)
        if (l->watchers[i].fn != fn || l->watchers[i].ctx != ctx)
            l->watchers[n++] = l->watchers[i];
    l->n_watchers = n;
}

/* ---- the text of an object ---- */

void ty_local_entry_free(struct ty_local_entry *e)
{
    free(e->text);
    free(e->strings);
    ty_managed_fields_free(e->applied);
    free(e);
}

struct ty_str ty_local_text(const struct ty_stored *obj)
{
    const struct ty_local_entry *e = (const struct ty_local_entry *)obj;

    return (struct ty_str){ e->text, e->n_text };
}

struct ty_json *ty_local_read(struct ty_arena *a, const struct ty_stored *obj)
{
    struct ty_str text = ty_local_text(obj);

    /* The tree points into its text, and may live longer than this text of the object. */
    text.p = ty_arena_strndup(a, text.p, text.n);
    return ty_json_parse(a, text, NULL, NULL);
}

void ty_local_set_text(struct ty_local_entry *e, const struct ty_json *obj)
{
    ty_auto_buf text = { 0 };

    ty_json_print(&text, obj);
    if (text.n > e->cap_text) {
        free(e->text);
        e->cap_text = text.n + text.n / 2; /* for its status: growing leaves holes in the heap */
        e->text = ty_xalloc(malloc(e->cap_text));
    }
    e->n_text = text.n;
    memcpy(e->text, text.p, text.n);
    e->pub.deleting = ty_json_at(obj, "metadata.deletionTimestamp") != NULL;
}

/* ---- find ---- */

struct ty_local_key ty_local_key(const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    struct ty_local_key k;
    int n = snprintf(k.text, sizeof(k.text), "%s.%s/%.*s/%.*s", kind->kind, kind->group,
                     kind->namespaced ? (int)ns.n : 0, ns.n ? ns.p : "", TY_ARG(name));

    k.n = n < 0 ? 0 : (size_t)n < sizeof(k.text) ? (size_t)n : sizeof(k.text) - 1;
    return k;
}

struct ty_local_entry *ty_local_entry(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name)
{
    struct ty_local_key k = ty_local_key(kind, ns, name);
    return ty_map_get(&l->by_key, (struct ty_str){ k.text, k.n });
}

const struct ty_stored *ty_local_find(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name)
{
    struct ty_local_entry *e = ty_local_entry(l, kind, ns, name);
    return e ? &e->pub : NULL;
}

const struct ty_stored *ty_local_by_uid(const struct ty_local *l, const char *uid)
{
    struct ty_local_entry *e = ty_map_get(&l->by_uid, ty_str(uid));
    return e ? &e->pub : NULL;
}

struct ty_json *ty_local_get(const struct ty_local *l, struct ty_arena *a,
                             const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    const struct ty_stored *obj = ty_local_find(l, kind, ns, name);
    return obj ? ty_local_read(a, obj) : NULL;
}

void ty_local_each(const struct ty_local *l, const struct ty_kind *kind,
                   void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&l->by_key, &at))) {
        const struct ty_local_entry *e = s->value;
        if (!kind || e->pub.kind == kind)
            fn(ctx, &e->pub);
    }
}

void ty_local_children(const struct ty_local *l, const char *owner_uid,
                       void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx)
{
    const struct ty_local_entry *owner = ty_map_get(&l->by_uid, ty_str(owner_uid));

    for (const struct ty_local_entry *e = owner ? owner->children : NULL; e; e = e->next)
        fn(ctx, &e->pub);
}

void ty_local_notify(struct ty_local *l, enum ty_stored_change what, const struct ty_local_entry *e)
{
    for (size_t i = 0; i < l->n_watchers; i++)
        l->watchers[i].fn(l->watchers[i].ctx, what, &e->pub);
}

void ty_local_bump_version(struct ty_local *l, struct ty_arena *a, struct ty_local_entry *e,
                           struct ty_json *meta)
{
    e->pub.version = ++l->version;
    ty_json_set(a, meta, "resourceVersion",
                ty_json_strf(a, "%llu", (unsigned long long)l->version));
}
