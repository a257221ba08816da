/* A Job's spec, read once a pass. What is absent has the meaning that ty_job_default gives it, so
 * that a Job that went past defaulting is still run right. */
#include "engine/job/job_spec.h"

#define NUMBER_MAX ((int64_t)1 << 40) /* seconds are int64: adding to them must not overflow */

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
