#include "engine/job/job_indexes.h"
#include "engine/job/job_policy.h"
#include "engine/job/job_spec.h"
#include "engine/job/job_testing.h"

#define RULES(r)  "{'backoffLimit':6,'podFailurePolicy':{'rules':[" r "]}}"
#define ON(op, v) "'onExitCodes':{'operator':'" op "','values':[" v "]}"

/* One pod that ended with `code`; one pass, long after. */
static void after_exit(struct job_fixture *w, const char *spec, int code)
{
    fixture_init(w, spec);
    finish_pod(w, put_pod(w, -1, "Running"), code);
    w->now += 1000;
    reconcile(w);
}

static void case_093_fail_job_on_exit_code(void **state)
{
    auto_job_fixture w;

    (void)state;
    after_exit(&w,
               RULES("{'action':'Ignore'," ON("In", "1,2,3") "},{'action':'FailJob'," ON(
                   "In", "5,6,7") "}"),
               5);
    assert_condition(
        &w, "Failed", "PodFailurePolicy",
        "Container main-container for pod default/mypod-0 failed with exit code 5 matching FailJob "
        "rule at index 1");
    assert_counts(&w, 0, 0, 1);
    assert_int_equal(w.created, 0);
}

static void case_093_a_running_container_never_matches(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, RULES("{'action':'FailJob'," ON("NotIn", "5") "}"));
    add_restarts(&w, put_pod(&w, -1, "Failed"), 3); /* its container is still said to run */
    w.now += 1000;
    reconcile(&w);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 1, 0, 1);
}

static void case_093_init_containers_match(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'template':{'spec':{'initContainers':[{'name':'init'}]}},'podFailurePolicy':"
                     "{'rules':[{'action':'FailJob'," ON("In", "5") "}]}}");
    container_ends(&w, put_pod(&w, -1, "Failed"), "initContainerStatuses", "init", 5);
    reconcile(&w);
    assert_condition(
        &w, "Failed", "PodFailurePolicy",
        "Container init for pod default/mypod-0 failed with exit code 5 matching FailJob rule at "
        "index 0");
}

static void test_the_first_pod_to_fail_is_named(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, "{'parallelism':2,'completions':2,'podFailurePolicy':{'rules':[{'action':"
                     "'FailJob'," ON("In", "5,6") "}]}}");
    put_pod(&w, -1, "Running");
    finish_pod(&w, put_pod(&w, -1, "Running"), 6);
    w.now++;
    finish_pod(&w, 0, 5);
    reconcile(&w);
    assert_condition(
        &w, "Failed", "PodFailurePolicy",
        "Container main-container for pod default/mypod-1 failed with exit code 6 matching FailJob "
        "rule at index 0");
}

static void case_094_container_name_and_not_in(void **state)
{
    static const char restricted[] =
        "{'template':{'spec':{'initContainers':[{'name':'other'}]}},'podFailurePolicy':{'rules':["
        "{'action':'FailJob','onExitCodes':{'containerName':'other','operator':'In','values':[5]}}"
        "]}}";
    auto_job_fixture w;

    (void)state;
    after_exit(&w, restricted, 5);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 1, 0, 1);
    fixture_done(&w);
    after_exit(&w, RULES("{'action':'FailJob'," ON("NotIn", "5,6,7") "}"), 42);
    assert_condition(
        &w, "Failed", "PodFailurePolicy",
        "Container main-container for pod default/mypod-0 failed with exit code 42 matching "
        "FailJob rule at index 0");
    fixture_done(&w);
    after_exit(&w, RULES("{'action':'FailJob'," ON("NotIn", "5,6,7") "}"), 5);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 1, 0, 1);
}

static void case_095_the_first_rule_decides(void **state)
{
    auto_job_fixture w;

    (void)state;
    after_exit(
        &w,
        RULES("{'action':'Ignore'," ON("In", "1,2") "},{'action':'FailJob'," ON("In", "2,"
                                                                                      "3") "}"),
        2);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 1, 0, 0);
    fixture_done(&w);
    after_exit(
        &w,
        RULES("{'action':'Count'," ON("In", "1,2") "},{'action':'FailJob'," ON("In", "2,"
                                                                                     "3") "}"),
        2);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 1, 0, 1);
}

