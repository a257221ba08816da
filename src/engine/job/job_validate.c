/* batch/v1 validation of the fields that the engine uses, with the API server's messages and order.
 * The pod template is validated only as far as the Job depends on it; pod_plan.h does the rest. */
#include "engine/job/job_validate.h"

#include "api/go_value.h"
#include "api/name.h"
#include "engine/job/job.h"

enum {
    PARALLELISM_MAX = 100000, /* of an indexed Job */
    FAILED_INDEXES_MAX = 100000,
    MANY = 100000, /* completions from which per-index limits are tighter */
    MANY_MAX = 10000,
    MANAGER_MAX = 63,
};

void ty_job_check_bad(const struct ty_job_check *c, const struct ty_json *v,
                      const struct ty_field_path *at, const char *detail)
{
    struct ty_field_err *e =
        ty_errs_add(c->errs, at, TY_INVALID, v ? ty_go_value(c->a, v) : NULL, "%s", detail);
    e->at = v;
}

int64_t ty_job_check_number(const struct ty_job_check *c, const struct ty_json *obj,
                            const char *key, const struct ty_field_path *at)
{
    int64_t v = -1;

    if (!ty_json_int_at(obj, key, &v))
        return -1;
    if (v >= 0)
        return v;
    ty_job_check_bad(c, ty_json_get(obj, key), TY_KEY(at, key),
                     "must be greater than or equal to 0");
    return -1;
}

void ty_job_check_word(const struct ty_job_check *c, const struct ty_json *v,
                       const char *const *words, const struct ty_field_path *at)
{
    struct ty_str text = ty_json_as_str(v);
    ty_auto_buf list = { 0 };

    for (size_t i = 0; words[i]; i++) {
        if (ty_str_is(text, words[i]))
            return;
        ty_buf_printf(&list, "%s\"%s\"", i ? (text.n ? ", " : " ") : "", words[i]);
    }
    struct ty_field_err *e = text.n
                                 ? ty_errs_add(c->errs, at, TY_UNSUPPORTED, ty_go_value(c->a, v),
                                               "supported values: %.*s", TY_ARG(ty_buf_str(&list)))
                                 : ty_errs_add(c->errs, at, TY_REQUIRED, NULL,
                                               "valid values: [%.*s]", TY_ARG(ty_buf_str(&list)));
    e->at = v;
}

static void check_manager(const struct ty_job_check *c, const struct ty_field_path *at)
{
    const struct ty_json *v = ty_json_get(c->spec, "managedBy");
    struct ty_str text = ty_json_as_str(v), blamed;
    const char *problem;

    if (!v)
        return;
    for (unsigned n = 0; (problem = ty_name_domain_path_problem(text, n, &blamed)); n++)
        ty_job_check_bad(c, ty_json_str(c->a, blamed), at, problem);
    if (text.n > MANAGER_MAX)
        ty_errs_add(c->errs, at, TY_TOO_LONG, NULL, "may not be more than %d bytes", MANAGER_MAX);
}

/* A limit that is exceeded, with the limit in the text. */
static void at_most(const struct ty_job_check *c, const char *key, int64_t v, int64_t max,
                    const char *when, const struct ty_field_path *at)
{
    if (v > max)
        ty_job_check_bad(
            c, ty_json_get(c->spec, key), TY_KEY(at, key),
            ty_arena_printf(c->a, "must be less than or equal to %lld%s", (long long)max, when));
}

static void check_indexed(const struct ty_job_check *c, int64_t parallelism, int64_t max_failed,
                          const struct ty_field_path *at)
{
    static const char when_many[] =
        " when completions are above 100000 and used with backoff limit per index";

    if (!ty_json_get(c->spec, "completions"))
        ty_errs_add(c->errs, TY_KEY(at, "completions"), TY_REQUIRED, NULL,
                    "when completion mode is Indexed");
    at_most(c, "parallelism", parallelism, PARALLELISM_MAX, " when completion mode is Indexed", at);
    if (c->completions >= 0 && max_failed > c->completions)
        ty_job_check_bad(c, ty_json_get(c->spec, "maxFailedIndexes"),
                         TY_KEY(at, "maxFailedIndexes"),
                         "must be less than or equal to completions");
    at_most(c, "maxFailedIndexes", max_failed, FAILED_INDEXES_MAX, "", at);
    if (c->completions <= MANY || !ty_json_get(c->spec, "backoffLimitPerIndex"))
        return;
    if (!ty_json_get(c->spec, "maxFailedIndexes"))
        ty_errs_add(c->errs, TY_KEY(at, "maxFailedIndexes"), TY_REQUIRED, NULL,
                    "must be specified when completions is above %d", MANY);
    at_most(c, "parallelism", parallelism, MANY_MAX, when_many, at);
    at_most(c, "maxFailedIndexes", max_failed, MANY_MAX, when_many, at);
}

static void check_plain(const struct ty_job_check *c, const struct ty_field_path *at)
{
    static const char *const keys[] = { "backoffLimitPerIndex", "maxFailedIndexes" };

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *v = ty_json_get(c->spec, keys[i]);
        if (v)
            ty_job_check_bad(c, v, TY_KEY(at, keys[i]), "requires indexed completion mode");
    }
}

