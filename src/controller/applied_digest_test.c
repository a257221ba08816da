/* Live objects below are as kube-apiserver 1.36 answered an apply of the wanted ones, shortened. */

#include "api/kind.h"
#include "controller/applied_digest.h"
#include "json/json_testing.h"

#define MANAGED(fields)                                                                            \
    "\"managedFields\":[{\"manager\":\"kubectl\",\"operation\":\"Update\",\"fieldsV1\":"           \
    "{\"f:spec\":{\"f:x\":{}}}},{\"manager\":\"trainer\",\"operation\":\"Apply\","                 \
    "\"subresource\":\"status\",\"fieldsV1\":{\"f:status\":{}}},{\"manager\":\"trainer\","         \
    "\"operation\":\"Apply\",\"fieldsV1\":" fields "}]"

static const char *const wanted_jobset =
    "{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"t\","
    "\"namespace\":\"default\",\"labels\":{\"a\":\"b\"},\"ownerReferences\":[{\"uid\":\"abc\","
    "\"kind\":\"TrainJob\",\"name\":\"t\"}]},\"spec\":{\"suspend\":true,\"replicatedJobs\":[{"
    "\"name\":\"node\",\"template\":{\"spec\":{\"template\":{\"metadata\":{},\"spec\":{"
    "\"containers\":[{\"name\":\"node\",\"command\":[\"a\",\"b\"],\"ports\":[{\"containerPort\":"
    "29500}],\"env\":[{\"name\":\"X\",\"value\":\"1\"}]}]}}}}}]}}";

#define FIELDS                                                                                     \
    "{\"f:metadata\":{\"f:labels\":{\"f:a\":{}},\"f:ownerReferences\":{\"k:{\\\"uid\\\":"          \
    "\\\"abc\\\"}\":{}}},\"f:spec\":{\"f:suspend\":{},\"f:replicatedJobs\":{\"k:{\\\"name\\\":"    \
    "\\\"node\\\"}\":{\".\":{},\"f:name\":{},\"f:template\":{\"f:spec\":{\"f:template\":{"         \
    "\"f:metadata\":{},\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"node\\\"}\":{\".\":{}," \
    "\"f:name\":{},\"f:command\":{},\"f:ports\":{\"k:{\\\"containerPort\\\":29500,\\\"protocol"    \
    "\\\":\\\"TCP\\\"}\":{\".\":{},\"f:containerPort\":{}}},\"f:env\":{\"k:{\\\"name\\\":\\\"X"    \
    "\\\"}\":{\".\":{},\"f:name\":{},\"f:value\":{}}}}}}}}}}}}}"

/* Defaults filled in, another manager's label in the pod template, members in another order. */
#define LIVE(more, command)                                                                        \
    "{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{"              \
    "\"labels\":{\"kueue\":\"q\",\"a\":\"b\"}," MANAGED(                                           \
        FIELDS) ",\"name\":\"t\",\"namespace\":\"default\",\"ownerReferences\":[{\"kind\":"        \
                "\"TrainJob\",\"name\":\"t\",\"uid\":\"abc\"}],\"uid\":\"u\"},\"spec\":{" more     \
                "\"replicatedJobs\":[{\"name\":\"node\",\"groupName\":\"default\",\"template\":{"  \
                "\"spec\":{\"backoffLimit\":6,\"template\":{\"metadata\":{\"labels\":{\"k\":"      \
                "\"q\"}},\"spec\":{\"restartPolicy\":\"OnFailure\",\"containers\":[{\"command\":"  \
                "[\"a\",\"" command "\"],\"env\":[{\"name\":\"X\",\"value\":\"1\"}],\"name\":"     \
                "\"node\",\"ports\":[{\"containerPort\":29500,\"protocol\":\"TCP\"}]}]}}}}}]}}"

static uint64_t live(struct ty_arena *a, const char *text)
{
    return ty_applied_digest_live(a, ty_kind_jobset.schema, json_read(a, text), "trainer");
}

static void test_what_was_applied_is_known_again(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    uint64_t want =
        ty_applied_digest_desired(a, ty_kind_jobset.schema, json_read(a, wanted_jobset));

    assert_true(want == live(a, LIVE("\"suspend\":true,", "b")));
}

