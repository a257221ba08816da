#include "cli/run/run_model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ty_pod_update make_update(const char *pod, enum ty_pod_phase phase, int64_t ms)
{
    return (struct ty_pod_update){ .job = "j",
                                   .pod = pod,
                                   .rjob = "node",
                                   .index = 0,
                                   .phase = phase,
                                   .exit_code = -1,
                                   .time_ms = ms };
}

static void test_nodes_in_order(void **state)
{
    struct ty_run_model m = { 0 };
    static const char *const pods[] = { "j-node-0-10", "j-node-0-2", "j-node-0-0" };

    (void)state;
    struct ty_pod_update init = make_update("j-prep-0-0", TY_PENDING, 1);
    init.rjob = "prep";
    ty_run_model_pod(&m, &init);
    for (size_t i = 0; i < 3; i++) {
        struct ty_pod_update n = make_update(pods[i], TY_PENDING, 1);
        ty_run_model_pod(&m, &n);
    }
    const struct ty_run_node *n = m.jobs->nodes;
    assert_string_equal(n->name, "prep-0-0");
    assert_string_equal((n = n->next)->name, "node-0-0");
    assert_string_equal((n = n->next)->name, "node-0-2");
    assert_string_equal((n = n->next)->name, "node-0-10");
    assert_ptr_equal(n, m.jobs->last);
    assert_int_equal(m.jobs->n_nodes, 4);
    assert_int_equal(m.jobs->n_alive, 4);
    ty_run_model_done(&m);
}

static void result_is(const struct ty_run_node *n, const char *want)
{
    ty_auto_buf b = { 0 };

    ty_run_node_result(n, &b);
    ty_buf_chr(&b, '\0');
    assert_string_equal(b.p, want);
}

static void test_a_life(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_pod_update n = make_update("j-node-0-0", TY_PENDING, 100);
    struct ty_run_node *node = ty_run_model_pod(&m, &n);

    (void)state;
    result_is(node, "waiting");
    n = make_update("j-node-0-0", TY_RUNNING, 200);
    ty_run_model_pod(&m, &n);
    result_is(node, "running");
    n.container = "node";
    n.exit_code = 1;
    n.reason = "Error";
    n.error = "ValueError: \033[31mboom";
    ty_run_model_pod(&m, &n);
    assert_string_equal(node->error, "ValueError: boom");
    n = make_update("j-node-0-0", TY_FAILED, 700);
    ty_run_model_pod(&m, &n);
    result_is(node, "exit code 1");
    assert_int_equal(node->ended_ms - node->began_ms, 500);
    assert_int_equal(m.jobs->n_alive, 0);
    n = make_update("j-node-0-0", TY_PENDING, 800); /* the next attempt */
    n.attempt = 1;
    ty_run_model_pod(&m, &n);
    assert_int_equal(node->exit_code, -1);
    assert_int_equal(m.jobs->restarts, 1);
    assert_int_equal(m.jobs->n_alive, 1);
    n = make_update("j-node-0-0", TY_FAILED, 900);
    n.stopping = true;
    n.attempt = 1;
    ty_run_model_pod(&m, &n);
    result_is(node, "stopped");
    ty_run_model_done(&m);
}

/* One container fails, then the other one is stopped: the first is the result. */
static void test_two_containers(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_pod_update n = make_update("j-node-0-0", TY_RUNNING, 1);

    (void)state;
    n.container = "node";
    n.exit_code = 3;
    ty_run_model_pod(&m, &n);
    n.container = "side";
    n.exit_code = 143;
    n.by_us = true;
    ty_run_model_pod(&m, &n);
    n = make_update("j-node-0-0", TY_FAILED, 2);
    result_is(ty_run_model_pod(&m, &n), "exit code 3");
    ty_run_model_done(&m);
}

/* The restarted container is stopped because the Job fails: the end of the first is the result. */
static void test_failed_before_it_was_stopped(void **state)
{
    struct ty_run_model m = { 0 };
    struct ty_pod_update n = make_update("j-node-0-0", TY_RUNNING, 1);

    (void)state;
    n.container = "node";
    n.exit_code = 3;
    ty_run_model_pod(&m, &n);
    n.stopping = n.by_us = true;
    n.exit_code = 143;
    n.restarts = 1;
    ty_run_model_pod(&m, &n);
    n = make_update("j-node-0-0", TY_FAILED, 2);
    n.stopping = true;
    const struct ty_run_node *node = ty_run_model_pod(&m, &n);
    result_is(node, "exit code 3");
    assert_false(ty_run_node_stopped(node));
    n = make_update("j-node-0-1", TY_RUNNING, 1);
    n.container = "node";
    n.exit_code = 1; /* while it is stopped, but before its signal: of a preStop hook */
    n.stopping = true;
    node = ty_run_model_pod(&m, &n);
    assert_true(ty_run_node_stopped(node));
    ty_run_model_done(&m);
}

