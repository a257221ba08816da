/* Foreground deletion. Each entry links to its owner and its children. */
#include <errno.h>

#include "base/time.h"
#include "store/local/local_inner.h"

static void leave_owner(struct ty_local_entry *e)
{
    if (e->prev)
        e->prev->next = e->next;
    else if (e->parent)
        e->parent->children = e->next;
    if (e->next)
        e->next->prev = e->prev;
    e->parent = e->next = e->prev = NULL;
}

/* Pods can be removed when their processes have ended, other objects when they have no children. */
static bool may_go(const struct ty_local_entry *e)
{
    return !e->children && strcmp(e->pub.kind->kind, "Pod") != 0;
}

static void remove_entry(struct ty_local *l, struct ty_local_entry *e)
{
    struct ty_local_entry *parent = e->parent;
    struct ty_local_key k = ty_local_key(e->pub.kind, ty_str(e->pub.ns), ty_str(e->pub.name));

    for (struct ty_local_entry *c = e->children; c; c = e->children) {
        leave_owner(c); /* only after a forced deletion can there be children */
    }
    leave_owner(e);
    ty_map_del(&l->by_key, (struct ty_str){ k.text, k.n });
    ty_map_del(&l->by_uid, ty_str(e->pub.uid));
    e->pub.version = ++l->version;
    ty_local_notify(l, TY_STORED_DELETED, e);
    ty_local_entry_free(e);
    if (parent && parent->pub.deleting && may_go(parent))
        remove_entry(l, parent);
}

static void mark_deleted(struct ty_local *l, struct ty_arena *a, struct ty_local_entry *e)
{
    struct ty_json *obj = ty_local_read(a, &e->pub);
    struct ty_json *meta = ty_json_get(obj, "metadata");

    ty_json_set(a, meta, "deletionTimestamp", ty_json_str(a, ty_time_text(a, l->now(l->now_ctx))));
    ty_local_bump_version(l, a, e, meta);
    ty_local_set_text(e, obj);
    ty_local_notify(l, TY_STORED_MODIFIED, e);
}

static void delete_entry(struct ty_local *l, struct ty_arena *a, struct ty_local_entry *e)
{
    if (e->pub.deleting)
        return;
    if (may_go(e)) {
        remove_entry(l, e);
        return;
    }
    mark_deleted(l, a, e);
    for (struct ty_local_entry *c = e->children, *next = NULL; c; c = next) {
        next = c->next;
        delete_entry(l, a, c);
    }
}

int ty_local_delete(struct ty_local *l, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_str ns, struct ty_str name, struct ty_err *err)
{
    struct ty_local_entry *e = ty_local_entry(l, kind, ns, name);

    if (!e)
        return ty_fail(err, -ENOENT, "%s \"%.*s\" not found", kind->plural, TY_ARG(name));
    delete_entry(l, a, e);
    return 0;
}

void ty_local_finalize(struct ty_local *l, const struct ty_kind *kind, struct ty_str ns,
                       struct ty_str name)
{
    struct ty_local_entry *e = ty_local_entry(l, kind, ns, name);

    if (e)
        remove_entry(l, e);
}