static void test_a_changed_value_differs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    uint64_t same = live(a, LIVE("\"suspend\":true,", "b"));

    assert_false(same == live(a, LIVE("\"suspend\":false,", "b")));
    assert_false(same == live(a, LIVE("", "b")));
    assert_false(same == live(a, LIVE("\"suspend\":true,", "c"))); /* within an atomic list */
    /* fields of other managers are ignored */
    assert_true(same == live(a, LIVE("\"suspend\":true,\"ttlSecondsAfterFinished\":1,", "b")));
}

/* A field that is no longer wanted must be removed by an apply: the digests differ because it is
 * owned. */
static void test_a_field_too_many_differs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    const char *less = "{\"metadata\":{\"name\":\"t\"},\"data\":{\"a\":\"1\"}}";
    const char *more = "{\"metadata\":{\"name\":\"t\"," MANAGED(
        "{\"f:data\":{\"f:a\":{},\"f:b\":{}}}") "},\"data\":{\"a\":\"1\",\"b\":\"2\"}}";
    const char *same = "{\"metadata\":{\"name\":\"t\"," MANAGED(
        "{\"f:data\":{\"f:a\":{}}}") "},\"data\":{\"a\":\"1\",\"b\":\"2\"}}";
    uint64_t want = ty_applied_digest_desired(a, NULL, json_read(a, less));

    assert_false(want == ty_applied_digest_live(a, NULL, json_read(a, more), "trainer"));
    assert_true(want == ty_applied_digest_live(a, NULL, json_read(a, same), "trainer"));
}

/* A ConfigMap of n keys that `trainer` owns, in the order of their owners or in the opposite one.
 */
static struct ty_json *wide(struct ty_arena *a, int n, bool opposite)
{
    ty_auto_buf fields = { 0 }, data = { 0 }, all = { 0 };

    for (int i = 0; i < n; i++) {
        ty_buf_printf(&fields, "%s\"f:k%d\":{}", i ? "," : "", i);
        ty_buf_printf(&data, "%s\"k%d\":\"v\"", i ? "," : "", opposite ? n - 1 - i : i);
    }
    ty_buf_printf(&all, "{\"metadata\":{\"name\":\"t\",\"managedFields\":[{\"manager\":\"trainer\","
                        "\"operation\":\"Apply\",\"fieldsV1\":{\"f:data\":{");
    ty_buf_add(&all, ty_buf_str(&fields));
    ty_buf_cstr(&all, "}}}]},\"data\":{");
    ty_buf_add(&all, ty_buf_str(&data));
    ty_buf_cstr(&all, "}}");
    return json_read(a, ty_arena_cstr(a, ty_buf_str(&all)));
}

/* Thousands of fields are compared as long as that is cheap; else the digest is 0, which costs an
 * apply and not the time of the loop. */
static void test_wide_objects(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    uint64_t some = ty_applied_digest_live(a, NULL, wide(a, 1000, false), "trainer");

    assert_true(some != 0 &&
                some == ty_applied_digest_live(a, NULL, wide(a, 1000, true), "trainer"));
    assert_true(ty_applied_digest_live(a, NULL, wide(a, 20000, false), "trainer") != 0);
    assert_true(ty_applied_digest_live(a, NULL, wide(a, 20000, true), "trainer") == 0);
}

static void test_nothing_owned(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    const char *text = "{\"metadata\":{\"name\":\"t\"},\"data\":{\"a\":\"1\"}}";

    assert_true(ty_applied_digest_live(a, NULL, json_read(a, text), "trainer") == 0);
    assert_true(ty_applied_digest_live(a, NULL, NULL, "trainer") == 0);
    assert_false(ty_applied_digest_desired(a, NULL, json_read(a, "{}")) == 0);
    assert_true(live(a, LIVE("\"suspend\":true,", "b")) != 0);
}

#define TEMPLATE(job, pod)                                                                         \
    "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"replicatedJobs\":[{\"name\":\"node\","             \
    "\"template\":"                                                                                \
    "{" job "\"spec\":{\"template\":{" pod "}}}}]}}"
#define VOLUME "\"volumes\":[{\"emptyDir\":{},\"name\":\"v\"}]"

static const char *terse(struct ty_arena *a, const char *text)
{
    const struct ty_json *v =
        ty_applied_digest_normalize(a, ty_kind_jobset.schema, json_read(a, text));
    return ty_json_text(a, v).p;
}

