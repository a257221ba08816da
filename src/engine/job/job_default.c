/* What the API server fills into a new Job. */
#include "engine/job/job.h"

static void set_default(struct ty_arena *a, struct ty_json *spec, const char *key,
                        struct ty_json *v)
{
    if (!ty_json_get(spec, key))
        ty_json_set(a, spec, key, v);
}

/* The selector and the template's labels tell the pods of this Job by its uid; before the store
 * has given one there is nothing to say. A label that the user set is not overwritten. */
static void fill_selector(struct ty_arena *a, struct ty_json *job, struct ty_json *spec)
{
    static const char *const by_name[] = { "batch.kubernetes.io/job-name", "job-name" };
    static const char *const by_uid[] = { "batch.kubernetes.io/controller-uid", "controller-uid" };
    struct ty_json *uid = ty_json_at(job, "metadata.uid");
    struct ty_json *name = ty_json_at(job, "metadata.name");
    struct ty_json *labels, *match;

    if (!uid || !name || ty_json_true_at(spec, "manualSelector"))
        return;
    labels = ty_json_ensure_object(
        a, ty_json_ensure_object(a, ty_json_ensure_object(a, spec, "template"), "metadata"),
        "labels");
    for (size_t i = 0; i < 2; i++) {
        set_default(a, labels, by_name[i], name);
        set_default(a, labels, by_uid[i], uid);
    }
    match = ty_json_ensure_object(a, ty_json_ensure_object(a, spec, "selector"), "matchLabels");
    set_default(a, match, by_uid[0], uid);
}

static void fill_patterns(struct ty_arena *a, const struct ty_json *rules)
{
    ty_each_item (rule, rules)
        ty_each_item (pattern, ty_json_get(*rule, "onPodConditions"))
            if (ty_json_is(*pattern, TY_JSON_OBJECT))
                set_default(a, *pattern, "status", ty_json_cstr(a, "True"));
}

void ty_job_default(struct ty_arena *a, struct ty_json *job)
{
    struct ty_json *spec = ty_json_ensure_object(a, job, "spec");
    struct ty_json *meta = ty_json_ensure_object(a, job, "metadata");
    struct ty_json *labels = ty_json_at(spec, "template.metadata.labels");
    bool per_index = ty_json_get(spec, "backoffLimitPerIndex") != NULL;
    bool policy = ty_json_get(spec, "podFailurePolicy") != NULL;

    if (!ty_json_get(spec, "parallelism"))
        set_default(a, spec, "completions", ty_json_int(a, 1));
    set_default(a, spec, "parallelism", ty_json_int(a, 1));
    set_default(a, spec, "backoffLimit", ty_json_int(a, per_index ? INT32_MAX : 6));
    if (ty_json_len(labels) && !ty_json_len(ty_json_get(meta, "labels")))
        ty_json_set(a, meta, "labels", ty_json_copy(a, labels, 0));
    set_default(a, spec, "completionMode", ty_json_cstr(a, "NonIndexed"));
    set_default(a, spec, "suspend", ty_json_bool(a, false));
    set_default(a, spec, "podReplacementPolicy",
                ty_json_cstr(a, policy ? "Failed" : "TerminatingOrFailed"));
    set_default(a, spec, "manualSelector", ty_json_bool(a, false));
    fill_patterns(a, ty_json_at(spec, "podFailurePolicy.rules"));
    fill_selector(a, job, spec);
}
