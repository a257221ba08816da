/* Hints beside the API server's messages: what the user probably meant. Runs only after an error,
 * so it may search. */
#include "api/go_value.h"
#include "api/schema_inner.h"

/* ---- values of the wrong type ---- */

static bool any_of(struct ty_str s, const char *const *words)
{
    for (; *words; words++)
        if (s.n == strlen(*words) && strncasecmp(s.p, *words, s.n) == 0)
            return true;
    return false;
}

static const char *hint_boolean(struct ty_str text)
{
    static const char *const yes[] = { "true", "yes", "on", "y", "1", NULL };
    static const char *const no[] = { "false", "no", "off", "n", "0", NULL };

    return any_of(text, yes)  ? "write true without quotes"
           : any_of(text, no) ? "write false without quotes"
                              : "write true or false";
}

static const char *hint_object(struct ty_arena *a, const struct ty_schema *s, struct ty_str text)
{
    struct ty_str name, value = ty_str_cut(text, '=', &name);

    if (!value.p || !ty_schema_field(s, TY_LIT("name")) || !ty_schema_field(s, TY_LIT("value")))
        return NULL;
    return ty_arena_printf(a, "write {name: %.*s, value: \"%.*s\"}", TY_ARG(name), TY_ARG(value));
}

/* The SI prefix that a user means by k, M, G, …; `m` and `M` differ, but `m` of bytes is read as M.
 */
static char prefix_of(char c)
{
    static const char prefixes[] = "kMGTPE";
    static const char lower[] = "kmgtpe";
    const char *at = c ? strchr(lower, c | 32) : NULL;

    return at ? prefixes[at - lower] : 0;
}

/* Units that are to be dropped: "2 cores", "0.5cpu", "100 bytes". */
static bool counts_itself(struct ty_str unit)
{
    static const char *const words[] = { "cpu", "cpus", "core", "cores", "vcpu",  "vcpus",
                                         "gpu", "gpus", "b",    "byte",  "bytes", NULL };

    return any_of(unit, words);
}

/* "10GB", "512MB", "8 Gi", "2 cores": the number is right, the unit is not one of Kubernetes. */
static const char *hint_quantity(struct ty_arena *a, struct ty_str text)
{
    struct ty_str number = ty_str_trim(text), unit = number;

    while (unit.n && ((*unit.p >= '0' && *unit.p <= '9') || *unit.p == '.'))
        unit = (struct ty_str){ unit.p + 1, unit.n - 1 };
    number.n -= unit.n;
    unit = ty_str_trim(unit);
    if (number.n == 0 || number.n > 32)
        return NULL;
    if (unit.n == 0 || counts_itself(unit))
        return ty_arena_printf(a, "use %.*s", TY_ARG(number));
    char prefix = prefix_of(*unit.p);
    bool binary = unit.n > 1 && (unit.p[1] | 32) == 'i', bytes = (unit.p[unit.n - 1] | 32) == 'b';
    if (!prefix || unit.n != 1 + (size_t)binary + (size_t)bytes)
        return NULL;
    char two = prefix == 'k' ? 'K' : prefix;
    return binary ? ty_arena_printf(a, "use %.*s%ci", TY_ARG(number), two)
                  : ty_arena_printf(a, "use %.*s%c or %.*s%ci", TY_ARG(number), prefix,
                                    TY_ARG(number), two);
}

static const char *hint_from_string(struct ty_arena *a, const struct ty_schema *s,
                                    struct ty_str text)
{
    const char *quantity = s->type == TY_T_QUANTITY ? hint_quantity(a, text) : NULL;
    int64_t i;

    switch (s->type) {
    case TY_T_INTEGER:
    case TY_T_NUMBER:
        return ty_str_parse_i64(text, &i)
                   ? ty_arena_printf(a, "write %lld without quotes", (long long)i)
                   : "write a number";
    case TY_T_BOOLEAN:
        return hint_boolean(text);
    case TY_T_ARRAY:
        return s->items && s->items->type == TY_T_STRING
                   ? ty_arena_printf(a, "write a list: [\"%.*s\"]", TY_ARG(text))
                   : "write a list: one item a line, each after \"- \"";
    case TY_T_OBJECT:
        return hint_object(a, s, text);
    case TY_T_QUANTITY:
        return quantity ? quantity : "write a quantity such as 2, 500m or 16Gi";
    case TY_T_TIME:
        return "write a time such as 2026-01-31T12:00:00Z";
    case TY_T_MAP:
    case TY_T_STRING:
    case TY_T_INT_OR_STRING:
    case TY_T_ANY:
        break;
    }
    return NULL;
}

/* What was written for a boolean is not known any more: yes, on and true are all true. */
const char *ty_schema_hint_string(struct ty_arena *a, const struct ty_json *v)
{
    if (v->type == TY_JSON_BOOL)
        return v->b ? "put it in quotes: YAML reads yes, on and true as a boolean"
                    : "put it in quotes: YAML reads no, off and false as a boolean";
    if (v->type != TY_JSON_INT && v->type != TY_JSON_NUMBER)
        return NULL;
    return ty_arena_printf(a, "write \"%.*s\" in quotes", TY_ARG(ty_json_text(a, v)));
}

