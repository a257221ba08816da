/* Evaluates the x-kubernetes-validations of a schema: selects the rules that apply to a value and
 * its earlier version. */
#include "api/go_value.h"
#include "api/schema_equal.h"
#include "api/schema_inner.h"

/* A value and its earlier version. */
struct value_pair {
    const struct ty_schema *s;
    const struct ty_json *v, *old;
};

static bool is_unchanged(const struct value_pair *p)
{
    return p->old && ty_schema_equal(p->s, p->v, p->old);
}

static void run_rules(struct ty_errs *errs, const struct value_pair *p,
                      const struct value_pair *near, const struct ty_field_path *at)
{
    for (const struct ty_rule *r = p->s->rules; r && r->message; r++) {
        if (r->transition && !p->old)
            continue;
        if (r->ok(p->v, r->transition ? p->old : NULL))
            continue;
        /* Ratcheting: on update, an error in an unchanged value is ignored. */
        if (!r->transition && is_unchanged(p->old ? p : near))
            continue;
        bool plain = p->v->type < TY_JSON_ARRAY;
        const char *value = plain ? ty_go_value(errs->arena, p->v) : NULL;
        ty_errs_add(errs, at, TY_INVALID, value, "%s", r->message)->at = p->v;
    }
}

/* `near` is the closest ancestor that has an earlier version. */
static void walk_rules(struct ty_errs *errs, const struct value_pair *p,
                       const struct value_pair *near, const struct ty_field_path *at)
{
    const struct value_pair *below = p->old ? p : near;

    if (!p->s || p->v->type == TY_JSON_NULL)
        return;
    if (p->s->rules)
        run_rules(errs, p, near, at);
    if (p->s->type == TY_T_ARRAY) {
        size_t i = 0;
        ty_each_item (it, p->v) {
            const struct ty_json *twin =
                p->old ? ty_schema_correlate_item(p->s, *it, p->old, i) : NULL;
            walk_rules(errs, &(struct value_pair){ p->s->items, *it, twin }, below, TY_IDX(at, i));
            i++;
        }
    } else if ((p->s->type == TY_T_OBJECT && !p->s->metadata) || p->s->type == TY_T_MAP) {
        bool map = p->s->type == TY_T_MAP;
        ty_each_member (m, p->v) {
            const struct ty_json *old = p->old ? ty_json_find(p->old, m->key) : NULL;
            if (ty_json_is(old, TY_JSON_NULL))
                old = NULL;
            walk_rules(errs, &(struct value_pair){ ty_schema_member(p->s, m->key), m->value, old },
                       below, map ? TY_MAPKEY(at, m->key) : TY_KEYS(at, m->key));
        }
    }
}

void ty_schema_check_rules(struct ty_errs *errs, const struct ty_schema *s, const struct ty_json *v,
                           const struct ty_json *old, const struct ty_field_path *at)
{
    const struct value_pair none = { 0 };

    walk_rules(errs, &(struct value_pair){ s, v, old }, &none, at);
}
