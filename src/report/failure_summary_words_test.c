#include <signal.h>

#include "report/failure_summary_testing.h"

static void words(struct ty_ended_container end, const char *want)
{
    ty_auto_buf b = { 0 };

    ty_failure_summary_exit_text(&end, &b);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_words(void **state)
{
    (void)state;
    words((struct ty_ended_container){ .code = 7 }, "exit code 7");
    words((struct ty_ended_container){ .code = 127 }, "exit code 127: command not found");
    words((struct ty_ended_container){ .code = 126 }, "exit code 126: command cannot be executed");
    words((struct ty_ended_container){ .code = 139 },
          "exit code 139: something in it died of SIGSEGV");
    words((struct ty_ended_container){ .code = 255 }, "exit code 255");
    words((struct ty_ended_container){ .sig = SIGKILL }, "killed by signal 9 (SIGKILL)");
    words((struct ty_ended_container){ .sig = SIGSEGV }, "segmentation fault (SIGSEGV)");
    words((struct ty_ended_container){ .sig = SIGABRT }, "aborted (SIGABRT)");
    words((struct ty_ended_container){ .sig = 99 }, "killed by signal 99");
    words((struct ty_ended_container){ .oom = true, .sig = 9, .memory_limit = (int64_t)1 << 30 },
          "out of memory: killed at its limit of 1Gi");
    words((struct ty_ended_container){ .oom = true, .sig = 9, .memory_limit = 1500000 },
          "out of memory: killed at its limit of 1500000");
    words((struct ty_ended_container){ .oom = true, .sig = 9 },
          "out of memory: killed by the kernel");
    words((struct ty_ended_container){ .code = 128, .never = "x: No such file or directory" },
          "could not start: x: No such file or directory");
    words((struct ty_ended_container){ .sig = 9, .forced = "its liveness probe failed" },
          "ended by trainyard: its liveness probe failed");
}

static void test_spans(void **state)
{
    static const struct {
        int64_t ms;
        const char *want;
    } cases[] = { { -5, "0.0 s" },   { 199, "0.1 s" },         { 9999, "9.9 s" },
                  { 10000, "10 s" }, { 200000, "3 min 20 s" }, { 7500000, "2 h 5 min" } };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_buf b = { 0 };
        ty_failure_summary_duration(cases[i].ms, &b);
        ty_buf_chr(&b, '\0');
        assert_string_equal(b.p, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
