/* Validation of podFailurePolicy and successPolicy. */
#include "engine/job/job_validate.h"

#include "api/go_value.h"
#include "api/name.h"

enum {
    RULES_MAX = 20,
    PATTERNS_MAX = 20,
    VALUES_MAX = 255,
    VALUES_READ = 512, /* of a longer list is only said that it is too long */
    INDEXES_TEXT_MAX = 64 * 1024,
};

static void check_length(const struct ty_job_check *c, const struct ty_json *list, unsigned max,
                         const struct ty_field_path *at)
{
    if (ty_json_len(list) > max)
        ty_errs_add(c->errs, at, TY_TOO_MANY, ty_arena_printf(c->a, "%zu", ty_json_len(list)),
                    "must have at most %u items", max)
            ->at = list;
}

static bool is_container(const struct ty_job_check *c, struct ty_str name)
{
    return ty_json_find_item(ty_json_at(c->spec, "template.spec.containers"), "name", name, NULL) ||
           ty_json_find_item(ty_json_at(c->spec, "template.spec.initContainers"), "name", name,
                             NULL);
}

static bool occurs_before(const struct ty_json *values, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (ty_json_eq(ty_json_item(values, k), ty_json_item(values, i)))
            return true;
    return false;
}

static void check_values(const struct ty_job_check *c, const struct ty_json *values, bool in,
                         const struct ty_field_path *at)
{
    bool ordered = true;
    int64_t before = INT64_MIN;

    if (ty_json_len(values) == 0)
        ty_job_check_bad(c, values ? values : ty_json_null(c->a), at,
                         "at least one value is required");
    check_length(c, values, VALUES_MAX, at);
    if (ty_json_len(values) > VALUES_READ)
        return;
    for (size_t i = 0; i < ty_json_len(values); i++) {
        const struct ty_json *v = ty_json_item(values, i);
        int64_t code = ty_json_is(v, TY_JSON_INT) ? v->i : 0;
        if (in && code == 0)
            ty_job_check_bad(c, v, TY_IDX(at, i), "must not be 0 for the In operator");
        if (occurs_before(values, i))
            ty_errs_add(c->errs, TY_IDX(at, i), TY_DUPLICATE, ty_go_value(c->a, v), "%s", "")->at =
                v;
        ordered = ordered && before <= code;
        before = code;
    }
    if (!ordered)
        ty_job_check_bad(c, values, at, "must be ordered");
}

static void check_exit_codes(const struct ty_job_check *c, const struct ty_json *codes,
                             const struct ty_field_path *at)
{
    static const char *const operators[] = { "In", "NotIn", NULL };
    const struct ty_json *op = ty_json_get(codes, "operator");
    const struct ty_json *name = ty_json_get(codes, "containerName");

    ty_job_check_word(c, op, operators, TY_KEY(at, "operator"));
    if (name && !is_container(c, ty_json_as_str(name)))
        ty_job_check_bad(c, name, TY_KEY(at, "containerName"),
                         "must be one of the container or initContainer names in the pod template");
    check_values(c, ty_json_get(codes, "values"), ty_str_is(ty_json_as_str(op), "In"),
                 TY_KEY(at, "values"));
}

