#include "base/text.h"
#include "cli/run_view.h"
#include "cli/testing.h"

static void open_view(struct ty_run_view *v, struct ty_bench *b, const struct ty_args *args)
{
    bench_open(b);
    ty_run_view_init(v, &b->cli, args);
    ty_run_view_open(v, NULL);
}

static void close_view(struct ty_run_view *v, struct ty_bench *b)
{
    ty_run_view_close(v, NULL);
    bench_close(b);
}

static void say(struct ty_run_view *v, const char *pod, const char *text)
{
    v->spectator.line(v->spectator.ctx, "j", pod, "node", ty_str(text), 1700000000123);
}

static void end(struct ty_run_view *v, const char *pod, int code, bool by_us, const char *error)
{
    struct ty_pod_news n = { .job = "j",
                             .pod = pod,
                             .rjob = "node",
                             .phase = TY_FAILED,
                             .container = "node",
                             .exit_code = code,
                             .by_us = by_us,
                             .error = error,
                             .time_ms = 1700000000123 };
    v->spectator.pod(v->spectator.ctx, &n);
}

static void status(struct ty_run_view *v, struct ty_arena *a, const char *text)
{
    v->spectator.job(v->spectator.ctx, "j", ty_json_parse(a, ty_str(text), NULL, NULL),
                     1700000000123);
}

#define COMPLETE                                                                                   \
    "{\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\",\"message\":"         \
    "\"done\\nverdict\"}]}}"

static void test_plain(void **state)
{
    struct ty_run_view v;
    struct ty_bench b;
    struct ty_args args = { 0 };

    (void)state;
    open_view(&v, &b, &args); /* no terminal */
    assert_ptr_equal(v.look, &ty_run_plain);
    say(&v, "j-node-0-1", "hello");
    say(&v, "j-node-0-1", "");
    end(&v, "j-node-0-1", 1, false, "ValueError: boom");
    end(&v, "j-node-0-0", 0, false, NULL);
    status(&v, b.cli.arena, COMPLETE);
    status(&v, b.cli.arena, COMPLETE);
    ty_run_view_note(&v, TY_SAY_NOTE, "%s", "interrupted");
    bench_flush(&b);
    assert_string_equal(b.out, "[node-0-1] hello\n[node-0-1] \n");
    assert_string_equal(b.err, "node-0-1: node failed with exit code 1: ValueError: boom\n"
                               "trainjob/j: Complete: done\n" /* once */
                               "note: interrupted\n");
    close_view(&v, &b);
}

static void test_quiet_and_one_node(void **state)
{
    struct ty_run_view v;
    struct ty_bench b;
    struct ty_args args = { .quiet = true };

    (void)state;
    open_view(&v, &b, &args);
    say(&v, "j-node-0-1", "hello");
    end(&v, "j-node-0-1", 143, true, NULL);
    end(&v, "j-node-0-2", 2, false, NULL);
    v.spectator.event(v.spectator.ctx, &ty_kind_pod, "p", "Normal", "Started", "x", 1);
    status(&v, b.cli.arena, COMPLETE);
    bench_flush(&b);
    assert_string_equal(b.out, "");
    assert_string_equal(b.err, "node-0-2: node failed with exit code 2\n");
    close_view(&v, &b);
    args = (struct ty_args){ .logs = "node-0-1" };
    open_view(&v, &b, &args);
    say(&v, "j-node-0-0", "no");
    say(&v, "j-node-0-1", "yes");
    bench_flush(&b);
    assert_string_equal(b.out, "[node-0-1] yes\n");
    close_view(&v, &b);
}

static void test_json(void **state)
{
    struct ty_run_view v;
    struct ty_bench b;
    struct ty_args args = { .output = "json" };
    struct ty_progress p = { .percent = 40,
                             .step = 20,
                             .total = 50,
                             .eta_s = -1,
                             .metrics = { { "loss", "0.5" } },
                             .n_metrics = 1 };
    struct ty_run_outcome o = { .dir = "/d", .now_ms = 1700000001123 };

    (void)state;
    open_view(&v, &b, &args);
    say(&v, "j-node-0-1", "caf\xe9 \033[1m\"x\"");
    v.spectator.progress(v.spectator.ctx, "j", "j-node-0-1", &p, 1700000000123);
    end(&v, "j-node-0-1", 1, false, "ValueError: boom");
    v.spectator.event(v.spectator.ctx, &ty_kind_pod, "p", "Warning", "BackOff", "x", 1700000000123);
    status(&v, b.cli.arena, COMPLETE);
    ty_run_view_note(&v, TY_SAY_NOTE, "hm");
    ty_run_view_close(&v, &o);
    bench_flush(&b);
    assert_string_equal(b.err, "");
    assert_has(b.out, "{\"time\":\"2023-11-14T22:13:20.123Z\",\"type\":\"line\",\"job\":\"j\","
                      "\"node\":\"node-0-1\",\"pod\":\"j-node-0-1\",\"container\":\"node\","
                      "\"text\":\"caf? \\u001b[1m\\\"x\\\"\"}\n");
    assert_has(b.out, "\"type\":\"progress\",\"job\":\"j\",\"node\":\"node-0-1\",\"pod\":"
                      "\"j-node-0-1\",\"percent\":40,\"step\":20,\"total\":50,\"metrics\":{"
                      "\"loss\":\"0.5\"}}\n");
    assert_has(b.out, "\"exitCode\":1,\"stopped\":false,\"error\":\"ValueError: boom\"}\n");
    assert_has(b.out, "\"type\":\"event\",\"kind\":\"Pod\",\"name\":\"p\",\"warning\":true");
    assert_has(b.out, "\"type\":\"job\",\"job\":\"j\",\"status\":{\"conditions\"");
    assert_has(b.out, "\"type\":\"note\",\"level\":\"note\",\"text\":\"hm\"}\n");
    assert_has(b.out, "\"type\":\"summary\",\"job\":\"j\",\"result\":\"Complete\"");
    assert_has(b.out, "\"logs\":\"/d/logs\"}\n");
    struct ty_str rest = ty_str(b.out), line;
    for (rest = ty_str_cut(rest, '\n', &line); line.n; rest = ty_str_cut(rest, '\n', &line)) {
        assert_non_null(ty_json_parse(b.cli.arena, line, NULL, NULL));
        if (!rest.p)
            break;
    }
    bench_close(&b);
}

static void test_choice(void **state)
{
    struct ty_run_view v;
    struct ty_bench b;
    struct ty_args args = { .output = "table" };

    (void)state;
    open_view(&v, &b, &args); /* not on a file */
    assert_ptr_equal(v.look, &ty_run_plain);
    close_view(&v, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_quiet_and_one_node),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
