
#include "controller/cache_project.h"
#include "json/json_testing.h"

#define REF(group, kind, controller)                                                               \
    "{\"metadata\":{\"name\":\"x\",\"uid\":\"u\",\"labels\":{\"a\":\"b\"},\"ownerReferences\":[{"  \
    "\"apiVersion\":\"" group "/v1alpha1\",\"kind\":\"" kind "\",\"name\":\"j\",\"uid\":\"o\","    \
    "\"controller\":" controller "}]},\"data\":{\"k\":\"v\"}}"

static void test_whose_it_is(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_str uid = { 0 };
    struct ty_json *ours = json_read(a, REF("trainer.kubeflow.org", "TrainJob", "true"));

    assert_true(ty_str_is(ty_cache_project_owner(ours, &uid), "j"));
    assert_true(ty_str_is(uid, "o"));
    static const char *const others[] = { REF("trainer.kubeflow.org", "TrainJob", "false"),
                                          REF("trainer.kubeflow.org", "Other", "true"),
                                          REF("example.com", "TrainJob", "true"), "{}",
                                          "{\"metadata\":{\"ownerReferences\":{}}}" };
    for (size_t i = 0; i < TY_COUNT(others); i++)
        assert_true(ty_cache_project_owner(json_read(a, others[i]), NULL).n == 0);
}

static void test_a_child_is_only_who_it_is(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_json *kept = ty_cache_project(
        a, &ty_kind_secret, json_read(a, REF("trainer.kubeflow.org", "TrainJob", "true")));

    assert_true(ty_str_is(ty_json_str_at(kept, "kind"), "Secret"));
    assert_true(ty_str_is(ty_json_str_at(kept, "apiVersion"), "v1"));
    assert_true(ty_str_is(ty_json_str_at(kept, "metadata.uid"), "u"));
    assert_null(ty_json_get(kept, "data"));
    assert_null(ty_json_at(kept, "metadata.labels"));
    assert_null(
        ty_cache_project(a, &ty_kind_secret, json_read(a, REF("example.com", "TrainJob", "true"))));
}

static void test_runtimes_and_ranges_stay_whole(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_json *obj = json_read(
        a, "{\"metadata\":{\"name\":\"r\",\"managedFields\":[{}],\"annotations\":{\"k\":\"v\"}},"
           "\"spec\":{\"limits\":[1]}}");
    const struct ty_kind *const kinds[] = { &ty_kind_clustertrainingruntime, &ty_kind_limitrange,
                                            &ty_kind_runtimeclass };

    for (size_t i = 0; i < 3; i++) {
        struct ty_json *kept = ty_cache_project(a, kinds[i], obj);
        assert_non_null(ty_json_at(kept, "spec.limits"));
        assert_non_null(ty_json_at(kept, "metadata.annotations"));
        assert_null(ty_json_at(kept, "metadata.managedFields"));
    }
    assert_non_null(ty_json_at(obj, "metadata.managedFields")); /* the original is unchanged */
}

/* Which PodGroup must exist; one of another name is not ours. */
static void test_gangs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    static const struct {
        const char *meta, *gang;
    } rows[] = {
        { "\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"j\"}", "coscheduling" },
        { "\"annotations\":{\"scheduling.k8s.io/group-name\":\"j\"}", "volcano" },
        { "\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"other\"}", "" },
        { "", "" },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_json *obj = json_read(
            a, ty_arena_printf(a,
                               "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"replicatedJobs\":[{"
                               "\"template\":{\"spec\":{\"template\":{\"metadata\":{%s}}}}},{}]}}",
                               rows[i].meta));
        struct ty_json *kept = ty_cache_project(a, &ty_kind_jobset, obj);
        assert_true(ty_str_is(ty_json_str_at(kept, "spec.gang"), rows[i].gang));
    }
}

/* An object of another owner with the name of our child must be cached, not overwritten. */
static void test_namesakes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    static const struct {
        const struct ty_kind *kind;
        const char *name, *job;
    } rows[] = { { &ty_kind_configmap, "j-runtime-snapshot", "j" },
                 { &ty_kind_secret, "a-b-mpi-ssh-auth", "a-b" },
                 { &ty_kind_configmap, "-runtime-snapshot", "" },
                 { &ty_kind_configmap, "runtime-snapshot", "" },
                 { &ty_kind_secret, "token", "" },
                 { &ty_kind_jobset, "j", "j" },
                 { &ty_kind_podgroup_cosched, "j", "j" } };

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_str job = ty_cache_project_name_owner(rows[i].kind, ty_str(rows[i].name));
        assert_true(ty_str_is(job, rows[i].job));
        struct ty_json *obj =
            json_read(a, ty_arena_printf(a, "{\"metadata\":{\"name\":\"%s\"}}", rows[i].name));
        assert_int_equal(ty_cache_project(a, rows[i].kind, obj) != NULL, job.n > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_it_is),
        cmocka_unit_test(test_a_child_is_only_who_it_is),
        cmocka_unit_test(test_runtimes_and_ranges_stay_whole),
        cmocka_unit_test(test_gangs),
        cmocka_unit_test(test_namesakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
