#include "advise/doctor_testing.h"

#define NS "kubeflow-system"
#define LABELS                                                                                     \
    "'metadata':{'labels':{'app.kubernetes.io/name':'trainer','app.kubernetes.io/component':"      \
    "'manager'}}"

static void put_operator(struct doctor_fixture *w, const char *ns, const char *image, int ready,
                         int wanted)
{
    doctor_fixture_put(w, &ty_kind_deployment, ns, TY_TRAINER,
                       ty_arena_printf(w->a,
                                       "{" LABELS
                                       ",'spec':{'replicas':%d,'template':{'spec':{'containers':"
                                       "[{'image':'%s'}]}}},'status':{'availableReplicas':%d}}",
                                       wanted, image, ready));
}

static void put_lease(struct doctor_fixture *w, const char *ns, const char *who,
                      const char *renewed)
{
    doctor_fixture_put(w, &ty_kind_lease, ns, TY_TRAINER_LEASE,
                       ty_arena_printf(w->a,
                                       "{'spec':{'holderIdentity':'%s','leaseDurationSeconds':15,"
                                       "'renewTime':'%s'}}",
                                       who, renewed));
}

#define FRESH "2026-01-02T03:04:00.123456Z"

static void test_deployments(void **state)
{
    struct doctor_fixture *w = *state;

    assert_result_has(w, ty_check_operator,
                      "fail operator: there is no Deployment " NS "/" TY_TRAINER);
    put_operator(w, NS, "r/trainyard:1", 2, 2);
    put_lease(w, NS, "a", FRESH);
    assert_results(w, ty_check_operator,
                   "ok operator: 2 of 2 operators ready in " NS " (r/trainyard:1)\n"
                   "ok lease: a (namespace " NS ") leads");
    put_operator(w, NS, "r/trainyard:1", 0, 2);
    assert_result_has(w, ty_check_operator, "is not available: 0 of 2 ready");
    put_operator(w, NS, "x/kubeflow/trainer/trainer-controller-manager:v2.3.0", 1, 1);
    assert_result_has(w, ty_check_operator,
                      "warn operator: Kubeflow Trainer's own manager runs as " NS);
    doctor_fixture_miss(w, &ty_kind_deployment, NS, TY_TRAINER, -EACCES);
    assert_result_has(w, ty_check_operator,
                      "warn operator: Deployment " NS "/" TY_TRAINER " cannot be read: forbidden");
}

/* As v2.3.0's chart installs it in a release "kf". */
static void test_a_deployment_of_another_name(void **state)
{
    struct doctor_fixture *w = *state;

    doctor_fixture_miss(w, &ty_kind_deployment, NS, TY_TRAINER, -ENOENT);
    doctor_fixture_put(
        w, &ty_kind_deployment, "kf-sys", "kf-kubeflow-trainer-controller-manager",
        "{'metadata':{'labels':{'app.kubernetes.io/name':'kubeflow-trainer',"
        "'app.kubernetes.io/component':'manager'}},'spec':{'template':{'spec':{'containers':"
        "[{'image':'x/trainer-controller-manager:v2.3.0'}]}}},'status':"
        "{'availableReplicas':1}}");
    assert_results(w, ty_check_operator,
                   "warn operator: Kubeflow Trainer's own manager runs as "
                   "kf-sys/kf-kubeflow-trainer-controller-manager "
                   "(x/trainer-controller-manager:v2.3.0), not this operator\n"
                   "warn operator: it was looked for in " NS "\n"
                   "warn lease: there is no Lease " TY_TRAINER_LEASE
                   ": no operator has led yet, or leaderElection is off");
}

static void test_two_deployments(void **state)
{
    struct doctor_fixture *w = *state;

    put_operator(w, NS, "r/trainyard:1", 2, 2);
    put_operator(w, "kubeflow", "y", 0, 0); /* scaled down: no danger */
    assert_int_equal((doctor_fixture_say(w, ty_check_operator), w->said.n[TY_CHECK_LEVEL_FAIL]), 0);
    put_operator(w, "kubeflow", "y", 0, 1);
    assert_result_has(w, ty_check_operator,
                      "fail alone: 2 managers of TrainJobs: kubeflow/" TY_TRAINER ", " NS
                      "/" TY_TRAINER);
}

static void test_leases(void **state)
{
    struct doctor_fixture *w = *state;

    put_operator(w, NS, "i", 1, 1);
    put_lease(w, NS, "a", FRESH);
    assert_result_has(w, ty_check_operator, "ok lease: a (namespace " NS ") leads");
    put_lease(w, "kubeflow", "b", FRESH);
    assert_result_has(
        w, ty_check_operator,
        "fail alone: 2 managers lead at once: b (namespace kubeflow), a (namespace " NS ")");
    put_lease(w, "kubeflow", "b", "2026-01-01T00:00:00Z"); /* expired, in another namespace */
    assert_int_equal((doctor_fixture_say(w, ty_check_operator), w->said.n[TY_CHECK_LEVEL_FAIL]), 0);
    put_lease(w, NS, "a", "2026-01-02T03:03:05Z");
    assert_result_has(w, ty_check_operator,
                      "fail lease: Lease " NS "/" TY_TRAINER_LEASE
                      " is stale: a last renewed it 60 s ago");
    put_lease(w, NS, "", FRESH);
    assert_result_has(w, ty_check_operator, "fail lease: nobody holds Lease " NS);
    doctor_fixture_miss(w, &ty_kind_lease, "", "", -EACCES);
    assert_result_has(w, ty_check_operator, "warn lease: leases cannot be listed: forbidden");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_deployments),
        doctor_fixture_test(test_a_deployment_of_another_name),
        doctor_fixture_test(test_two_deployments),
        doctor_fixture_test(test_leases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
