/* Builds a CustomResourceDefinition from a kind and its schema table, for `kubectl apply
 * --server-side`. */
#include "api/crd.h"

static void put_text(struct ty_arena *a, struct ty_json *obj, const char *key, const char *text)
{
    ty_json_set(a, obj, key, ty_json_cstr(a, text));
}

static struct ty_json *crd_names(struct ty_arena *a, const struct ty_kind *k)
{
    struct ty_json *out = ty_json_object(a);

    put_text(a, out, "kind", k->kind);
    ty_json_set(a, out, "listKind", ty_json_strf(a, "%sList", k->kind));
    put_text(a, out, "plural", k->plural);
    put_text(a, out, "singular", k->singular);
    return out;
}

/* The columns of `kubectl get trainjobs`. The API server prints the first result of a path, so
 * State is a union in order of priority: a final condition first, then any condition that is true
 * (v2.3.0 prints the last condition of the list, true or not). A union must not begin with a
 * filter, hence the empty slice. A path can only select values: no field of a TrainJob says
 * "Running", so Active names the first replicated job that has active Jobs. */
static struct ty_json *printer_columns(struct ty_arena *a)
{
    static const struct {
        const char *name, *type, *path;
        bool wide;
    } rows[] = {
        { "State", "string",
          ".status.conditions[0:0,?(@.type==\"Failed\"),?(@.type==\"Complete\"),"
          "?(@.status==\"True\")].type",
          false },
        { "Active", "string", ".status.jobsStatus[?(@.active>0)].name", false },
        { "Runtime", "string", ".spec.runtimeRef.name", false },
        { "Nodes", "integer", ".spec.trainer.numNodes", false },
        { "Queue", "string", ".metadata.labels.kueue\\.x-k8s\\.io/queue-name", true },
        { "Age", "date", ".metadata.creationTimestamp", false },
    };
    struct ty_json *out = ty_json_array(a);

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_json *one = ty_json_object(a);
        put_text(a, one, "jsonPath", rows[i].path);
        put_text(a, one, "name", rows[i].name);
        if (rows[i].wide)
            ty_json_set(a, one, "priority", ty_json_int(a, 1));
        put_text(a, one, "type", rows[i].type);
        ty_json_push(a, out, one);
    }
    return out;
}

static struct ty_json *crd_version(struct ty_arena *a, const struct ty_kind *k)
{
    struct ty_json *out = ty_json_object(a);
    struct ty_json *openapi = ty_schema_openapi(a, k->schema);

    put_text(a, out, "name", k->version);
    ty_json_set(a, out, "served", ty_json_bool(a, true));
    ty_json_set(a, out, "storage", ty_json_bool(a, true));
    if (ty_json_at(openapi, "properties.status")) {
        ty_json_set(a, out, "additionalPrinterColumns", printer_columns(a));
        ty_json_ensure_object(a, ty_json_ensure_object(a, out, "subresources"), "status");
    }
    ty_json_set(a, ty_json_ensure_object(a, out, "schema"), "openAPIV3Schema", openapi);
    return out;
}

struct ty_json *ty_crd(struct ty_arena *a, const struct ty_kind *k)
{
    struct ty_json *crd = ty_json_object(a), *spec;

    put_text(a, crd, "apiVersion", "apiextensions.k8s.io/v1");
    put_text(a, crd, "kind", "CustomResourceDefinition");
    ty_json_set(a, ty_json_ensure_object(a, crd, "metadata"), "name",
                ty_json_strf(a, "%s.%s", k->plural, k->group));
    spec = ty_json_ensure_object(a, crd, "spec");
    put_text(a, spec, "group", k->group);
    ty_json_set(a, spec, "names", crd_names(a, k));
    put_text(a, spec, "scope", k->namespaced ? "Namespaced" : "Cluster");
    ty_json_push(a, ty_json_ensure_array(a, spec, "versions"), crd_version(a, k));
    return crd;
}
