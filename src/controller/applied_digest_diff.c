/* Two walks: over the wanted object beside the live one, for fields to add or change; and over the
 * fields that the manager owns beside the wanted object, for fields to remove. */
#include "controller/applied_digest_diff.h"

#include "base/buf.h"
#include "controller/applied_digest_inner.h"

struct applied_diff_walk {
    struct ty_arena *a;
    const struct ty_applied_digest_diff_in *in;
    struct ty_field_changes *ret;
};

void ty_applied_digest_diff_add(struct ty_arena *a, struct ty_field_changes *list,
                                const struct ty_field_path *at, const struct ty_json *was,
                                const struct ty_json *now)
{
    struct ty_field_change *c = ty_new(a, struct ty_field_change);

    *c = (struct ty_field_change){ .path = ty_errs_path_text(a, at), .was = was, .now = now };
    ty_append(list->first, list->last, c);
    list->n++;
}

static void add_change(const struct applied_diff_walk *w, const struct ty_field_path *at,
                       const struct ty_json *was, const struct ty_json *now)
{
    ty_applied_digest_diff_add(w->a, w->ret, at, was, now);
}

/* {"name":"node"} is written [node], {"containerPort":80,"protocol":"TCP"} [80,TCP]. */
static struct ty_str key_text(struct ty_arena *a, struct ty_str key)
{
    ty_auto_buf b = { 0 };
    const struct ty_json *parts = ty_json_parse(a, key, NULL, NULL);

    ty_each_member (m, parts) {
        struct ty_str s = ty_json_as_str(m->value);
        if (b.n)
            ty_buf_chr(&b, ',');
        ty_buf_add(&b, s.n ? s : ty_json_text(a, m->value));
    }
    if (!b.n)
        return key;
    return ty_arena_str(a, ty_buf_str(&b));
}

/* A member whose name contains a dot is written in brackets, as in Kubernetes field paths. */
static struct ty_field_path member_path(const struct ty_field_path *up, struct ty_str key)
{
    return (struct ty_field_path){ up, key, -1, ty_str_contains(key, TY_LIT(".")) };
}

/* ---- wanted fields ---- */

static void diff_value(const struct applied_diff_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_json *filled,
                       const struct ty_json *live, const struct ty_field_path *at);

static void diff_members(const struct applied_diff_walk *w, const struct ty_schema *s,
                         const struct ty_json *v, const struct ty_json *filled,
                         const struct ty_json *live, const struct ty_field_path *at)
{
    ty_each_member (m, v) {
        struct ty_field_path here = member_path(at, m->key);
        if (m->value->type != TY_JSON_NULL)
            diff_value(w, ty_applied_digest_member(s, m->key), m->value,
                       ty_json_find(filled, m->key), ty_json_find(live, m->key), &here);
    }
}

static void diff_items(const struct applied_diff_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_json *filled,
                       const struct ty_json *live, const struct ty_field_path *at)
{
    ty_each_item (it, v) {
        struct ty_str key =
            s->list_set ? ty_json_text(w->a, *it) : ty_applied_digest_key(w->a, s, *it);
        char kind = s->list_set ? 'v' : 'k';
        const struct ty_json *inner = ty_applied_digest_pick(w->a, live, kind, key);
        diff_value(w, s->items, *it, ty_applied_digest_pick(w->a, filled, kind, key), inner,
                   TY_MAPKEY(at, key_text(w->a, key)));
    }
}

static void diff_value(const struct applied_diff_walk *w, const struct ty_schema *s,
                       const struct ty_json *v, const struct ty_json *filled,
                       const struct ty_json *live, const struct ty_field_path *at)
{
    bool map = v->type == TY_JSON_OBJECT && !(s && s->map_atomic);

    if (!live)
        add_change(w, at, NULL, v);
    else if (map && live->type == TY_JSON_OBJECT)
        diff_members(w, s, v, filled, live, at);
    else if (v->type == TY_JSON_ARRAY && v->n && s && (s->list_keys || s->list_set))
        diff_items(w, s, v, filled, live, at);
    else if (!ty_json_eq(v, live) && !(filled && ty_json_eq(filled, live)))
        add_change(w, at, live, v);
}

