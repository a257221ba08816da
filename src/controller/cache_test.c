#include "controller/cache_testing.h"

#include "base/budget.h"

#define OWNER(uid)                                                                                 \
    "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/"                                 \
    "v1alpha1\",\"kind\":\"TrainJob\","                                                            \
    "\"name\":\"j\",\"uid\":\"" uid "\",\"controller\":true}]"
#define SNAPSHOT(name, version)                                                                    \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"a\",\"uid\":\"" name                     \
    "\",\"resourceVersion\":\"" version "\"," OWNER("u1") "}}"
#define JOBSET(uid, version, status)                                                               \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"" uid                             \
    "\",\"resourceVersion\":\"" version "\"," OWNER(                                               \
        "u1") ",\"managedFields\":[{\"manager\":\"trainer\",\"operation\":\"Apply\","              \
              "\"fieldsV1\":{\"f:spec\":{\"f:suspend\":{}}}}]},\"spec\":{\"suspend\":true,"        \
              "\"replicatedJobs\":[{\"name\":\"node\",\"template\":{\"spec\":{\"template\":{"      \
              "\"spec\":{\"volumes\":[{\"name\":\"h\",\"configMap\":{\"name\":\"j-hosts\"}},{"     \
              "\"name\":\"s\",\"secret\":{\"secretName\":\"j-ssh\"}},{\"name\":\"e\","             \
              "\"emptyDir\":{}}]}}}}}]},\"status\":" status "}"

static void test_a_jobset_is_cut_down(void **state)
{
    struct fixture *f = *state;
    const struct ty_cached *o = tell(f, &ty_kind_jobset, JOBSET("s1", "7", "{\"restarts\":1}"));

    assert_non_null(o);
    assert_string_equal(o->job, "j");
    assert_string_equal(o->job_uid, "u1");
    assert_true(o->id.version == 7 && o->owned_digest != 0);
    struct ty_json *kept = ty_cache_parse(f->a, o);
    assert_true(ty_json_true_at(kept, "spec.suspend"));
    assert_null(ty_json_at(kept, "spec.replicatedJobs"));
    assert_null(ty_json_at(kept, "metadata.managedFields"));
    assert_int_equal(ty_json_len(ty_json_at(kept, "spec.mounts")), 2);
    int64_t n = 0;
    assert_true(ty_json_int_at(kept, "status.restarts", &n) && n == 1);
}

static void test_what_nobody_of_ours_owns_is_not_kept(void **state)
{
    struct fixture *f = *state;

    assert_null(tell(f, &ty_kind_configmap, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"a\"}}"));
    assert_int_equal(ty_cache_count(f->w, NULL), 0);
    /* it belonged to a TrainJob, and no longer does */
    tell(f, &ty_kind_configmap, SNAPSHOT("x", "1"));
    assert_null(tell(f, &ty_kind_configmap, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"a\"}}"));
    assert_int_equal(ty_cache_count(f->w, NULL), 0);
}

static void test_a_trainjob_keeps_all_but_copies(void **state)
{
    struct fixture *f = *state;
    const struct ty_cached *o =
        tell(f, &ty_kind_trainjob,
             "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"u1\",\"annotations\":{"
             "\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\",\"k\":\"v\"},"
             "\"managedFields\":[{}]},\"spec\":{\"suspend\":true}}");
    struct ty_json *kept = ty_cache_parse(f->a, o);

    assert_true(ty_str_is(ty_json_str_at(kept, "kind"), "TrainJob"));
    assert_int_equal(ty_json_len(ty_json_at(kept, "metadata.annotations")), 1);
    assert_null(ty_json_at(kept, "metadata.managedFields"));
    assert_true(ty_json_true_at(kept, "spec.suspend"));
}

#define JOB(meta, spec, status)                                                                    \
    "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"u1\"" meta "},\"spec\":{" spec    \
    "}" status "}"

