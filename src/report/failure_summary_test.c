#include "report/failure_summary.h"

#include "base/testing.h"
#include "report/log_arrivals.h"
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

static struct ty_str traceback(const char *error)
{
    static char text[256];

    snprintf(text, sizeof(text), "Traceback (most recent call last):\n  File \"t.py\"\n%s\n",
             error);
    return ty_str(text);
}

static void blames(const struct ty_failure_summary *v, const char *node, int64_t rank)
{
    assert_string_equal(ty_failure_summary_node(v), node);
    assert_int_equal(ty_failure_summary_rank(v), rank);
}

/* The victim exits first, and the culprit is even stopped by the engine: evidence decides. */
static void test_evidence_before_time(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    const struct ty_log_arrival arrive[] = { { 0, 2000 } };
    struct ty_ended_container victim = failed("node-0-0", 1, 3000),
                              culprit = failed("node-0-1", 143, 4000);

    (void)state;
    victim.log = traceback("RuntimeError: Connection closed by peer");
    ty_failure_summary_add(v, &victim);
    blames(v, "node-0-0", -1);
    culprit.log = traceback("ValueError: boom");
    culprit.stopped = true;
    culprit.stop_ms = 3100;
    culprit.arrive = arrive;
    culprit.n_arrive = 1;
    culprit.first_rank = 1;
    culprit.procs = 1;
    ty_failure_summary_add(v, &culprit);
    blames(v, "node-0-1", 1);
    prints(v, 0,
           "node-0-1 (rank 1) failed first: ValueError: boom, after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n    ValueError: boom\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Connection closed by peer (exit code "
           "1)\n");
    ty_failure_summary_free(v);
}

#define BOOM "Traceback (most recent call last):\n  File \"t.py\"\nKeyError: 'x'\n"

/* A stopped container whose error arrived at `at_ms`. */
static struct ty_ended_container stopped_with(const char *node, struct ty_str log,
                                              struct ty_log_arrival *at)
{
    struct ty_ended_container end = failed(node, 143, 30000);

    end.stopped = true;
    end.stop_ms = 29000;
    end.log = log;
    end.arrive = at;
    end.n_arrive = 1;
    return end;
}

/* What a stopped container printed counts less than an error of one that ended by itself; less than
 * a bare exit, too, if it came long before that, or if its process went on. */
static void test_survived_by_one_that_is_stopped(void **state)
{
    static const char caught[] = BOOM, went_on[] = BOOM "recovered\n",
                      ends[] = BOOM "wandb: Run history: 3/9\n";
    static const struct {
        const char *log;
        int64_t at_ms;
        const char *other; /* the log of the one that exits with 1 at 20 s */
        const char *want;
    } cases[] = {
        { caught, 19900, "Traceback (most recent call last):\nValueError: boom\n", "other" },
        { caught, 19900, "", "survivor" },
        { went_on, 19900, "", "other" },
        { ends, 19900, "", "survivor" },
        { caught, 2000, "", "other" },
        { went_on, 19900, "Traceback (most recent call last):\nEOFError\n", "survivor" },
        { went_on, 2000, "Traceback (most recent call last):\nEOFError\n", "other" },
        { went_on, 2000, "Traceback (most recent call last):\nTimeoutError: timed out\n",
          "survivor" },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_log_arrival at = { 0, cases[i].at_ms };
        struct ty_ended_container survivor = stopped_with("survivor", ty_str(cases[i].log), &at),
                                  other = failed("other", 1, 20000);
        struct ty_failure_summary *v = ty_failure_summary_new();
        other.log = ty_str(cases[i].other);
        ty_failure_summary_add(v, &survivor);
        ty_failure_summary_add(v, &other);
        struct ty_ended_container third = failed("third", 143, 30000);
        third.stopped = true; /* so the only silent one is not the survivor alone */
        ty_failure_summary_add(v, &third);
        if (strcmp(ty_failure_summary_node(v), cases[i].want) != 0)
            fail_msg("case %zu: %s", i, ty_failure_summary_node(v));
        ty_failure_summary_free(v);
    }
}

/* Only one of three misses a peer: it tried to reach something else. A timeout may be of a peer. */
static void test_lost_alone(void **state)
{
    static const struct {
        const char *error;
        bool want;
    } cases[] = { { "ConnectionRefusedError: license server", false },
                  { "RuntimeError: Socket Timeout", true } };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_failure_summary *v = ty_failure_summary_new();
        struct ty_ended_container end = failed("node-0-2", 1, 2000);
        ty_auto_buf b = { 0 };
        end.log = traceback(cases[i].error);
        ty_failure_summary_add(v, &end);
        for (int k = 0; k < 2; k++) {
            struct ty_ended_container other = failed(k ? "node-0-1" : "node-0-0", 143, 3000);
            other.stopped = true;
            ty_failure_summary_add(v, &other);
        }
        ty_failure_summary_print(v, 0, &b);
        ty_buf_chr(&b, '\0');
        assert_int_equal(!!strstr(b.p, "No process shows"), cases[i].want);
        assert_has(b.p, "2 others were stopped by trainyard because of it\n");
        ty_failure_summary_free(v);
    }
}

