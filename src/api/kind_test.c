#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/kind.h"

static const struct ty_kind *of(const char *api_version, const char *kind)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    struct ty_json *obj = ty_json_object(a);

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, api_version));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, kind));
    return ty_kind_of(obj);
}

static void test_of(void **state TY_UNUSED)
{
    assert_ptr_equal(of("trainer.kubeflow.org/v1alpha1", "TrainJob"), &ty_kind_trainjob);
    assert_ptr_equal(of("jobset.x-k8s.io/v1alpha2", "JobSet"), &ty_kind_jobset);
    assert_ptr_equal(of("v1", "ConfigMap"), &ty_kind_configmap);
    assert_ptr_equal(of("scheduling.x-k8s.io/v1alpha1", "PodGroup"), &ty_kind_podgroup_cosched);
    assert_ptr_equal(of("scheduling.volcano.sh/v1beta1", "PodGroup"), &ty_kind_podgroup_volcano);
    assert_null(of("trainer.kubeflow.org/v1", "TrainJob"));
    assert_null(of("v1alpha1", "TrainJob"));
    assert_null(of("trainer.kubeflow.org/v1alpha1", "trainjob"));
    assert_null(of("/v1", "JobSet"));
    assert_null(ty_kind_of(NULL));
}

static void test_named(void **state TY_UNUSED)
{
    assert_ptr_equal(ty_kind_by_name(TY_LIT("trainjob")), &ty_kind_trainjob);
    assert_ptr_equal(ty_kind_by_name(TY_LIT("TrainJobs")), &ty_kind_trainjob);
    assert_ptr_equal(ty_kind_by_name(TY_LIT("CLUSTERTRAININGRUNTIME")),
                     &ty_kind_clustertrainingruntime);
    assert_ptr_equal(ty_kind_by_name(TY_LIT("podgroups")), &ty_kind_podgroup_cosched);
    assert_ptr_equal(ty_kind_by_name(TY_LIT("priorityclasses")), &ty_kind_priorityclass);
    assert_null(ty_kind_by_name(TY_LIT("trainjobz")));
    assert_null(ty_kind_by_name(TY_LIT("trainjo")));
    assert_null(ty_kind_by_name(TY_LIT("")));
}

static void test_api_version(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    assert_string_equal(ty_kind_api_version(a, &ty_kind_trainjob), "trainer.kubeflow.org/v1alpha1");
    assert_string_equal(ty_kind_api_version(a, &ty_kind_secret), "v1");
}

/* Every kind is found again by its own names, and ours have a schema to publish. */
static void test_all(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    size_t ours = 0;

    for (const struct ty_kind *const *k = ty_kinds; *k; k++) {
        assert_ptr_equal(of(ty_kind_api_version(a, *k), (*k)->kind), *k);
        assert_string_equal(ty_kind_by_name(ty_str((*k)->plural))->kind, (*k)->kind);
        assert_string_equal(ty_kind_by_name(ty_str((*k)->singular))->kind, (*k)->kind);
        assert_true(!(*k)->ours || (*k)->schema);
        ours += (*k)->ours;
    }
    assert_int_equal(ours, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_api_version),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
