#include "cli/install/catalog.h"
#include "cli/install/install.h"
#include "cli/install/uninstall.h"
#include "cli/testing.h"
#include "store/kube/kube_kinds.h"
#include <errno.h>

static bool list_has(const struct ty_json *list, struct ty_str kind, struct ty_str name)
{
    ty_each_item (it, list)
        if (ty_str_eq(ty_json_str_at(*it, "kind"), kind) &&
            ty_str_eq(ty_json_str_at(*it, "metadata.name"), name))
            return true;
    return false;
}

static size_t index_of(const struct ty_json *list, const char *kind)
{
    for (size_t i = 0; i < list->n; i++)
        if (ty_str_is(ty_json_str_at(ty_json_item(list, i), "kind"), kind))
            return i;
    return list->n;
}

/* Everything that install creates is deleted, except the Namespace. */
static void test_all_but_the_namespace(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_uninstall s = { .ns = "elsewhere", .runtimes = true, .monitor = true };
    struct ty_install in = {
        .ns = "elsewhere", .image = "i", .version = "1", .monitor = true, .no_user_roles = true
    };
    for (size_t i = 0; ty_catalog_files[i].name; i++)
        ty_strlist_add(a, &in.runtimes, ty_catalog_files[i].name);
    const struct ty_json *all = ty_install_list(a, &in), *list = ty_uninstall_list(a, &s);

    assert_int_equal(index_of(list, "Namespace"), list->n);
    assert_int_equal(list->n, all->n); /* a Lease for the Namespace */
    ty_each_item (it, all) {
        struct ty_str kind = ty_json_str_at(*it, "kind"),
                      name = ty_json_str_at(*it, "metadata.name");
        if (!ty_str_is(kind, "Namespace") && !list_has(list, kind, name))
            fail_msg("%.*s %.*s stays", TY_ARG(kind), TY_ARG(name));
    }
    assert_true(list_has(list, TY_LIT("Lease"), TY_LIT("trainer.kubeflow.org")));
    struct ty_str text = ty_json_text(a, list);
    assert_null(memmem(text.p, text.n, "kubeflow-system", 15));
    assert_null(memmem(text.p, text.n, "\"spec\"", 6));
}

static void test_order(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_uninstall s = { .ns = "ns", .crds = true };
    const struct ty_json *list = ty_uninstall_list(a, &s);

    assert_int_equal(index_of(list, "MutatingWebhookConfiguration"), 0);
    assert_int_equal(index_of(list, "ValidatingWebhookConfiguration"), 1);
    assert_int_equal(index_of(list, "Deployment"), 2);
    assert_true(index_of(list, "Lease") > index_of(list, "RoleBinding"));
    assert_true(index_of(list, "Secret") > index_of(list, "ClusterRoleBinding"));
    assert_int_equal(index_of(list, "CustomResourceDefinition"), list->n - 3);
    assert_int_equal(index_of(list, "ClusterTrainingRuntime"), list->n); /* go with the CRD */
    assert_true(
        list_has(list, TY_LIT("ClusterRole"), TY_LIT("kubeflow-trainer-cache-initializer")));
    assert_true(list_has(list, TY_LIT("ClusterRole"), TY_LIT("kubeflow-trainer-edit")));
}

static void test_what_stays(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_uninstall s = { .ns = "ns" };
    const struct ty_json *list = ty_uninstall_list(a, &s);

    assert_int_equal(index_of(list, "CustomResourceDefinition"), list->n);
    assert_int_equal(index_of(list, "ClusterTrainingRuntime"), list->n);
    assert_int_equal(index_of(list, "ServiceMonitor"), list->n);
    assert_false(
        list_has(list, TY_LIT("ClusterRole"), TY_LIT("kubeflow-trainer-cache-initializer")));
    assert_false(list_has(list, TY_LIT("ClusterRole"), TY_LIT("kubeflow-trainer-edit")));
}

/* ---- the cluster ---- */

#define IN_USE "trainer.kubeflow.org/resource-in-use"
#define PATCH(i)                                                                                   \
    " --type=json -p='[{\"op\":\"test\",\"path\":\"/metadata/finalizers/" i "\",\"value\":"        \
    "\"" IN_USE "\"},{\"op\":\"remove\",\"path\":\"/metadata/finalizers/" i "\"}]'"

static void put_object(struct ty_cluster_snapshot *s, const struct ty_kind *kind, const char *ns,
                       const char *name, const char *text)
{
    assert_int_equal(ty_cluster_snapshot_put(s, kind, ty_str(ns), ty_str(name), ty_str(text)), 0);
}

/* Kubeflow Trainer's own manager has the same names and must not be deleted. */
static void test_upstream(void **state)
{
    (void)state;
    static const char manager[] =
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"image\":\"%s\"}]}}}}";
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_cluster_snapshot *ours = ty_cluster_snapshot_new(),
                               *theirs = ty_cluster_snapshot_new();
    struct ty_uninstall s = { 0 };
    struct ty_uninstall_facts f;
    char text[256];

    snprintf(text, sizeof(text), manager, "registry.example/trainyard:0.2.0");
    put_object(ours, &ty_kind_deployment, "kf", "kubeflow-trainer-controller-manager", text);
    ty_uninstall_inspect(a, ours, &s, &f);
    assert_null(f.upstream);
    snprintf(text, sizeof(text), manager, "r.example/trainer/trainer-controller-manager:v2.3.0");
    put_object(theirs, &ty_kind_deployment, "kf", "kubeflow-trainer-controller-manager", text);
    ty_uninstall_inspect(a, theirs, &s, &f);
    assert_string_equal(f.upstream, "kf/kubeflow-trainer-controller-manager "
                                    "(r.example/trainer/trainer-controller-manager:v2.3.0)");
    ty_cluster_snapshot_free(ours);
    ty_cluster_snapshot_free(theirs);
}