static void diff_root(const struct applied_diff_walk *w)
{
    const struct ty_applied_digest_diff_in *in = w->in;

    ty_each_member (m, in->wanted) {
        const struct ty_json *live = ty_json_find(in->live, m->key);
        const struct ty_json *filled = ty_json_find(in->filled, m->key);
        if (ty_applied_digest_is_name(m->key, false) || ty_str_is(m->key, "status"))
            continue;
        if (!ty_str_is(m->key, "metadata")) {
            diff_value(w, ty_applied_digest_root(in->schema, m->key), m->value, filled, live,
                       TY_KEYS(NULL, m->key));
            continue;
        }
        ty_each_member (mm, m->value)
            if (!ty_applied_digest_is_name(mm->key, true))
                diff_value(w, ty_applied_digest_member(&ty_applied_digest_metadata, mm->key),
                           mm->value, ty_json_find(filled, mm->key), ty_json_find(live, mm->key),
                           TY_KEYS(TY_KEYS(NULL, m->key), mm->key));
    }
}

/* ---- owned fields ---- */

/* The fields below the same path that other managers own: an apply does not remove those. */
enum { OTHERS_MAX = 16 };
struct other_owners {
    const struct ty_json *v[OTHERS_MAX];
    size_t n;
};

static struct other_owners find_other_owners(const struct ty_json *live, const struct ty_json *mine)
{
    const struct ty_json *entries = ty_json_at(live, "metadata.managedFields");
    struct other_owners o = { .n = 0 };

    ty_each_item (it, entries) {
        const struct ty_json *fields = ty_json_get(*it, "fieldsV1");
        if (fields && fields != mine && o.n < OTHERS_MAX)
            o.v[o.n++] = fields;
    }
    return o;
}

static struct other_owners descend_other_owners(const struct other_owners *o, struct ty_str step)
{
    struct other_owners in = { .n = 0 };

    for (size_t i = 0; i < o->n; i++) {
        const struct ty_json *inner = ty_json_find(o->v[i], step);
        if (inner)
            in.v[in.n++] = inner;
    }
    return in;
}

static void diff_owned(const struct applied_diff_walk *w, const struct ty_json *fields,
                       const struct other_owners *others, const struct ty_json *live,
                       const struct ty_json *filled, const struct ty_field_path *at);

static void diff_owned_step(const struct applied_diff_walk *w, const struct ty_json_member *m,
                            const struct other_owners *others, const struct ty_json *live,
                            const struct ty_json *filled, const struct ty_field_path *at)
{
    struct ty_str text = { m->key.p + 2, m->key.n - 2 };
    char kind = m->key.p[0];
    const struct ty_json *is = ty_applied_digest_pick(w->a, live, kind, text);
    const struct ty_json *stays = ty_applied_digest_pick(w->a, filled, kind, text);
    struct other_owners inner = descend_other_owners(others, m->key);
    struct ty_field_path here = kind == 'f'
                                    ? member_path(at, text)
                                    : (struct ty_field_path){ at, key_text(w->a, text), -1, true };

    if (!is)
        return; /* removed already */
    if (!stays && !inner.n)
        add_change(w, &here, is, NULL);
    else if (ty_json_len(m->value))
        diff_owned(w, m->value, &inner, is, stays, &here);
}

static void diff_owned(const struct applied_diff_walk *w, const struct ty_json *fields,
                       const struct other_owners *others, const struct ty_json *live,
                       const struct ty_json *filled, const struct ty_field_path *at)
{
    ty_each_member (m, fields)
        if (m->key.n >= 2 && m->key.p[1] == ':')
            diff_owned_step(w, m, others, live, filled, at);
}

void ty_applied_digest_diff(struct ty_arena *a, const struct ty_applied_digest_diff_in *in,
                            struct ty_field_changes *ret)
{
    struct applied_diff_walk w = { .a = a, .in = in, .ret = ret };
    const struct ty_json *mine = ty_applied_digest_fields(in->live, in->manager);
    struct other_owners others = find_other_owners(in->live, mine);

    *ret = (struct ty_field_changes){ 0 };
    diff_root(&w);
    if (mine)
        diff_owned(&w, mine, &others, in->live, in->filled ? in->filled : in->wanted, NULL);
}