const char *ty_schema_hint_type(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *v)
{
    bool scalar = v->type == TY_JSON_BOOL || v->type == TY_JSON_INT || v->type == TY_JSON_NUMBER;

    if (v->type == TY_JSON_STRING)
        return hint_from_string(a, s, ty_json_as_str(v));
    if (s->type == TY_T_STRING && scalar)
        return ty_schema_hint_string(a, v);
    if (s->type == TY_T_BOOLEAN && scalar)
        return "write true or false";
    if (s->type == TY_T_ARRAY && s->items &&
        (v->type == TY_JSON_OBJECT) == (s->items->type == TY_T_OBJECT))
        return "write a list: one item a line, each after \"- \"";
    if (s->type == TY_T_QUANTITY && v->type == TY_JSON_NUMBER)
        return ty_arena_printf(a, "write \"%.*s\" in quotes", TY_ARG(ty_json_text(a, v)));
    if (s->type == TY_T_INTEGER && v->type == TY_JSON_NUMBER)
        return "write a whole number";
    return NULL;
}

static size_t list_len(const char *const *list)
{
    size_t n = 0;

    while (list[n])
        n++;
    return n;
}

const char *ty_schema_hint_enum(struct ty_arena *a, const struct ty_schema *s,
                                const struct ty_json *v)
{
    const char *word = v->type == TY_JSON_STRING
                           ? ty_str_nearest(ty_json_as_str(v), s->enums, list_len(s->enums))
                           : NULL;

    return word && *word ? ty_arena_printf(a, "did you mean \"%s\"?", word) : NULL;
}

/* ---- unknown fields ---- */

enum { MAX_STEPS = 6 };

struct field_search {
    struct ty_str key;
    const char *steps[MAX_STEPS]; /* names on the path down; lists add "[]" */
    bool list[MAX_STEPS];
};

/* Whether a field of that name exists exactly `depth` steps below s; fills steps on success. */
static bool find_below(struct field_search *q, const struct ty_schema *s, int step, int depth)
{
    bool list = false;

    for (; s && s->type == TY_T_ARRAY; s = s->items)
        list = true;
    if (!s || s->type != TY_T_OBJECT || s->metadata)
        return false;
    if (step > 0)
        q->list[step - 1] = list;
    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        if (f->flags & TY_F_DEPRECATED)
            continue;
        q->steps[step] = f->name;
        if (step + 1 == depth ? ty_str_is(q->key, f->name)
                              : find_below(q, f->schema, step + 1, depth))
            return true;
    }
    return false;
}

static const char *place_text(struct ty_arena *a, const struct ty_field_path *at,
                              const struct field_search *q, int depth)
{
    ty_auto_buf out = { 0 };

    if (at)
        ty_buf_cstr(&out, ty_errs_path_text(a, at));
    for (int i = 0; i < depth; i++)
        ty_buf_printf(&out, "%s%s%s", out.n ? "." : "", q->steps[i],
                      i + 1 < depth && q->list[i] ? "[]" : "");
    return ty_arena_printf(a, "did you mean %.*s?", TY_ARG(ty_buf_str(&out)));
}

/* A field of the same name elsewhere, at most `far` steps up and down together; the nearest wins.
 */
static const char *hint_elsewhere(struct ty_arena *a, const struct ty_schema_hint_scope *place,
                                  struct ty_str key, int near, int far)
{
    struct field_search q = { .key = key };

    for (int steps = near; steps <= far; steps++) {
        int up = 0;
        for (const struct ty_schema_hint_scope *p = place; p && up < steps; p = p->up, up++)
            if (find_below(&q, p->schema, 0, steps - up))
                return place_text(a, p->at, &q, steps - up);
    }
    return NULL;
}

/* A field of the same object whose name is similar, or contains the same word. */
static const char *hint_sibling(struct ty_arena *a, const struct ty_schema *s, struct ty_str key)
{
    size_t n = 0;
    const char *near;

    for (const struct ty_field *f = s->fields; f && f->name; f++)
        n++;
    const char **names = ty_new_n(a, const char *, n + 1);
    n = 0;
    for (const struct ty_field *f = s->fields; f && f->name; f++)
        if (!(f->flags & TY_F_DEPRECATED))
            names[n++] = f->name;
    near = ty_str_nearest(key, names, n);
    for (size_t i = 0; i < n && !near && key.n >= 4; i++)
        if (ty_str_contains(ty_str(names[i]), key) || strcasestr(names[i], ty_arena_cstr(a, key)))
            near = names[i];
    return near;
}

const char *ty_schema_hint_unknown(struct ty_arena *a, const struct ty_schema_hint_scope *place,
                                   struct ty_str key)
{
    const char *hint = hint_elsewhere(a, place, key, 1, 2), *near;

    if (hint)
        return hint;
    near = hint_sibling(a, place->schema, key);
    if (near)
        return ty_arena_printf(a, "did you mean %s?",
                               ty_errs_path_text(a, TY_KEY(place->at, near)));
    return hint_elsewhere(a, place, key, 3, MAX_STEPS);
}