static void case_096_disruption(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, RULES("{'action':'Ignore','onPodConditions':[{'type':'DisruptionTarget'}]}"));
    set_condition(&w, put_pod(&w, -1, "Running"), "DisruptionTarget", "True");
    finish_pod(&w, 0, 143);
    reconcile(&w);
    assert_counts(&w, 0, 0, 0);
    assert_int_equal(w.created, 0); /* not counted, but the replacement waits */
    assert_int_equal(w.last.requeue_ms, 10000);
    w.now += 10;
    reconcile(&w);
    assert_int_equal(w.created, 1);
    assert_counts(&w, 1, 0, 0);
    fixture_done(&w);

    fixture_init(&w, RULES("{'action':'FailJob','onPodConditions':[{'type':'DisruptionTarget',"
                           "'status':'True'}]}"));
    set_condition(&w, put_pod(&w, -1, "Failed"), "DisruptionTarget", "True");
    reconcile(&w);
    assert_condition(
        &w, "Failed", "PodFailurePolicy",
        "Pod default/mypod-0 has condition DisruptionTarget matching FailJob rule at index 0");
}

static void test_conditions_match_by_status(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w, RULES("{'action':'FailJob','onPodConditions':[{'type':'Ready','status':"
                           "'Unknown'},{'type':'DisruptionTarget','status':'False'}]}"));
    set_condition(&w, put_pod(&w, -1, "Failed"), "Ready", "False");
    set_condition(&w, 0, "DisruptionTarget", "True");
    reconcile(&w);
    assert_condition(&w, "FailureTarget", NULL, NULL);
    assert_counts(&w, 0, 0, 1);
}

/* Ignored pods do not count when the Job fails for another reason either. */
static void test_ignored_when_the_job_fails(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w,
                 "{'parallelism':3,'completions':3,'backoffLimit':0,'podFailurePolicy':{'rules':["
                 "{'action':'Ignore'," ON("In", "9") "}]}}");
    reconcile(&w);
    finish_pod(&w, 0, 9);
    finish_pod(&w, 1, 1);
    reconcile(&w);
    assert_condition(&w, "FailureTarget", "BackoffLimitExceeded", NULL);
    assert_counts(&w, 0, 0, 2);
}

static void rule_met(const char *rules, const char *done, int64_t want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_job_spec s = { .indexed = true, .completions = 10, .success_rules = parse(a, rules) };
    struct ty_job_indexes set = ty_job_indexes_parse(a, ty_str(done), 10);
    int64_t got = ty_job_success_rule(a, &s, &set);

    if (got != want)
        fail_msg("%s with %s: rule %d, wanted %d", rules, done, (int)got, (int)want);
}

static void case_101_success_rules(void **state)
{
    (void)state;
    rule_met("[{'succeededIndexes':'0-2'}]", "0-2,4-7", 0);
    rule_met("[{'succeededIndexes':'9'},{'succeededIndexes':'4,6'}]", "0-2,4-7", 1);
    rule_met("[{'succeededIndexes':'3-6','succeededCount':2}]", "4-7", 0);
    rule_met("[{'succeededIndexes':'3-6','succeededCount':2}]", "6-7", -1);
    rule_met("[{'succeededIndexes':''}]", "0-9", -1);
    rule_met("[{'succeededIndexes':'huga'}]", "0-9", -1);
    rule_met("[{'succeededCount':3}]", "0,4", -1);
    rule_met("[{'succeededCount':3}]", "0,4,9", 0);
    rule_met("[{'succeededCount':0}]", "", -1);
    rule_met("[{'succeededIndexes':'8-20'}]", "8,9", 0); /* cut off at completions */
    rule_met("[]", "0-9", -1);
}

static void case_101_ends_the_job(void **state)
{
    auto_job_fixture w;

    (void)state;
    fixture_init(&w,
                 "{'parallelism':4,'completions':4,'completionMode':'Indexed','successPolicy':"
                 "{'rules':[{'succeededIndexes':'3'},{'succeededIndexes':'0-2','succeededCount':"
                 "2}]}}");
    reconcile(&w);
    finish_pod(&w, 0, 0);
    reconcile(&w);
    assert_condition(&w, "SuccessCriteriaMet", NULL, NULL);
    finish_pod(&w, 2, 0);
    reconcile(&w);
    assert_condition(&w, "SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 1");
    assert_int_equal(w.deleted, 2);
    remove_deleted_pods(&w);
    reconcile(&w);
    assert_condition(&w, "Complete", "SuccessPolicy", "Matched rules at index 1");
    assert_counts(&w, 0, 2, 0);
    is_text(stat_text(&w, "completedIndexes"), "0,2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_093_fail_job_on_exit_code),
        cmocka_unit_test(case_093_a_running_container_never_matches),
        cmocka_unit_test(case_093_init_containers_match),
        cmocka_unit_test(test_the_first_pod_to_fail_is_named),
        cmocka_unit_test(case_094_container_name_and_not_in),
        cmocka_unit_test(case_095_the_first_rule_decides),
        cmocka_unit_test(case_096_disruption),
        cmocka_unit_test(test_conditions_match_by_status),
        cmocka_unit_test(test_ignored_when_the_job_fails),
        cmocka_unit_test(case_101_success_rules),
        cmocka_unit_test(case_101_ends_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
