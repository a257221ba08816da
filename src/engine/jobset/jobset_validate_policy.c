/* Checks of the failure policy's rules and of the coordinator. */
#include "engine/jobset/jobset_regex.h"

#include "api/name.h"
#include "api/rule_jobset.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_read.h"
#include "engine/jobset/jobset_validate.h"

#define MAX_RULE_NAME 128

static bool restarts_one(const struct ty_json *rule)
{
    struct ty_str action = ty_json_str_at(rule, "action");

    return ty_str_is(action, "RestartJob") || ty_str_is(action, "RestartJobAndIgnoreMaxRestarts");
}

/* False: nothing else about the rules is worth saying. */
static bool check_restart_job(struct ty_jobset_check *c, const struct ty_json *rules)
{
    ty_each_item (it, rules)
        if (restarts_one(*it)) {
            ty_jobset_internal_error(
                c, "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions "
                   "are not allowed when RestartJob feature gate is disabled");
            return false;
        }
    return true;
}

static void check_rule_name(struct ty_jobset_check *c, struct ty_str name)
{
    if (name.n < 1 || name.n > MAX_RULE_NAME)
        ty_jobset_internal_error(
            c,
            "invalid failure policy rule name of length %zu, the rule name must be at "
            "least 1 characters long and at most %d characters long",
            name.n, MAX_RULE_NAME);
    if (!ty_rule_pattern_reason(name)) /* it becomes part of a condition's reason */
        ty_jobset_internal_error(
            c,
            "invalid failure policy rule name '%.*s', a failure policy rule name must "
            "start with an alphabetic character, optionally followed by a string of "
            "alphanumeric characters or '_,:', and must end with an alphanumeric "
            "character or '_'",
            TY_ARG(name));
}

static bool is_reason(struct ty_str s)
{
    static const char *const known[] = { "BackoffLimitExceeded", "DeadlineExceeded",
                                         "FailedIndexes", "MaxFailedIndexesExceeded",
                                         "PodFailurePolicy" };

    for (size_t i = 0; i < TY_COUNT(known); i++)
        if (ty_str_is(s, known[i]))
            return true;
    return false;
}

static void check_patterns(struct ty_jobset_check *c, const struct ty_json *patterns,
                           const struct ty_field_path *at)
{
    ty_each_item (it, patterns) {
        struct ty_err err = { 0 };
        struct ty_str pattern = ty_json_as_str(*it);
        if (ty_jobset_regex_check(c->arena, pattern, &err) < 0)
            ty_errs_add(c->errs, TY_IDX(at, it - patterns->items), TY_INVALID,
                        ty_jobset_quoted(c->arena, pattern), "%s", err.text);
    }
}

static void check_rule(struct ty_jobset_check *c, const struct ty_json *rule,
                       const struct ty_field_path *at)
{
    const struct ty_json *targets = ty_json_get(rule, "targetReplicatedJobs");
    const struct ty_json *reasons = ty_json_get(rule, "onJobFailureReasons");

    check_rule_name(c, ty_json_str_at(rule, "name"));
    ty_each_item (it, targets)
        if (!ty_json_find_item(c->rjobs, "name", ty_json_as_str(*it), NULL))
            ty_jobset_internal_error(
                c,
                "invalid replicatedJob name '%.*s' in failure policy does not appear in "
                ".spec.ReplicatedJobs",
                TY_ARG(ty_json_as_str(*it)));
    ty_each_item (it, reasons)
        if (!is_reason(ty_json_as_str(*it)))
            ty_jobset_internal_error(
                c,
                "invalid job failure reason '%.*s' in failure policy is not a recognized "
                "job failure reason",
                TY_ARG(ty_json_as_str(*it)));
    check_patterns(c, ty_json_get(rule, "onJobFailureMessagePatterns"),
                   TY_KEY(at, "onJobFailureMessagePatterns"));
}

static void check_unique(struct ty_jobset_check *c, const struct ty_json *rules, size_t place)
{
    struct ty_str name = ty_json_str_at(ty_json_item(rules, place), "name");
    ty_auto_buf places = { 0 };
    size_t n = 0, first;

    (void)ty_json_find_item(rules, "name", name, &first);
    if (first != place && name.n > 0)
        return; /* reported at the first of them */
    for (size_t i = place; i < ty_json_len(rules); i++)
        if (ty_str_eq(ty_json_str_at(ty_json_item(rules, i), "name"), name))
            ty_buf_printf(&places, n++ > 0 ? " %zu" : "%zu", i);
    if (n > 1)
        ty_jobset_internal_error(
            c,
            "rule names are not unique, rules with indices [%.*s] all have the same "
            "name '%.*s'",
            (int)places.n, places.p, TY_ARG(name));
}

void ty_jobset_check_failure_policy(struct ty_jobset_check *c)
{
    const struct ty_json *rules = ty_json_at(c->spec, "failurePolicy.rules");
    const struct ty_field_path *at = TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "failurePolicy"), "rules");

    if (!check_restart_job(c, rules))
        return;
    ty_each_item (it, rules)
        check_rule(c, *it, TY_IDX(at, it - rules->items));
    for (size_t i = 0; i < ty_json_len(rules); i++)
        check_unique(c, rules, i);
}

/* The first thing that is wrong with where the coordinator is said to be. */
static void check_coordinator_place(struct ty_jobset_check *c, const struct ty_json *coordinator)
{
    struct ty_str name = ty_json_str_at(coordinator, "replicatedJob");
    const struct ty_json *rjob = ty_json_find_item(c->rjobs, "name", name, NULL);
    const struct ty_json *spec = ty_json_at(rjob, "template.spec");
    int64_t job = ty_jobset_int_at(coordinator, "jobIndex", 0);
    int64_t pod = ty_jobset_int_at(coordinator, "podIndex", 0), completions;

    if (!rjob)
        ty_jobset_internal_error(c, "coordinator replicatedJob %.*s does not exist", TY_ARG(name));
    else if (job < 0 || job >= ty_jobset_int_at(rjob, "replicas", 1))
        ty_jobset_internal_error(c, "coordinator job index %lld is invalid for replicatedJob %.*s",
                                 (long long)job, TY_ARG(name));
    else if (!ty_str_is(ty_json_str_at(spec, "completionMode"), "Indexed") ||
             !ty_json_int_at(spec, "completions", &completions))
        ty_jobset_internal_error(c, "job for coordinator pod must be indexed completion mode, and "
                                    "completions number must be set");
    else if (pod < 0 || pod >= completions)
        ty_jobset_internal_error(
            c,
            "coordinator pod index %lld is invalid for replicatedJob %.*s job index "
            "%lld",
            (long long)pod, TY_ARG(name), (long long)job);
}

void ty_jobset_check_coordinator(struct ty_jobset_check *c)
{
    static const char too_long[] = "must be no more than 63 characters";
    static const char shape[] =
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    const struct ty_json *coordinator = ty_json_get(c->spec, "coordinator");

    if (!ty_json_is(coordinator, TY_JSON_OBJECT))
        return;
    check_coordinator_place(c, coordinator);
    struct ty_str value = ty_str(ty_jobset_coordinator(c->arena, c->spec, c->name));
    if (!ty_name_is_label_value(value))
        ty_jobset_internal_error(
            c,
            "spec will lead to invalid label value %s for coordinator label "
            "\"" TY_JOBSET_COORDINATOR "\" (long JobSet / ReplicatedJob / SubDomain name?): "
            "%s",
            ty_jobset_quoted(c->arena, value), value.n > 63 ? too_long : shape);
}
