#include "advise/doctor_testing.h"

#include "api/crd.h"

static void put_crd(struct doctor_fixture *w, const struct ty_json *crd)
{
    ty_cluster_snapshot_put(w->in.snapshot, &ty_kind_crd, TY_LIT(""),
                            ty_json_str_at(crd, "metadata.name"), ty_json_text(w->a, crd));
}

static void put_ours(struct doctor_fixture *w)
{
    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if ((*k)->ours)
            put_crd(w, ty_crd(w->a, *k));
}

static struct ty_json *properties(struct ty_json *crd, const char *path)
{
    struct ty_json *v = ty_json_item(ty_json_at(crd, "spec.versions"), 0);
    return ty_json_at(ty_json_at(v, "schema.openAPIV3Schema"), path);
}

static void test_our_own(void **state)
{
    struct doctor_fixture *w = *state;

    put_ours(w);
    assert_results(w, ty_check_crds, "ok crds: 3 CRDs know all fields of this program");
}

static void test_missing_old_unserved_unread(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *old = ty_crd(w->a, &ty_kind_trainjob);

    put_ours(w);
    ty_json_del(properties(old, "properties.spec.properties.trainer.properties"),
                TY_LIT("numNodes"));
    put_crd(w, old);
    assert_results(w, ty_check_crds,
                   "fail crds: the CRD trainjobs.trainer.kubeflow.org is older than this program: "
                   "spec.trainer.numNodes and perhaps more is dropped");
    ty_json_set(w->a, ty_json_item(ty_json_at(old, "spec.versions"), 0), "served",
                ty_json_bool(w->a, false));
    put_crd(w, old);
    assert_results(w, ty_check_crds,
                   "fail crds: the CRD trainjobs.trainer.kubeflow.org does not serve v1alpha1");
    doctor_fixture_miss(w, &ty_kind_crd, "", "trainjobs.trainer.kubeflow.org", -ENOENT);
    assert_results(w, ty_check_crds,
                   "fail crds: the CRD trainjobs.trainer.kubeflow.org is missing");
    doctor_fixture_miss(w, &ty_kind_crd, "", "trainjobs.trainer.kubeflow.org", -EACCES);
    assert_results(w, ty_check_crds, "warn crds: the CRD of trainjobs cannot be read: forbidden");
}

/* v2.3.0's CRDs work with this program: the missing fields are our own. */
static void test_those_of_the_released_trainer(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *old = ty_crd(w->a, &ty_kind_trainjob);
    struct ty_json *runtime = ty_crd(w->a, &ty_kind_trainingruntime);

    put_ours(w);
    ty_json_del(properties(old, "properties.spec.properties"), TY_LIT("ttlSecondsAfterFinished"));
    ty_json_del(properties(old, "properties.spec.properties"), TY_LIT("podSpecOverrides"));
    put_crd(w, old);
    ty_json_del(properties(runtime, "properties.spec.properties.mlPolicy.properties"),
                TY_LIT("tensorflow"));
    put_crd(w, runtime);
    assert_result_has(
        w, ty_check_crds,
        "warn crds: CRDs of Kubeflow Trainer v2.3.0: fields that only trainyard has are "
        "dropped (trainjobs: spec.");
    assert_non_null(strstr(w->said.first->what, "; trainingruntimes: spec.mlPolicy.tensorflow, "));
    assert_null(strstr(w->said.first->what, "older"));
    assert_int_equal(w->said.n[TY_CHECK_LEVEL_FAIL], 0);
    ty_json_del(properties(old, "properties.spec.properties"), TY_LIT("runtimePatches"));
    put_crd(w, old); /* v2.3.0 has this field */
    assert_result_has(
        w, ty_check_crds,
        "fail crds: the CRD trainjobs.trainer.kubeflow.org is older than this program: "
        "spec.runtimePatches and perhaps more is dropped");
}

