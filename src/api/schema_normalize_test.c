/* tests/schema/typed.json holds objects and how Go wrote them after reading them into the types of
 * Kubeflow Trainer v2.3.0. */
#include "api/schema_testing.h"

static void writes_what_go_writes(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *cases = json_file(a, "tests/schema/typed.json");
    size_t seen = 0;

    ty_each_item (it, cases) {
        const struct ty_json *obj = ty_json_get(*it, "object"), *want = ty_json_get(*it, "typed");
        if (!want)
            continue;
        struct ty_json *got = ty_schema_normalize(a, ty_kind_of(obj)->schema, obj);
        if (!ty_json_eq(got, want))
            fail_msg("want %s\n got %s", json_show(a, want), json_show(a, got));
        /* What Go wrote is as it should be. */
        assert_true(ty_json_eq(ty_schema_normalize(a, ty_kind_of(obj)->schema, want), want));
        seen++;
    }
    assert_true(seen > 20);
}

static const char *pod(struct ty_arena *a, const char *json)
{
    return json_show(a, ty_schema_normalize(a, &ty_schema_PodSpec, parse(a, json)));
}

static void follows_gos_order_and_habits(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);

    assert_string_equal(pod(a, "{'serviceAccountName':'s','unknown':1,'hostNetwork':false,"
                               "'containers':[{'image':'i','name':'n','args':[]}],'volumes':[]}"),
                        "{'containers':[{'name':'n','image':'i','resources':{}}],"
                        "'serviceAccountName':'s'}");
    assert_string_equal(pod(a, "{'containers':[{'name':'n','resources':{'limits':{'cpu':2.5,"
                               "'memory':'1024Mi','x':null}},'args':[null],'env':[null]}]}"),
                        "{'containers':[{'name':'n','args':[''],'env':[{'name':''}],'resources':"
                        "{'limits':{'cpu':'2500m','memory':'1Gi','x':'0'}}}]}");
    assert_string_equal(pod(a, "{'terminationGracePeriodSeconds':30.0,'tolerations':[{}],"
                               "'securityContext':{},'nodeSelector':{}}"),
                        "{'terminationGracePeriodSeconds':30,'securityContext':{},"
                        "'tolerations':[{}]}");
}

static void keeps_places_and_leaves_the_input_alone(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json *v = parse(a, "{\n'containers':[\n{'name':'n','resources':{'limits':\n{'cpu':"
                                 "\n'1000m'}}}]}");
    const char *before = json_show(a, v);

    ty_json_set_origin(v, 7);
    struct ty_json *n = ty_schema_normalize(a, &ty_schema_PodSpec, v);
    const struct ty_json *c = ty_json_item(ty_json_get(n, "containers"), 0);
    const struct ty_json *cpu = ty_json_at(c, "resources.limits.cpu");
    assert_string_equal(json_show(a, cpu), "'1'");
    assert_int_equal(cpu->line, 5);
    assert_int_equal(cpu->origin, 7);
    assert_int_equal(c->line, 3);
    ty_json_set(a, ty_json_at(c, "resources.limits"), "cpu", ty_json_int(a, 9));
    assert_string_equal(json_show(a, v), before);
}

static void finds_fields(void **state TY_UNUSED)
{
    assert_string_equal(ty_schema_field(&ty_schema_EnvVar, TY_LIT("value"))->name, "value");
    assert_string_equal(ty_schema_field(&ty_schema_EnvVar, TY_LIT("valueFrom"))->name, "valueFrom");
    assert_null(ty_schema_field(&ty_schema_EnvVar, TY_LIT("val")));
    assert_null(ty_schema_field(&ty_schema_EnvVar, TY_LIT("values")));
    assert_null(ty_schema_field(&ty_schema_EnvVar, TY_LIT("")));
    assert_null(ty_schema_field(&ty_schema_EnvVar, (struct ty_str){ "name\0more", 9 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_go_writes),
        cmocka_unit_test(follows_gos_order_and_habits),
        cmocka_unit_test(keeps_places_and_leaves_the_input_alone),
        cmocka_unit_test(finds_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
