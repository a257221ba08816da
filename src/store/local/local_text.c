/* Stores the text of objects on the heap. Children of one owner are similar: most are stored as a
 * delta from the text of a sibling. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "store/local/delta.h"
#include "store/local/local_inner.h"

static void unref_base(struct ty_local *l, struct ty_local_base_text *p)
{
    if (!p || --p->refs > 0)
        return;
    l->bytes -= p->n;
    free(p);
}

static struct ty_local_base_text *base_text_new(struct ty_local *l, struct ty_str text)
{
    struct ty_local_base_text *p = ty_xalloc(malloc(sizeof(*p) + text.n));

    *p = (struct ty_local_base_text){ .refs = 1, .n = text.n };
    memcpy(p->text, text.p, text.n);
    l->bytes += text.n;
    return p;
}

void ty_local_entry_free(struct ty_local *l, struct ty_local_entry *e)
{
    l->bytes -= e->n_delta;
    unref_base(l, e->base);
    unref_base(l, e->for_children);
    free(e->delta);
    free(e->strings);
    ty_managed_fields_free(e->applied);
    free(e);
}

struct ty_str ty_local_text(struct ty_arena *a, const struct ty_stored *obj)
{
    const struct ty_local_entry *e = (const struct ty_local_entry *)obj;
    struct ty_str base = { e->base->text, e->base->n };
    ty_auto_buf text = { 0 };

    if (!e->delta)
        return ty_arena_str(a, base);
    if (!ty_delta_decode(base, (struct ty_str){ e->delta, e->n_delta }, &text))
        abort(); /* impossible: the delta is ours */
    return ty_arena_str(a, ty_buf_str(&text));
}

struct ty_json *ty_local_read(struct ty_arena *a, const struct ty_stored *obj)
{
    return ty_json_parse(a, ty_local_text(a, obj), NULL, NULL);
}

/* A delta must save at least three quarters. Otherwise the full text is stored and becomes the base
 * for the following siblings, which are probably similar to it. */
void ty_local_set_text(struct ty_local *l, struct ty_local_entry *e, const struct ty_json *obj)
{
    struct ty_local_base_text *base = e->parent ? e->parent->for_children : NULL, *old = e->base;
    ty_auto_buf text = { 0 };
    ty_auto_buf delta = { 0 };

    ty_json_print(&text, obj);
    if (base)
        ty_delta_encode((struct ty_str){ base->text, base->n }, ty_buf_str(&text), &delta);
    l->bytes -= e->n_delta;
    free(e->delta);
    e->delta = NULL;
    e->n_delta = 0;
    if (base && delta.n < text.n / 4) {
        e->delta = ty_xalloc(malloc(delta.n));
        memcpy(e->delta, delta.p, delta.n);
        l->bytes += e->n_delta = delta.n;
        e->base = base;
        base->refs++;
    } else {
        e->base = base_text_new(l, ty_buf_str(&text));
        if (e->parent) {
            e->parent->for_children = e->base;
            e->base->refs++;
            unref_base(l, base);
        }
    }
    unref_base(l, old);
    e->pub.deleting = ty_json_at(obj, "metadata.deletionTimestamp") != NULL;
}
