#include "api/schema_testing.h"

static void knows_quantities(void **state TY_UNUSED)
{
    static const char *const good[] = { "0",   "1",    "+1.5e3", ".5Gi", "5.",   "1e+2",
                                        "-1k", "100m", "1E",     "1E5",  "1e.5", "3Ei" };
    static const char *const bad[] = { "",  ".",   "1ki",   "1e",  "1Ei2", "1K",
                                       "+", "4 c", "1.2.3", "1mm", "i",    "1e+" };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        if (!ty_schema_is_quantity(ty_str(good[i])))
            fail_msg("%s is a quantity", good[i]);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_schema_is_quantity(ty_str(bad[i])))
            fail_msg("%s is no quantity", bad[i]);
    assert_false(ty_schema_is_quantity((struct ty_str){ "1\0", 2 }));
}

static void knows_times(void **state TY_UNUSED)
{
    static const char *const good[] = { "2026-01-02T03:04:05Z", "2026-01-02t03:04:05z",
                                        "2024-02-29T23:59:59.123456+01:00",
                                        "0001-01-01T00:00:00-99:99" };
    static const char *const bad[] = { "",
                                       "yesterday",
                                       "2026-01-02",
                                       "2026-01-02T03:04:05",
                                       "2026-01-02 03:04:05Z",
                                       "2026-02-30T03:04:05Z",
                                       "2023-02-29T03:04:05Z",
                                       "2026-13-01T03:04:05Z",
                                       "2026-02-03T24:04:05Z",
                                       "2026-02-03T23:59:60Z",
                                       "2026-02-03T23:59:59.Z",
                                       "2026-02-03T23:59:59Zz",
                                       "2026-02-03T23:59:59+1:00" };

    for (size_t i = 0; i < TY_COUNT(good); i++)
        if (!ty_schema_is_date_time(ty_str(good[i])))
            fail_msg("%s is a time", good[i]);
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        if (ty_schema_is_date_time(ty_str(bad[i])))
            fail_msg("%s is no time", bad[i]);
}

/* Texts are those of Go 1.26's time.Parse. */
static void decodes_times_in_gos_words(void **state TY_UNUSED)
{
#define AS(v, rest, want)                                                                          \
    "parsing time \"" v "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"" rest                \
    "\" as \"" want "\""
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "2026-01-02T03:04:05Z", NULL },
        { "2026-01-02T03:04:05.25+01:00", NULL },
        { "x", AS("x", "x", "2006") },
        { "", AS("", "", "2006") },
        { "2026", AS("2026", "", "-") },
        { "2026-1-02", AS("2026-1-02", "1-02", "01") },
        { "2026-01-02 03:04:05Z", AS("2026-01-02 03:04:05Z", " 03:04:05Z", "T") },
        { "2026-01-02T03:04:05", AS("2026-01-02T03:04:05", "", "Z07:00") },
        { "2026-01-02T03:04:05z", AS("2026-01-02T03:04:05z", "z", "Z07:00") },
        { "2026-13-02T03:04:05Z", "parsing time \"2026-13-02T03:04:05Z\": month out of range" },
        { "2026-02-30T03:04:05Z", "parsing time \"2026-02-30T03:04:05Z\": day out of range" },
        { "2026-02-03T24:04:05Z", "parsing time \"2026-02-03T24:04:05Z\": hour out of range" },
        { "2026-02-03T03:04:05Zx", "parsing time \"2026-02-03T03:04:05Zx\": extra text: \"x\"" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_err err = { 0 };
        int r = ty_schema_decode_time(ty_str(cases[i].text), &err);
        assert_int_equal(r, cases[i].want ? -EINVAL : 0);
        assert_string_equal(err.text, cases[i].want ? cases[i].want : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_quantities),
        cmocka_unit_test(knows_times),
        cmocka_unit_test(decodes_times_in_gos_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
