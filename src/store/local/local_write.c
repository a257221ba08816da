/* Creates and changes objects, with the metadata that an API server sets. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "store/local/local_inner.h"
#include "json/patch.h"

/* A random (version 4) uid. */
static char *new_uid(struct ty_arena *a)
{
    unsigned char b[16];

    if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
        abort(); /* never fails for 16 bytes once the system is up */
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    return ty_arena_printf(
        a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
        b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static struct ty_str controller_of(const struct ty_json *obj)
{
    const struct ty_json *owners = ty_json_at(obj, "metadata.ownerReferences");

    ty_each_item (o, owners)
        if (ty_json_true_at(*o, "controller"))
            return ty_json_str_at(*o, "uid");
    return (struct ty_str){ 0 };
}

static void keep_strings(struct ty_local_entry *e, const struct ty_json *obj)
{
    struct ty_str part[] = { ty_json_str_at(obj, "metadata.namespace"),
                             ty_json_str_at(obj, "metadata.name"),
                             ty_json_str_at(obj, "metadata.uid"), controller_of(obj) };
    const char *at[4] = { NULL };
    char *p = e->strings = ty_xalloc(malloc(part[0].n + part[1].n + part[2].n + part[3].n + 4));

    for (int i = 0; i < 4; i++) {
        at[i] = p;
        if (part[i].n)
            memcpy(p, part[i].p, part[i].n);
        p[part[i].n] = 0;
        p += part[i].n + 1;
    }
    e->pub.ns = at[0];
    e->pub.name = at[1];
    e->pub.uid = at[2];
    e->pub.owner = part[3].n ? at[3] : NULL;
}

static void join_owner(struct ty_local *l, struct ty_local_entry *e)
{
    e->parent = e->pub.owner ? ty_map_get(&l->by_uid, ty_str(e->pub.owner)) : NULL;
    if (!e->parent)
        return;
    e->next = e->parent->children;
    if (e->next)
        e->next->prev = e;
    e->parent->children = e;
}

int ty_local_create(struct ty_local *l, struct ty_arena *a, struct ty_json *obj, struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_json *meta = ty_json_ensure_object(a, obj, "metadata");
    struct ty_str name = ty_json_str_at(meta, "name"), ns = ty_json_str_at(meta, "namespace");

    if (!kind || name.n == 0)
        return ty_fail(err, -EINVAL, "an object needs a kind that is known, and a name");
    struct ty_local_key k = ty_local_key(kind, ns, name);
    if (ty_map_get(&l->by_key, (struct ty_str){ k.text, k.n }))
        return ty_fail(err, -EEXIST, "%s \"%.*s\" already exists", kind->plural, TY_ARG(name));
    struct ty_local_entry *e = ty_xalloc(calloc(1, sizeof(*e)));
    if (!ty_json_get(meta, "uid"))
        ty_json_set(a, meta, "uid", ty_json_cstr(a, new_uid(a)));
    ty_json_set(a, meta, "creationTimestamp", ty_json_str(a, ty_time_text(a, l->now(l->now_ctx))));
    ty_json_set(a, meta, "generation", ty_json_int(a, 1));
    e->pub.kind = kind;
    ty_local_bump_version(l, a, e, meta);
    keep_strings(e, obj);
    join_owner(l, e);
    ty_local_set_text(e, obj);
    ty_map_put(&l->by_key, (struct ty_str){ k.text, k.n }, e);
    ty_map_put(&l->by_uid, ty_str(e->pub.uid), e);
    ty_local_notify(l, TY_STORED_ADDED, e);
    return 0;
}

/* The stored object of obj, or an error with the API server's message. */
static struct ty_local_entry *find_stored(const struct ty_local *l, const struct ty_json *obj,
                                          struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    struct ty_local_entry *e =
        kind ? ty_local_entry(l, kind, ty_json_str_at(obj, "metadata.namespace"), name) : NULL;

    if (!e)
        ty_fail(err, -ENOENT, "%s \"%.*s\" not found", kind ? kind->plural : "object",
                TY_ARG(name));
    return e;
}

static void carry_over(struct ty_arena *a, struct ty_json *meta, const struct ty_json *was)
{
    static const char *const kept[] = { "uid", "creationTimestamp", "generation",
                                        "deletionTimestamp" };

    for (size_t i = 0; i < TY_COUNT(kept); i++)
        if (ty_json_get(was, kept[i]))
            ty_json_set(a, meta, kept[i], ty_json_get(was, kept[i]));
}

int ty_local_update(struct ty_local *l, struct ty_arena *a, struct ty_json *obj, struct ty_err *err)
{
    struct ty_local_entry *e = find_stored(l, obj, err);
    struct ty_json *meta = ty_json_ensure_object(a, obj, "metadata");
    struct ty_str wanted = ty_json_str_at(meta, "resourceVersion");

    if (!e)
        return -ENOENT;
    const struct ty_json *was = ty_local_read(a, &e->pub);
    if (wanted.n && !ty_str_eq(wanted, ty_json_str_at(was, "metadata.resourceVersion")))
        return ty_fail(err, -ESTALE,
                       "%s \"%s\": the object has been modified; apply your changes to the latest "
                       "version and try again",
                       e->pub.kind->plural, e->pub.name);
    carry_over(a, meta, ty_json_get(was, "metadata"));
    struct ty_json *status = ty_json_get(was, "status");
    if (status)
        ty_json_set(a, obj, "status", status);
    else
        ty_json_del(obj, TY_LIT("status"));
    ty_json_set(a, meta, "resourceVersion",
                ty_json_str(a, ty_json_str_at(was, "metadata.resourceVersion")));
    if (ty_json_eq(was, obj))
        return 0; /* no change: watchers are not called */
    int64_t generation = 1;
    ty_json_int_at(meta, "generation", &generation);
    const struct ty_json *spec = ty_json_get(obj, "spec"), *old_spec = ty_json_get(was, "spec");
    if (spec && old_spec && !ty_json_eq(spec, old_spec))
        ty_json_set(a, meta, "generation", ty_json_int(a, generation + 1));
    ty_local_bump_version(l, a, e, meta);
    ty_local_set_text(e, obj);
    ty_local_notify(l, TY_STORED_MODIFIED, e);
    return 0;
}

int ty_local_merge(struct ty_local *l, struct ty_arena *a, const struct ty_json *patch,
                   struct ty_err *err)
{
    struct ty_local_entry *e = find_stored(l, patch, err);

    if (!e)
        return -ENOENT;
    struct ty_json *next = ty_patch_merge(a, ty_local_read(a, &e->pub), patch);
    return ty_local_update(l, a, ty_json_copy(a, next, 0), err);
}

int ty_local_status(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                    struct ty_err *err)
{
    struct ty_local_entry *e = find_stored(l, obj, err);
    struct ty_json *status = ty_json_get(obj, "status");

    if (!e)
        return -ENOENT;
    struct ty_json *now = ty_local_read(a, &e->pub);
    const struct ty_json *was = ty_json_get(now, "status");
    if (was == status || (was && status && ty_json_eq(was, status)))
        return 0;
    if (status)
        ty_json_set(a, now, "status", status);
    else
        ty_json_del(now, TY_LIT("status"));
    ty_local_bump_version(l, a, e, ty_json_get(now, "metadata"));
    ty_local_set_text(e, now);
    ty_local_notify(l, TY_STORED_MODIFIED, e);
    return 0;
}

int ty_local_apply(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                   const char *manager, struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    struct ty_local_entry *e =
        kind ? ty_local_entry(l, kind, ty_json_str_at(obj, "metadata.namespace"), name) : NULL;
    int r = 0;

    if (e) {
        struct ty_json *live = ty_local_read(a, &e->pub);
        struct ty_json *next = ty_managed_fields_apply(a, live, e->applied, manager, obj);
        r = ty_local_update(l, a, ty_json_copy(a, next, 0), err);
    } else {
        r = ty_local_create(l, a, ty_json_copy(a, obj, 0), err);
        e = r == 0 ? find_stored(l, obj, NULL) : NULL;
    }
    if (r == 0 && e)
        ty_managed_fields_update(a, &e->applied, manager, obj);
    return r;
}
