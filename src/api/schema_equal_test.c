#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/gen/gen.h"
#include "api/schema_equal.h"

static void check(const struct ty_schema *s, const char *x, const char *y, bool want)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    const struct ty_json *v = ty_json_parse(a, ty_str(x), NULL, NULL);
    const struct ty_json *w = ty_json_parse(a, ty_str(y), NULL, NULL);

    assert_non_null(v);
    assert_non_null(w);
    if (ty_schema_equal(s, v, w) != want || ty_schema_equal(s, w, v) != want)
        fail_msg("%s and %s are %s", x, y, want ? "taken for different" : "taken for the same");
}

static void test_map_list(void **state TY_UNUSED)
{
    const struct ty_schema *ports = &ty_schema_list_ContainerPort_by_containerPort_protocol;

    check(ports,
          "[{\"containerPort\":1,\"protocol\":\"TCP\"},{\"containerPort\":1,\"protocol\":\"UDP\"}]",
          "[{\"containerPort\":1,\"protocol\":\"UDP\"},{\"containerPort\":1,\"protocol\":\"TCP\"}]",
          true);
    check(ports, "[{\"containerPort\":1,\"protocol\":\"TCP\"}]",
          "[{\"containerPort\":1,\"protocol\":\"UDP\"}]", false);
    check(ports, "[{\"containerPort\":1,\"protocol\":\"TCP\",\"name\":\"x\"}]",
          "[{\"containerPort\":1,\"protocol\":\"TCP\"}]", false);
    check(ports, "[{\"containerPort\":1}]", "[{\"containerPort\":1,\"protocol\":\"TCP\"}]", false);
    check(ports, "[]", "[{\"containerPort\":1,\"protocol\":\"TCP\"}]", false);
}

static void test_set_and_atomic(void **state TY_UNUSED)
{
    check(&ty_schema_list_int32_set, "[1,2]", "[2,1]", true);
    check(&ty_schema_list_int32_set, "[1,2]", "[1,3]", false);
    check(&ty_schema_list_string_atomic, "[\"a\",\"b\"]", "[\"b\",\"a\"]", false);
    check(&ty_schema_list_string_atomic, "[\"a\",\"b\"]", "[\"a\",\"b\"]", true);
}

static void test_deep(void **state TY_UNUSED)
{
    check(&ty_schema_PodSpec,
          "{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"x\"},{\"name\":\"y\"}]}]}",
          "{\"containers\":[{\"env\":[{\"name\":\"y\"},{\"name\":\"x\"}],\"name\":\"a\"}]}", true);
    check(&ty_schema_PodSpec, "{\"nodeSelector\":{\"a\":\"b\"}}",
          "{\"nodeSelector\":{\"a\":\"c\"}}", false);
    check(&ty_schema_PodSpec, "{\"hostname\":\"a\"}", "{\"subdomain\":\"a\"}", false);
    check(&ty_schema_PodSpec, "{\"unknown\":[1,2]}", "{\"unknown\":[2,1]}", false);
    check(&ty_schema_PodSpec, "[]", "{}", false);
    check(NULL, "[1]", "[1]", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_list),
        cmocka_unit_test(test_set_and_atomic),
        cmocka_unit_test(test_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
