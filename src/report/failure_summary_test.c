#include "report/failure_summary.h"

#include "base/testing.h"
#include <signal.h>

static struct ty_ended_container failed(const char *node, int code, int64_t at_ms)
{
    return (struct ty_ended_container){
        .node = node, .container = "node", .code = code, .began_ms = 1000, .ended_ms = at_ms
    };
}

static void prints(const struct ty_failure_summary *v, size_t running, const char *want)
{
    ty_auto_buf b = { 0 };

    ty_failure_summary_print(v, running, &b);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

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

static void test_nothing_failed(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container ok = failed("node-0-0", 0, 2000);

    (void)state;
    assert_false(ty_failure_summary_any(v));
    assert_null(ty_failure_summary_node(v));
    ty_failure_summary_add(v, &ok);
    assert_false(ty_failure_summary_any(v));
    assert_false(ty_failure_summary_any(NULL));
    ty_failure_summary_free(v);
    ty_failure_summary_free(NULL);
}

static void test_first_and_what_followed(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container first = failed("node-0-1", 1, 3500),
                              then = failed("node-0-2", 134, 3700);
    struct ty_ended_container stopped = failed("node-0-0", 143, 4000);

    (void)state;
    first.log = TY_LIT("loading\nTraceback (most recent call last):\n  File \"t.py\"\n"
                       "ValueError: boom\n");
    ty_failure_summary_add(v, &first);
    prints(v, 0,
           "node-0-1 failed: ValueError: boom (exit code 1), after 2.5 s\n"
           "    loading\n    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    ValueError: boom\n");
    ty_failure_summary_add(v, &then);
    stopped.stopped = true;
    ty_failure_summary_add(v, &stopped);
    prints(v, 2,
           "node-0-1 failed first: ValueError: boom (exit code 1), after 2.5 s\n"
           "    loading\n    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    ValueError: boom\n"
           "node-0-2 failed 0.2 s later: exit code 134: something in it died of SIGABRT\n"
           "2 others still ran and are stopped\n"
           "1 other was stopped by trainyard because of it\n");
    assert_string_equal(ty_failure_summary_node(v), "node-0-1");
    ty_failure_summary_free(v);
}

static void test_attempts(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();

    (void)state;
    for (int64_t attempt = 0; attempt < 3; attempt++) {
        struct ty_ended_container end =
            failed(attempt == 1 ? "node-0-1" : "node-0-0", 3 + (int)attempt, 1100);
        end.attempt = attempt;
        ty_failure_summary_add(v, &end);
    }
    struct ty_ended_container late = failed("node-0-7", 9, 9000);
    late.attempt = 1;
    ty_failure_summary_add(v, &late);
    prints(v, 0,
           "node-0-0 failed: exit code 5, after 0.1 s, in attempt 3\n"
           "attempt 1: node-0-0 failed first: exit code 3, after 0.1 s\n"
           "attempt 2: node-0-1 failed first: exit code 4, after 0.1 s\n");
    ty_failure_summary_free(v);
}

static void test_made_good(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container end = failed("node-0-0", 1, 2000),
                              other = failed("node-0-1", 2, 2500);

    (void)state;
    ty_failure_summary_add(v, &end);
    ty_failure_summary_add(v, &other);
    end.code = 0;
    end.restarts = 1;
    ty_failure_summary_add(v, &end);
    assert_string_equal(ty_failure_summary_node(v), "node-0-1");
    other.restarts = 3;
    other.container = "sidecar";
    other.ended_ms = 2600;
    ty_failure_summary_add(v, &other);
    other.container = "node";
    ty_failure_summary_add(v, &other);
    prints(v, 0,
           "node-0-1 (container sidecar) failed first: exit code 2, after 1.6 s, its start "
           "number 4\nnode-0-1 failed 0.0 s later: exit code 2\n");
    ty_failure_summary_free(v);
}

static void test_a_crowd(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    ty_auto_buf b = { 0 };
    char name[32];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "node-0-%d", i);
        struct ty_ended_container end = failed(name, 1, 2000 + i);
        ty_failure_summary_add(v, &end);
    }
    ty_failure_summary_print(v, 0, &b);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "node-0-0 failed first: exit code 1, after 1.0 s\n");
    assert_has(b.p, "\n993 more failed after that\n");
    ty_failure_summary_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),          cmocka_unit_test(test_spans),
        cmocka_unit_test(test_nothing_failed), cmocka_unit_test(test_first_and_what_followed),
        cmocka_unit_test(test_attempts),       cmocka_unit_test(test_made_good),
        cmocka_unit_test(test_a_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
