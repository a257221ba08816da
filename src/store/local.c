/* Objects live on the heap as text. Two maps find them: by kind, namespace and name, and by uid; an
 * entry knows its owner and its children, for foreground deletion. Children of one owner are much
 * alike: most are kept as their difference from the text of a sister. */
#include "store/local.h"
#include "base/must.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/map.h"
#include "store/apply.h"
#include "store/delta.h"
#include "json/patch.h"

/* A whole text, shared by all that are kept as their difference from it. */
struct pattern {
    size_t refs, n;
    char text[];
};

struct entry {
    struct ty_stored pub; /* first: a ty_stored is its entry */
    char *strings;
    struct pattern *base; /* its text, if there is no delta */
    char *delta;
    size_t n_delta;
    struct ty_applied *applied;   /* per manager; NULL: nobody applied it */
    struct pattern *for_children; /* of which new children should be a delta; or NULL */
    struct entry *parent, *children, *next, *prev; /* the stored owner; its list of children */
};

struct ty_local {
    int64_t (*now)(void *ctx);
    void *now_ctx;
    struct watcher {
        ty_stored_fn *fn;
        void *ctx;
    } watchers[TY_LOCAL_WATCHERS];
    size_t n_watchers;
    struct ty_map by_key, by_uid;
    uint64_t version;
    size_t bytes;
};

struct ty_local *ty_local_new(int64_t (*now)(void *ctx), void *ctx)
{
    struct ty_local *l = ty_must(calloc(1, sizeof(*l)));

    l->now = now;
    l->now_ctx = ctx;
    return l;
}

static void unref(struct ty_local *l, struct pattern *p)
{
    if (!p || --p->refs > 0)
        return;
    l->bytes -= p->n;
    free(p);
}

static struct pattern *pattern_new(struct ty_local *l, struct ty_str text)
{
    struct pattern *p = ty_must(malloc(sizeof(*p) + text.n));

    *p = (struct pattern){ .refs = 1, .n = text.n };
    memcpy(p->text, text.p, text.n);
    l->bytes += text.n;
    return p;
}

static void entry_free(struct ty_local *l, struct entry *e)
{
    l->bytes -= e->n_delta;
    unref(l, e->base);
    unref(l, e->for_children);
    free(e->delta);
    free(e->strings);
    ty_applied_free(e->applied);
    free(e);
}

void ty_local_free(struct ty_local *l)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!l)
        return;
    while ((s = ty_map_next(&l->by_key, &at)))
        entry_free(l, s->value);
    ty_map_done(&l->by_key);
    ty_map_done(&l->by_uid);
    free(l);
}

void ty_local_watch(struct ty_local *l, ty_stored_fn *fn, void *ctx)
{
    assert(l->n_watchers < TY_LOCAL_WATCHERS);
    l->watchers[l->n_watchers++] = (struct watcher){ fn, ctx };
}

void ty_local_unwatch(struct ty_local *l, ty_stored_fn *fn, const void *ctx)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_watchers; i++)
        if (l->watchers[i].fn != fn || l->watchers[i].ctx != ctx)
            l->watchers[n++] = l->watchers[i];
    l->n_watchers = n;
}

/* "Kind.group/ns/name" in a buffer of the caller's; too long a name finds nothing. */
struct key {
    char text[640];
    size_t n;
};

static struct key key_of(const struct ty_kind *kind, struct ty_str ns, struct ty_str name)
{
    struct key k;
    int n = snprintf(k.text, sizeof(k.text), "%s.%s/%.*s/%.*s", kind->kind, kind->group,
                     kind->namespaced ? (int)ns.n : 0, ns.n ? ns.p : "", TY_ARG(name));

    k.n = n < 0 ? 0 : (size_t)n < sizeof(k.text) ? (size_t)n : sizeof(k.text) - 1;
    return k;
}

static struct entry *find(const struct ty_local *l, const struct ty_kind *kind, struct ty_str ns,
                          struct ty_str name)
{
    struct key k = key_of(kind, ns, name);
    return ty_map_get(&l->by_key, (struct ty_str){ k.text, k.n });
}

