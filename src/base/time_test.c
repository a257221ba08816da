#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/time.h"

static void test_text(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(4096);

    assert_true(ty_str_is(ty_time_text(a, 0), "1970-01-01T00:00:00Z"));
    assert_true(ty_str_is(ty_time_text(a, 1767323045), "2026-01-02T03:04:05Z"));
    assert_true(ty_str_is(ty_time_text(a, -62135596800), "0001-01-01T00:00:00Z"));
    assert_true(ty_str_is(ty_time_text(a, 253402304399), "10000-01-01T00:59:59Z"));
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

    for (size_t i = 0; i < TY_COUNT(good); i++) {
        assert_true(ty_time_parse(ty_str(good[i].text), &got));
        assert_int_equal(got, good[i].want);
    }
    got = 7;
    for (size_t i = 0; i < TY_COUNT(bad); i++)
        assert_false(ty_time_parse(ty_str(bad[i]), &got));
    assert_int_equal(got, 7);
}

static void is_duration(const char *text, int64_t want_ns)
{
    int64_t ns = 42;
    assert_true(ty_time_parse_duration(ty_str(text), &ns));
    assert_true(ns == want_ns);
}

static void test_durations(void **state)
{
    (void)state;
    is_duration("0", 0);
    is_duration("15s", 15000000000);
    is_duration("1m30s", 90000000000);
    is_duration("1h15m30.918273645s", 4530918273645);
    is_duration("1.5h", 5400000000000);
    is_duration("-2ms", -2000000);
    is_duration("+5us", 5000);
    is_duration("5\u00b5s3\u03bcs1ns", 8001);
    is_duration(".5s", 500000000);
    is_duration("1.s", 1000000000);
    is_duration("0.1m", 6000000000);
    static const char *const bad[] = { "",
                                       "-",
                                       "15",
                                       "s",
                                       ".s",
                                       "1 s",
                                       "1x",
                                       "15s3",
                                       "1d",
                                       "1.2.3s",
                                       "9223372036854775808ns",
                                       "3000000h",
                                       "1s " };
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        int64_t ns = 42;
        assert_false(ty_time_parse_duration(ty_str(bad[i]), &ns));
        assert_int_equal(ns, 42);
    }
}

static void test_spans(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = { { "30d", 30 * (int64_t)TY_DAY_MS },
                 { "2w", 14 * (int64_t)TY_DAY_MS },
                 { "12h", TY_DAY_MS / 2 },
                 { "1h30m", 5400000 },
                 { "1ms", 1 },
                 { "106751991167d", 106751991167 * TY_DAY_MS } };
    static const char *const bad[] = { "",
                                       "d",
                                       "30",
                                       "-1d",
                                       "0d",
                                       "0",
                                       "1.5d",
                                       "1d12h",
                                       "1us",
                                       "-5s",
                                       "1 d",
                                       "106751991168d",
                                       "9223372036854775808w" };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(good); i++) {
        int64_t ms = 0;
        assert_true(ty_time_parse_span(ty_str(good[i].text), &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < TY_COUNT(bad); i++) {
        int64_t ms = 42;
        assert_false(ty_time_parse_span(ty_str(bad[i]), &ms));
        assert_int_equal(ms, 42);
    }
}

static void test_waits(void **state)
{
    (void)state;
    assert_int_equal(ty_time_wait_ms(0), 0);
    assert_int_equal(ty_time_wait_ms(-3), -3000);
    assert_int_equal(ty_time_wait_ms(86400), TY_DAY_MS);
    int64_t century_ms = ty_time_wait_ms(INT64_MAX), sum = 0;
    assert_true(century_ms / TY_DAY_MS >= 36525);
    assert_int_equal(ty_time_wait_ms(INT64_MIN), -century_ms);
    assert_int_equal(ty_time_wait_ms(INT64_MAX / 1000 + 1), century_ms);
    assert_false(__builtin_add_overflow(century_ms, (int64_t)1 << 62, &sum));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_text),
                                        cmocka_unit_test(test_durations),
                                        cmocka_unit_test(test_spans), cmocka_unit_test(test_waits),
                                        cmocka_unit_test(test_parse) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