/* kube-apiserver answers 422 (null) to "metadata":{} where labels in it were ours before. */
static void test_nothing_empty_is_applied(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    const char *full = TEMPLATE("\"metadata\":{\"labels\":{\"a\":\"b\"}},",
                                "\"spec\":{\"containers\":[{\"name\":\"node\"}]," VOLUME "}");

    assert_string_equal(
        terse(a, TEMPLATE("\"metadata\":{},", "\"metadata\":{},\"spec\":{\"containers\":[{\"name\":"
                                              "\"node\",\"resources\":{}}]," VOLUME "}")),
        TEMPLATE("", "\"spec\":{\"containers\":[{\"name\":\"node\"}]," VOLUME "}"));
    assert_string_equal(terse(a, full), full);
    assert_string_equal(terse(a, TEMPLATE("", "")), TEMPLATE("", "")); /* required: it stays */
    struct ty_json *v = json_read(a, TEMPLATE("\"metadata\":{},", ""));
    assert_ptr_equal(ty_applied_digest_normalize(a, NULL, v), v);
    ty_applied_digest_normalize(a, ty_kind_jobset.schema, v);
    assert_string_equal(ty_json_text(a, v).p, TEMPLATE("\"metadata\":{},", "")); /* a copy */
}

/* v2.3.0 owns empty structs: that alone causes no write. One more label does. */
static void test_empty_structs_are_not_compared(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    const struct ty_schema *s = ty_kind_jobset.schema;
    const struct ty_json *v = json_read(a, wanted_jobset);
    uint64_t want = ty_applied_digest_desired(a, s, v);
    struct ty_json *owned = json_read(a, LIVE("\"suspend\":true,", "b"));

    assert_true(ty_applied_digest_desired(a, s, ty_applied_digest_normalize(a, s, v)) == want);
    assert_true(ty_applied_digest_live(a, s, owned, "trainer") == want);
    struct ty_json *fields = ty_json_item(ty_json_at(owned, "metadata.managedFields"), 2);
    struct ty_json *job = ty_json_find(ty_json_at(fields, "fieldsV1.f:spec.f:replicatedJobs"),
                                       TY_LIT("k:{\"name\":\"node\"}"));
    struct ty_json *pod = ty_json_at(job, "f:template.f:spec.f:template.f:metadata");
    assert_true(ty_json_is(pod, TY_JSON_OBJECT) && pod->n == 0);
    ty_json_set(a, pod, "f:labels", json_read(a, "{\"f:k\":{}}"));
    assert_false(ty_applied_digest_live(a, s, owned, "trainer") == want);
}

/* Malformed managedFields: no crash, no field is found that does not exist, and the digest never
 * equals the desired one, so the object is applied. */
static void test_odd_fields(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    static const struct {
        const char *fields, *extract;
        bool owned;
    } rows[] = {
        { "{\"\":{}}", "{}", false },
        { "{\"f\":{}}", "{}", false },
        { "{\"f:\":{}}", "{}", true },
        { "{\"k:{\":{}}", "{}", true },
        { "{\"v:\":{}}", "{}", true },
        { "{\"i:0\":{}}", "{}", true },
        { "{\"f:spec\":[1,2]}", "{'spec':[1]}", false },
        { "{\"f:a\":1}", "{}", true },
        { "{\"f:metadata\":{\"f:finalizers\":{\"v:1\":{}}}}", "{'metadata':{}}", true },
        { "{\"k:[1]\":{\"f:a\":{}}}", "{}", true },
    };
    const struct ty_schema *s = ty_kind_jobset.schema;
    uint64_t want = ty_applied_digest_desired(a, s, json_read(a, wanted_jobset));

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const struct ty_json *obj = json_read(
            a, ty_arena_printf(a,
                               "{\"metadata\":{\"managedFields\":[{\"manager\":\"trainer\","
                               "\"operation\":\"Apply\",\"fieldsV1\":%s}]},\"spec\":[1]}",
                               rows[i].fields));
        uint64_t got = ty_applied_digest_live(a, s, obj, "trainer");
        assert_int_equal(got != 0, rows[i].owned);
        assert_false(got == want);
        assert_string_equal(json_show(a, ty_applied_digest_extract(a, s, obj, "trainer")),
                            rows[i].extract);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_applied_is_known_again),
        cmocka_unit_test(test_a_changed_value_differs),
        cmocka_unit_test(test_a_field_too_many_differs),
        cmocka_unit_test(test_wide_objects),
        cmocka_unit_test(test_nothing_owned),
        cmocka_unit_test(test_nothing_empty_is_applied),
        cmocka_unit_test(test_empty_structs_are_not_compared),
        cmocka_unit_test(test_odd_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
