/* Edits the fields of a JobSet that decide about restarts. A field of a wrong type is left as it
 * is: the schema reports it. */
#include "engine/jobset/jobset_restarts.h"

static bool is_written(const struct ty_json *obj, const char *key)
{
    const struct ty_json *v = ty_json_get(obj, key);

    return v && v->type != TY_JSON_NULL;
}

/* A member that is an object, created if it is absent or null. NULL: it is something else. */
static struct ty_json *object_at(struct ty_arena *a, struct ty_json *obj, const char *key)
{
    if (is_written(obj, key) && !ty_json_is(ty_json_get(obj, key), TY_JSON_OBJECT))
        return NULL;
    return ty_json_ensure_object(a, obj, key);
}

static void set_never(struct ty_arena *a, struct ty_json *job, struct ty_json *pod)
{
    ty_json_set(a, job, "backoffLimit", ty_json_int(a, 0));
    ty_json_set(a, pod, "restartPolicy", ty_json_cstr(a, "Never"));
}

/* The containers' own policies. A sidecar is an init container with one, and stays a sidecar. */
static void drop_own_policies(const struct ty_json *containers, bool init)
{
    ty_each_item (c, containers) {
        if (!ty_json_is(*c, TY_JSON_OBJECT))
            continue;
        ty_json_del(*c, TY_LIT("restartPolicyRules"));
        if (!init || !ty_str_is(ty_json_str_at(*c, "restartPolicy"), "Always"))
            ty_json_del(*c, TY_LIT("restartPolicy"));
    }
}

static void drop_policies(struct ty_json *job, struct ty_json *pod)
{
    static const char *const fields[] = { "podFailurePolicy", "backoffLimitPerIndex",
                                          "maxFailedIndexes" };

    for (size_t i = 0; i < TY_COUNT(fields); i++)
        ty_json_del(job, ty_str(fields[i]));
    drop_own_policies(ty_json_get(pod, "containers"), false);
    drop_own_policies(ty_json_get(pod, "initContainers"), true);
}

static bool says_nothing(const struct ty_json *job, const struct ty_json *pod)
{
    return !is_written(job, "backoffLimit") && !is_written(job, "backoffLimitPerIndex") &&
           !is_written(job, "podFailurePolicy") && !is_written(pod, "restartPolicy");
}

void ty_jobset_restarts(struct ty_arena *a, struct ty_json *jobset, enum ty_restarts how)
{
    struct ty_json *spec = ty_json_get(jobset, "spec");
    bool policy = is_written(spec, "failurePolicy");

    if (how == TY_RESTARTS_AS_CLUSTER || (how == TY_RESTARTS_AS_WRITTEN && policy))
        return;
    if (how == TY_RESTARTS_NEVER && policy)
        ty_json_del(spec, TY_LIT("failurePolicy"));
    ty_each_item (it, ty_json_get(spec, "replicatedJobs")) {
        struct ty_json *job, *pod = NULL;
        if (!ty_json_is(*it, TY_JSON_OBJECT) || !(job = object_at(a, *it, "template")) ||
            !(job = object_at(a, job, "spec")) || !(pod = object_at(a, job, "template")) ||
            !(pod = object_at(a, pod, "spec")))
            continue;
        if (how == TY_RESTARTS_NEVER)
            drop_policies(job, pod);
        if (how == TY_RESTARTS_NEVER || says_nothing(job, pod))
            set_never(a, job, pod);
    }
}