/* own error > exit without a word > own error after the order to end > loss of a peer */
static void test_order_of_evidence(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    const struct ty_log_arrival arrive[] = { { 0, 5000 } };
    struct ty_ended_container peer = failed("peer", 1, 1000), late = failed("late", 143, 6000),
                              silent = failed("silent", 3, 7000), own = failed("own", 1, 9000);

    (void)state;
    peer.log = traceback("BrokenPipeError: [Errno 32] Broken pipe");
    ty_failure_summary_add(v, &peer);
    blames(v, "peer", -1);
    late.log = traceback("RuntimeError: terminated");
    late.stopped = true;
    late.stop_ms = 4000;
    late.arrive = arrive;
    late.n_arrive = 1;
    ty_failure_summary_add(v, &late);
    blames(v, "late", -1);
    ty_failure_summary_add(v, &silent);
    blames(v, "silent", -1);
    own.log = traceback("ValueError: boom");
    ty_failure_summary_add(v, &own);
    blames(v, "own", -1);
    ty_failure_summary_free(v);
}

static void test_nobody_has_an_error(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container a = failed("node-0-0", 1, 3000), b = failed("node-0-1", 1, 2000);

    (void)state;
    a.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &a);
    b.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &b);
    prints(v, 0,
           "node-0-1 failed first: RuntimeError: Socket Timeout (exit code 1), after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    RuntimeError: Socket Timeout\n"
           "No process shows an error of its own: one hung, or was lost without a word\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Socket Timeout (exit code 1)\n");
    struct ty_ended_container c = failed("node-0-2", 143, 3000);
    c.stopped = true; /* the only one that says nothing: it is the one, also for scripts */
    ty_failure_summary_add(v, &c);
    prints(v, 0,
           "node-0-2 hung, or was lost without a word: node-0-1 lost its peer: RuntimeError: "
           "Socket Timeout (exit code 1), after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    RuntimeError: Socket Timeout\n"
           "No process shows an error of its own: node-0-2 hung, or was lost without a word\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Socket Timeout (exit code 1)\n");
    blames(v, "node-0-2", -1);
    ty_failure_summary_free(v);
}

/* A server outside of the job: who waits for it, too, does not hang. */
static void test_a_server_that_refuses(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container a = failed("node-0-0", 1, 3000), b = failed("node-0-1", 143, 3500);

    (void)state;
    a.log = traceback("ConnectionRefusedError: [Errno 111] Connection refused");
    ty_failure_summary_add(v, &a);
    b.stopped = true;
    b.log = TY_LIT("the server refuses, once more in 1 s\n");
    ty_failure_summary_add(v, &b);
    prints(v, 0,
           "node-0-0 failed first: ConnectionRefusedError: [Errno 111] Connection refused (exit "
           "code 1), after 2.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    ConnectionRefusedError: [Errno 111] Connection refused\n"
           "1 other was stopped by trainyard because of it\n");
    blames(v, "node-0-0", -1);
    struct ty_ended_container c = failed("node-0-2", 1, 4000); /* the same */
    c.log = a.log;
    ty_failure_summary_add(v, &c);
    blames(v, "node-0-0", -1);
    struct ty_ended_container d = failed("node-0-3", 1, 5000); /* a peer that does not answer */
    d.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &d);
    blames(v, "node-0-1", -1);
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

/* The culprit comes last of a thousand: it is not lost among those that are only counted. */
static void test_a_late_culprit(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    char name[32];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "node-0-%d", i);
        struct ty_ended_container end = failed(name, 1, 2000 + i);
        end.log = i == 999 ? traceback("ValueError: boom") : traceback("EOFError");
        ty_failure_summary_add(v, &end);
    }
    blames(v, "node-0-999", -1);
    ty_failure_summary_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_nothing_failed),
        cmocka_unit_test(test_first_and_what_followed),
        cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_made_good),
        cmocka_unit_test(test_a_crowd),
        cmocka_unit_test(test_evidence_before_time),
        cmocka_unit_test(test_survived_by_one_that_is_stopped),
        cmocka_unit_test(test_lost_alone),
        cmocka_unit_test(test_order_of_evidence),
        cmocka_unit_test(test_nobody_has_an_error),
        cmocka_unit_test(test_a_server_that_refuses),
        cmocka_unit_test(test_who_was_stopped),
        cmocka_unit_test(test_stopped_by_the_user),
        cmocka_unit_test(test_attempts_are_judged),
        cmocka_unit_test(test_a_late_culprit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
