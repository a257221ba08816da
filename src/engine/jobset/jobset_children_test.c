#include "engine/jobset/jobset_testing.h"

static const char *in_pod(struct ty_arena *a, const struct ty_json *j, const char *field)
{
    const struct ty_json *v = ty_json_get(ty_json_at(j, "spec.template.spec"), field);

    return v ? json_show(a, v) : "";
}

static void case_030_jobs_and_service_of_T(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct jobset_fixture w;

    fixture_init(&w, a, set_t(a));
    reconcile(&w);
    assert_int_equal(w.n_jobs, 4);
    assert_non_null(find_job(&w, "test-js-replicated-job-a-0"));
    assert_non_null(find_job(&w, "test-js-replicated-job-b-0"));
    assert_non_null(find_job(&w, "test-js-replicated-job-b-1"));
    assert_non_null(find_job(&w, "test-js-replicated-job-b-2"));
    assert_string_equal(json_show(a, w.service),
                        "{'apiVersion':'v1','kind':'Service','metadata':{'name':'test-js',"
                        "'namespace':'default','ownerReferences':[{'apiVersion':"
                        "'jobset.x-k8s.io/v1alpha2','kind':'JobSet','name':'test-js','uid':"
                        "'js-uid','controller':true,'blockOwnerDeletion':true}]},'spec':{"
                        "'clusterIP':'None','selector':{'jobset.sigs.k8s.io/jobset-name':"
                        "'test-js'},'publishNotReadyAddresses':true}}");
    reconcile_until_stable(&w);
    assert_int_equal(w.n_jobs, 4);
    fixture_done(&w);
}

static void a_job_is_its_template_and_more(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = set_t(a);
    const struct ty_json *j;
    struct jobset_fixture w;

    patch_rj(a, js, 0,
             "{'template':{'metadata':{'name':'ignored','labels':{'mine':'1',"
             "'jobset.sigs.k8s.io/jobset-name':'forged'},'annotations':{'note':'2'}},'spec':{"
             "'template':{'metadata':{'labels':{'pod':'3'}},'spec':{'priority':7}}}}}");
    fixture_init(&w, a, js);
    reconcile(&w);
    j = find_job(&w, A0);
    assert_true(ty_str_is(ty_json_str_at(j, "apiVersion"), "batch/v1"));
    assert_true(ty_str_is(label_of(j, "mine"), "1"));
    assert_true(ty_str_is(label_of(j, TY_JOBSET_NAME), "test-js")); /* ours wins */
    assert_true(ty_str_is(ty_json_str_at(j, "metadata.annotations.note"), "2"));
    assert_true(
        ty_str_is(ty_json_str_at(ty_json_item(ty_json_at(j, "metadata.ownerReferences"), 0), "uid"),
                  "js-uid"));
    const struct ty_json *t = ty_json_at(j, "spec.template");
    assert_true(ty_str_is(label_of(t, "pod"), "3"));
    assert_true(ty_str_is(label_of(t, TY_JOBSET_RJOB), A));
    assert_true(ty_str_is(label_of(t, "jobset.sigs.k8s.io/priority"), "7"));
    assert_string_equal(label_of(j, "jobset.sigs.k8s.io/priority").p, ""); /* pods only */
    assert_true(ty_json_is(ty_json_at(j, "spec.suspend"), TY_JSON_BOOL));
    fixture_done(&w);
}

static void case_035_subdomain(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a),
                                "{'spec':{'network':{'subdomain':'sub'},'coordinator':{"
                                "'replicatedJob':'" A "'}}}");
    struct jobset_fixture w;

    patch_rj(a, js, 0, "{'template':{'spec':{'completions':1,'parallelism':1}}}");
    fixture_init(&w, a, js);
    reconcile(&w);
    assert_true(ty_str_is(ty_json_str_at(w.service, "metadata.name"), "sub"));
    assert_string_equal(in_pod(a, find_job(&w, B1), "subdomain"), "'sub'");
    assert_true(ty_str_is(label_of(find_job(&w, B1), TY_JOBSET_COORDINATOR),
                          "test-js-replicated-job-a-0-0.sub"));
    fixture_done(&w);

    fixture_init(&w, a, set_t(a));
    reconcile(&w);
    assert_string_equal(in_pod(a, find_job(&w, A0), "subdomain"), "'test-js'");
    fixture_done(&w);

    js = merged(a, set_t(a), "{'spec':{'network':{'enableDNSHostnames':false}}}");
    fixture_init(&w, a, js);
    reconcile_until_stable(&w);
    assert_null(w.service);
    assert_int_equal(w.n_jobs, 4);
    assert_string_equal(in_pod(a, find_job(&w, A0), "subdomain"), "");
    fixture_done(&w);
}

