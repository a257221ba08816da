#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/quantity.h"

#define CEILING ((size_t)1 << 20)

static struct ty_quantity parsed(const char *text)
{
    struct ty_quantity q = { 0 };
    if (!ty_quantity_parse(ty_str(text), &q))
        fail_msg("%s is not taken for a quantity", text);
    return q;
}

static void prints(struct ty_quantity q, const char *want)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_str got = ty_quantity_text(a, q);
    if (!ty_str_is(got, want))
        fail_msg("printed %.*s, wanted %s", TY_ARG(got), want);
}

/* All wanted texts were seen from k8s.io/apimachinery v0.36. */
static void test_canonical(void **state TY_UNUSED)
{
    static const char *const cases[][2] = {
        { "0", "0" },
        { "-0", "0" },
        { "0Ki", "0" },
        { "0.0Gi", "0" },
        { "1", "1" },
        { "2.5", "2500m" },
        { "-1.5", "-1500m" },
        { "1000m", "1" },
        { "1000", "1k" },
        { "100000", "100k" },
        { "1500k", "1500k" },
        { "1024Mi", "1Gi" },
        { "1.5Gi", "1536Mi" },
        { "0.5Gi", "512Mi" },
        { "0.5Ki", "512" },
        { "0.1Ki", "102400m" },
        { "0.0001Ki", "102400u" },
        { "1.1Mi", "1153433600m" },
        { "1023Ki", "1023Ki" },
        { "8Ki", "8Ki" },
        { "2048Ki", "2Mi" },
        { "12e6", "12e6" },
        { "1e3", "1e3" },
        { "1e5", "100e3" },
        { "15e2", "1500" },
        { "1.5e0", "1500e-3" },
        { "1e-3", "1e-3" },
        { "1E", "1E" },
        { "1E3", "1E3" },
        { ".5", "500m" },
        { "5.", "5." },
        { "1n", "1n" },
        { "0.1n", "1n" },
        { "-0.1n", "-1n" },
        { "1.0000000001", "1000000001n" },
        { "1e-100", "1e-9" },
        { "0.00000000000000001Ei", "11529215047n" },
    };
    for (size_t i = 0; i < TY_COUNT(cases); i++)
        prints(parsed(cases[i][0]), cases[i][1]);
}

/* Kubernetes keeps short texts that pass its guess of being canonical. */
static void test_kept(void **state TY_UNUSED)
{
    static const char *const same[] = { "+1",      "01",   "1.500", "1.234k", "+5Ki",
                                        "1.125e3", "007m", "1e+3",  "1.k",    "1e300" };
    for (size_t i = 0; i < TY_COUNT(same); i++)
        prints(parsed(same[i]), same[i]);
    prints(ty_quantity_add(parsed("0"), parsed("+1")), "1");
    prints(ty_quantity_mul(parsed("1.500"), 1), "1500m");
}

static void test_refused(void **state TY_UNUSED)
{
    static const char *const bad[] = {
        "",      "1i",  "1mi",   "1 ",    " 1",
        "1KiB",  "abc", "1.2.3", "--1",   "1-",
        "1e",    "1e+", "1e-",   "1e+-3", "1e++3",
        "1e1.5", "1ki", "1K",    "0x10",  "1e9999999999999999999",
        "1_000", "Ei",  "e-20",  "1e3m",
    };
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        struct ty_quantity q;
        if (ty_quantity_parse(ty_str(bad[i]), &q))
            fail_msg("%s is taken for a quantity", bad[i]);
    }
}

/* Not sensible, but what the API server accepts must not fail here. */
static void test_without_digits(void **state TY_UNUSED)
{
    static const char *const zeros[] = { "+", "-", ".", "k", "Ki", "Ti", "e3", "+.", "m" };
    for (size_t i = 0; i < TY_COUNT(zeros); i++)
        assert_true(parsed(zeros[i]).nano == 0);
}

static void test_ends(void **state TY_UNUSED)
{
    prints(parsed("8Ei"), "9223372036854775807");
    prints(parsed("99999999999999999999999Ki"), "9223372036854775807");
    prints(parsed("-9Ei"), "-9223372036854775807");
    prints(parsed("7Ei"), "7Ei");
    prints(parsed("1000E"), "1000E");
    prints(parsed("123456789012345678901234567890"), "100000000000E");
    prints(parsed("-10e299"), "-100e27");
    prints(ty_quantity_mul(parsed("1e29"), -2), "-100e27");
    prints(ty_quantity_add(parsed("9e28"), parsed("9e28")), "100e27");
    prints(ty_quantity_mul(parsed("8191Pi"), 2), "16382Pi");
    prints(ty_quantity_mul(parsed("4Ei"), 1024), "4096Ei");
}

