#include "cli/install/catalog.h"
#include "cli/install/install.h"
#include "cli/testing.h"
#include "json/yaml.h"

static struct ty_install default_settings(struct ty_arena *a, const char *runtime)
{
    struct ty_install s = { .ns = "elsewhere",
                            .image = "registry.example/ty:9",
                            .version = "9",
                            .replicas = 3,
                            .crds = true,
                            .monitor = true,
                            .failure_summary = true };
    if (runtime)
        ty_strlist_add(a, &s.runtimes, runtime);
    return s;
}

static const struct ty_json *find_named(const struct ty_json *list, const char *kind,
                                        const char *name)
{
    ty_each_item (it, list)
        if (ty_str_is(ty_json_str_at(*it, "kind"), kind) &&
            (!name || ty_str_is(ty_json_str_at(*it, "metadata.name"), name)))
            return *it;
    return NULL;
}

/* Every embedded manifest is in the list: a missing one would not be installed. */
static void test_all_parts(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_install s = default_settings(a, "torch-distributed-with-cache");
    const struct ty_json *list = ty_install_list(a, &s);
    for (const struct ty_embedded *e = ty_install_files; e->name; e++) {
        struct ty_yaml_docs docs = { 0 };
        struct ty_err err = { 0 };
        assert_int_equal(ty_yaml_parse(a, e->name, e->text, NULL, &docs, &err), 0);
        for (size_t i = 0; i < docs.n; i++) {
            const char *kind = ty_arena_cstr(a, ty_json_str_at(docs.v[i], "kind"));
            const char *name = ty_arena_cstr(a, ty_json_str_at(docs.v[i], "metadata.name"));
            if (!find_named(list, kind, strcmp(kind, "Namespace") == 0 ? "elsewhere" : name))
                fail_msg("%s %s of %s.yaml is not printed", kind, name, e->name);
        }
    }
}

/* Nothing stays behind in the namespace that the manifests name. */
static void test_moves_whole(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_install s = default_settings(a, NULL);
    const struct ty_json *list = ty_install_list(a, &s);
    struct ty_str text = ty_json_text(a, list);
    assert_null(memmem(text.p, text.n, "kubeflow-system", 15));
    assert_non_null(find_named(list, "Namespace", "elsewhere"));
    const struct ty_json *hooks = find_named(list, "ValidatingWebhookConfiguration", NULL);
    ty_each_item (hook, ty_json_get(hooks, "webhooks"))
        assert_true(
            ty_str_is(ty_json_str_at(*hook, "clientConfig.service.namespace"), "elsewhere"));
    const struct ty_json *binding =
        find_named(list, "ClusterRoleBinding", "kubeflow-trainer-controller-manager");
    assert_true(
        ty_str_is(ty_json_str_at(ty_json_item(ty_json_get(binding, "subjects"), 0), "namespace"),
                  "elsewhere"));
}

static void test_deployment(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_install s = default_settings(a, NULL);
    const struct ty_json *d = find_named(ty_install_list(a, &s), "Deployment", NULL);
    const struct ty_json *c = ty_json_item(ty_json_at(d, "spec.template.spec.containers"), 0);
    int64_t n = 0;
    assert_true(ty_json_int_at(d, "spec.replicas", &n));
    assert_int_equal(n, 3);
    assert_true(ty_str_is(ty_json_str_at(c, "image"), "registry.example/ty:9"));
    assert_true(ty_json_true_at(c, "securityContext.readOnlyRootFilesystem"));
    assert_true(ty_str_is(ty_json_str_at(c, "resources.limits.memory"), "128Mi"));
    assert_null(ty_json_at(d, "spec.selector.matchLabels.version"));
    assert_true(ty_str_is(
        ty_json_as_str(ty_json_get(ty_json_at(d, "metadata.labels"), "app.kubernetes.io/version")),
        "9"));
}

static void test_what_is_left_out(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_install s = default_settings(a, "jax-distributed");
    s.crds = s.monitor = false;
    const struct ty_json *list = ty_install_list(a, &s);
    assert_null(find_named(list, "CustomResourceDefinition", NULL));
    assert_null(find_named(list, "ServiceMonitor", NULL));
    assert_null(find_named(list, "ClusterRole", "kubeflow-trainer-cache-initializer"));
    assert_non_null(find_named(list, "ClusterTrainingRuntime", "jax-distributed"));
    assert_null(find_named(list, "ClusterTrainingRuntime", "torch-distributed"));
}

static void test_runtime(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    const struct ty_json *r = ty_install_runtime(a, TY_LIT("torch-distributed"));
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(ty_json_at(r, "metadata.labels"),
                                                     "trainer.kubeflow.org/webhook-validation")),
                          "disabled"));
    assert_null(ty_install_runtime(a, TY_LIT("torch")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts),  cmocka_unit_test(test_moves_whole),
        cmocka_unit_test(test_deployment), cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