const struct ty_stored *ty_local_find(const struct ty_local *l, const struct ty_kind *kind,
                                      struct ty_str ns, struct ty_str name)
{
    struct entry *e = find(l, kind, ns, name);
    return e ? &e->pub : NULL;
}

const struct ty_stored *ty_local_by_uid(const struct ty_local *l, const char *uid)
{
    struct entry *e = ty_map_get(&l->by_uid, ty_str(uid));
    return e ? &e->pub : NULL;
}

struct ty_str ty_local_text(struct ty_arena *a, const struct ty_stored *obj)
{
    const struct entry *e = (const struct entry *)obj;
    struct ty_str base = { e->base->text, e->base->n };
    ty_auto_buf text = { 0 };

    if (!e->delta)
        return (struct ty_str){ ty_arena_strndup(a, base.p, base.n), base.n };
    if (!ty_delta_read(base, (struct ty_str){ e->delta, e->n_delta }, &text))
        abort(); /* we made it */
    return (struct ty_str){ ty_arena_strndup(a, text.p, text.n), text.n };
}

struct ty_json *ty_local_read(struct ty_arena *a, const struct ty_stored *obj)
{
    return ty_json_parse(a, ty_local_text(a, obj), NULL, NULL);
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
        const struct entry *e = s->value;
        if (!kind || e->pub.kind == kind)
            fn(ctx, &e->pub);
    }
}

void ty_local_children(const struct ty_local *l, const char *owner_uid,
                       void (*fn)(void *ctx, const struct ty_stored *obj), void *ctx)
{
    const struct entry *owner = ty_map_get(&l->by_uid, ty_str(owner_uid));

    for (const struct entry *e = owner ? owner->children : NULL; e; e = e->next)
        fn(ctx, &e->pub);
}

size_t ty_local_count(const struct ty_local *l)
{
    return l->by_key.n;
}

size_t ty_local_bytes(const struct ty_local *l)
{
    return l->bytes + l->by_key.n * sizeof(struct entry) +
           (l->by_key.cap + l->by_uid.cap) * sizeof(struct ty_map_slot);
}

static void tell(struct ty_local *l, enum ty_stored_change what, const struct entry *e)
{
    for (size_t i = 0; i < l->n_watchers; i++)
        l->watchers[i].fn(l->watchers[i].ctx, what, &e->pub);
}

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

/* A delta that saves less than three quarters is none: then the text is the next pattern, and the
 * sisters that follow are like it. */
static void keep_text(struct ty_local *l, struct entry *e, const struct ty_json *obj)
{
    struct pattern *base = e->parent ? e->parent->for_children : NULL, *old = e->base;
    ty_auto_buf text = { 0 };
    ty_auto_buf delta = { 0 };

    ty_json_print(&text, obj);
    if (base)
        ty_delta_make((struct ty_str){ base->text, base->n }, ty_buf_str(&text), &delta);
    l->bytes -= e->n_delta;
    free(e->delta);
    e->delta = NULL;
    e->n_delta = 0;
    if (base && delta.n < text.n / 4) {
        e->delta = ty_must(malloc(delta.n));
        memcpy(e->delta, delta.p, delta.n);
        l->bytes += e->n_delta = delta.n;
        e->base = base;
        base->refs++;
    } else {
        e->base = pattern_new(l, ty_buf_str(&text));
        if (e->parent) {
            e->parent->for_children = e->base;
            e->base->refs++;
            unref(l, base);
        }
    }
    unref(l, old);
    e->pub.deleting = ty_json_at(obj, "metadata.deletionTimestamp") != NULL;
}

