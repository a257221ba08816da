#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/crd.h"

#define SCHEMA "schema.openAPIV3Schema"

static const struct ty_json *version_of(const struct ty_json *crd)
{
    return ty_json_item(ty_json_at(crd, "spec.versions"), 0);
}

static void is(const struct ty_json *obj, const char *path, const char *want)
{
    struct ty_str got = ty_json_str_at(obj, path);

    if (!ty_str_is(got, want))
        fail_msg("%s is '%.*s', not '%s'", path, TY_ARG(got), want);
}

static void test_size(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(64 << 20);
    size_t total = 0;

    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if ((*k)->ours)
            total += ty_json_text(a, ty_crd(a, *k)).n;
    assert_in_range(total, 200000, 300000);
}

static void test_train_job(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(16 << 20);
    const struct ty_json *crd = ty_crd(a, &ty_kind_trainjob), *v = version_of(crd);

    is(crd, "apiVersion", "apiextensions.k8s.io/v1");
    is(crd, "kind", "CustomResourceDefinition");
    is(crd, "metadata.name", "trainjobs.trainer.kubeflow.org");
    is(crd, "spec.group", "trainer.kubeflow.org");
    is(crd, "spec.names.listKind", "TrainJobList");
    is(crd, "spec.scope", "Namespaced");
    is(v, "name", "v1alpha1");
    assert_true(ty_json_true_at(v, "served") && ty_json_true_at(v, "storage"));
    assert_non_null(ty_json_at(v, "subresources.status"));
    const struct ty_json *columns = ty_json_get(v, "additionalPrinterColumns");
    assert_int_equal(ty_json_len(columns), 6); /* tests/cluster/test_columns.py tries them */
    is(ty_json_item(columns, 0), "name", "State");
    is(ty_json_item(columns, 2), "jsonPath", ".spec.runtimeRef.name");
    assert_null(ty_json_get(ty_json_item(columns, 0), "priority"));
    assert_non_null(ty_json_get(ty_json_item(columns, 4), "priority")); /* -o wide */
    is(v, SCHEMA ".properties.spec.properties.managedBy.default",
       "trainer.kubeflow.org/trainjob-controller");
    assert_int_equal(ty_json_len(ty_json_at(v, SCHEMA ".properties.metadata")),
                     1); /* just its type */
}

static void test_runtimes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(16 << 20);
    const struct ty_json *ns = ty_crd(a, &ty_kind_trainingruntime);
    const struct ty_json *cluster = ty_crd(a, &ty_kind_clustertrainingruntime);
    const char *spec = SCHEMA ".properties.spec";

    is(ns, "spec.scope", "Namespaced");
    is(cluster, "spec.scope", "Cluster");
    is(cluster, "metadata.name", "clustertrainingruntimes.trainer.kubeflow.org");
    assert_null(ty_json_get(version_of(ns), "subresources"));
    assert_null(ty_json_get(version_of(ns), "additionalPrinterColumns"));
    assert_true(
        ty_json_eq(ty_json_at(version_of(ns), spec), ty_json_at(version_of(cluster), spec)));
}

static void check_list_keys(const struct ty_json *s, const char *at)
{
    const struct ty_json *items = ty_json_get(s, "items");
    const struct ty_json *keys = ty_json_get(s, "x-kubernetes-list-map-keys");
    const struct ty_json *required = ty_json_get(items, "required");

    for (size_t i = 0; i < ty_json_len(keys); i++) {
        const struct ty_json *key = ty_json_item(keys, i);
        const struct ty_json *prop =
            ty_json_find(ty_json_get(items, "properties"), ty_json_as_str(key));
        bool sure = ty_json_get(prop, "default");
        for (size_t j = 0; j < ty_json_len(required); j++)
            sure |= ty_json_eq(ty_json_item(required, j), key);
        if (!prop || !sure)
            fail_msg("%s: a list key is neither required nor defaulted", at);
    }
}

/* The structural-schema rules of apiextensions/v1 that a table could break. */
static void check_node(struct ty_arena *a, const struct ty_json *s, const char *at)
{
    const struct ty_json *props = ty_json_get(s, "properties"), *items = ty_json_get(s, "items");
    const struct ty_json *values = ty_json_get(s, "additionalProperties");
    bool either = ty_json_true_at(s, "x-kubernetes-int-or-string");

    if (either == (ty_json_get(s, "type") != NULL))
        fail_msg("%s: one of type and int-or-string", at);
    if (either != (ty_json_get(s, "anyOf") != NULL))
        fail_msg("%s: int-or-string goes with anyOf", at);
    if ((items != NULL) != ty_str_is(ty_json_str_at(s, "type"), "array") || (props && values))
        fail_msg("%s: items of arrays; properties or additionalProperties of objects", at);
    check_list_keys(s, at);
    if (props) {
        ty_each_member (m, props)
            check_node(a, m->value, ty_arena_printf(a, "%s.%.*s", at, TY_ARG(m->key)));
    }
    if (items)
        check_node(a, items, ty_arena_printf(a, "%s[]", at));
    if (values)
        check_node(a, values, ty_arena_printf(a, "%s{}", at));
}

static void test_structural(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(64 << 20);

    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if ((*k)->ours)
            check_node(a, ty_json_at(version_of(ty_crd(a, *k)), SCHEMA), (*k)->kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_train_job),
        cmocka_unit_test(test_runtimes),
        cmocka_unit_test(test_structural),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
