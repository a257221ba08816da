/* Builds openAPIV3Schema from the tables, in the structural form that CRDs require. */
#include "api/schema.h"
#include "json/json.h"

#include <assert.h>

/* The pattern of every field of type resource.Quantity in a CRD. */
static const char quantity_pattern[] =
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

static struct ty_json *string_list(struct ty_arena *a, const char *const *list)
{
    struct ty_json *out = ty_json_array(a);

    for (; *list; list++)
        ty_json_push(a, out, ty_json_cstr(a, *list));
    return out;
}

static void put_str(struct ty_arena *a, struct ty_json *out, const char *key, const char *text)
{
    if (text)
        ty_json_set(a, out, key, ty_json_cstr(a, text));
}

static void put_count(struct ty_arena *a, struct ty_json *out, const char *key, uint32_t n)
{
    if (n > 0)
        ty_json_set(a, out, key, ty_json_int(a, n));
}

/* Both JSON types are allowed; Kubernetes requires exactly this anyOf beside the extension. */
static void put_int_or_string(struct ty_arena *a, struct ty_json *out)
{
    struct ty_json *any = ty_json_array(a);
    static const char *const types[] = { "integer", "string" };

    for (size_t i = 0; i < 2; i++) {
        struct ty_json *one = ty_json_object(a);
        ty_json_set(a, one, "type", ty_json_cstr(a, types[i]));
        ty_json_push(a, any, one);
    }
    ty_json_set(a, out, "anyOf", any);
    ty_json_set(a, out, "x-kubernetes-int-or-string", ty_json_bool(a, true));
}

static void put_type(struct ty_arena *a, const struct ty_schema *s, struct ty_json *out)
{
    static const char *const names[] = {
        [TY_T_OBJECT] = "object",   [TY_T_MAP] = "object",       [TY_T_ARRAY] = "array",
        [TY_T_STRING] = "string",   [TY_T_INTEGER] = "integer",  [TY_T_NUMBER] = "number",
        [TY_T_BOOLEAN] = "boolean", [TY_T_INT_OR_STRING] = NULL, [TY_T_QUANTITY] = NULL,
        [TY_T_TIME] = "string",     [TY_T_ANY] = "object",
    };

    put_str(a, out, "type", names[s->type]);
    put_str(a, out, "format", s->type == TY_T_TIME ? "date-time" : s->format);
    if (s->type == TY_T_INT_OR_STRING || s->type == TY_T_QUANTITY)
        put_int_or_string(a, out);
    put_str(a, out, "pattern", s->type == TY_T_QUANTITY ? quantity_pattern : s->pattern);
    if (s->type == TY_T_ANY)
        ty_json_set(a, out, "x-kubernetes-preserve-unknown-fields", ty_json_bool(a, true));
    if (s->nullable)
        ty_json_set(a, out, "nullable", ty_json_bool(a, true));
}

static void put_bounds(struct ty_arena *a, const struct ty_schema *s, struct ty_json *out)
{
    if (s->enums)
        ty_json_set(a, out, "enum", string_list(a, s->enums));
    if (s->has_min)
        ty_json_set(a, out, "minimum", ty_json_int(a, s->min));
    if (s->has_max)
        ty_json_set(a, out, "maximum", ty_json_int(a, s->max));
    put_count(a, out, "minLength", s->min_len);
    put_count(a, out, "maxLength", s->max_len);
    put_count(a, out, "minItems", s->min_items);
    put_count(a, out, "maxItems", s->max_items);
    put_count(a, out, "minProperties", s->min_props);
}

/* List and map types, as server-side apply and CEL use them. */
static void put_topology(struct ty_arena *a, const struct ty_schema *s, struct ty_json *out)
{
    if (s->list_keys) {
        ty_json_set(a, out, "x-kubernetes-list-map-keys", string_list(a, s->list_keys));
        put_str(a, out, "x-kubernetes-list-type", "map");
    } else if (s->list_set) {
        put_str(a, out, "x-kubernetes-list-type", "set");
    } else if (s->list_atomic) {
        put_str(a, out, "x-kubernetes-list-type", "atomic");
    }
    if (s->map_atomic)
        put_str(a, out, "x-kubernetes-map-type", "atomic");
}

static void put_rules(struct ty_arena *a, const struct ty_schema *s, struct ty_json *out)
{
    struct ty_json *list =
        s->rules ? ty_json_ensure_array(a, out, "x-kubernetes-validations") : NULL;

    for (const struct ty_rule *r = s->rules; r && r->message; r++) {
        struct ty_json *one = ty_json_object(a);
        put_str(a, one, "message", r->message);
        put_str(a, one, "rule", r->cel_of ? r->cel_of(a) : r->cel);
        ty_json_push(a, list, one);
    }
}

/* The default is JSON text in the table; if it does not parse, that is a bug. */
static struct ty_json *default_of(struct ty_arena *a, const struct ty_field *f)
{
    struct ty_json *v = ty_json_parse(a, ty_str(f->def), NULL, NULL);

    assert(v);
    return v;
}

static void put_fields(struct ty_arena *a, const struct ty_schema *s, struct ty_json *out)
{
    struct ty_json *props = ty_json_object(a), *required = ty_json_array(a);

    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        struct ty_json *prop = ty_schema_openapi(a, f->schema);
        if (!f->schema->metadata) /* the API server adds the schema of ObjectMeta itself */
            put_str(a, prop, "description", f->doc);
        if (f->def)
            ty_json_set(a, prop, "default", default_of(a, f));
        if (f->flags & TY_F_REQUIRED)
            ty_json_push(a, required, ty_json_cstr(a, f->name));
        ty_json_set(a, props, f->name, prop);
    }
    if (ty_json_len(props) > 0)
        ty_json_set(a, out, "properties", props);
    if (ty_json_len(required) > 0)
        ty_json_set(a, out, "required", required);
}

struct ty_json *ty_schema_openapi(struct ty_arena *a, const struct ty_schema *s)
{
    struct ty_json *out = ty_json_object(a);

    put_type(a, s, out);
    if (s->metadata)
        return out; /* the API server accepts nothing but the type here */
    put_str(a, out, "description", s->doc);
    put_bounds(a, s, out);
    if (s->type == TY_T_OBJECT)
        put_fields(a, s, out);
    else if (s->items)
        ty_json_set(a, out, s->type == TY_T_ARRAY ? "items" : "additionalProperties",
                    ty_schema_openapi(a, s->items));
    put_topology(a, s, out);
    put_rules(a, s, out);
    return out;
}