static void keep_strings(struct entry *e, const struct ty_json *obj)
{
    struct ty_str part[] = { ty_json_str_at(obj, "metadata.namespace"),
                             ty_json_str_at(obj, "metadata.name"),
                             ty_json_str_at(obj, "metadata.uid"), controller_of(obj) };
    const char *at[4];
    char *p = e->strings = ty_must(malloc(part[0].n + part[1].n + part[2].n + part[3].n + 4));

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

static void join_owner(struct ty_local *l, struct entry *e)
{
    e->parent = e->pub.owner ? ty_map_get(&l->by_uid, ty_str(e->pub.owner)) : NULL;
    if (!e->parent)
        return;
    e->next = e->parent->children;
    if (e->next)
        e->next->prev = e;
    e->parent->children = e;
}

static void leave_owner(struct entry *e)
{
    if (e->prev)
        e->prev->next = e->next;
    else if (e->parent)
        e->parent->children = e->next;
    if (e->next)
        e->next->prev = e->prev;
    e->parent = e->next = e->prev = NULL;
}

static void new_version(struct ty_local *l, struct ty_arena *a, struct entry *e,
                        struct ty_json *meta)
{
    e->pub.version = ++l->version;
    ty_json_set(a, meta, "resourceVersion",
                ty_json_strf(a, "%llu", (unsigned long long)l->version));
}

int ty_local_create(struct ty_local *l, struct ty_arena *a, struct ty_json *obj, struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_json *meta = ty_json_need_object(a, obj, "metadata");
    struct ty_str name = ty_json_str_at(meta, "name"), ns = ty_json_str_at(meta, "namespace");

    if (!kind || name.n == 0)
        return ty_fail(err, -EINVAL, "an object needs a kind that is known, and a name");
    struct key k = key_of(kind, ns, name);
    if (ty_map_get(&l->by_key, (struct ty_str){ k.text, k.n }))
        return ty_fail(err, -EEXIST, "%s \"%.*s\" already exists", kind->plural, TY_ARG(name));
    struct entry *e = ty_must(calloc(1, sizeof(*e)));
    if (!ty_json_get(meta, "uid"))
        ty_json_set(a, meta, "uid", ty_json_cstr(a, new_uid(a)));
    ty_json_set(a, meta, "creationTimestamp", ty_json_str(a, ty_time_text(a, l->now(l->now_ctx))));
    ty_json_set(a, meta, "generation", ty_json_int(a, 1));
    e->pub.kind = kind;
    new_version(l, a, e, meta);
    keep_strings(e, obj);
    join_owner(l, e);
    keep_text(l, e, obj);
    ty_map_put(&l->by_key, (struct ty_str){ k.text, k.n }, e);
    ty_map_put(&l->by_uid, ty_str(e->pub.uid), e);
    tell(l, TY_STORED_ADDED, e);
    return 0;
}

/* The stored object that obj means, or an error in the API server's words. */
static struct entry *target(const struct ty_local *l, const struct ty_json *obj, struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    struct entry *e = kind ? find(l, kind, ty_json_str_at(obj, "metadata.namespace"), name) : NULL;

    if (!e)
        ty_fail(err, -ENOENT, "%s \"%.*s\" not found", kind ? kind->plural : "object",
                TY_ARG(name));
    return e;
}

static void carry_over(struct ty_arena *a, struct ty_json *meta, const struct ty_json *was)
{
    static const char *const kept[] = { "uid", "creationTimestamp", "generation",
                                        "deletionTimestamp" };

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (ty_json_get(was, kept[i]))
            ty_json_set(a, meta, kept[i], ty_json_get(was, kept[i]));
}

int ty_local_update(struct ty_local *l, struct ty_arena *a, struct ty_json *obj, struct ty_err *err)
{
    struct entry *e = target(l, obj, err);
    struct ty_json *meta = ty_json_need_object(a, obj, "metadata");
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
        return 0; /* nothing new: nobody need look */
    int64_t generation = 1;
    ty_json_int_at(meta, "generation", &generation);
    const struct ty_json *spec = ty_json_get(obj, "spec"), *old_spec = ty_json_get(was, "spec");
    if (spec && old_spec && !ty_json_eq(spec, old_spec))
        ty_json_set(a, meta, "generation", ty_json_int(a, generation + 1));
    new_version(l, a, e, meta);
    keep_text(l, e, obj);
    tell(l, TY_STORED_CHANGED, e);
    return 0;
}

int ty_local_merge(struct ty_local *l, struct ty_arena *a, const struct ty_json *patch,
                   struct ty_err *err)
{
    struct entry *e = target(l, patch, err);

    if (!e)
        return -ENOENT;
    struct ty_json *next = ty_merge_patch(a, ty_local_read(a, &e->pub), patch);
    return ty_local_update(l, a, ty_json_copy(a, next, 0), err);
}

int ty_local_status(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                    struct ty_err *err)
{
    struct entry *e = target(l, obj, err);
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
    new_version(l, a, e, ty_json_get(now, "metadata"));
    keep_text(l, e, now);
    tell(l, TY_STORED_CHANGED, e);
    return 0;
}

int ty_local_apply(struct ty_local *l, struct ty_arena *a, const struct ty_json *obj,
                   const char *manager, struct ty_err *err)
{
    const struct ty_kind *kind = ty_kind_of(obj);
    struct ty_str name = ty_json_str_at(obj, "metadata.name");
    struct entry *e = kind ? find(l, kind, ty_json_str_at(obj, "metadata.namespace"), name) : NULL;
    int r = 0;

    if (e) {
        struct ty_json *live = ty_local_read(a, &e->pub);
        struct ty_json *next = ty_apply(a, live, e->applied, manager, obj);
        r = ty_local_update(l, a, ty_json_copy(a, next, 0), err);
    } else {
        r = ty_local_create(l, a, ty_json_copy(a, obj, 0), err);
        e = r == 0 ? target(l, obj, NULL) : NULL;
    }
    if (r == 0 && e)
        ty_applied_note(a, &e->applied, manager, obj);
    return r;
}

static void remove_entry(struct ty_local *l, struct entry *e);

/* Pods go when their processes are gone, everything else when it has no children left. */
static bool may_go(const struct entry *e)
{
    return !e->children && strcmp(e->pub.kind->kind, "Pod") != 0;
}

static void remove_entry(struct ty_local *l, struct entry *e)
{
    struct entry *parent = e->parent;
    struct key k = key_of(e->pub.kind, ty_str(e->pub.ns), ty_str(e->pub.name));

    for (struct entry *c = e->children; c; c = e->children) {
        leave_owner(c); /* only an object that was finished by force can have some */
    }
    leave_owner(e);
    ty_map_del(&l->by_key, (struct ty_str){ k.text, k.n });
    ty_map_del(&l->by_uid, ty_str(e->pub.uid));
    e->pub.version = ++l->version;
    tell(l, TY_STORED_GONE, e);
    entry_free(l, e);
    if (parent && parent->pub.deleting && may_go(parent))
        remove_entry(l, parent);
}

static void mark_deleted(struct ty_local *l, struct ty_arena *a, struct entry *e)
{
    struct ty_json *obj = ty_local_read(a, &e->pub);
    struct ty_json *meta = ty_json_get(obj, "metadata");

    ty_json_set(a, meta, "deletionTimestamp", ty_json_str(a, ty_time_text(a, l->now(l->now_ctx))));
    new_version(l, a, e, meta);
    keep_text(l, e, obj);
    tell(l, TY_STORED_CHANGED, e);
}

static void delete_entry(struct ty_local *l, struct ty_arena *a, struct entry *e)
{
    if (e->pub.deleting)
        return;
    if (may_go(e)) {
        remove_entry(l, e);
        return;
    }
    mark_deleted(l, a, e);
    for (struct entry *c = e->children, *next = NULL; c; c = next) {
        next = c->next;
        delete_entry(l, a, c);
    }
}

int ty_local_delete(struct ty_local *l, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_str ns, struct ty_str name, struct ty_err *err)
{
    struct entry *e = find(l, kind, ns, name);

    if (!e)
        return ty_fail(err, -ENOENT, "%s \"%.*s\" not found", kind->plural, TY_ARG(name));
    delete_entry(l, a, e);
    return 0;
}

void ty_local_finish(struct ty_local *l, const struct ty_kind *kind, struct ty_str ns,
                     struct ty_str name)
{
    struct entry *e = find(l, kind, ns, name);

    if (e)
        remove_entry(l, e);
}
