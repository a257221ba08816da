/* What is extracted and applied again changes nothing, and gives nothing up. */
#include "api/kind.h"
#include "controller/applied_digest_testing.h"

#define JOBSET                                                                                     \
    "{'metadata':{'name':'j','labels':{'b':'1','a':'2'},'ownerReferences':[{'uid':'u','name':'t'}" \
    "]},'spec':{'suspend':true,'replicatedJobs':[{'name':'node','replicas':1,'template':{'spec':{" \
    "'template':{'metadata':{},'spec':{'nodeSelector':{'pool':'a'},'containers':[{'name':'z',"     \
    "'args':['2','1'],'env':[{'name':'Z','value':'1'},{'name':'<A>','value':'2'}],'ports':[{"      \
    "'containerPort':80,'protocol':'TCP'}]},{'name':'b'}]}}}}},{'name':'a'}]}}"

static struct ty_json *extract(struct ty_arena *a, const struct ty_json *live)
{
    return ty_applied_digest_extract(a, ty_kind_jobset.schema, live, "trainer");
}

static void test_all_that_was_applied(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_json *obj = json_of(a, JOBSET);
    const struct ty_json *got =
        extract(a, applied_stored(a, ty_kind_jobset.schema, obj, "trainer"));

    ty_json_del(ty_json_get(obj, "metadata"), TY_LIT("name")); /* names have no owner */
    assert_string_equal(json_show(a, got), json_show(a, obj)); /* the order of lists, too */
}

/* Go writes "k:{\"name\":\"\\u003cA\\u003e\"}". */
static void test_escaped_keys(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_json *live = json_of(
        a, "{'metadata':{'managedFields':[{'manager':'trainer','operation':'Apply','fieldsV1':{"
           "'f:spec':{'f:replicatedJobs':{'k:{\\'name\\':\\'\\\\u003cA\\\\u003e\\'}':{'.':{},"
           "'f:name':{}}}}}}]},'spec':{'replicatedJobs':[{'name':'<A>','replicas':1}]}}");

    assert_string_equal(json_show(a, extract(a, live)),
                        "{'spec':{'replicatedJobs':[{'name':'<A>'}]}}");
}

/* The API server has filled in the protocol, which is a key of the list. */
static void test_a_key_by_default(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_json *obj =
        json_of(a, "{'spec':{'replicatedJobs':[{'name':'a','template':{'spec':{'template':{'spec':{"
                   "'containers':[{'name':'c','ports':[{'containerPort':80}]}]}}}}}]}}");
    struct ty_json *live = applied_stored(a, ty_kind_jobset.schema, obj, "trainer");
    struct ty_json *job = ty_json_item(ty_json_at(live, "spec.replicatedJobs"), 0);
    struct ty_json *pod = ty_json_at(job, "template.spec.template.spec");
    struct ty_json *node = ty_json_item(ty_json_get(pod, "containers"), 0);

    ty_json_set(a, ty_json_item(ty_json_get(node, "ports"), 0), "protocol", ty_json_cstr(a, "TCP"));
    assert_string_equal(json_show(a, extract(a, live)), json_show(a, obj));
}

static void test_not_what_others_own(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_json *obj = json_of(a, "{'metadata':{'labels':{}},'spec':{'suspend':true}}");
    struct ty_json *live = applied_stored(a, ty_kind_jobset.schema, obj, "trainer");

    ty_json_set(a, ty_json_at(live, "metadata.labels"), "queue", ty_json_cstr(a, "q"));
    ty_json_set(a, ty_json_get(live, "spec"), "ttlSecondsAfterFinished", ty_json_int(a, 5));
    assert_string_equal(json_show(a, extract(a, live)),
                        "{'metadata':{'labels':{}},'spec':{'suspend':true}}");
}

static void test_nothing_is_owned(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);

    assert_string_equal(json_show(a, extract(a, json_of(a, JOBSET))), "{}");
    assert_string_equal(json_show(a, extract(a, applied_stored(a, ty_kind_jobset.schema,
                                                               json_of(a, JOBSET), "me"))),
                        "{}");
}

/* Fields that are owned and do not exist, path elements of another type than the value, and without
 * a name. */
static void test_fields_that_do_not_fit(void **state TY_UNUSED)
{
    static const char *const bad[] = {
        "{'f:spec':{'f:gone':{},'f:suspend':{'k:{\\'a\\':1}':{}}}}",
        "{'f:spec':{'f:replicatedJobs':{'k:not json':{},'v:1':{},'f:x':{}}}}",
        "{'':{},'f':{},'f:':{},'k:{}':{},'f:spec':'x'}",
        "[]",
        "'x'",
    };
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
        struct ty_json *live = json_of(a, JOBSET), *entry = json_of(a, "{'manager':'trainer',"
                                                                       "'operation':'Apply'}");
        struct ty_json *list = ty_json_array(a);
        ty_json_set(a, entry, "fieldsV1", json_of(a, bad[i]));
        ty_json_push(a, list, entry);
        ty_json_set(a, ty_json_get(live, "metadata"), "managedFields", list);
        assert_non_null(extract(a, live));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_that_was_applied),   cmocka_unit_test(test_escaped_keys),
        cmocka_unit_test(test_not_what_others_own),    cmocka_unit_test(test_nothing_is_owned),
        cmocka_unit_test(test_fields_that_do_not_fit), cmocka_unit_test(test_a_key_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
