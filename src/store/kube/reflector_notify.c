/* Filters what the server sends: only news are reported, each state once and in order. */
#include "store/kube/reflector_inner.h"

#include "base/xalloc.h"

uint64_t ty_reflector_parse_version(struct ty_str version)
{
    uint64_t v = 0;
    return ty_str_parse_u64(version, &v) ? v : 0;
}

void ty_reflector_destroy(struct ty_reflector *f)
{
    ty_reflector_index_done(&f->known);
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

/* What is known of an object whose last state was not sent. */
static struct ty_kube_object last_known(const struct ty_reflector_entry *e)
{
    return (struct ty_kube_object){ .ns = ty_reflector_entry_ns(e),
                                    .name = ty_reflector_entry_name(e),
                                    .uid = ty_reflector_entry_uid(e) };
}

bool ty_reflector_notify_deleted(struct ty_reflector *f, struct ty_reflector_entry *e,
                                 const struct ty_kube_object *last)
{
    struct ty_kube_object o = last_known(e);
    ty_reflector_index_remove(&f->known, e);
    bool here = notify_change(f, TY_REFLECTOR_DELETED, last ? last : &o);
    free(e);
    return here;
}

bool ty_reflector_notify_object(struct ty_reflector *f, const struct ty_kube_object *o, bool wrote)
{
    struct ty_reflector_entry *e = ty_reflector_index_find(&f->known, o->ns, o->name);
    enum ty_reflector_change what = TY_REFLECTOR_MODIFIED;

    if (o->name.n == 0)
        return true; /* an object without a name is ignored */
    if (e) {
        if (!wrote)
            e->round = f->round;
        if (!ty_reflector_entry_is_older(e, o->version))
            return true;
        /* The callback may have written: check again whether it is news. */
        if (!ty_str_eq(ty_reflector_entry_uid(e), o->uid))
            return ty_reflector_notify_deleted(f, e, NULL) &&
                   ty_reflector_notify_object(f, o, wrote);
    }
    if (!e) {
        e = ty_reflector_index_add(&f->known, o->ns, o->name, o->uid);
        what = TY_REFLECTOR_ADDED;
    }
    if (!e)
        return true; /* not a Kubernetes object */
    if (what == TY_REFLECTOR_ADDED)
        e->round = wrote ? f->round - 1 : f->round;
    ty_reflector_entry_set_version(e, o->version);
    return notify_change(f, what, o);
}

bool ty_reflector_sweep(struct ty_reflector *f, struct ty_str version)
{
    uint64_t listed = ty_reflector_parse_version(version);
    size_t n = 0;
    struct ty_reflector_entry **gone = ty_xalloc(calloc(f->known.n + 1, sizeof(*gone)));
    for (size_t i = 0; i < f->known.cap; i++) {
        struct ty_reflector_entry *e = f->known.slots[i];
        if (e && e->round != f->round && !(listed && e->number && e->version > listed))
            gone[n++] = e;
    }
    bool here = true;
    for (size_t i = 0; i < n; i++)
        ty_reflector_index_remove(&f->known, gone[i]);
    for (size_t i = 0; i < n; i++) {
        struct ty_kube_object o = last_known(gone[i]);
        here = here && notify_change(f, TY_REFLECTOR_DELETED, &o);
        free(gone[i]);
    }
    free(gone);
    return here;
}