static void test_value(void **state TY_UNUSED)
{
    assert_int_equal(ty_quantity_value(parsed("2.5")), 3);
    assert_int_equal(ty_quantity_value(parsed("700m")), 1);
    assert_int_equal(ty_quantity_value(parsed("-2.5")), -3);
    assert_int_equal(ty_quantity_value(parsed("8")), 8);
    assert_int_equal(ty_quantity_value(parsed("1Ki")), 1024);
    assert_int_equal(ty_quantity_value(parsed("1e28")), INT64_MAX);
    assert_int_equal(ty_quantity_value(parsed("-1e28")), INT64_MIN);
}

static void test_arithmetic(void **state TY_UNUSED)
{
    prints(ty_quantity_add(parsed("1Gi"), parsed("1G")), "2073741824");
    prints(ty_quantity_add(parsed("0"), parsed("1Gi")), "1Gi");
    prints(ty_quantity_add(parsed("1"), parsed("-1")), "0");
    prints(ty_quantity_add(parsed("500m"), parsed("1500m")), "2");
    prints(ty_quantity_mul(parsed("512Mi"), 4), "2Gi");
    prints(ty_quantity_mul(parsed("512Mi"), 0), "0");
    prints(ty_quantity_mul(parsed("-100m"), -10), "1");
    assert_true(ty_quantity_cmp(parsed("1Gi"), parsed("1G")) > 0);
    assert_true(ty_quantity_cmp(parsed("-1"), parsed("1n")) < 0);
    assert_true(ty_quantity_cmp(parsed("1000m"), parsed("1")) == 0);
}

static void test_json(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_quantity q;

    assert_true(ty_quantity_of(ty_json_int(a, 2000), &q));
    prints(q, "2k");
    assert_true(ty_quantity_of(ty_json_cstr(a, " 1.5Gi\n"), &q));
    prints(q, "1536Mi");
    struct ty_json *half = ty_json_parse(a, TY_LIT("0.5"), NULL, NULL);
    assert_true(ty_quantity_of(half, &q));
    assert_true(ty_str_is(ty_json_as_str(ty_quantity_json(a, q)), "500m"));
    assert_false(ty_quantity_of(NULL, &q));
    assert_false(ty_quantity_of(ty_json_null(a), &q));
    assert_false(ty_quantity_of(ty_json_bool(a, true), &q));
    assert_false(ty_quantity_of(ty_json_cstr(a, "many"), &q));
}

static void test_resources(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(CEILING);
    struct ty_json *into = ty_json_parse(a, TY_LIT("{\"memory\":\"1Gi\",\"cpu\":1}"), NULL, NULL);
    struct ty_json *from = ty_json_parse(
        a, TY_LIT("{\"cpu\":\"500m\",\"nvidia.com/gpu\":8,\"memory\":\"x\",\"a\":\"1.500\"}"), NULL,
        NULL);
    struct ty_str before = ty_json_text(a, from);

    ty_quantity_resources_add(a, into, from, 3);
    assert_string_equal(ty_json_text(a, into).p, "{\"a\":\"4500m\",\"cpu\":\"2500m\","
                                                 "\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"24\"}");
    assert_string_equal(ty_json_text(a, from).p, before.p);
    from = ty_json_parse(a, TY_LIT("{\"cpu\":\"2\",\"a\":5,\"b\":\"1\"}"), NULL, NULL);
    ty_quantity_resources_max(a, into, from);
    assert_string_equal(ty_json_text(a, into).p,
                        "{\"a\":\"5\",\"b\":\"1\",\"cpu\":\"2500m\",\"memory\":\"1Gi\","
                        "\"nvidia.com/gpu\":\"24\"}");
    struct ty_json *fresh = ty_json_object(a);
    ty_quantity_resources_add(a, fresh, ty_json_parse(a, TY_LIT("{\"x\":\"1.500\"}"), NULL, NULL),
                              1);
    assert_string_equal(ty_json_text(a, fresh).p, "{\"x\":\"1.500\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),  cmocka_unit_test(test_kept),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_without_digits),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_value),
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_json),
        cmocka_unit_test(test_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
