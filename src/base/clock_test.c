#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static void test_text(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(4096);

    assert_true(ty_str_is(ty_time_text(a, 0), "1970-01-01T00:00:00Z"));
    assert_true(ty_str_is(ty_time_text(a, 1767323045), "2026-01-02T03:04:05Z"));
}

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {
        { "2026-01-02T03:04:05Z", 1767323045 },
        { "2026-01-02T03:04:05.999999Z", 1767323045 },
        { "2026-01-02T05:04:05+02:00", 1767323045 },
        { "2026-01-01T23:34:05-03:30", 1767323045 },
        { "1969-12-31T23:59:59Z", -1 },
    };
    static const char *const bad[] = { "",
                                       "yesterday",
                                       "2026-01-02",
                                       "2026-01-02T03:04:05",
                                       "2026-13-02T03:04:05Z",
                                       "2026-01-02T03:04:05 UTC" };
    int64_t got = 0;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(ty_time_parse(ty_str(good[i].text), &got));
        assert_int_equal(got, good[i].want);
    }
    got = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(ty_time_parse(ty_str(bad[i]), &got));
    assert_int_equal(got, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_text), cmocka_unit_test(test_parse) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
