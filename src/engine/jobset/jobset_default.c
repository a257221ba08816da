/* Defaults of a new JobSet: first the schema's, then the webhook's. The subdomain gets none:
 * readers use the name instead, which generateName may not have set yet. */
#include "engine/jobset/jobset.h"

static bool is_missing(const struct ty_json *obj, const char *key)
{
    const struct ty_json *v = ty_json_get(obj, key);

    return !v || v->type == TY_JSON_NULL;
}

static void set_missing(struct ty_arena *a, struct ty_json *obj, const char *key, struct ty_json *v)
{
    if (is_missing(obj, key))
        ty_json_set(a, obj, key, v);
}

static void default_policies(struct ty_arena *a, struct ty_json *spec)
{
    if (is_missing(spec, "successPolicy"))
        ty_json_set(a, ty_json_ensure_object(a, spec, "successPolicy"), "operator",
                    ty_json_cstr(a, "All"));
    if (is_missing(spec, "startupPolicy"))
        ty_json_set(a, ty_json_ensure_object(a, spec, "startupPolicy"), "startupPolicyOrder",
                    ty_json_cstr(a, "AnyOrder"));
}

static void default_rjob(struct ty_arena *a, struct ty_json *rjob)
{
    struct ty_json *job, *pod;

    job = ty_json_ensure_object(a, ty_json_ensure_object(a, rjob, "template"), "spec");
    set_missing(a, job, "completionMode", ty_json_cstr(a, "Indexed"));
    pod = ty_json_ensure_object(a, ty_json_ensure_object(a, job, "template"), "spec");
    if (ty_json_str_at(pod, "restartPolicy").n == 0)
        ty_json_set(a, pod, "restartPolicy", ty_json_cstr(a, "OnFailure"));
}

static void default_rules(struct ty_arena *a, const struct ty_json *rules)
{
    long i = 0;

    ty_each_item (it, rules) {
        if (ty_json_is(*it, TY_JSON_OBJECT) && ty_json_str_at(*it, "name").n == 0)
            ty_json_set(a, *it, "name", ty_json_strf(a, "failurePolicyRule%ld", i));
        i++;
    }
}

/* Whether the members that defaulting reaches into are what they should be: a wrong type is left
 * for the schema to name. */
static bool is_object_or_null(const struct ty_json *obj, const char *path)
{
    const struct ty_json *v = ty_json_at(obj, path);

    return !v || v->type == TY_JSON_NULL || v->type == TY_JSON_OBJECT;
}

void ty_jobset_default(struct ty_arena *a, struct ty_json *jobset)
{
    const struct ty_json *list;
    struct ty_json *spec, *network;

    if (!ty_json_is(jobset, TY_JSON_OBJECT) || !is_object_or_null(jobset, "spec"))
        return;
    spec = ty_json_ensure_object(a, jobset, "spec");
    ty_schema_default(a, &ty_schema_JobSet, jobset);
    default_policies(a, spec);
    list = ty_json_get(spec, "replicatedJobs");
    ty_each_item (it, list)
        if (ty_json_is(*it, TY_JSON_OBJECT) && is_object_or_null(*it, "template") &&
            is_object_or_null(*it, "template.spec") &&
            is_object_or_null(*it, "template.spec.template") &&
            is_object_or_null(*it, "template.spec.template.spec"))
            default_rjob(a, *it);
    if (is_object_or_null(spec, "network")) {
        network = ty_json_ensure_object(a, spec, "network");
        set_missing(a, network, "enableDNSHostnames", ty_json_bool(a, true));
        set_missing(a, network, "publishNotReadyAddresses", ty_json_bool(a, true));
    }
    default_rules(a, ty_json_at(spec, "failurePolicy.rules"));
    list = ty_json_get(spec, "volumeClaimPolicies");
    ty_each_item (it, list)
        if (ty_json_is(*it, TY_JSON_OBJECT) && is_missing(*it, "retentionPolicy"))
            ty_json_set(a, ty_json_ensure_object(a, *it, "retentionPolicy"), "whenDeleted",
                        ty_json_cstr(a, "Delete"));
}
