/* Builds the list of changes of a pass, in the order in which they are applied. */
#include "engine/changes.h"

void ty_changes_init(struct ty_changes *c, struct ty_arena *a)
{
    *c = (struct ty_changes){ .arena = a, .requeue_ms = -1 };
}

static struct ty_change *append_change(struct ty_changes *c, enum ty_change_op op,
                                       const struct ty_kind *kind)
{
    struct ty_change *one = ty_new(c->arena, struct ty_change);

    one->op = op;
    one->kind = kind;
    ty_append(c->first, c->last, one);
    return one;
}

void ty_changes_add(struct ty_changes *c, enum ty_change_op op, const struct ty_kind *kind,
                    struct ty_json *obj)
{
    struct ty_change *one = append_change(c, op, kind);

    one->obj = obj;
    one->ns = ty_json_str_at(obj, "metadata.namespace");
    one->name = ty_json_str_at(obj, "metadata.name");
}

void ty_changes_delete(struct ty_changes *c, const struct ty_kind *kind, struct ty_str ns,
                       struct ty_str name)
{
    struct ty_change *one = append_change(c, TY_CHANGE_DELETE, kind);

    one->ns = ns;
    one->name = name;
}

void ty_changes_event(struct ty_changes *c, const char *type, const char *reason, const char *fmt,
                      ...)
{
    struct ty_pending_event *one = ty_new(c->arena, struct ty_pending_event);
    va_list ap;

    one->type = type;
    one->reason = reason;
    va_start(ap, fmt);
    one->message = ty_arena_vprintf(c->arena, fmt, ap);
    va_end(ap);
    ty_append(c->events, c->last_event, one);
}

void ty_changes_requeue_after(struct ty_changes *c, int64_t ms)
{
    if (ms < 0)
        ms = 0;
    if (c->requeue_ms < 0 || ms < c->requeue_ms)
        c->requeue_ms = ms;
}
