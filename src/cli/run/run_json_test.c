#include "cli/run/run_view_testing.h"

#include "base/time.h"

/* Checks that every line is one JSON object with time and type, in valid UTF-8. Returns how many
 * there are. */
static size_t check_lines(struct ty_cli_fixture *b)
{
    struct ty_str line, rest = { b->out, b->n_out };
    size_t n = 0;

    for (rest = ty_str_cut(rest, '\n', &line); rest.p; rest = ty_str_cut(rest, '\n', &line), n++) {
        struct ty_err err = { 0 };
        const struct ty_json *o = ty_json_parse(b->cli.arena, line, NULL, &err);
        int64_t s = 0;
        if (!o)
            fail_msg("%s: %.*s", err.text, TY_ARG(line));
        assert_int_equal(o->type, TY_JSON_OBJECT);
        assert_true(ty_time_parse(ty_json_str_at(o, "time"), &s));
        assert_true(ty_json_str_at(o, "type").n > 0);
    }
    assert_int_equal(line.n, 0); /* the last one has its end, too */
    return n;
}

static void test_json(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .output = "json" };
    struct ty_progress p = { .percent = 40,
                             .step = 20,
                             .total = 50,
                             .eta_s = -1,
                             .metrics = { { "loss", "0.5" } },
                             .n_metrics = 1 };
    struct ty_run_outcome o = { .dir = "/d", .now_ms = 1700000001123 };

    (void)state;
    view_open(&v, &b, &opts);
    view_say(&v, "j-node-0-1", "caf\xe9 \033[1m\"x\"");
    v.observer.progress(v.observer.ctx, "j", "j-node-0-1", &p, 1700000000123);
    view_end(&v, "j-node-0-1", 1, false, "ValueError: boom");
    v.observer.event(v.observer.ctx, &ty_kind_pod, "p", "Warning", "BackOff", "x", 1700000000123);
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    ty_run_view_note(&v, TY_MSG_NOTE, "hm");
    ty_run_view_close(&v, &o);
    fixture_flush(&b);
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
    assert_int_equal(check_lines(&b), 7);
    fixture_close(&b);
}

static struct ty_json *last_line(struct ty_cli_fixture *b)
{
    struct ty_str text = { b->out, b->n_out - 1 };
    const char *nl = memrchr(text.p, '\n', text.n);

    if (nl)
        text = (struct ty_str){ nl + 1, text.n - (size_t)(nl + 1 - text.p) };
    return ty_json_parse(b->cli.arena, text, NULL, NULL);
}

/* Invalid UTF-8 from programs is replaced. */
static void test_odd_bytes(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .output = "json" };
    char big[65536];
    struct ty_progress p = TY_PROGRESS_NONE;
    struct ty_pod_update n = view_news("j-node-0-0", 1);

    (void)state;
    view_open(&v, &b, &opts);
    memset(big, 0xff, sizeof(big));
    view_line(&v, "j-node-0-0", (struct ty_str){ big, sizeof(big) });
    view_line(&v, "j-node-0-0", (struct ty_str){ "nul\0 del\x7f us\x1f", 14 });
    view_say(&v, "j-node-0-0", "\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf \xe2\x82"); /* cut */
    view_say(&v, "j-node-0-0", "two\nlines \\ \"quoted\" \xe2\x80\xa8");
    view_line(&v, "j-node-0-0", (struct ty_str){ 0 });
    p.n_metrics = 2;
    snprintf(p.metrics[0].name, sizeof(p.metrics[0].name), "l\xc3");
    snprintf(p.metrics[0].value, sizeof(p.metrics[0].value), "\xff");
    snprintf(p.metrics[1].name, sizeof(p.metrics[1].name), "\"}\n");
    snprintf(p.metrics[1].value, sizeof(p.metrics[1].value), "nan");
    v.observer.progress(v.observer.ctx, "j", "j-node-0-0", &p, VIEW_MS);
    n.message = n.error = n.reason = "\xfe\n";
    view_pod(&v, &n);
    view_event(&v, "Warning", "\x80", "\x01\x80");
    ty_run_view_note(&v, TY_MSG_ERROR, "%s", "\x80\n");
    fixture_flush(&b);
    assert_int_equal(check_lines(&b), 9);
    assert_has(b.out, "\"text\":\"nul\\u0000 del");
    assert_has(b.out, "\"text\":\"two\\nlines \\\\ \\\"quoted\\\" ");
    assert_has(b.out, "\"metrics\":{\"l\\ufffd\":\"\\ufffd\",\"\\\"}\\n\":\"nan\"}");
    view_close(&v, &b);
}

