#include "log/log.h"

#include "base/testing.h"
#include <errno.h>

static void flag(const char *name, const char *value, int level, bool console,
                 enum ty_log_time time)
{
    struct ty_log_settings s = ty_log_default;
    struct ty_err err = { 0 };
    assert_int_equal(ty_log_flag(&s, name, value, &err), 0);
    assert_int_equal(s.level, level);
    assert_int_equal(s.console, console);
    assert_int_equal(s.time, time);
}

static void wrong(const char *name, const char *value, const char *want)
{
    struct ty_log_settings s = ty_log_default;
    struct ty_err err = { 0 };
    assert_int_equal(ty_log_flag(&s, name, value, &err), -EINVAL);
    assert_has(err.text, want);
    assert_memory_equal(&s, &ty_log_default, sizeof(s));
}

static void test_flags(void **state)
{
    (void)state;
    struct ty_err err = { 0 };
    struct ty_log_settings s = ty_log_default;
    flag("zap-log-level", "2", -2, false, TY_LOG_RFC3339NANO);
    flag("zap-log-level", "Debug", TY_DEBUG, false, TY_LOG_RFC3339NANO);
    flag("zap-log-level", "error", TY_ERROR, false, TY_LOG_RFC3339NANO);
    flag("zap-devel", "", TY_DEBUG, true, TY_LOG_RFC3339NANO);
    flag("zap-devel", "false", TY_INFO, false, TY_LOG_RFC3339NANO);
    flag("zap-encoder", "json", TY_INFO, false, TY_LOG_RFC3339NANO);
    flag("zap-stacktrace-level", "panic", TY_INFO, false, TY_LOG_RFC3339NANO);
    flag("zap-time-encoding", "nano", TY_INFO, false, TY_LOG_NANOS);
    flag("zap-time-encoding", "nanos", TY_INFO, false, TY_LOG_NANOS);
    flag("zap-time-encoding", "epoch", TY_INFO, false, TY_LOG_EPOCH);
    wrong("zap-log-level", "0", "--zap-log-level: invalid log level \"0\"");
    wrong("zap-log-level", "loud", "invalid log level \"loud\"");
    wrong("zap-encoder", "xml", "--zap-encoder: invalid encoder \"xml\"");
    wrong("zap-time-encoding", "sundial", "invalid time encoding");
    wrong("zap-devel", "maybe", "is not true or false");
    assert_int_equal(ty_log_flag(&s, "config", "x", &err), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_flags) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