/* The order of members and the status do not matter. */
static void test_the_digest_of_a_spec(void **state)
{
    struct fixture *f = *state;
    static const char *const others[] = {
        JOB("", "\"suspend\":false,\"trainer\":{}", ""),
        JOB("", "\"suspend\":true", ""),
        JOB(",\"labels\":{\"k\":\"v\"}", "\"suspend\":true,\"trainer\":{}", ""),
        JOB(",\"annotations\":{\"k\":\"v\"}", "\"suspend\":true,\"trainer\":{}", ""),
    };
    struct ty_cached was =
        *tell(f, &ty_kind_trainjob, JOB("", "\"suspend\":true,\"trainer\":{}", ""));
    struct ty_cached now = *tell(f, &ty_kind_trainjob,
                                 JOB(",\"generation\":2", "\"trainer\":{},\"suspend\":true",
                                     ",\"status\":{\"conditions\":[]}"));

    assert_true(was.spec_digest == now.spec_digest);
    for (size_t i = 0; i < TY_COUNT(others); i++) {
        now = *tell(f, &ty_kind_trainjob, others[i]);
        assert_true(was.spec_digest != now.spec_digest);
    }
}

static void test_drop_knows_who_is_meant(void **state)
{
    struct fixture *f = *state;
    struct ty_str ns = TY_LIT("a"), name = TY_LIT("j");

    tell(f, &ty_kind_jobset, JOBSET("s2", "7", "{}"));
    assert_false(ty_cache_delete(f->w, &ty_kind_jobset, ns, name, TY_LIT("s1")));
    assert_non_null(ty_cache_get(f->w, &ty_kind_jobset, ns, name));
    assert_true(ty_cache_delete(f->w, &ty_kind_jobset, ns, name, TY_LIT("s2")));
    assert_null(ty_cache_get(f->w, &ty_kind_jobset, ns, name));
    assert_false(ty_cache_delete(f->w, &ty_kind_jobset, ns, name, TY_LIT("s2")));
}

static void test_settled_until_somebody_writes(void **state)
{
    struct fixture *f = *state;
    const struct ty_cached *o = tell(f, &ty_kind_jobset, JOBSET("s1", "7", "{}"));

    ty_cache_set_applied(f->w, o, 42);
    o = tell(f, &ty_kind_jobset, JOBSET("s1", "7", "{}"));
    assert_true(o->applied_digest == 42 && o->applied_version == o->id.version);
    o = tell(f, &ty_kind_jobset, JOBSET("s1", "8", "{}"));
    assert_true(o->applied_digest == 42 && o->applied_version != o->id.version);
    ty_cache_set_in_sync(f->w, o, 43);
    /* After a restore from a backup the same versions are used again, for other writes. */
    o = tell(f, &ty_kind_jobset, JOBSET("s1", "5", "{}"));
    assert_true(o->applied_digest == 0 && o->applied_version == 0 && o->in_sync_digest == 0);
    ty_cache_set_applied(f->w, o, 42);
    o = tell(f, &ty_kind_jobset, JOBSET("other", "9", "{}"));
    assert_true(o->applied_digest == 0 && o->applied_version == 0);
}

