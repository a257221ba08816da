/* A Job's spec: the defaults of the API server, and the spec parsed once per pass. Absent fields
 * are parsed as their defaults, so that a Job that was stored without defaulting runs correctly. */
#include "engine/job/job_spec.h"

#define NUMBER_MAX ((int64_t)1 << 40) /* seconds are int64: adding to them must not overflow */

/* ---- defaults ---- */

static void set_default(struct ty_arena *a, struct ty_json *spec, const char *key,
                        struct ty_json *v)
{
    if (!ty_json_get(spec, key))
        ty_json_set(a, spec, key, v);
}

/* The selector and the template's labels identify the pods of this Job by its UID, which the store
 * assigns; without one nothing is set. A label that the user set is not overwritten. */
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

/* ---- parsing ---- */

static int64_t number_at(const struct ty_json *spec, const char *key, int64_t otherwise)
{
    int64_t v = otherwise;

    if (!ty_json_int_at(spec, key, &v) || v < 0)
        return otherwise;
    return v < NUMBER_MAX ? v : NUMBER_MAX;
}

void ty_job_spec_read(const struct ty_json *job, struct ty_job_spec *ret)
{
    const struct ty_json *spec = ty_json_get(job, "spec");
    const struct ty_json *policy = ty_json_get(spec, "podFailurePolicy");

    *ret = (struct ty_job_spec){
        .name = ty_json_str_at(job, "metadata.name"),
        .ns = ty_json_str_at(job, "metadata.namespace"),
        .uid = ty_json_str_at(job, "metadata.uid"),
        .indexed = ty_str_is(ty_json_str_at(spec, "completionMode"), "Indexed"),
        .suspended = ty_json_true_at(spec, "suspend"),
        .on_failure = ty_str_is(ty_json_str_at(spec, "template.spec.restartPolicy"), "OnFailure"),
        .replace_failed =
            policy || ty_str_is(ty_json_str_at(spec, "podReplacementPolicy"), "Failed"),
        .parallelism = number_at(spec, "parallelism", 1),
        .completions = number_at(spec, "completions", -1),
        .per_index = number_at(spec, "backoffLimitPerIndex", -1),
        .max_failed = number_at(spec, "maxFailedIndexes", -1),
        .deadline_s = number_at(spec, "activeDeadlineSeconds", -1),
        .ttl_s = number_at(spec, "ttlSecondsAfterFinished", -1),
        .failure_rules = ty_json_get(policy, "rules"),
        .success_rules = ty_json_at(spec, "successPolicy.rules"),
        .pod_template = ty_json_get(spec, "template"),
    };
    if (ret->completions < 0 && (ret->indexed || !ty_json_get(spec, "parallelism")))
        ret->completions = 1;
    if (!ret->indexed) { /* per-index limits and success rules speak of indexes */
        ret->per_index = -1;
        ret->success_rules = NULL;
    }
    ret->backoff_limit = number_at(spec, "backoffLimit", ret->per_index >= 0 ? INT32_MAX : 6);
}
