/* What a reflector tells: of what a server says only that which is news, each state once and in
 * order. */
#include "store/reflect_inner.h"

uint64_t ty_reflect_number(struct ty_str version)
{
    uint64_t v = 0;
    return ty_str_parse_u64(version, &v) ? v : 0;
}

void ty_reflect_destroy(struct ty_reflect *f)
{
    ty_known_done(&f->known);
    free(f->strings);
    free(f);
}

static bool leave(struct ty_reflect *f, bool was_busy)
{
    f->busy = was_busy;
    if (!f->freed)
        return true;
    if (!was_busy)
        ty_reflect_destroy(f);
    return false;
}

static bool tell(struct ty_reflect *f, enum ty_reflect_change what, const struct ty_kube_object *o)
{
    bool was = f->busy;
    f->busy = true;
    f->want.changed(f->want.ctx, what, o);
    return leave(f, was);
}

bool ty_reflect_tell_state(struct ty_reflect *f, enum ty_reflect_state state,
                           const struct ty_kube_answer *why, int64_t again_ms)
{
    bool was = f->busy;
    if (!f->want.state)
        return true;
    f->busy = true;
    f->want.state(f->want.ctx, state, why, again_ms);
    return leave(f, was);
}

/* All that is known of an object whose last state nobody has told. */
static struct ty_kube_object remains(const struct ty_known *e)
{
    return (struct ty_kube_object){ .ns = ty_known_ns(e),
                                    .name = ty_known_name(e),
                                    .uid = ty_known_uid(e) };
}

bool ty_reflect_tell_gone(struct ty_reflect *f, struct ty_known *e,
                          const struct ty_kube_object *last)
{
    struct ty_kube_object o = remains(e);
    ty_known_take(&f->known, e);
    bool here = tell(f, TY_REFLECT_GONE, last ? last : &o);
    free(e);
    return here;
}

bool ty_reflect_tell_object(struct ty_reflect *f, const struct ty_kube_object *o, bool wrote)
{
    struct ty_known *e = ty_known_find(&f->known, o->ns, o->name);
    enum ty_reflect_change what = TY_REFLECT_CHANGED;

    if (o->name.n == 0)
        return true; /* nothing that could be asked for, or be gone one day */
    if (e) {
        if (!wrote)
            e->round = f->round;
        if (!ty_known_older(e, o->version))
            return true;
        /* The callback may have written: what is news is asked anew. */
        if (!ty_str_eq(ty_known_uid(e), o->uid))
            return ty_reflect_tell_gone(f, e, NULL) && ty_reflect_tell_object(f, o, wrote);
    }
    if (!e) {
        e = ty_known_add(&f->known, o->ns, o->name, o->uid);
        what = TY_REFLECT_ADDED;
    }
    if (!e)
        return true; /* no Kubernetes object */
    if (what == TY_REFLECT_ADDED)
        e->round = wrote ? f->round - 1 : f->round;
    ty_known_stamp(e, o->version);
    return tell(f, what, o);
}

bool ty_reflect_sweep(struct ty_reflect *f, struct ty_str version)
{
    uint64_t listed = ty_reflect_number(version);
    size_t n = 0;
    struct ty_known **gone = calloc(f->known.n + 1, sizeof(*gone));
    if (!gone)
        abort();
    for (size_t i = 0; i < f->known.cap; i++) {
        struct ty_known *e = f->known.slots[i];
        if (e && e->round != f->round && !(listed && e->number && e->version > listed))
            gone[n++] = e;
    }
    bool here = true;
    for (size_t i = 0; i < n; i++)
        ty_known_take(&f->known, gone[i]);
    for (size_t i = 0; i < n; i++) {
        struct ty_kube_object o = remains(gone[i]);
        here = here && tell(f, TY_REFLECT_GONE, &o);
        free(gone[i]);
    }
    free(gone);
    return here;
}