static void test_equal_bodies_are_kept_once(void **state)
{
    struct fixture *f = *state;
    struct ty_str data = TY_LIT("{\"runtime\":\"a rather long text that two jobs share\"}");
    const struct ty_cached *one = tell(f, &ty_kind_configmap, SNAPSHOT("x", "1"));
    const struct ty_cached *two = tell(f, &ty_kind_configmap, SNAPSHOT("y", "2"));

    ty_cache_set_data(f->w, one, data);
    size_t bytes = ty_cache_bytes(f->w);
    ty_cache_set_data(f->w, two, data);
    assert_ptr_equal(one->body, two->body);
    assert_int_equal(ty_cache_bytes(f->w), bytes);
    assert_true(ty_json_at(ty_cache_parse(f->a, two), "data.runtime") != NULL);
    /* another client wrote: the stored data may be old */
    one = tell(f, &ty_kind_configmap, SNAPSHOT("x", "3"));
    assert_null(one->body);
    assert_non_null(two->body);
    ty_cache_set_data(f->w, two, (struct ty_str){ 0 });
    assert_null(two->body);
    assert_true(ty_cache_bytes(f->w) < bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, up, down)
/* A TrainJob whose annotation and trainer are this long. */
static const char *long_job(struct fixture *f, size_t n, const char *version)
{
    char *fill = ty_arena_alloc(f->a, n + 1, 1);

    memset(fill, 'x', n);
    return ty_arena_printf(
        f->a,
        "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"u1\","
        "\"resourceVersion\":\"%s\",\"annotations\":{\"k\":\"%s\"}},\"spec\":{\"suspend\":true,"
        "\"runtimeRef\":{\"name\":\"rt\"},\"trainer\":{\"image\":\"%s\"}},"
        "\"status\":{\"conditions\":[{\"type\":\"Suspended\"}]}}",
        version, fill, fill);
}

/* Members that are read for every cached object stay; others are fetched by the reconcile that
 * needs them. */
static void test_a_large_object_is_kept_in_part(void **state)
{
    struct fixture *f = *state;
    const struct ty_cached *o = tell(f, &ty_kind_trainjob, long_job(f, 1 << 20, "5"));

    assert_true(o->partial && o->spec_digest && o->id.version == 5);
    assert_true(ty_cache_bytes(f->w) < TY_CACHE_WHOLE);
    const struct ty_json *kept = ty_cache_parse(f->a, o);
    assert_true(ty_json_true_at(kept, "spec.suspend"));
    assert_true(ty_str_is(ty_json_str_at(kept, "spec.runtimeRef.name"), "rt"));
    assert_int_equal(ty_json_len(ty_json_at(kept, "status.conditions")), 1);
    assert_true(ty_json_is(ty_json_at(kept, "spec.trainer"), TY_JSON_NULL));
    assert_true(ty_json_is(ty_json_at(kept, "metadata.annotations"), TY_JSON_NULL));
    tell(f, &ty_kind_trainjob, long_job(f, 1 << 20, "6"));
    o = tell(f, &ty_kind_trainjob, long_job(f, 10, "7"));
    assert_false(o->partial);
    ty_cache_set_partial(f->w, o);
    assert_true(o->partial);
}

/* When the cache takes half of the budget, it stores less of each object. */
static void test_a_full_cache_keeps_less(void **state)
{
    struct fixture *f = *state;
    struct ty_budget b = { .ceiling = 60000 };

    ty_cache_set_budget(f->w, &b);
    size_t before = b.used;
    assert_false(tell(f, &ty_kind_trainjob, long_job(f, 10000, "5"))->partial);
    assert_true(b.used > before + 20000);
    struct ty_json *other = json_read(f->a, long_job(f, 10000, "5"));
    for (int i = 0; i < 5; i++) {
        ty_json_set(f->a, ty_json_get(other, "metadata"), "name", ty_json_strf(f->a, "j%d", i));
        ty_cache_put(f->w, &ty_kind_trainjob, other);
    }
    assert_true(ty_cache_get(f->w, &ty_kind_trainjob, TY_LIT("a"), TY_LIT("j4"))->partial);
    assert_true(b.used < b.ceiling);
    ty_cache_free(f->w);
    assert_int_equal(b.used, 0);
    f->w = ty_cache_new();
}

static void test_a_large_body_is_not_kept(void **state)
{
    struct fixture *f = *state;
    const struct ty_cached *o = tell(f, &ty_kind_configmap, SNAPSHOT("x", "1"));
    struct ty_str text = { ty_arena_alloc(f->a, TY_CACHE_WHOLE + 1, 1), TY_CACHE_WHOLE + 1 };

    assert_false(ty_cache_set_data(f->w, o, text));
    assert_null(o->body);
    assert_true(ty_cache_set_data(f->w, o, TY_LIT("{}")));
    assert_non_null(o->body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_jobset_is_cut_down),
        TEST(test_what_nobody_of_ours_owns_is_not_kept),
        TEST(test_a_trainjob_keeps_all_but_copies),
        TEST(test_the_digest_of_a_spec),
        TEST(test_drop_knows_who_is_meant),
        TEST(test_settled_until_somebody_writes),
        TEST(test_equal_bodies_are_kept_once),
        TEST(test_a_large_object_is_kept_in_part),
        TEST(test_a_full_cache_keeps_less),
        TEST(test_a_large_body_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
