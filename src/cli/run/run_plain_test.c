#include "cli/run/run_view_testing.h"

static void test_plain(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { 0 };

    (void)state;
    view_open(&v, &b, &opts); /* no terminal */
    assert_ptr_equal(v.renderer, &ty_run_plain);
    view_say(&v, "j-node-0-1", "hello");
    view_say(&v, "j-node-0-1", "");
    view_end(&v, "j-node-0-1", 1, false, "ValueError: boom");
    view_end(&v, "j-node-0-0", 0, false, NULL);
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    ty_run_view_note(&v, TY_MSG_NOTE, "%s", "interrupted");
    fixture_flush(&b);
    assert_string_equal(b.out, "[node-0-1] hello\n[node-0-1] \n");
    assert_string_equal(b.err, "node-0-1: node failed with exit code 1: ValueError: boom\n"
                               "trainjob/j: Complete: done\n" /* once */
                               "note: interrupted\n");
    view_close(&v, &b);
}

static void test_quiet_and_one_node(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .quiet = true };

    (void)state;
    view_open(&v, &b, &opts);
    view_say(&v, "j-node-0-1", "hello");
    view_end(&v, "j-node-0-1", 143, true, NULL);
    view_end(&v, "j-node-0-2", 2, false, NULL);
    v.observer.event(v.observer.ctx, &ty_kind_pod, "p", "Normal", "Started", "x", 1);
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    fixture_flush(&b);
    assert_string_equal(b.out, "");
    assert_string_equal(b.err, "node-0-2: node failed with exit code 2\n");
    view_close(&v, &b);
    opts = (struct ty_run_view_opts){ .node = "node-0-1" };
    view_open(&v, &b, &opts);
    view_say(&v, "j-node-0-0", "no");
    view_say(&v, "j-node-0-1", "yes");
    fixture_flush(&b);
    assert_string_equal(b.out, "[node-0-1] yes\n");
    view_close(&v, &b);
}

/* Output of programs is passed on unchanged. */
static void test_lines_are_passed_on(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { 0 };

    (void)state;
    view_open(&v, &b, &opts);
    view_line(&v, "j-node-0-0", (struct ty_str){ "a\0\xff\033[1m", 7 });
    view_line(&v, "j-node-0-0", (struct ty_str){ 0 });
    view_line(&v, "other-name", TY_LIT("of a pod that is called otherwise"));
    fixture_flush(&b);
    assert_int_equal(b.n_out, strlen("[node-0-0] ") + 7 + 1 + strlen("[node-0-0] \n") +
                                  strlen("[other-name] of a pod that is called otherwise\n"));
    assert_memory_equal(b.out, "[node-0-0] a\0\xff\033[1m\n[node-0-0] \n[other-name] of", 40);
    view_close(&v, &b);
}

/* Except on a terminal; and what is said about a pod is clean everywhere. */
static void test_escapes_are_not_printed(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update bad = view_news("j-node-0-0", 1);

    (void)state;
    view_open(&v, &b, &opts);
    assert_false(v.terminal);
    v.terminal = true;
    view_line(&v, "j-node-0-0", TY_LIT("a\033[2J\033]0;t\ab"));
    view_line(&v, "j-node-0-0", (struct ty_str){ 0 });
    bad.message = "one\033[2J\ntwo\033]0;t\a";
    view_pod(&v, &bad);
    view_event(&v, "Warning", "Unhealthy", "probe\033[A failed");
    view_status(&v, b.cli.arena,
                "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\","
                "\"message\":\"no\\u001b[2J luck\"}]}}");
    fixture_flush(&b);
    assert_string_equal(b.out, "[node-0-0] ab\n[node-0-0] \n");
    assert_string_equal(b.err, "node-0-0: node failed with exit code 1: one\ntwo\n"
                               "pod/p: Unhealthy: probe failed\n"
                               "trainjob/j: Failed: no luck\n");
    view_close(&v, &b);
}

static void test_ends_in_words(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update killed = view_news("j-node-0-0", 137),
                         asked = view_news("j-node-0-1", 143), coded = view_news("j-node-0-1", 1),
                         never = view_news("j-node-0-2", 128), begun = view_news("j-node-0-3", -1);

    (void)state;
    view_open(&v, &b, &opts);
    killed.exit_signal = 9;
    asked.exit_signal = 15;
    asked.by_us = coded.by_us = true;
    never.message = "exec: no such file"; /* before what its log says */
    never.error = "Error: x";
    begun.phase = TY_RUNNING;
    view_pod(&v, &killed);
    view_pod(&v, &asked);
    view_pod(&v, &coded); /* torchrun handles SIGTERM and exits with 1 */
    view_pod(&v, &never);
    view_pod(&v, &begun);
    view_event(&v, "Normal", "Started", "x");
    view_event(&v, "Warning", "Unhealthy", "probe failed");
    view_status(&v, b.cli.arena,
                "{\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"False\"},"
                "{\"type\":\"Failed\",\"status\":\"True\"}]}}");
    fixture_flush(&b);
    assert_string_equal(b.out, "");
    assert_string_equal(b.err, "node-0-0: node ended by signal 9\n"
                               "node-0-1: node ended by signal 15, as asked\n"
                               "node-0-1: node ended with exit code 1, as asked\n"
                               "node-0-2: node failed with exit code 128: exec: no such file\n"
                               "pod/p: Unhealthy: probe failed\n"
                               "trainjob/j: Failed: \n");
    view_close(&v, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_quiet_and_one_node),
        cmocka_unit_test(test_lines_are_passed_on),
        cmocka_unit_test(test_ends_in_words),
        cmocka_unit_test(test_escapes_are_not_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
