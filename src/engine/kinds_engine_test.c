#include "api/schema_testing.h"
#include "engine/change.h"

static void says(struct ty_arena *a, const struct ty_kind *k, const char *api, const char *kind)
{
    assert_string_equal(ty_kind_api_version(a, k), api);
    assert_string_equal(k->kind, kind);
    assert_true(k->namespaced);
    assert_false(k->ours);
}

static void are_kubernetes_own(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    says(a, &ty_kind_job, "batch/v1", "Job");
    says(a, &ty_kind_pod, "v1", "Pod");
    says(a, &ty_kind_service, "v1", "Service");
    says(a, &ty_kind_claim, "v1", "PersistentVolumeClaim");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(are_kubernetes_own) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
