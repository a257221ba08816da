#include "cli/run/run_summary.h"
#include "cli/testing.h"

static struct ty_run_node *add_node(struct ty_run_model *m, int i, int code, bool by_us)
{
    char pod[64];

    snprintf(pod, sizeof(pod), "j-node-0-%d", i);
    struct ty_pod_update n = { .job = "j",
                               .pod = pod,
                               .rjob = "node",
                               .index = i,
                               .phase = TY_RUNNING,
                               .exit_code = -1,
                               .time_ms = 1000 };
    ty_run_model_pod(m, &n);
    n.container = "node";
    n.exit_code = code;
    n.by_us = by_us;
    n.phase = code ? TY_FAILED : TY_SUCCEEDED;
    n.time_ms = 2500;
    return ty_run_model_pod(m, &n);
}

static void assert_summary(const struct ty_run_model *m, const struct ty_run_outcome *o,
                           const char *want)
{
    ty_auto_buf b = { 0 };

    ty_run_summary(&b, m, o, false);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_complete(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_run_outcome o = { .dir = "/state/run", .now_ms = 9000, .kept = true };

    (void)state;
    add_node(&m, 0, 0, false);
    add_node(&m, 1, 0, false)->restarts = 2;
    m.jobs->result = "Complete";
    m.jobs->ended_ms = 3500;
    m.jobs->progress =
        (struct ty_progress){ .percent = 100, .metrics = { { "loss", "0.1" } }, .n_metrics = 1 };
    assert_summary(&m, &o,
                   "trainjob/j: Complete after 2.5 s, 2 nodes\n"
                   "  node-0-0  exit code 0, 1.5 s\n"
                   "  node-0-1  exit code 0, 1.5 s, restarted 2 times\n"
                   "  last progress: 100%, loss 0.1\n"
                   "logs: /state/run/logs\n"
                   "kept: /state/run/pods\n");
    ty_run_model_done(&m);
}

static void test_failed(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_run_outcome o = { .dir = "/state/run", .now_ms = 9000 };
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container end = { .node = "node-0-1",
                                      .container = "node",
                                      .code = 7,
                                      .began_ms = 1000,
                                      .ended_ms = 2500,
                                      .log = TY_LIT("oops\n") };

    (void)state;
    add_node(&m, 0, 143, true);
    add_node(&m, 1, 7, false);
    ty_failure_summary_add(v, &end);
    m.jobs->result = "Failed";
    m.jobs->message = strdup("jobset failed\nand the verdict");
    m.jobs->failure = v;
    m.jobs->restarts = 1;
    m.jobs->ended_ms = 3500;
    assert_summary(&m, &o,
                   "node-0-1 failed: exit code 7, after 1.5 s\n"
                   "    oops\n"
                   "\n"
                   "trainjob/j: Failed after 2.5 s, 2 nodes, 1 restart\n"
                   "  node-0-0  stopped (143), 1.5 s\n"
                   "  node-0-1  exit code 7, 1.5 s\n"
                   "logs: /state/run/logs\n");
    m.jobs->failure = NULL; /* no process failed: a deadline */
    ty_auto_buf b = { 0 };
    ty_run_summary(&b, &m, &o, false);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "1 restart\n  jobset failed\n  node-0-0");
    ty_failure_summary_free(v);
    ty_run_model_done(&m);
}

static void test_stopped(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_run_outcome o = { .dir = "/d", .now_ms = 61000, .stopped = "interrupted (SIGINT)" };

    (void)state;
    add_node(&m, 0, 143, true);
    assert_summary(&m, &o,
                   "trainjob/j: Stopped after 1 min 0 s, 1 node\n"
                   "  interrupted (SIGINT)\n"
                   "  node-0-0  stopped (143), 1.5 s\n"
                   "logs: /d/logs\n");
    ty_run_model_done(&m);
}

static void test_a_crowd_is_told_in_groups(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_run_outcome o = { .dir = "/d", .now_ms = 2000 };

    (void)state;
    for (int i = 0; i < 100; i++)
        add_node(&m, i, i == 42 ? 139 : 143, i != 42);
    m.jobs->result = "Failed";
    assert_summary(
        &m, &o,
        "trainjob/j: Failed after 1.0 s, 100 nodes\n"
        "  node-0-0 … node-0-41   stopped (143), 42 nodes\n"
        "  node-0-42              exit code 139: something in it died of SIGSEGV, 1.5 s\n"
        "  node-0-43 … node-0-99  stopped (143), 57 nodes\n"
        "logs: /d/logs\n");
    ty_run_model_done(&m);
}

static void test_nothing_ran(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_run_outcome o = { .dir = "/d" };
    ty_auto_buf b = { 0 };

    (void)state;
    ty_run_summary(&b, &m, &o, true);
    assert_int_equal(b.n, 0);
}

static void test_clock(void **state)
{
    static const struct {
        int64_t s;
        const char *want;
    } cases[] = { { -1, "0:00" }, { 5, "0:05" }, { 754, "12:34" }, { 3723, "1:02:03" } };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        ty_auto_buf b = { 0 };
        ty_run_summary_clock(&b, cases[i].s);
        ty_buf_chr(&b, '\0');
        assert_string_equal(b.p, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),    cmocka_unit_test(test_failed),
        cmocka_unit_test(test_stopped),     cmocka_unit_test(test_a_crowd_is_told_in_groups),
        cmocka_unit_test(test_nothing_ran), cmocka_unit_test(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
