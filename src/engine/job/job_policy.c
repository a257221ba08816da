/* podFailurePolicy and successPolicy: rules in order, the first that matches decides. */
#include "engine/job/job_policy.h"

#include "engine/job/job_indexes.h"

static bool has_value(const struct ty_json *values, int code)
{
    ty_each_item (it, values)
        if (ty_json_is(*it, TY_JSON_INT) && (*it)->i == code)
            return true;
    return false;
}

static const struct ty_pod_summary_exit *match_exit(const struct ty_json *want,
                                                    const struct ty_pod_summary *pod)
{
    const struct ty_json *name = ty_json_get(want, "containerName");
    const struct ty_json *values = ty_json_get(want, "values");
    struct ty_str op = ty_json_str_at(want, "operator");
    bool in = ty_str_is(op, "In");

    if (!in && !ty_str_is(op, "NotIn"))
        return NULL;
    for (size_t i = 0; i < pod->n_exits; i++) {
        const struct ty_pod_summary_exit *e = &pod->exits[i];
        if (name && !ty_str_eq(ty_json_as_str(name), e->container))
            continue;
        if (has_value(values, e->code) == in)
            return e;
    }
    return NULL;
}

static const struct ty_pod_summary_condition *match_condition(const struct ty_json *patterns,
                                                              const struct ty_pod_summary *pod)
{
    for (size_t i = 0; i < pod->n_conditions; i++) {
        const struct ty_pod_summary_condition *c = &pod->conditions[i];
        ty_each_item (it, patterns) {
            struct ty_str status = ty_json_str_at(*it, "status");
            if (status.n == 0)
                status = TY_LIT("True");
            if (ty_str_eq(ty_json_str_at(*it, "type"), c->type) && ty_str_eq(status, c->status))
                return c;
        }
    }
    return NULL;
}

static bool failure_action_of(struct ty_str action, enum ty_pod_failure_action *ret)
{
    static const char *const words[] = {
        [TY_POD_FAILURE_COUNT] = "Count",
        [TY_POD_FAILURE_IGNORE] = "Ignore",
        [TY_POD_FAILURE_FAIL_INDEX] = "FailIndex",
        [TY_POD_FAILURE_FAIL_JOB] = "FailJob",
    };

    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (ty_str_is(action, words[i])) {
            *ret = (enum ty_pod_failure_action)i;
            return true;
        }
    return false;
}

/* Why FailJob: by exit code or by condition. */
static const char *fail_message(struct ty_arena *a, const struct ty_job_spec *s,
                                const struct ty_pod_summary *pod,
                                const struct ty_pod_summary_exit *e,
                                const struct ty_pod_summary_condition *c, size_t rule)
{
    if (e)
        return ty_arena_printf(a,
                               "Container %.*s for pod %.*s/%.*s failed with exit code %d matching "
                               "FailJob rule at index %zu",
                               TY_ARG(e->container), TY_ARG(s->ns), TY_ARG(pod->name), e->code,
                               rule);
    return ty_arena_printf(a, "Pod %.*s/%.*s has condition %.*s matching FailJob rule at index %zu",
                           TY_ARG(s->ns), TY_ARG(pod->name), TY_ARG(c->type), rule);
}

enum ty_pod_failure_action ty_job_failure_action(struct ty_arena *a, const struct ty_job_spec *s,
                                                 const struct ty_pod_summary *pod,
                                                 const char **ret_message)
{
    for (size_t i = 0; i < ty_json_len(s->failure_rules); i++) {
        const struct ty_json *rule = ty_json_item(s->failure_rules, i);
        const struct ty_json *codes = ty_json_get(rule, "onExitCodes");
        const struct ty_pod_summary_exit *e = codes ? match_exit(codes, pod) : NULL;
        const struct ty_pod_summary_condition *c =
            codes ? NULL : match_condition(ty_json_get(rule, "onPodConditions"), pod);
        enum ty_pod_failure_action v;
        if ((!e && !c) || !failure_action_of(ty_json_str_at(rule, "action"), &v))
            continue;
        if (v == TY_POD_FAILURE_FAIL_JOB && ret_message)
            *ret_message = fail_message(a, s, pod, e, c, i);
        return v;
    }
    return TY_POD_FAILURE_COUNT;
}

static bool success_rule_met(struct ty_arena *a, const struct ty_job_spec *s,
                             const struct ty_json *rule, const struct ty_job_indexes *succeeded)
{
    const struct ty_json *text = ty_json_get(rule, "succeededIndexes");
    int64_t count = -1;

    (void)ty_json_int_at(rule, "succeededCount", &count);
    if (!text)
        return count >= 0 && ty_job_indexes_total(succeeded) >= count;
    struct ty_job_indexes want = ty_job_indexes_parse(a, ty_json_as_str(text), s->completions);
    if (want.n == 0)
        return false; /* empty or not readable: never met */
    int64_t have = ty_job_indexes_common(&want, succeeded);
    return have == ty_job_indexes_total(&want) || (count >= 0 && have >= count);
}

int64_t ty_job_success_rule(struct ty_arena *a, const struct ty_job_spec *s,
                            const struct ty_job_indexes *succeeded)
{
    if (succeeded->n == 0)
        return -1;
    for (size_t i = 0; i < ty_json_len(s->success_rules); i++)
        if (success_rule_met(a, s, ty_json_item(s->success_rules, i), succeeded))
            return (int64_t)i;
    return -1;
}