static void test_quiet_and_one_node(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .output = "json", .quiet = true };

    (void)state;
    view_open(&v, &b, &opts);
    view_say(&v, "j-node-0-0", "x");
    view_end(&v, "j-node-0-0", 143, true, NULL);
    view_event(&v, "Normal", "Started", "x");
    view_status(&v, b.cli.arena, VIEW_COMPLETE);
    fixture_flush(&b);
    assert_string_equal(b.out, "");
    view_end(&v, "j-node-0-1", 2, false, NULL);
    view_event(&v, "Warning", "Unhealthy", "x");
    fixture_flush(&b);
    assert_int_equal(check_lines(&b), 2);
    view_close(&v, &b);
    opts = (struct ty_run_view_opts){ .output = "json", .node = "node-0-1" };
    view_open(&v, &b, &opts);
    view_say(&v, "j-node-0-0", "no");
    view_say(&v, "j-node-0-1", "yes");
    fixture_flush(&b);
    assert_int_equal(check_lines(&b), 1);
    assert_has(b.out, "\"text\":\"yes\"");
    view_close(&v, &b);
}

/* What ended how; members without a value are left out. */
static void test_summaries(void **state)
{
    struct {
        const char *status, *stopped, *result, *message;
    } rows[] = { { VIEW_COMPLETE, NULL, "Complete", "done\nverdict" },
                 { "{\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}",
                   "interrupted", "Complete", NULL },
                 { "{}", "interrupted", "Stopped", "interrupted" },
                 { "{}", NULL, "Deleted", NULL } };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_run_view v;
        struct ty_cli_fixture b;
        struct ty_run_view_opts opts = { .output = "json" };
        struct ty_run_outcome o = {
            .dir = "/d", .now_ms = VIEW_MS + 1500, .stopped = rows[i].stopped, .kept = i == 0
        };
        view_open(&v, &b, &opts);
        view_status(&v, b.cli.arena, rows[i].status);
        ty_run_view_close(&v, &o);
        fixture_flush(&b);
        const struct ty_json *s = last_line(&b);
        assert_true(ty_str_is(ty_json_str_at(s, "result"), rows[i].result));
        if (rows[i].message)
            assert_true(ty_str_is(ty_json_str_at(s, "message"), rows[i].message));
        else
            assert_null(ty_json_get(s, "message"));
        assert_int_equal(ty_json_get(s, "nodes")->n, 0);
        assert_int_equal(ty_json_get(s, "kept") != NULL, i == 0);
        assert_null(ty_json_get(s, "progress"));
        assert_null(ty_json_get(s, "firstFailed"));
        fixture_close(&b);
    }
}

static void test_no_job_no_summary(void **state)
{
    struct ty_run_view v;
    struct ty_cli_fixture b;
    struct ty_run_view_opts opts = { .output = "json" };
    struct ty_run_outcome o = { .dir = "/d" };

    (void)state;
    view_open(&v, &b, &opts);
    ty_run_view_close(&v, &o);
    fixture_flush(&b);
    assert_string_equal(b.out, "");
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_odd_bytes),
        cmocka_unit_test(test_quiet_and_one_node),
        cmocka_unit_test(test_summaries),
        cmocka_unit_test(test_no_job_no_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