static void check_conditions(const struct ty_job_check *c, const struct ty_json *patterns,
                             const struct ty_field_path *at)
{
    static const char *const states[] = { "False", "True", "Unknown", NULL };

    check_length(c, patterns, PATTERNS_MAX, at);
    for (size_t i = 0; i < ty_json_len(patterns); i++) {
        const struct ty_json *p = ty_json_item(patterns, i);
        const struct ty_json *type = ty_json_get(p, "type");
        if (!ty_name_is_qualified(ty_json_as_str(type)))
            ty_job_check_bad(
                c, type ? type : ty_json_cstr(c->a, ""), TY_KEY(TY_IDX(at, i), "type"),
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
                "start and end with an alphanumeric character (e.g. 'MyName',  or "
                "'my.name',  or '123-abc', regex used for validation is "
                "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
        if (ty_json_get(p, "status")) /* absent means True */
            ty_job_check_word(c, ty_json_get(p, "status"), states, TY_KEY(TY_IDX(at, i), "status"));
    }
}

static void check_failure_rule(const struct ty_job_check *c, const struct ty_json *rule,
                               const struct ty_field_path *at)
{
    static const char *const actions[] = { "Count", "FailIndex", "FailJob", "Ignore", NULL };
    const struct ty_json *action = ty_json_get(rule, "action");
    const struct ty_json *codes = ty_json_get(rule, "onExitCodes");
    const struct ty_json *patterns = ty_json_get(rule, "onPodConditions");
    bool by_condition = ty_json_len(patterns) > 0;

    ty_job_check_word(c, action, actions, TY_KEY(at, "action"));
    if (ty_str_is(ty_json_as_str(action), "FailIndex") &&
        !ty_json_get(c->spec, "backoffLimitPerIndex"))
        ty_job_check_bad(c, action, TY_KEY(at, "action"),
                         "requires the backoffLimitPerIndex to be set");
    if (codes)
        check_exit_codes(c, codes, TY_KEY(at, "onExitCodes"));
    if (by_condition)
        check_conditions(c, patterns, TY_KEY(at, "onPodConditions"));
    if (codes && by_condition)
        ty_job_check_bad(c, NULL, at,
                         "specifying both OnExitCodes and OnPodConditions is not supported");
    if (!codes && !by_condition)
        ty_job_check_bad(c, NULL, at,
                         "specifying one of OnExitCodes and OnPodConditions is required");
}

void ty_job_check_failure_policy(const struct ty_job_check *c, const struct ty_field_path *at)
{
    const struct ty_json *rules = ty_json_at(c->spec, "podFailurePolicy.rules");
    const struct ty_field_path *here = TY_KEY(at, "rules");

    check_length(c, rules, RULES_MAX, here);
    for (size_t i = 0; i < ty_json_len(rules); i++)
        check_failure_rule(c, ty_json_item(rules, i), TY_IDX(here, i));
}

/* One index; NULL or what is wrong with it. */
static const char *index_problem(const struct ty_job_check *c, struct ty_str text, int64_t *ret_v)
{
    if (!ty_str_parse_i64(text, ret_v))
        return ty_arena_printf(c->a, "cannot convert string to integer for index: \"%.*s\"",
                               TY_ARG(text));
    if (*ret_v >= c->completions)
        return ty_arena_printf(c->a, "too large index: \"%.*s\"", TY_ARG(text));
    return NULL;
}

static const char *order_problem(const struct ty_job_check *c, int64_t before, int64_t now)
{
    return ty_arena_printf(c->a, "non-increasing order, previous: %lld, current: %lld",
                           (long long)before, (long long)now);
}

/* "3" or "3-5"; NULL or what is wrong with it. */
static const char *run_problem(const struct ty_job_check *c, struct ty_str part, int64_t *ret_first,
                               int64_t *ret_last)
{
    struct ty_str first, rest = ty_str_cut(part, '-', &first);
    const char *problem;

    if (rest.n && memchr(rest.p, '-', rest.n))
        return ty_arena_printf(c->a,
                               "the fragment \"%.*s\" violates the requirement that an index "
                               "interval can have at most two parts separated by '-'",
                               TY_ARG(part));
    problem = index_problem(c, first, ret_first);
    *ret_last = *ret_first;
    if (problem || first.n == part.n)
        return problem;
    problem = index_problem(c, rest, ret_last);
    if (!problem && *ret_first >= *ret_last)
        problem = order_problem(c, *ret_first, *ret_last);
    return problem;
}

/* How many indexes the text names; *ret_problem NULL if it is fine. */
static int64_t count_indexes(const struct ty_job_check *c, struct ty_str text,
                             const char **ret_problem)
{
    int64_t total = 0, before = INT64_MIN;

    *ret_problem = NULL;
    if (text.n == 0)
        return 0;
    do {
        struct ty_str part;
        int64_t first = 0, last = 0;
        text = ty_str_cut(text, ',', &part);
        *ret_problem = run_problem(c, part, &first, &last);
        if (!*ret_problem && before >= first)
            *ret_problem = order_problem(c, before, first);
        if (*ret_problem)
            return 0;
        total += last - first + 1;
        before = last;
    } while (text.p);
    return total;
}

static void check_success_count(const struct ty_job_check *c, const struct ty_json *rule,
                                int64_t named, const struct ty_field_path *at)
{
    const struct ty_json *v = ty_json_get(rule, "succeededCount");
    int64_t count = ty_job_check_number(c, rule, "succeededCount", at);
    const struct ty_field_path *here = TY_KEY(at, "succeededCount");

    if (count > c->completions)
        ty_job_check_bad(c, v, here,
                         ty_arena_printf(c->a,
                                         "must be less than or equal to %lld (the number of "
                                         "specified completions)",
                                         (long long)c->completions));
    if (named >= 0 && count > named)
        ty_job_check_bad(
            c, v, here,
            ty_arena_printf(c->a,
                            "must be less than or equal to %lld (the number of indexes "
                            "in the specified succeededIndexes field)",
                            (long long)named));
}

static void check_success_rule(const struct ty_job_check *c, const struct ty_json *rule,
                               const struct ty_field_path *at)
{
    const struct ty_json *indexes = ty_json_get(rule, "succeededIndexes");
    const struct ty_field_path *here = TY_KEY(at, "succeededIndexes");
    const char *problem = NULL;
    int64_t named = -1;

    if (!indexes && !ty_json_get(rule, "succeededCount"))
        ty_errs_add(c->errs, at, TY_REQUIRED, NULL,
                    "at least one of succeededCount or succeededIndexes must be specified");
    if (c->completions < 0)
        return; /* said elsewhere */
    if (indexes) {
        if (ty_json_as_str(indexes).n > INDEXES_TEXT_MAX)
            ty_errs_add(c->errs, here, TY_TOO_LONG, NULL, "may not be more than %d bytes",
                        INDEXES_TEXT_MAX);
        named = count_indexes(c, ty_json_as_str(indexes), &problem);
        if (problem)
            ty_job_check_bad(c, indexes, here,
                             ty_arena_printf(c->a, "error parsing succeededIndexes: %s", problem));
    }
    check_success_count(c, rule, named, at);
}

void ty_job_check_success_policy(const struct ty_job_check *c, const struct ty_field_path *at)
{
    const struct ty_json *rules = ty_json_at(c->spec, "successPolicy.rules");
    const struct ty_field_path *here = TY_KEY(at, "rules");

    if (ty_json_len(rules) == 0)
        ty_errs_add(c->errs, here, TY_REQUIRED, NULL,
                    "at least one rules must be specified when the successPolicy is specified");
    check_length(c, rules, RULES_MAX, here);
    for (size_t i = 0; i < ty_json_len(rules); i++)
        check_success_rule(c, ty_json_item(rules, i), TY_IDX(here, i));
}