static const struct ty_run_node *container_ends(struct ty_run_model *m, const char *container,
                                                int code, bool by_us, bool sidecar)
{
    struct ty_pod_update n = make_update("j-node-0-0", TY_RUNNING, 1);

    n.container = container;
    n.exit_code = code;
    n.by_us = by_us;
    n.sidecar = sidecar;
    return ty_run_model_pod(m, &n);
}

/* A sidecar's end is not its node's, nor does a good end of one container hide a bad one. */
static void test_whose_end_counts(void **state)
{
    struct ty_run_model m = { 0 };

    (void)state;
    container_ends(&m, "node", 0, false, false);
    assert_int_equal(container_ends(&m, "side", 143, true, true)->exit_code, 0);
    assert_int_equal(container_ends(&m, "side", 3, false, true)->exit_code, 0);
    assert_int_equal(container_ends(&m, "logger", 4, false, false)->exit_code, 4);
    assert_int_equal(container_ends(&m, "node", 0, false, false)->exit_code, 4);
    assert_int_equal(container_ends(&m, "logger", 0, false, false)->exit_code, 0); /* restarted */
    ty_run_model_done(&m);
}

static void test_last_line(void **state)
{
    struct ty_run_model m = { 0 };

    (void)state;
    struct ty_run_node *n =
        ty_run_model_line(&m, "j", "j-node-0-0", TY_LIT("  \033[1mhello\033[0m "), 1);
    assert_string_equal(n->last, "hello");
    ty_run_model_line(&m, "j", "j-node-0-0", TY_LIT("==========="), 1);
    ty_run_model_line(&m, "j", "j-node-0-0", TY_LIT(""), 1);
    assert_string_equal(n->last, "hello");
    ty_run_model_line(&m, "j", "other", TY_LIT("x"), 1);
    assert_string_equal(m.jobs->nodes->name, "node-0-0"); /* roles unknown: by name */
    assert_string_equal(m.jobs->last->name, "other");
    ty_run_model_done(&m);
}

static struct ty_json *parse_json(struct ty_arena *a, const char *text)
{
    struct ty_json *v = ty_json_parse(a, ty_str(text), NULL, NULL);

    assert_non_null(v);
    return v;
}

static void test_job_status(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_run_model m = { 0 };

    (void)state;
    struct ty_run_job *j = ty_run_model_status(
        &m, "j",
        parse_json(a, "{\"status\":{\"trainerStatus\":{\"progressPercentage\":40,"
                      "\"estimatedRemainingSeconds\":9,\"metrics\":[{\"name\":"
                      "\"loss\",\"value\":\"0.5\"}]}}}"),
        10);
    assert_int_equal(j->progress.percent, 40);
    assert_int_equal(j->progress.eta_s, 9);
    assert_string_equal(j->progress.metrics[0].value, "0.5");
    assert_null(j->result);
    ty_run_model_status(&m, "j",
                        parse_json(a,
                                   "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":"
                                   "\"True\",\"message\":\"no\"}]}}"),
                        20);
    assert_string_equal(j->result, "Failed");
    assert_string_equal(j->message, "no");
    assert_int_equal(j->progress.percent, 40); /* the last known stays */
    assert_int_equal(j->ended_ms, 20);
    ty_run_model_status(&m, "j",
                        parse_json(a,
                                   "{\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":"
                                   "\"True\",\"message\":\"no\\nfinal\"}]}}"),
                        30);
    assert_string_equal(j->message, "no\nfinal");
    assert_int_equal(j->ended_ms, 20);
    ty_run_model_done(&m);
}

static void test_told_once(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_run_job j = { .name = NULL };
    const struct ty_json *c =
        parse_json(a, "{\"type\":\"Complete\",\"status\":\"True\",\"message\":\"done\"}");
    const struct ty_json *other =
        parse_json(a, "{\"type\":\"Suspended\",\"status\":\"True\",\"message\":\"done\"}");
    const struct ty_json *changed =
        parse_json(a, "{\"type\":\"Suspended\",\"status\":\"False\",\"message\":\"done\"}");

    (void)state;
    assert_false(ty_run_model_condition_shown(&j, c));
    assert_true(ty_run_model_condition_shown(&j, c));
    assert_false(ty_run_model_condition_shown(&j, other));
    assert_true(ty_run_model_condition_shown(&j, c));
    assert_false(ty_run_model_condition_shown(&j, changed));
    assert_true(ty_run_model_condition_shown(
        &j,
        parse_json(a, "{\"type\":\"Complete\",\"status\":\"True\",\"message\":\"done\\nmore\"}")));
    assert_true(ty_run_model_condition_shown(&j, changed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_in_order),
        cmocka_unit_test(test_a_life),
        cmocka_unit_test(test_two_containers),
        cmocka_unit_test(test_failed_before_it_was_stopped),
        cmocka_unit_test(test_whose_end_counts),
        cmocka_unit_test(test_last_line),
        cmocka_unit_test(test_job_status),
        cmocka_unit_test(test_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
