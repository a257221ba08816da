/* Decodes an object as Go's typed clients would, with their error messages: the webhooks of v2.3.0
 * refuse an object with these messages before they validate it. */
#include <errno.h>

#include "api/go_type.h"
#include "api/quantity.h"
#include "api/schema_inner.h"

/* The path to a value: field names only; Go omits list indexes and map keys. */
struct decode_step {
    const struct decode_step *up;
    const char *name;
    const struct ty_schema *owner; /* the struct that has the field */
};

static const char *const json_words[] = {
    [TY_JSON_NULL] = "null",     [TY_JSON_BOOL] = "bool",     [TY_JSON_INT] = "number",
    [TY_JSON_NUMBER] = "number", [TY_JSON_STRING] = "string", [TY_JSON_ARRAY] = "array",
    [TY_JSON_OBJECT] = "object",
};

/* The Go package of a struct: those of the trainer group have descriptions or no fields at all,
 * those of JobSet are few, one is Volcano's, the rest are Kubernetes'. */
static const char *package_of(const struct ty_schema *s)
{
    static const char *const jobset[] = {
        "Coordinator",
        "DependsOn",
        "FailurePolicy",
        "FailurePolicyRule",
        "JobSet",
        "JobSetSpec",
        "JobSetStatus",
        "Network",
        "ReplicatedJob",
        "ReplicatedJobStatus",
        "StartupPolicy",
        "SuccessPolicy",
        "VolumeClaimPolicy",
        "VolumeRetentionPolicy",
    };

    for (size_t i = 0; i < TY_COUNT(jobset); i++)
        if (strcmp(s->go, jobset[i]) == 0)
            return "v1alpha2";
    if (strcmp(s->go, "NetworkTopologySpec") == 0)
        return "v1beta1";
    if (!s->fields || !s->fields->name)
        return "v1alpha1";
    for (const struct ty_field *f = s->fields; f && f->name; f++)
        if (f->doc)
            return "v1alpha1";
    return "v1";
}

static void put_type(struct ty_buf *out, const struct ty_schema *s, const struct decode_step *at)
{
    switch (s->type) {
    case TY_T_OBJECT:
        ty_buf_printf(out, "%s.%s", s->go ? package_of(s) : "v1", s->go ? s->go : "Object");
        return;
    case TY_T_MAP:
        if (s->items->type == TY_T_QUANTITY) {
            ty_buf_cstr(out, "v1.ResourceList");
            return;
        }
        ty_buf_cstr(out, "map[string]");
        put_type(out, s->items, at);
        return;
    case TY_T_ARRAY:
        ty_buf_cstr(out, "[]");
        put_type(out, s->items, at);
        return;
    case TY_T_INTEGER:
        ty_buf_cstr(out, s->format ? s->format : "int");
        return;
    case TY_T_INT_OR_STRING:
        ty_buf_cstr(out, "int32");
        return;
    case TY_T_BOOLEAN:
        ty_buf_cstr(out, "bool");
        return;
    case TY_T_NUMBER:
        ty_buf_cstr(out, "float64");
        return;
    case TY_T_STRING:
        ty_buf_cstr(out, at && at->owner->go ? ty_go_type_name(at->owner->go, at->name) : "string");
        return;
    case TY_T_TIME:
    case TY_T_QUANTITY:
    case TY_T_ANY:
        ty_buf_cstr(out, "string");
        return;
    }
}

/* Go's message names the embedded struct of a field, which does not appear in the JSON: all fields
 * of `owner` but `own` (or, with `only`, just that one) belong to its `inner` struct. */
