#include "advise/doctor_testing.h"

static void put_runtime(struct doctor_fixture *w, const char *name, const char *text)
{
    doctor_fixture_put(w, &ty_kind_clustertrainingruntime, "", name, text);
}

static void test_none(void **state)
{
    struct doctor_fixture *w = *state;

    assert_results(w, ty_check_runtimes, "warn runtimes: there are no runtimes");
    doctor_fixture_miss(w, &ty_kind_clustertrainingruntime, "", "", -ENOENT);
    assert_results(w, ty_check_runtimes, ""); /* another check reports the missing CRD */
}

static void test_deprecated_ones_fit_a_line(void **state)
{
    struct doctor_fixture *w = *state;

    for (int i = 0; i < 7; i++)
        put_runtime(w, ty_arena_printf(w->a, "r%d", i),
                    "{'metadata':{'labels':{'trainer.kubeflow.org/support':'deprecated'}}}");
    assert_results(w, ty_check_runtimes,
                   "ok runtimes: 7 runtimes\n"
                   "warn runtimes: deprecated: r0, r1, r2, r3, r4 and 2 more");
}

static void test_gangs(void **state)
{
    struct doctor_fixture *w = *state;

    put_runtime(w, "a", "{'spec':{'podGroupPolicy':{'coscheduling':{}}}}");
    doctor_fixture_put(w, &ty_kind_trainingruntime, "ns", "b",
                       "{'spec':{'podGroupPolicy':{'volcano':{}}}}");
    assert_results(w, ty_check_runtimes,
                   "ok runtimes: 2 runtimes\n"
                   "fail gangs: podGroupPolicy.coscheduling of a: the cluster has no CRD "
                   "podgroups.scheduling.x-k8s.io, so their TrainJobs cannot start\n"
                   "fail gangs: podGroupPolicy.volcano of ns/b: the cluster has no CRD "
                   "podgroups.scheduling.volcano.sh, so their TrainJobs cannot start");
    doctor_fixture_put(w, &ty_kind_crd, "", "podgroups.scheduling.x-k8s.io", "{}");
    doctor_fixture_miss(w, &ty_kind_crd, "", "podgroups.scheduling.volcano.sh",
                        -EACCES); /* not readable */
    assert_results(w, ty_check_runtimes, "ok runtimes: 2 runtimes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_none),
        doctor_fixture_test(test_deprecated_ones_fit_a_line),
        doctor_fixture_test(test_gangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
