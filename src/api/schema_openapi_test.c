#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/gen/gen.h"
#include "api/rule_jobset.h"

static void check(const struct ty_schema *s, const char *want)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_str got = ty_json_text(a, ty_schema_openapi(a, s));

    assert_string_equal(got.p, want);
}

static void test_scalars(void **state TY_UNUSED)
{
    static const char *const words[] = { "a", "b", NULL };
    const struct ty_schema bounded = { .type = TY_T_INTEGER,
                                       .format = "int32",
                                       .has_min = true,
                                       .min = 0,
                                       .has_max = true,
                                       .max = 9 };
    const struct ty_schema word = { .type = TY_T_STRING,
                                    .enums = words,
                                    .min_len = 1,
                                    .max_len = 2,
                                    .pattern = "^x$",
                                    .nullable = true };

    check(&bounded, "{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":0,\"maximum\":9}");
    check(&word,
          "{\"type\":\"string\",\"pattern\":\"^x$\",\"nullable\":true,\"enum\":[\"a\",\"b\"],"
          "\"minLength\":1,\"maxLength\":2}");
    check(&ty_schema_time, "{\"type\":\"string\",\"format\":\"date-time\"}");
    check(&ty_schema_int_or_string, "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}],"
                                    "\"x-kubernetes-int-or-string\":true}");
    check(&ty_schema_any, "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}");
}

static void test_lists_and_maps(void **state TY_UNUSED)
{
    const struct ty_schema few = { .type = TY_T_ARRAY,
                                   .items = &ty_schema_bool,
                                   .min_items = 1,
                                   .max_items = 3,
                                   .list_set = true };

    check(&few,
          "{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{\"type\":\"boolean\"},"
          "\"x-kubernetes-list-type\":\"set\"}");
    check(&ty_schema_map_string_atomic,
          "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
          "\"x-kubernetes-map-type\":\"atomic\"}");
    check(&ty_schema_list_ResourceClaim_by_name,
          "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
          "\"string\"},\"request\":{\"type\":\"string\"}},\"required\":[\"name\"]},"
          "\"x-kubernetes-list-map-keys\":[\"name\"],\"x-kubernetes-list-type\":\"map\"}");
}

static void test_objects(void **state TY_UNUSED)
{
    static const struct ty_rule rules[] = {
        { .cel = "self == oldSelf", .message = "no", .transition = true, .ok = ty_rule_unchanged },
        { .cel = NULL },
    };
    static const struct ty_field fields[] = {
        { .name = "metadata", .schema = &ty_schema_metadata, .doc = "not told" },
        { .name = "n",
          .schema = &ty_schema_int,
          .flags = TY_F_REQUIRED,
          .def = "1",
          .doc = "told" },
        { .name = NULL },
    };
    static const struct ty_field none[] = { { .name = NULL } };
    const struct ty_schema obj = {
        .type = TY_T_OBJECT, .fields = fields, .rules = rules, .min_props = 1, .doc = "all"
    };
    const struct ty_schema empty = { .type = TY_T_OBJECT, .fields = none };

    check(&obj, "{\"type\":\"object\",\"description\":\"all\",\"minProperties\":1,\"properties\":{"
                "\"metadata\":{\"type\":\"object\"},\"n\":{\"type\":\"integer\",\"description\":"
                "\"told\",\"default\":1}},\"required\":[\"n\"],\"x-kubernetes-validations\":[{"
                "\"message\":\"no\",\"rule\":\"self == oldSelf\"}]}");
    check(&empty, "{\"type\":\"object\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_lists_and_maps),
        cmocka_unit_test(test_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