static const char *embedded_owner(const struct decode_step *at)
{
    static const struct {
        const char *owner, *inner, *own, *only;
    } all[] = {
        { "Volume", "VolumeSource", "name", NULL },
        { "MLPolicy", "MLPolicySource", "numNodes", NULL },
        { "PodGroupPolicy", "PodGroupPolicySource", "", NULL },
        { "ConfigMapKeySelector", "LocalObjectReference", NULL, "name" },
        { "SecretKeySelector", "LocalObjectReference", NULL, "name" },
        { "ConfigMapEnvSource", "LocalObjectReference", NULL, "name" },
        { "SecretEnvSource", "LocalObjectReference", NULL, "name" },
        { "ConfigMapVolumeSource", "LocalObjectReference", NULL, "name" },
        { "ConfigMapProjection", "LocalObjectReference", NULL, "name" },
        { "SecretProjection", "LocalObjectReference", NULL, "name" },
        { "EphemeralContainer", "EphemeralContainerCommon", "targetContainerName", NULL },
        { "PersistentVolumeClaim", "TypeMeta", NULL, "apiVersion" },
        { "PersistentVolumeClaim", "TypeMeta", NULL, "kind" },
        { "Probe", "ProbeHandler", NULL, "exec" },
        { "Probe", "ProbeHandler", NULL, "grpc" },
        { "Probe", "ProbeHandler", NULL, "httpGet" },
        { "Probe", "ProbeHandler", NULL, "tcpSocket" },
    };

    for (size_t i = 0; at->owner->go && i < TY_COUNT(all); i++)
        if (strcmp(at->owner->go, all[i].owner) == 0 &&
            (all[i].only ? strcmp(at->name, all[i].only) == 0 : strcmp(at->name, all[i].own) != 0))
            return all[i].inner;
    return NULL;
}

static void put_path(struct ty_buf *out, const struct decode_step *at)
{
    const char *inner = embedded_owner(at);

    if (at->up) {
        put_path(out, at->up);
        ty_buf_chr(out, '.');
    }
    if (inner)
        ty_buf_printf(out, "%s.", inner);
    ty_buf_cstr(out, at->name);
}

static int fail_type(const struct ty_schema *s, const struct ty_json *v,
                     const struct decode_step *at, struct ty_err *err)
{
    bool exact = (v->type == TY_JSON_INT || v->type == TY_JSON_NUMBER) &&
                 (s->type == TY_T_INTEGER || s->type == TY_T_INT_OR_STRING);
    ty_auto_buf out = { .ceiling = sizeof(err->text) * 2 };

    ty_buf_printf(&out, "json: cannot unmarshal %s", json_words[v->type]);
    if (exact) {
        ty_buf_chr(&out, ' ');
        ty_json_print(&out, v);
    }
    if (at) {
        const char *go = at->owner->go;
        ty_buf_printf(&out, " into Go struct field %s.", go ? go : "Object");
        put_path(&out, at);
        ty_buf_cstr(&out, " of type ");
    } else {
        ty_buf_cstr(&out, " into Go value of type ");
    }
    put_type(&out, s, at);
    return ty_fail(err, -EINVAL, "%.*s", TY_ARG(ty_buf_str(&out)));
}

static bool type_holds(const struct ty_schema *s, const struct ty_json *v)
{
    bool wide = s->type == TY_T_INTEGER && (!s->format || strcmp(s->format, "int32") != 0);
    bool fits = v->type == TY_JSON_INT && (wide || (v->i >= INT32_MIN && v->i <= INT32_MAX));

    if (s->type == TY_T_INTEGER)
        return fits;
    if (s->type == TY_T_INT_OR_STRING)
        return v->type == TY_JSON_STRING || fits;
    return ty_schema_type_matches(s->type, v);
}

static int decode_value(const struct ty_schema *s, const struct ty_json *v,
                        const struct decode_step *at, struct ty_err *err)
{
    struct ty_quantity q;
    int r = 0;

    if (v->type == TY_JSON_NULL || s->type == TY_T_ANY)
        return 0;
    if (!type_holds(s, v))
        return fail_type(s, v, at, err);
    if (s->type == TY_T_QUANTITY && !ty_quantity_of(v, &q))
        return ty_fail(err, -EINVAL,
                       "quantities must match the regular expression "
                       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    if (s->type == TY_T_TIME)
        return ty_schema_decode_time(ty_json_as_str(v), err);
    if (s->type == TY_T_ARRAY)
        for (uint32_t i = 0; i < v->n && r == 0; i++)
            r = decode_value(s->items, v->items[i], at, err);
    if (s->type != TY_T_OBJECT && s->type != TY_T_MAP)
        return r;
    ty_each_member (m, v) {
        const struct ty_field *f = ty_schema_field(s, m->key);
        if (s->type == TY_T_MAP)
            r = decode_value(s->items, m->value, at, err);
        else if (f)
            r = decode_value(f->schema, m->value, &(const struct decode_step){ at, f->name, s },
                             err);
        if (r < 0)
            return r;
    }
    return 0;
}

int ty_schema_decode(const struct ty_schema *s, const struct ty_json *v, struct ty_err *err)
{
    return decode_value(s, v, NULL, err);
}