static void test_facts(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_cluster_snapshot *snapshot = ty_cluster_snapshot_new();
    struct ty_uninstall s = { 0 };
    struct ty_uninstall_facts f;

    put_object(snapshot, &ty_kind_trainjob, "a", "one", "{}");
    put_object(snapshot, &ty_kind_trainjob, "b", "one", "{}");
    put_object(snapshot, &ty_kind_trainjob, "b", "two", "{}");
    put_object(
        snapshot, &ty_kind_validatingwebhook, "", "validator.trainer.kubeflow.org",
        "{\"metadata\":{\"annotations\":{\"meta.helm.sh/release-name\":\"r\","
        "\"meta.helm.sh/release-namespace\":\"kf\"}},\"webhooks\":[{\"clientConfig\":{\"service\":"
        "{\"name\":\"n\",\"namespace\":\"kf\"}}}]}");
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.jobs, 3);
    assert_int_equal(f.job_spaces, 2);
    assert_null(f.unread);
    assert_string_equal(f.hook_ns, "kf");
    assert_string_equal(f.release, "r");
    assert_string_equal(f.rel_ns, "kf");
    ty_cluster_snapshot_free(snapshot);
}

/* Commands only for runtimes that are deleted: other runtimes keep their finalizer. */
static void test_held(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_cluster_snapshot *snapshot = ty_cluster_snapshot_new();
    struct ty_uninstall s = { 0 };
    struct ty_uninstall_facts f;

    put_object(snapshot, &ty_kind_clustertrainingruntime, "", "torch-distributed",
               "{\"metadata\":{\"finalizers\":[\"x/y\",\"" IN_USE "\"]}}");
    put_object(snapshot, &ty_kind_clustertrainingruntime, "", "jax-distributed",
               "{\"metadata\":{\"finalizers\":[\"x/y\"]}}");
    put_object(snapshot, &ty_kind_trainingruntime, "team", "own",
               "{\"metadata\":{\"finalizers\":[\"" IN_USE "\"]}}");
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.held.n, 0);
    s.runtimes = true;
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.held.n, 1);
    assert_string_equal(f.held.v[0],
                        "kubectl patch clustertrainingruntime torch-distributed" PATCH("1"));
    s = (struct ty_uninstall){ .crds = true, .at = " --context c" };
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.held.n, 2);
    assert_string_equal(f.held.v[1],
                        "kubectl --context c patch trainingruntime own -n team" PATCH("0"));
    ty_cluster_snapshot_free(snapshot);
}

/* No CRDs: no TrainJobs. Anything else that fails leaves their number unknown. */
static void test_unread(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_cluster_snapshot *snapshot = ty_cluster_snapshot_new();
    struct ty_uninstall s = { 0 };
    struct ty_uninstall_facts f;

    ty_cluster_snapshot_put_error(snapshot, &ty_kind_trainjob, TY_LIT(""), TY_LIT(""), -ENOENT,
                                  TY_LIT("not found"));
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_null(f.unread);
    assert_int_equal(f.jobs, 0);
    assert_null(f.hook_ns);
    ty_cluster_snapshot_put_error(snapshot, &ty_kind_trainingruntime, TY_LIT(""), TY_LIT(""),
                                  -EACCES, TY_LIT("no"));
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_string_equal(f.unread, "no"); /* a finalizer there may hold the CRD */
    ty_cluster_snapshot_put_error(snapshot, &ty_kind_trainjob, TY_LIT(""), TY_LIT(""), -EACCES,
                                  TY_LIT("forbidden"));
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_string_equal(f.unread, "forbidden");
    ty_cluster_snapshot_free(snapshot);
}

/* After a removal that was interrupted: no webhooks any more, then no Deployment either. */
static void test_spaces(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 26);
    struct ty_cluster_snapshot *snapshot = ty_cluster_snapshot_new();
    struct ty_uninstall s = { 0 };
    struct ty_uninstall_facts f;

    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.spaces.n, 0);
    put_object(snapshot, &ty_kind_lease, "left", "trainer.kubeflow.org", "{}");
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.spaces.n, 1);
    assert_string_equal(f.spaces.v[0], "left");
    put_object(snapshot, &ty_kind_deployment, "kubeflow", "kubeflow-trainer-controller-manager",
               "{}");
    put_object(snapshot, &ty_kind_deployment, "other", "kubeflow-trainer-controller-manager", "{}");
    ty_uninstall_inspect(a, snapshot, &s, &f);
    assert_int_equal(f.spaces.n, 2);
    assert_string_equal(f.spaces.v[0], "kubeflow");
    assert_string_equal(f.spaces.v[1], "other");
    assert_null(f.hook_ns);
    ty_cluster_snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_but_the_namespace),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_upstream),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