static void check_restart(const struct ty_job_check *c, const struct ty_field_path *at)
{
    static const char *const words[] = { "OnFailure", "Never", NULL };
    const struct ty_json *v = ty_json_at(c->spec, "template.spec.restartPolicy");
    struct ty_str text = ty_json_as_str(v);
    const struct ty_field_path *here =
        TY_KEY(TY_KEY(TY_KEY(at, "template"), "spec"), "restartPolicy");

    if (text.n == 0 || ty_str_is(text, "Always"))
        ty_errs_add(c->errs, here, TY_REQUIRED, NULL, "valid values: \"OnFailure\", \"Never\"")
            ->at = v;
    else if (!ty_str_is(text, "OnFailure") && !ty_str_is(text, "Never"))
        ty_job_check_word(c, v, words, here);
    else if (ty_json_get(c->spec, "podFailurePolicy") && !ty_str_is(text, "Never"))
        ty_job_check_bad(c, v, here,
                         "only \"Never\" is supported when podFailurePolicy is specified");
}

static void check_policies(const struct ty_job_check *c, const struct ty_field_path *at)
{
    static const char *const only_failed[] = { "Failed", NULL };
    static const char *const replacement[] = { "Failed", "TerminatingOrFailed", NULL };
    const struct ty_json *success = ty_json_get(c->spec, "successPolicy");
    const struct ty_json *replace = ty_json_get(c->spec, "podReplacementPolicy");
    bool failure = ty_json_get(c->spec, "podFailurePolicy") != NULL;

    if (failure)
        ty_job_check_failure_policy(c, TY_KEY(at, "podFailurePolicy"));
    if (success && !c->indexed)
        ty_job_check_bad(c, success, TY_KEY(at, "successPolicy"),
                         "requires indexed completion mode");
    else if (success)
        ty_job_check_success_policy(c, TY_KEY(at, "successPolicy"));
    if (replace)
        ty_job_check_word(c, replace, failure ? only_failed : replacement,
                          TY_KEY(at, "podReplacementPolicy"));
}

/* The host name of the last pod must be one. */
static void check_name(const struct ty_job_check *c, const struct ty_json *job,
                       const struct ty_field_path *at)
{
    const struct ty_json *name = ty_json_at(job, "metadata.name");
    const char *host;

    if (!name || !c->indexed || c->completions <= 0)
        return;
    host = ty_arena_printf(c->a, "%.*s-%lld", TY_ARG(ty_json_as_str(name)),
                           (long long)c->completions - 1);
    if (!ty_name_is_dns1123_label(ty_str(host)))
        ty_job_check_bad(
            c, name, TY_KEY(TY_KEY(at, "metadata"), "name"),
            ty_arena_printf(c->a, "will not able to create pod with invalid DNS label: %s", host));
}

static void check_mode(const struct ty_job_check *c, int64_t parallelism, int64_t max_failed,
                       const struct ty_field_path *at)
{
    static const char *const modes[] = { "NonIndexed", "Indexed", NULL };
    const struct ty_json *mode = ty_json_get(c->spec, "completionMode");

    if (mode)
        ty_job_check_word(c, mode, modes, TY_KEY(at, "completionMode"));
    if (c->indexed)
        check_indexed(c, parallelism, max_failed, at);
    else if (!mode || ty_str_is(ty_json_as_str(mode), "NonIndexed"))
        check_plain(c, at);
}

void ty_job_validate(struct ty_arena *a, const struct ty_json *job, const struct ty_field_path *at,
                     struct ty_errs *errs)
{
    const struct ty_json *spec = ty_json_get(job, "spec");
    const struct ty_field_path *here = TY_KEY(at, "spec");
    struct ty_job_check c = { .a = a, .spec = spec, .errs = errs };
    int64_t parallelism, max_failed;

    c.indexed = ty_str_is(ty_json_str_at(spec, "completionMode"), "Indexed");
    parallelism = ty_job_check_number(&c, spec, "parallelism", here);
    c.completions = ty_job_check_number(&c, spec, "completions", here);
    (void)ty_job_check_number(&c, spec, "activeDeadlineSeconds", here);
    (void)ty_job_check_number(&c, spec, "backoffLimit", here);
    (void)ty_job_check_number(&c, spec, "ttlSecondsAfterFinished", here);
    (void)ty_job_check_number(&c, spec, "backoffLimitPerIndex", here);
    max_failed = ty_job_check_number(&c, spec, "maxFailedIndexes", here);
    if (ty_json_get(spec, "maxFailedIndexes") && !ty_json_get(spec, "backoffLimitPerIndex"))
        ty_errs_add(errs, TY_KEY(here, "backoffLimitPerIndex"), TY_REQUIRED, NULL,
                    "when maxFailedIndexes is specified");
    check_manager(&c, TY_KEY(here, "managedBy"));
    check_mode(&c, parallelism, max_failed, here);
    check_policies(&c, here);
    check_restart(&c, here);
    check_name(&c, job, at);
    if (ty_json_true_at(spec, "manualSelector"))
        ty_errs_add(errs, TY_KEY(here, "manualSelector"), TY_FORBIDDEN, NULL,
                    "pods are found by their owner here; remove manualSelector");
}
