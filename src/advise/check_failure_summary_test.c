#include "advise/doctor_testing.h"

#define NS "kubeflow-system"

static void put_config(struct doctor_fixture *w, const char *more)
{
    doctor_fixture_put(w, &ty_kind_configmap, NS, TY_TRAINER_CONFIG,
                       ty_arena_printf(w->a,
                                       "{'data':{'controller_manager_config.yaml':'kind: "
                                       "Configuration\\n%s'}}",
                                       more));
}

static void put_role(struct doctor_fixture *w, const char *rules)
{
    doctor_fixture_put(w, &ty_kind_clusterrole, "", TY_TRAINER_SUMMARY,
                       ty_arena_printf(w->a, "{'rules':[%s]}", rules));
}

#define PODS "{'apiGroups':[''],'resources':['pods'],'verbs':['list','watch']}"
#define LOGS "{'apiGroups':[''],'resources':['pods/log'],'verbs':['get']}"

/* Off: no line, whatever roles there are. */
static void test_off(void **state)
{
    struct doctor_fixture *w = *state;

    assert_results(w, ty_check_failure_summary, "");
    put_config(w, "");
    assert_results(w, ty_check_failure_summary, "");
    put_config(w, "failureSummary: {enable: false}\\n");
    assert_results(w, ty_check_failure_summary, "");
    put_config(w, "failureSummary: [\\n");
    assert_results(w, ty_check_failure_summary, "");
}

static void test_rights(void **state)
{
    struct doctor_fixture *w = *state;

    put_config(w, "failureSummary: {enable: true}\\n");
    doctor_fixture_miss(w, &ty_kind_clusterrole, "", TY_TRAINER_SUMMARY, -ENOENT);
    assert_result_has(w, ty_check_failure_summary,
                      "ClusterRole " TY_TRAINER_SUMMARY
                      " does not exist: TrainJobs do not say why");
    doctor_fixture_miss(w, &ty_kind_clusterrole, "", TY_TRAINER_SUMMARY, -EACCES);
    assert_result_has(w, ty_check_failure_summary, "cannot be read: forbidden");
    put_role(w, LOGS);
    assert_result_has(w, ty_check_failure_summary, "does not let it list and watch pods");
    put_role(w, PODS);
    assert_result_has(w, ty_check_failure_summary, "does not let it get pods/log");
    put_role(w, PODS "," LOGS);
    assert_results(w, ty_check_failure_summary,
                   "ok failure-summary: the operator may read pods and their logs");
    put_role(w, "{'apiGroups':['*'],'resources':['*'],'verbs':['*']}");
    doctor_fixture_miss(w, &ty_kind_clusterrolebinding, "", TY_TRAINER_SUMMARY, -ENOENT);
    assert_result_has(w, ty_check_failure_summary,
                      "ClusterRoleBinding " TY_TRAINER_SUMMARY " does not exist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_off, doctor_fixture_setup, doctor_fixture_teardown),
        cmocka_unit_test_setup_teardown(test_rights, doctor_fixture_setup, doctor_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
