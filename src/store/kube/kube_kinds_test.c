/* Names by which an API server knows kinds: one letter off is a 404 at 3 a.m. */
#include "store/kube/kube_kinds.h"

#include <ctype.h>

#include "base/testing.h"

static const struct ty_kind *const all[] = {
    &ty_kind_event,
    &ty_kind_event_v1,
    &ty_kind_lease,
    &ty_kind_namespace,
    &ty_kind_crd,
    &ty_kind_tokenreview,
    &ty_kind_accessreview,
    &ty_kind_mutatingwebhook,
    &ty_kind_validatingwebhook,
    &ty_kind_deployment,
    &ty_kind_endpointslice,
};
#define N TY_COUNT(all)

/* Kubernetes makes the names of a resource from those of its kind. */
static void names(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        char low[64] = "";
        for (size_t j = 0; all[i]->kind[j]; j++)
            low[j] = (char)tolower((unsigned char)all[i]->kind[j]);
        assert_string_equal(all[i]->singular, low);
        snprintf(low + strlen(low), sizeof(low) - strlen(low), "s");
        assert_string_equal(all[i]->plural, low);
        assert_string_equal(all[i]->version, "v1");
        /* Of the groups of Kubernetes itself all but the oldest end so. */
        const char *end = strrchr(all[i]->group, '.');
        assert_true(end ? strcmp(end, ".io") == 0
                        : !all[i]->group[0] || strcmp(all[i]->group, "apps") == 0);
    }
}

/* No name stands for two; and those that we have fields of are in api/kind.h, not here. */
static void no_two_are_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < i; j++)
            assert_false(all[i] == all[j] || (strcmp(all[i]->group, all[j]->group) == 0 &&
                                              strcmp(all[i]->kind, all[j]->kind) == 0));
        for (const struct ty_kind *const *k = ty_kinds; *k; k++)
            assert_false(strcmp(all[i]->group, (*k)->group) == 0 &&
                         strcmp(all[i]->kind, (*k)->kind) == 0);
        assert_null(all[i]->schema);
    }
}

static void which_have_namespaces(void **state)
{
    (void)state;
    assert_true(ty_kind_event.namespaced && ty_kind_event_v1.namespaced);
    assert_true(ty_kind_lease.namespaced && ty_kind_deployment.namespaced &&
                ty_kind_endpointslice.namespaced);
    assert_false(ty_kind_namespace.namespaced || ty_kind_crd.namespaced);
    assert_false(ty_kind_tokenreview.namespaced || ty_kind_accessreview.namespaced);
    assert_false(ty_kind_mutatingwebhook.namespaced || ty_kind_validatingwebhook.namespaced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(no_two_are_one),
        cmocka_unit_test(which_have_namespaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
