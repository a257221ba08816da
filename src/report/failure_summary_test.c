/* What the summary counts, and what it prints of the attempts before. */
#include "report/failure_summary_testing.h"

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

static void test_hint(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container end = failed("node-0-1", 3, 2000);

    (void)state;
    end.hint = "port 8080 is held by node-0-0";
    ty_failure_summary_add(v, &end);
    prints(v, 0,
           "node-0-1 failed: exit code 3, after 1.0 s\nhint: port 8080 is held by node-0-0\n");
    ty_failure_summary_free(v);
    v = ty_failure_summary_new(); /* of known words */
    end.hint = NULL;
    end.log = TY_LIT("RuntimeError: No CUDA GPUs are available\n");
    ty_failure_summary_add(v, &end);
    prints(v, 0,
           "node-0-1 failed: RuntimeError: No CUDA GPUs are available (exit code 3), after 1.0 s\n"
           "    RuntimeError: No CUDA GPUs are available\n"
           "hint: this process has no GPU: use device \"cpu\" when torch.cuda.is_available() is "
           "false\n");
    ty_failure_summary_free(v);
}

/* Containers of one node are one; whom a timeout stopped does not count, nor do sidecars. */
static void test_who_was_stopped(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container bad = failed("node-0-0", 4, 2000),
                              end = failed("node-0-1", 143, 3000);

    (void)state;
    ty_failure_summary_add(v, &bad);
    end.stopped = true;
    ty_failure_summary_add(v, &end);
    end.container = "exporter";
    ty_failure_summary_add(v, &end);
    end.node = "node-0-0"; /* the culprit's second container */
    ty_failure_summary_add(v, &end);
    end.node = "node-0-2";
    end.asked = true;
    ty_failure_summary_add(v, &end);
    end = failed("node-0-3", 3, 2500);
    end.sidecar = true;
    ty_failure_summary_add(v, &end);
    prints(v, 0,
           "node-0-0 failed first: exit code 4, after 1.0 s\n"
           "1 other was stopped by trainyard because of it\n");
    ty_failure_summary_free(v);
}

/* A run that is stopped: words after the order to end are no failure, earlier ones are. */
static void test_stopped_by_the_user(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    const struct ty_log_arrival after[] = { { 0, 5001 } }, before[] = { { 0, 1500 } };
    struct ty_ended_container end = failed("node-0-0", 143, 6000);

    (void)state;
    end.stopped = end.asked = true;
    end.stop_ms = 5000;
    end.log = traceback("RuntimeError: terminated");
    end.arrive = after;
    end.n_arrive = 1;
    ty_failure_summary_add(v, &end);
    assert_false(ty_failure_summary_any(v));
    end.arrive = before;
    ty_failure_summary_add(v, &end);
    blames(v, "node-0-0", -1);
    ty_failure_summary_free(v);
}

/* Each attempt has a culprit of its own, and many of them are many. */
static void test_attempts_are_judged(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    ty_auto_buf b = { 0 };

    (void)state;
    for (int64_t attempt = 0; attempt < 34; attempt++) {
        struct ty_ended_container victim = failed("node-0-0", 1, 2000),
                                  culprit = failed("node-0-1", 9, 3000);
        victim.attempt = culprit.attempt = attempt;
        victim.log = traceback("ConnectionResetError: gone");
        ty_failure_summary_add(v, &victim);
        ty_failure_summary_add(v, &culprit);
    }
    ty_failure_summary_print(v, 0, &b);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "attempt 1: node-0-1 failed first: exit code 9, after 2.0 s\n");
    assert_has(b.p, "in attempt 34\n");
    assert_has(b.p, "\n1 more attempt failed\n");
    ty_failure_summary_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_failed),
        cmocka_unit_test(test_first_and_what_followed),
        cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_made_good),
        cmocka_unit_test(test_a_crowd),
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_who_was_stopped),
        cmocka_unit_test(test_stopped_by_the_user),
        cmocka_unit_test(test_attempts_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