/* As v2.3.0's chart installs them: its CRDs are templates. */
static void test_helm_would_delete_them(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *crd = ty_crd(w->a, &ty_kind_trainjob);
    struct ty_json *notes =
        ty_json_ensure_object(w->a, ty_json_get(crd, "metadata"), "annotations");

    put_ours(w);
    ty_json_set(w->a, notes, "meta.helm.sh/release-name", ty_json_cstr(w->a, "kf"));
    ty_json_set(w->a, notes, "meta.helm.sh/release-namespace", ty_json_cstr(w->a, "kf-sys"));
    put_crd(w, crd);
    assert_result_has(w, ty_check_crds,
                      "warn crds: the CRD trainjobs.trainer.kubeflow.org belongs to the "
                      "Helm release kf-sys/kf: helm uninstall deletes it");
    assert_string_equal(w->said.first->fix,
                        "kubectl -n kf-sys delete secret -l owner=helm,name=kf: "
                        "Helm forgets the release, everything stays");
    ty_json_set(w->a, notes, "helm.sh/resource-policy", ty_json_cstr(w->a, "keep"));
    put_crd(w, crd); /* as our own chart does */
    assert_results(w, ty_check_crds, "ok crds: 3 CRDs know all fields of this program");
}

static void test_what_is_newer_is_fine(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *crd = ty_crd(w->a, &ty_kind_trainjob);

    put_ours(w);
    ty_json_set(w->a, properties(crd, "properties.spec.properties"), "fromTheFuture",
                ty_json_object(w->a));
    put_crd(w, crd);
    assert_result_has(w, ty_check_crds, "ok crds: ");
}

/* A missing field inside the items of a list is found, too. */
static void test_inside_lists(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *crd = ty_crd(w->a, &ty_kind_trainjob);
    struct ty_json *items =
        properties(crd, "properties.spec.properties.trainer.properties.env.items");

    put_ours(w);
    assert_true(ty_json_del(ty_json_get(items, "properties"), TY_LIT("valueFrom")));
    put_crd(w, crd);
    assert_result_has(w, ty_check_crds, "spec.trainer.env.valueFrom and perhaps more is dropped");
    ty_json_set(w->a, items, "x-kubernetes-preserve-unknown-fields", ty_json_bool(w->a, true));
    put_crd(w, crd);
    assert_result_has(w, ty_check_crds, "ok crds: ");
}

static void test_jobset(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_json *crd = ty_crd(w->a, &ty_kind_jobset);

    doctor_fixture_miss(w, &ty_kind_crd, "", "jobsets.jobset.x-k8s.io", -ENOENT);
    assert_results(w, ty_check_jobset, "fail jobset: the CRD jobsets.jobset.x-k8s.io is missing");
    put_crd(w, crd);
    assert_result_has(w, ty_check_jobset, "warn jobset: no Deployment of the JobSet controller");
    doctor_fixture_put(w, &ty_kind_deployment, "js", "c",
                       "{'metadata':{'labels':{'app.kubernetes.io/name':'jobset'}}}");
    assert_result_has(w, ty_check_jobset,
                      "fail jobset: the JobSet controller js/c is not available");
    doctor_fixture_put(w, &ty_kind_deployment, "js", "c",
                       "{'metadata':{'labels':{'app.kubernetes.io/part-of':'jobset'}},'status':"
                       "{'availableReplicas':1}}");
    assert_results(w, ty_check_jobset,
                   "ok jobset: the CRD of JobSet 0.12 or later\n"
                   "ok jobset: the JobSet controller js/c is there");
    ty_json_del(properties(crd, "properties.spec.properties"), TY_LIT("network"));
    put_crd(w, crd);
    assert_result_has(w, ty_check_jobset,
                      "fail jobset: JobSet is older than 0.12: its CRD does not know spec.network");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        doctor_fixture_test(test_our_own),
        doctor_fixture_test(test_missing_old_unserved_unread),
        doctor_fixture_test(test_those_of_the_released_trainer),
        doctor_fixture_test(test_helm_would_delete_them),
        doctor_fixture_test(test_what_is_newer_is_fine),
        doctor_fixture_test(test_inside_lists),
        doctor_fixture_test(test_jobset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
