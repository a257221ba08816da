/* Helpers for all parts of a conversion: warnings and errors, table-driven reading, writing to the
 * result. */
#include "convert/v1.h"
#include <stdarg.h>

static struct ty_convert_note *add_note(struct ty_v1_conversion *c, const struct ty_json *v,
                                        const struct ty_field_path *at, const char *fmt, va_list ap)
    TY_PRINTF(4, 0);
static struct ty_convert_note *add_note(struct ty_v1_conversion *c, const struct ty_json *v,
                                        const struct ty_field_path *at, const char *fmt, va_list ap)
{
    struct ty_convert_note *n = ty_new(c->arena, struct ty_convert_note);
    n->path = at ? ty_errs_path_text(c->arena, at) : "";
    n->text = ty_arena_vprintf(c->arena, fmt, ap);
    n->line = v && v->line ? v->line : c->v1->line;
    n->col = v && v->line ? v->col : 0;
    return n;
}

void ty_v1_warn(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct ty_convert_note *n = add_note(c, v, at, fmt, ap);
    va_end(ap);
    ty_append(c->out->warnings, c->out->last, n);
}

void ty_v1_error(struct ty_v1_conversion *c, const struct ty_json *v,
                 const struct ty_field_path *at, const char *fmt, ...)
{
    if (c->out->bad)
        return;
    va_list ap;
    va_start(ap, fmt);
    c->out->bad = add_note(c, v, at, fmt, ap);
    va_end(ap);
}

static void use_row(struct ty_v1_conversion *c, const struct ty_json *v,
                    const struct ty_field_path *at, const struct ty_v1_field *row)
{
    if (row->fn)
        row->fn(c, v, at);
    else if (row->why)
        ty_v1_warn(c, v, at, "not carried over: %s", row->why);
}

static bool has_row(const struct ty_v1_field *rows, struct ty_str key)
{
    for (; rows->key; rows++)
        if (ty_str_is(key, rows->key))
            return true;
    return false;
}

void ty_v1_convert_fields(struct ty_v1_conversion *c, const struct ty_json *obj,
                          const struct ty_field_path *at, const struct ty_v1_field *rows)
{
    if (!obj || obj->type == TY_JSON_NULL)
        return;
    if (!ty_json_is(obj, TY_JSON_OBJECT)) {
        ty_v1_error(c, obj, at, "must be an object");
        return;
    }
    for (const struct ty_v1_field *r = rows; r->key; r++) {
        const struct ty_json *v = ty_v1_get(obj, r->key);
        if (v)
            use_row(c, v, TY_KEY(at, r->key), r);
    }
    ty_each_member (m, obj)
        if (m->value->type != TY_JSON_NULL && !has_row(rows, m->key))
            ty_v1_warn(c, m->value, TY_KEYS(at, m->key),
                       "not carried over: this is no field of %s that trainyard knows",
                       c->kind->kind);
}

bool ty_v1_int(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
               int64_t min, int64_t max, int64_t *ret_n)
{
    if (ty_json_is(v, TY_JSON_INT) && v->i >= min && v->i <= max) {
        *ret_n = v->i;
        return true;
    }
    ty_v1_error(c, v, at, "must be a whole number from %lld to %lld", (long long)min,
                (long long)max);
    return false;
}

bool ty_v1_bool(struct ty_v1_conversion *c, const struct ty_json *v, const struct ty_field_path *at,
                bool *ret_b)
{
    if (ty_json_is(v, TY_JSON_BOOL)) {
        *ret_b = v->b;
        return true;
    }
    ty_v1_error(c, v, at, "must be true or false");
    return false;
}

struct ty_str ty_v1_str(struct ty_v1_conversion *c, const struct ty_json *v,
                        const struct ty_field_path *at)
{
    if (!ty_json_is(v, TY_JSON_STRING))
        ty_v1_error(c, v, at, "must be a text");
    return ty_json_as_str(v);
}

const struct ty_json *ty_v1_get(const struct ty_json *obj, const char *key)
{
    const struct ty_json *v = ty_json_get(obj, key);
    return v && v->type != TY_JSON_NULL ? v : NULL;
}

const char *ty_v1_cstr(struct ty_v1_conversion *c, struct ty_str s)
{
    return ty_arena_cstr(c->arena, s);
}

void ty_v1_set_nodes(struct ty_v1_conversion *c, int64_t n)
{
    ty_json_set(c->arena, c->trainer, "numNodes", ty_json_int(c->arena, n));
    ty_json_set(c->arena, c->ml, "numNodes", ty_json_int(c->arena, n));
}

struct ty_json *ty_v1_jobset(struct ty_v1_conversion *c)
{
    c->own = true;
    return c->jobset;
}

struct ty_json *ty_v1_job(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    c->own = true;
    return set->job;
}

struct ty_json *ty_v1_pod(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    c->own = true;
    return set->pod;
}

struct ty_json *ty_v1_container(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    c->own = true;
    return set->container;
}

struct ty_json *ty_v1_patch(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    if (!set->patch)
        set->patch = ty_json_object(c->arena);
    return set->patch;
}

void ty_v1_success(struct ty_v1_conversion *c, const char *const *rjobs)
{
    struct ty_json *policy = ty_json_ensure_object(c->arena, ty_v1_jobset(c), "successPolicy");
    ty_json_set(c->arena, policy, "operator", ty_json_cstr(c->arena, "All"));
    struct ty_json *list = ty_json_ensure_array(c->arena, policy, "targetReplicatedJobs");
    for (; *rjobs; rjobs++)
        ty_json_push(c->arena, list, ty_json_cstr(c->arena, *rjobs));
}

void ty_v1_first_succeeds(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    if (set->count < 2)
        return; /* that is the default of a Job */
    struct ty_json *policy = ty_json_ensure_object(c->arena, ty_v1_job(c, set), "successPolicy");
    struct ty_json *rule = ty_json_object(c->arena);
    ty_json_set(c->arena, rule, "succeededIndexes", ty_json_cstr(c->arena, "0"));
    ty_json_push(c->arena, ty_json_ensure_array(c->arena, policy, "rules"), rule);
}

const char *ty_v1_host(struct ty_v1_conversion *c, const char *rjob, int64_t i)
{
    return ty_arena_printf(c->arena, "%s-%s-0-%lld.%s", c->name, rjob, (long long)i, c->name);
}
