#include "engine/jobset/jobset_testing.h"

#define PLAIN "<nil>: Internal error: "

static struct ty_json *with_rules(struct ty_arena *a, const char *rules)
{
    return merged(a, set_t(a),
                  ty_arena_printf(a, "{'spec':{'failurePolicy':{'rules':%s}}}", rules));
}

/* Validation alone, before defaulting fills in names. */
static const char *validate(struct ty_arena *a, const char *rules)
{
    struct ty_json *js = set_t(a);
    struct ty_errs errs = { .arena = a };

    ty_jobset_default(a, js);
    js = merged(a, js, ty_arena_printf(a, "{'spec':{'failurePolicy':{'rules':%s}}}", rules));
    ty_jobset_validate(a, js, &errs);
    return lines(a, &errs);
}

static void case_015_rule_targets_and_reasons(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(
        admit(a, with_rules(a, "[{'action':'FailJobSet','targetReplicatedJobs':['nope']}]")),
        PLAIN "invalid replicatedJob name 'nope' in failure policy does not appear in "
              ".spec.ReplicatedJobs\n");
    assert_string_equal(
        admit(a, with_rules(a, "[{'action':'FailJobSet','onJobFailureReasons':['nope',"
                               "'PodFailurePolicy']}]")),
        PLAIN "invalid job failure reason 'nope' in failure policy is not a recognized job failure "
              "reason\n");
}

static const char *rule_named(struct ty_arena *a, const char *name)
{
    return validate(a, ty_arena_printf(a, "[{'name':'%s','action':'FailJobSet'}]", name));
}

static void case_016_rule_names(void **state TY_UNUSED)
{
    static const char too_long[] =
        PLAIN "invalid failure policy rule name of length %d, the rule name must be at least 1 "
              "characters long and at most 128 characters long\n";
    ty_auto_arena *a = ty_arena_new(1 << 24);
    char name[130] = { 0 };

    memset(name, 'a', 129);
    assert_has(rule_named(a, ""), ty_arena_printf(a, too_long, 0));
    assert_string_equal(rule_named(a, name), ty_arena_printf(a, too_long, 129));
    assert_string_equal(rule_named(a, name + 1), "");
    assert_string_equal(
        rule_named(a, "1x"), PLAIN
        "invalid failure policy rule name '1x', a failure policy rule name must start with an "
        "alphabetic character, optionally followed by a string of alphanumeric characters or "
        "'_,:', and must end with an alphanumeric character or '_'\n");
    assert_has(rule_named(a, "x,"), "invalid failure policy rule name 'x,'");
    assert_string_equal(rule_named(a, "x,:_"), "");
    assert_string_equal(validate(a, "[{'name':'x','action':'FailJobSet'},{'name':'y','action':"
                                    "'FailJobSet'},{'name':'x','action':'FailJobSet'}]"),
                        PLAIN "rule names are not unique, rules with indices [0 2] all have the "
                              "same name 'x'\n");
}

static struct ty_json *with_coordinator(struct ty_arena *a, const char *coordinator)
{
    struct ty_json *js = set_t(a);

    patch_rj(a, js, 1, "{'template':{'spec':{'completions':2,'parallelism':2}}}");
    return merged(a, js, ty_arena_printf(a, "{'spec':{'coordinator':%s}}", coordinator));
}

static void case_019_coordinator(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(admit(a, with_coordinator(a, "{'replicatedJob':'x'}")),
                        PLAIN "coordinator replicatedJob x does not exist\n");
    assert_string_equal(admit(a, with_coordinator(a, "{'replicatedJob':'" A "'}")),
                        PLAIN "job for coordinator pod must be indexed completion mode, and "
                              "completions number must be set\n");
    assert_string_equal(admit(a, with_coordinator(a, "{'replicatedJob':'" B "','jobIndex':3}")),
                        PLAIN "coordinator job index 3 is invalid for replicatedJob " B "\n");
    assert_string_equal(
        admit(a, with_coordinator(a, "{'replicatedJob':'" B "','jobIndex':2,'podIndex':2}")),
        PLAIN "coordinator pod index 2 is invalid for replicatedJob " B " job index 2\n");
    assert_string_equal(
        admit(a, with_coordinator(a, "{'replicatedJob':'" B "','jobIndex':2,'podIndex':1}")), "");
}

static void case_020_coordinator_is_a_label(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = with_coordinator(a, "{'replicatedJob':'" B "'}");

    js = merged(a, js,
                "{'spec':{'network':{'subdomain':'a-subdomain-of-more-than-forty-five-"
                "characters'}}}");
    assert_string_equal(
        admit(a, js),
        PLAIN "spec will lead to invalid label value \"test-js-" B
              "-0-0.a-subdomain-of-more-than-forty-five-characters\" for coordinator label "
              "\"jobset.sigs.k8s.io/coordinator\" (long JobSet / ReplicatedJob / SubDomain "
              "name?): must be no more than 63 characters\n");
    js = with_coordinator(a, "{'replicatedJob':'" B "'}");
    js = merged(a, js, "{'metadata':{'name':'a-quite-long-name-of-a-jobset'}}");
    assert_has(admit(a, js), "spec will lead to invalid label value \"a-quite-long-name-of-a-"
                             "jobset-" B "-0-0.a-quite-long-name-of-a-jobset\"");
    js = with_coordinator(a, "{'replicatedJob':'" B "-with-a-name-that-is-longer-than-it-was'}");
    ty_json_set(a, rjob_at(js, 1), "name",
                ty_json_cstr(a, B "-with-a-name-that-is-longer-than-it-was"));
    assert_has(admit(a, js), "spec will lead to invalid label value");
}

static void case_022_039_054_055_restart_job_gate(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = with_rules(a, "[{'name':'1','action':'RestartJobAndIgnoreMaxRestarts'}]");

    /* nothing else is said about rules whose gate is off */
    assert_string_equal(admit(a, js),
                        PLAIN "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy "
                              "actions are not allowed when RestartJob feature gate is "
                              "disabled\n");
    js = with_rules(a, "[{'action':'FailJobSet'},{'action':'RestartJob'}]");
    assert_has(admit(a, js), "when RestartJob feature gate is disabled\n");
}

static void patterns_are_refused_at_once(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_string_equal(
        admit(a, with_rules(a, "[{'action':'FailJobSet','onJobFailureMessagePatterns':['fine',"
                               "'(unclosed']}]")),
        "spec.failurePolicy.rules[0].onJobFailureMessagePatterns[1]: Invalid value: "
        "\"(unclosed\": a parenthesis is not closed at byte 9 of the pattern\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_015_rule_targets_and_reasons),
        cmocka_unit_test(case_016_rule_names),
        cmocka_unit_test(case_019_coordinator),
        cmocka_unit_test(case_020_coordinator_is_a_label),
        cmocka_unit_test(case_022_039_054_055_restart_job_gate),
        cmocka_unit_test(patterns_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
