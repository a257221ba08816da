/* Filters what the server sends: only news are reported, each state once and in order. */
#include "store/kube/reflector_inner.h"

#include "base/xalloc.h"

#define NAME_MAX_BYTES 255 /* of a namespace, name or uid of Kubernetes */

uint64_t ty_reflector_parse_version(struct ty_str version)
{
    uint64_t v = 0;
    return ty_str_parse_u64(version, &v) ? v : 0;
}

void ty_reflector_destroy(struct ty_reflector *f)
{
    struct ty_object_entry *e = NULL;
    size_t at = 0;

    while ((e = ty_object_table_next(&f->own, NULL, &at)))
        free(e);
    ty_object_table_done(&f->own);
    free(f->strings);
    free(f);
}

static bool leave_callback(struct ty_reflector *f, bool was_busy)
{
    f->busy = was_busy;
    if (!f->freed)
        return true;
    if (!was_busy)
        ty_reflector_destroy(f);
    return false;
}

static bool notify_change(struct ty_reflector *f, enum ty_reflector_change what,
                          const struct ty_kube_object *o)
{
    bool was = f->busy;
    f->busy = true;
    f->want.changed(f->want.ctx, what, o);
    return leave_callback(f, was);
}

bool ty_reflector_notify_state(struct ty_reflector *f, enum ty_reflector_state state,
                               const struct ty_kube_response *why, int64_t again_ms)
{
    bool was = f->busy;
    if (!f->want.state)
        return true;
    f->busy = true;
    f->want.state(f->want.ctx, state, why, again_ms);
    return leave_callback(f, was);
}

struct ty_object_entry *ty_reflector_find(const struct ty_reflector *f, struct ty_str ns,
                                          struct ty_str name)
{
    return ty_object_table_get(f->table, f->want.which.kind, ns, name);
}

/* The caller's `changed` stores the object in a table of its own; without one, its identity is
 * stored here, before `changed`. */
static void store_identity(struct ty_reflector *f, const struct ty_kube_object *o)
{
    if (f->table != &f->own)
        return;
    struct ty_object_entry *e = ty_object_entry_new(f->want.which.kind, o->ns, o->name, o->uid);
    e->version = ty_reflector_parse_version(o->version);
    free(ty_object_table_put(&f->own, e));
}

bool ty_reflector_notify_deleted(struct ty_reflector *f, const struct ty_kube_object *o)
{
    if (f->table == &f->own)
        free(ty_object_table_del(&f->own, f->want.which.kind, o->ns, o->name));
    return notify_change(f, TY_REFLECTOR_DELETED, o);
}

/* Another object had this name: its last state was not sent. */
static bool notify_replaced(struct ty_reflector *f, const struct ty_object_entry *e)
{
    struct ty_object_entry *was =
        ty_object_entry_new(e->kind, ty_str(e->ns), ty_str(e->name), ty_str(e->uid));
    bool here = ty_reflector_notify_deleted(f, &(struct ty_kube_object){ .ns = ty_str(was->ns),
                                                                         .name = ty_str(was->name),
                                                                         .uid = ty_str(was->uid) });

    free(was);
    return here;
}

static bool is_named(const struct ty_kube_object *o)
{
    return o->name.n > 0 && o->name.n <= NAME_MAX_BYTES && o->ns.n <= NAME_MAX_BYTES &&
           o->uid.n <= NAME_MAX_BYTES;
}

bool ty_reflector_notify_object(struct ty_reflector *f, const struct ty_kube_object *o, bool wrote)
{
    if (!is_named(o))
        return true; /* not a Kubernetes object */
    struct ty_object_entry *e = ty_reflector_find(f, o->ns, o->name);
    if (e && !wrote)
        e->round = f->round;
    if (e && !ty_object_entry_is_older(e, ty_reflector_parse_version(o->version)))
        return true;
    if (e && !ty_str_is(o->uid, e->uid)) {
        if (!notify_replaced(f, e))
            return false;
        /* The callback may have written: check again whether it is news. */
        e = ty_reflector_find(f, o->ns, o->name);
        if (e && !ty_object_entry_is_older(e, ty_reflector_parse_version(o->version)))
            return true;
    }
    enum ty_reflector_change what = e ? TY_REFLECTOR_MODIFIED : TY_REFLECTOR_ADDED;
    store_identity(f, o);
    if (!notify_change(f, what, o))
        return false;
    e = ty_reflector_find(f, o->ns, o->name);
    if (e && !wrote)
        e->round = f->round;
    return true;
}

/* Copies, because a callback may replace or delete entries. The caller frees them. */
static size_t collect_missing(const struct ty_reflector *f, uint64_t listed,
                              struct ty_object_entry ***ret)
{
    size_t n = 0, at = 0, most = f->table->n;
    struct ty_object_entry **gone = ty_xalloc(calloc(most + 1, sizeof(*gone))), *e = NULL;

    while ((e = ty_object_table_next(f->table, f->want.which.kind, &at)))
        if (e->round != f->round && !(listed && !e->any_version && e->version > listed))
            gone[n++] =
                ty_object_entry_new(e->kind, ty_str(e->ns), ty_str(e->name), ty_str(e->uid));
    *ret = gone;
    return n;
}

bool ty_reflector_sweep(struct ty_reflector *f, struct ty_str version)
{
    struct ty_object_entry **gone = NULL;
    size_t n = collect_missing(f, ty_reflector_parse_version(version), &gone);
    bool here = true;

    for (size_t i = 0; i < n; i++) {
        struct ty_kube_object o = { .ns = ty_str(gone[i]->ns),
                                    .name = ty_str(gone[i]->name),
                                    .uid = ty_str(gone[i]->uid) };
        const struct ty_object_entry *e = here ? ty_reflector_find(f, o.ns, o.name) : NULL;
        if (e && ty_str_is(o.uid, e->uid)) /* else a callback has replaced it */
            here = ty_reflector_notify_deleted(f, &o);
        free(gone[i]);
    }
    free(gone);
    return here;
}
