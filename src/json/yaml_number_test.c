/* Numbers: what looks like one, and that Go's shortest form is found for any float64. */
#include "json/yaml_inner.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void likeness(void **state TY_UNUSED)
{
    const char *like[] = { "1",
                           "+1",
                           "0x1F",
                           "0o7",
                           "017",
                           "0b1",
                           "1.0",
                           ".5",
                           "5.",
                           "1e3",
                           "1e400",
                           "1_000",
                           "._5",
                           "12:30",
                           "1:2:3",
                           "-1:30.5",
                           "2001-01-01",
                           "2001-1-1T0:0:0Z",
                           "08",
                           "0888",
                           "-0",
                           "1_000:30",
                           "+12e03",
                           "00",
                           "99999999999999999999",
                           "0xFFFFFFFFFFFFFFFFFF" };
    const char *unlike[] = { "",      "a",      "1a",         "10Gi", "1.2.3", "127.0.0.1", "0x",
                             "1e",    "12:",    "12:3a",      ":1",   "-",     "+",         "v1",
                             "2001-", "20-1-1", "2001-123-1", "0b2",  "0xg",   "e3",        "1 2" };
    for (size_t i = 0; i < TY_COUNT(like); i++)
        if (!ty_yaml_number_like(ty_str(like[i])))
            fail_msg("%s is like a number", like[i]);
    for (size_t i = 0; i < TY_COUNT(unlike); i++)
        if (ty_yaml_number_like(ty_str(unlike[i])))
            fail_msg("%s is not like a number", unlike[i]);
}

/* The printed form reads back as the same number, in the same form. */
static void fixed_point(void **state TY_UNUSED)
{
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        double d = 0;
        char text[64];
        struct ty_json once = { 0 }, again = { 0 };
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&d, &bits, sizeof(d));
        snprintf(text, sizeof(text), "%.17g", d);
        if (!ty_yaml_number_parse(a, ty_str(text), &once))
            continue; /* nan, inf */
        struct ty_str printed = ty_json_text(a, &once);
        assert_true(strtod(printed.p, NULL) == d);
        assert_true(ty_yaml_number_parse(a, printed, &again));
        assert_true(ty_json_eq(&once, &again));
    }
}

static void long_texts(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_json v = { 0 };
    char ones[2001];
    memset(ones, '1', sizeof(ones));
    assert_true(ty_yaml_number_parse(a, (struct ty_str){ ones, 300 }, &v));
    assert_int_equal(v.type, TY_JSON_NUMBER);
    assert_false(ty_yaml_number_parse(a, (struct ty_str){ ones, 1000 }, &v)); /* beyond float64 */
    assert_false(ty_yaml_number_parse(a, (struct ty_str){ ones, 2000 }, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likeness),
        cmocka_unit_test(fixed_point),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
