/* Who is missed, where everybody has only lost a peer. */
#include "base/testing.h"
#include "report/failure_summary.h"

#define TRACEBACK "Traceback (most recent call last):\n  File \"t.py\"\n"
#define RESET     TRACEBACK "ConnectionResetError: gone\n"

static struct ty_ended_container ended(const char *node, int code, int64_t at_ms, const char *log)
{
    return (struct ty_ended_container){ .node = node,
                                        .container = "node",
                                        .code = code,
                                        .stopped = code == 143,
                                        .began_ms = 1000,
                                        .ended_ms = at_ms,
                                        .log = ty_str(log) };
}

/* Adds all, in this order and the reverse. */
static void judges(const struct ty_ended_container *v, size_t n, const char *node, const char *part)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        struct ty_failure_summary *s = ty_failure_summary_new();
        ty_auto_buf b = { 0 };

        for (size_t i = 0; i < n; i++)
            ty_failure_summary_add(s, &v[reverse ? n - 1 - i : i]);
        ty_failure_summary_print(s, 0, &b);
        ty_buf_chr(&b, '\0');
        assert_string_equal(ty_failure_summary_node(s), node);
        if (!strstr(b.p, part))
            fail_msg("%s\n is not in\n%s", part, b.p);
        ty_failure_summary_free(s);
    }
}

static void test_one_leaves_early(void **state)
{
    const struct ty_ended_container v[] = {
        ended("dataset-initializer-0-0", 0, 1100, ""), /* another Job: nobody misses it */
        ended("node-0-1", 0, 2000, ""),
        ended("node-0-2", 1, 2001, RESET),
        ended("node-0-0", 143, 2010, ""), /* it ran until it was stopped: it has not hung */
        ended("node-0-3", 0, 60000, ""),  /* long after */
    };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-1",
           "node-0-1 ended with exit code 0 before the others were done: node-0-2 lost its peer");
}

static void test_several_left(void **state)
{
    const struct ty_ended_container v[] = { ended("node-0-1", 0, 2000, ""),
                                            ended("node-0-2", 0, 2000, ""),
                                            ended("node-0-0", 1, 2001, RESET) };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-0", "node-0-0 failed: ConnectionResetError: gone");
}

static void test_one_was_done_long_ago(void **state)
{
    const struct ty_ended_container v[] = { ended("node-0-1", 0, 2000, ""),
                                            ended("node-0-0", 1, 9000, RESET) };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-0", "node-0-0 failed: ConnectionResetError: gone");
}

/* More than are kept: those that ended first count. */
static void test_many_left(void **state)
{
    struct ty_failure_summary *s = ty_failure_summary_new();
    struct ty_ended_container end = ended("node-0-0", 1, 2000, RESET);

    (void)state;
    for (int64_t i = 200; i > 0; i--) {
        char node[32];
        snprintf(node, sizeof(node), "node-0-%d", (int)i);
        struct ty_ended_container left = ended(node, 0, i == 7 ? 1500 : 5000 + i, "");
        ty_failure_summary_add(s, &left);
    }
    ty_failure_summary_add(s, &end);
    assert_string_equal(ty_failure_summary_node(s), "node-0-7");
    end.attempt = 1; /* those of the attempt before are forgotten */
    ty_failure_summary_add(s, &end);
    assert_string_equal(ty_failure_summary_node(s), "node-0-0");
    ty_failure_summary_free(s);
}

static void test_nobody_is_missed(void **state)
{
    const struct ty_ended_container v[] = { ended("node-0-1", 1, 2000, RESET),
                                            ended("node-0-2", 1, 2005, RESET),
                                            ended("node-0-0", 143, 2010, "") };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-1",
           "Nothing failed before it: what node-0-1 lost may be outside of the job\n");
}

/* A server that is restarted closes one connection and refuses the next; who hangs closes none. */
static void test_a_server_is_restarted(void **state)
{
    const struct ty_ended_container v[] = {
        ended("node-0-1", 1, 2000, TRACEBACK "ConnectionRefusedError: [Errno 111] refused\n"),
        ended("node-0-2", 1, 2005, RESET), ended("node-0-0", 143, 2010, "")
    };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-1",
           "Nothing failed before it: what node-0-1 lost may be outside of the job\n");
}

static void test_a_peer_refuses(void **state)
{
    const struct ty_ended_container v[] = {
        ended("node-0-1", 1, 2000,
              TRACEBACK "RuntimeError: [./gloo/transport/tcp/pair.cc:1] connect: refused\n"),
        ended("node-0-0", 143, 2010, "")
    };

    (void)state;
    judges(v, TY_COUNT(v), "node-0-0", "node-0-0 hung, or was lost without a word: node-0-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_leaves_early),      cmocka_unit_test(test_several_left),
        cmocka_unit_test(test_one_was_done_long_ago), cmocka_unit_test(test_many_left),
        cmocka_unit_test(test_nobody_is_missed),      cmocka_unit_test(test_a_server_is_restarted),
        cmocka_unit_test(test_a_peer_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