static bool publishes(struct ty_arena *a, const char *network)
{
    struct jobset_fixture w;

    fixture_init(&w, a,
                 merged(a, set_t(a), ty_arena_printf(a, "{'spec':{'network':%s}}", network)));
    reconcile(&w);
    fixture_done(&w);
    return ty_json_true_at(w.service, "spec.publishNotReadyAddresses");
}

static void case_036_publish_not_ready_addresses(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);

    assert_false(publishes(a, "{'publishNotReadyAddresses':false}"));
    assert_true(publishes(a, "{'publishNotReadyAddresses':true}"));
    assert_true(publishes(a, "{}"));
}

static const char claims[] =
    "{'spec':{'volumeClaimPolicies':[{'templates':[{'metadata':{'name':'gone','labels':{'x':'y'}},"
    "'spec':{'accessModes':['ReadWriteOnce']}}]},{'templates':[{'metadata':{'name':'kept'},"
    "'spec':{'accessModes':['ReadWriteMany']}}],'retentionPolicy':{'whenDeleted':'Retain'}}]}}";

static void case_040_claims(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a), claims);
    struct jobset_fixture w;

    patch_rj(a, js, 0,
             "{'template':{'spec':{'template':{'spec':{'volumes':[{'name':'v','emptyDir':{}}],"
             "'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'gone',"
             "'mountPath':'/g'}]}],'initContainers':[{'name':'n','image':'i','volumeMounts':["
             "{'name':'kept','mountPath':'/k'}]}]}}}}}");
    fixture_init(&w, a, merged(a, js, "{'spec':{'suspend':true}}"));
    reconcile_until_stable(&w); /* also while suspended */
    assert_int_equal(w.n_claims, 2);
    assert_string_equal(
        json_show(a, w.claims[0]),
        "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'gone-test-js',"
        "'namespace':'default','labels':{'x':'y','jobset.sigs.k8s.io/jobset-name':'test-js'},"
        "'ownerReferences':[{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','name':"
        "'test-js','uid':'js-uid','controller':true,'blockOwnerDeletion':true}]},"
        "'spec':{'accessModes':['ReadWriteOnce']}}");
    assert_string_equal(
        json_show(a, w.claims[1]),
        "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'kept-test-js',"
        "'namespace':'default','labels':{'jobset.sigs.k8s.io/jobset-name':'test-js'}},"
        "'spec':{'accessModes':['ReadWriteMany']}}");
    assert_string_equal(in_pod(a, find_job(&w, A0), "volumes"),
                        "[{'name':'v','emptyDir':{}},{'name':'gone','persistentVolumeClaim':{"
                        "'claimName':'gone-test-js'}},{'name':'kept','persistentVolumeClaim':{"
                        "'claimName':'kept-test-js'}}]");
    assert_string_equal(in_pod(a, find_job(&w, B0), "volumes"), ""); /* mounts none of them */
    fixture_done(&w);
}

#define ALPHA "alpha.jobset.sigs.k8s.io/"

static void node_selector_strategy(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_json *js = merged(a, set_t(a),
                                "{'metadata':{'annotations':{'" ALPHA
                                "exclusive-topology':'rack','" ALPHA "node-selector':'true'}}}");
    struct jobset_fixture w;

    fixture_init(&w, a, js);
    reconcile(&w);
    assert_string_equal(in_pod(a, find_job(&w, A0), "nodeSelector"),
                        "{'" ALPHA "namespaced-job':'default_" A0 "'}");
    assert_string_equal(in_pod(a, find_job(&w, A0), "tolerations"),
                        "[{'key':'" ALPHA
                        "no-schedule','operator':'Exists','effect':'NoSchedule'}]");
    fixture_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_030_jobs_and_service_of_T),
        cmocka_unit_test(a_job_is_its_template_and_more),
        cmocka_unit_test(case_035_subdomain),
        cmocka_unit_test(case_036_publish_not_ready_addresses),
        cmocka_unit_test(case_040_claims),
        cmocka_unit_test(node_selector_strategy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
