#include "api/schema_testing.h"

static void helps_with_types(void **state TY_UNUSED)
{
    static const struct ty_schema integer = { .type = TY_T_INTEGER };
    static const struct ty_schema boolean = { .type = TY_T_BOOLEAN };
    static const struct ty_schema text = { .type = TY_T_STRING };
    static const struct ty_schema texts = { .type = TY_T_ARRAY, .items = &text };
    static const struct ty_schema envs = { .type = TY_T_ARRAY, .items = &ty_schema_EnvVar };
    static const struct ty_schema quantity = { .type = TY_T_QUANTITY };
    static const struct ty_schema time = { .type = TY_T_TIME };
    static const struct {
        const struct ty_schema *s;
        const char *json, *want;
    } cases[] = {
        { &integer, "'4'", "write 4 without quotes" },
        { &integer, "'many'", "write a number" },
        { &integer, "1.5", "write a whole number" },
        { &integer, "true", NULL },
        { &boolean, "'Yes'", "write true without quotes" },
        { &boolean, "'off'", "write false without quotes" },
        { &boolean, "'maybe'", "write true or false" },
        { &boolean, "1", "write true or false" },
        { &text, "5", "write \"5\" in quotes" },
        { &text, "true", "put it in quotes: YAML reads yes, on and true as a boolean" },
        { &text, "false", "put it in quotes: YAML reads no, off and false as a boolean" },
        { &text, "[]", NULL },
        { &texts, "'--lr 1'", "write a list: [\"--lr 1\"]" },
        { &envs, "{'name':'A'}", "write a list: one item a line, each after \"- \"" },
        { &envs, "'A=b'", "write a list: one item a line, each after \"- \"" },
        { &ty_schema_EnvVar, "'A=b=c'", "write {name: A, value: \"b=c\"}" },
        { &ty_schema_EnvVar, "'A'", NULL },
        { &ty_schema_PodSpec, "'A=b'", NULL },
        { &quantity, "'many'", "write a quantity such as 2, 500m or 16Gi" },
        { &quantity, "'1.5 hours'", "write a quantity such as 2, 500m or 16Gi" },
        { &quantity, "'GB'", "write a quantity such as 2, 500m or 16Gi" },
        { &quantity, "''", "write a quantity such as 2, 500m or 16Gi" },
        { &quantity, "'10GB'", "use 10G or 10Gi" },
        { &quantity, "'512MB'", "use 512M or 512Mi" },
        { &quantity, "'512mb'", "use 512M or 512Mi" },
        { &quantity, "'100 KB'", "use 100k or 100Ki" },
        { &quantity, "'10K'", "use 10k or 10Ki" },
        { &quantity, "'1.5GiB'", "use 1.5Gi" },
        { &quantity, "'8 Gi'", "use 8Gi" },
        { &quantity, "'8gi'", "use 8Gi" },
        { &quantity, "' 8 '", "use 8" },
        { &quantity, "'4 cores'", "use 4" },
        { &quantity, "'0.5cpu'", "use 0.5" },
        { &quantity, "'64 bytes'", "use 64" },
        { &quantity, "1.5", "write \"1.5\" in quotes" },
        { &time, "'now'", "write a time such as 2026-01-31T12:00:00Z" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 16);
        const char *got = ty_schema_hint_type(a, cases[i].s, parse(a, cases[i].json));
        assert_string_equal(got ? got : "-", cases[i].want ? cases[i].want : "-");
    }
}

static void knows_near_words(void **state TY_UNUSED)
{
    static const char *const words[] = { "hard", "soft", "", NULL };
    static const struct ty_schema mode = { .type = TY_T_STRING, .enums = words };
    ty_auto_arena *a = ty_arena_new(1 << 16);

    assert_string_equal(ty_schema_hint_enum(a, &mode, parse(a, "'Hard'")),
                        "did you mean \"hard\"?");
    assert_string_equal(ty_schema_hint_enum(a, &mode, parse(a, "'sotf'")),
                        "did you mean \"soft\"?");
    assert_null(ty_schema_hint_enum(a, &mode, parse(a, "'medium'")));
    assert_null(ty_schema_hint_enum(a, &mode, parse(a, "5")));
}

static const struct ty_schema *schema_at(const struct ty_schema *s, const char *const *keys)
{
    for (; *keys; keys++) {
        s = ty_schema_member(s, ty_str(*keys));
        while (s->type == TY_T_ARRAY)
            s = s->items;
    }
    return s;
}

/* The hint for `key` below spec.trainer of a TrainJob. */
static const char *in_trainer(struct ty_arena *a, const char *key)
{
    const struct ty_field_path *spec = TY_KEY(NULL, "spec"), *trainer = TY_KEY(spec, "trainer");
    const char *const way[] = { "spec", "trainer", NULL };
    const struct ty_schema_hint_scope top = { NULL, &ty_schema_TrainJob, NULL };
    const struct ty_schema_hint_scope mid = { &top,
                                              ty_schema_member(&ty_schema_TrainJob, ty_str("spec")),
                                              spec };
    const struct ty_schema_hint_scope low = { &mid, schema_at(&ty_schema_TrainJob, way), trainer };
    const char *hint = ty_schema_hint_unknown(a, &low, ty_str(key));

    return hint ? hint : "-";
}

static void finds_where_a_field_belongs(void **state TY_UNUSED)
{
    static const struct {
        const char *key, *want;
    } cases[] = {
        { "numnodes", "did you mean spec.trainer.numNodes?" },
        { "NumNodes", "did you mean spec.trainer.numNodes?" },
        { "resources", "did you mean spec.trainer.resourcesPerNode?" },
        { "suspend", "did you mean spec.suspend?" },
        { "runtimeRef", "did you mean spec.runtimeRef?" },
        { "limits", "did you mean spec.trainer.resourcesPerNode.limits?" },
        { "valueFrom", "did you mean spec.trainer.env[].valueFrom?" },
        { "storageUri", "did you mean spec.initializer.dataset.storageUri?" },
        { "zzzzzzzzzz", "-" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        assert_string_equal(in_trainer(a, cases[i].key), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helps_with_types),
        cmocka_unit_test(knows_near_words),
        cmocka_unit_test(finds_where_a_field_belongs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
