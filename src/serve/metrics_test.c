#include "net/http_server_testing.h"
#include "serve/metrics.h"

enum { JOBS, WRITES, TIME, GAUGE };
static const struct ty_metric_desc table[] = {
    [JOBS] = { .name = "jobs_total", .help = "A back\\slash,\na line.", .type = TY_METRIC_COUNTER },
    [WRITES] = { .name = "writes_total",
                 .help = "Writes.",
                 .type = TY_METRIC_COUNTER,
                 .labels = { "kind", "how" } },
    [TIME] = { .name = "pass_seconds",
               .help = "Time.",
               .type = TY_METRIC_HISTOGRAM,
               .labels = { "kind" },
               .buckets = (const double[]){ 0.001, 0.5, 2, 0 } },
    [GAUGE] = { .name = "waiting", .help = "Waiting.", .type = TY_METRIC_GAUGE },
    { .name = NULL },
};

static char *printed(const struct ty_metrics *m)
{
    struct ty_buf b = { 0 };

    ty_metrics_print(m, &b);
    ty_buf_chr(&b, '\0');
    return b.p;
}

static void text_format(void **state TY_UNUSED)
{
    struct ty_metrics *m = ty_metrics_new(table);
    const char *const odd[] = { "a\"b\\c\nx", "x" }, *const plain[] = { "JobSet", "patch" };
    const char *const kind[] = { "JobSet" };

    ty_metrics_add(m, &table[JOBS], NULL, 2);
    ty_metrics_add(m, &table[JOBS], NULL, -5); /* counters only rise */
    ty_metrics_add(m, &table[WRITES], odd, 1);
    ty_metrics_add(m, &table[WRITES], plain, 1e15);
    ty_metrics_observe(m, &table[TIME], kind, 0.001); /* bounds belong to their bucket */
    ty_metrics_observe(m, &table[TIME], kind, 0.25);
    ty_metrics_observe(m, &table[TIME], kind, 7);
    ty_metrics_observe(m, &table[TIME], kind, 0.0 / 0.0);
    ty_metrics_set(m, &table[GAUGE], NULL, 5);
    ty_metrics_add(m, &table[GAUGE], NULL, -0.5);
    char *got = printed(m);
    assert_string_equal(got, "# HELP jobs_total A back\\\\slash,\\na line.\n"
                             "# TYPE jobs_total counter\n"
                             "jobs_total 2\n"
                             "# HELP writes_total Writes.\n"
                             "# TYPE writes_total counter\n"
                             "writes_total{kind=\"JobSet\",how=\"patch\"} 1e+15\n"
                             "writes_total{kind=\"a\\\"b\\\\c\\nx\",how=\"x\"} 1\n"
                             "# HELP pass_seconds Time.\n"
                             "# TYPE pass_seconds histogram\n"
                             "pass_seconds_bucket{kind=\"JobSet\",le=\"0.001\"} 1\n"
                             "pass_seconds_bucket{kind=\"JobSet\",le=\"0.5\"} 2\n"
                             "pass_seconds_bucket{kind=\"JobSet\",le=\"2\"} 2\n"
                             "pass_seconds_bucket{kind=\"JobSet\",le=\"+Inf\"} 3\n"
                             "pass_seconds_sum{kind=\"JobSet\"} 7.251\n"
                             "pass_seconds_count{kind=\"JobSet\"} 3\n"
                             "# HELP waiting Waiting.\n"
                             "# TYPE waiting gauge\n"
                             "waiting 4.5\n");
    free(got);
    ty_metrics_free(m);
    ty_metrics_free(NULL);
}

/* Values that another part maintains are set, not added. */
static void kept_elsewhere(void **state TY_UNUSED)
{
    struct ty_metrics *m = ty_metrics_new(table);
    struct ty_histogram histogram = { .bounds = table[TIME].buckets };
    const char *const kind[] = { "JobSet" };

    ty_histogram_observe(&histogram, 0.25);
    for (int i = 0; i < 2; i++) {
        ty_metrics_set(m, &table[JOBS], NULL, 7);
        ty_metrics_set_histogram(m, &table[TIME], kind, &histogram);
    }
    ty_metrics_set(m, &table[JOBS], NULL, 6); /* counters only rise */
    char *got = printed(m);
    assert_has(got, "\njobs_total 7\n");
    assert_has(got, "\npass_seconds_bucket{kind=\"JobSet\",le=\"0.001\"} 0\n");
    assert_has(got, "\npass_seconds_bucket{kind=\"JobSet\",le=\"0.5\"} 1\n");
    assert_has(got, "\npass_seconds_sum{kind=\"JobSet\"} 0.25\n");
    assert_has(got, "\npass_seconds_count{kind=\"JobSet\"} 1\n");
    free(got);
    ty_metrics_free(m);
}

static void labels_that_never_end(void **state TY_UNUSED)
{
    struct ty_metrics *m = ty_metrics_new(table);

    for (int i = 0; i < TY_METRIC_SERIES + 100; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        ty_metrics_add(m, &table[WRITES], (const char *const[]){ text, "x" }, 1);
        ty_metrics_observe(m, &table[TIME], (const char *const[]){ text }, 1);
        ty_metrics_set(m, &table[GAUGE], NULL, i);
    }
    char *got = printed(m);
    size_t lines = 0;
    for (const char *p = got; *p; p++)
        lines += *p == '\n';
    assert_true(lines < 6 * (size_t)TY_METRIC_SERIES + 10);
    assert_has(got, "waiting 10099\n"); /* existing series continue */
    free(got);
    ty_metrics_free(m);
}

static void handle(void *ctx, struct ty_http_request *q)
{
    if (!ty_metrics_handle(ctx, q))
        ty_http_request_respond(q, 404, NULL, TY_LIT("else"));
}

static void over_http(void **state TY_UNUSED)
{
    struct ty_metrics *m = ty_metrics_new(table);
    struct serve_world w;

    serve_begin(&w, (struct ty_http_server_opts){ .handle = handle, .ctx = m });
    const char *got =
        serve_talk(&w, "GET /metrics?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_has(got, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
    assert_has(got, "\njobs_total 0\n");
    assert_has(got, "\nprocess_open_fds ");
    assert_has(serve_talk(&w, "PUT /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
               "405 ");
    assert_has(serve_talk(&w, "GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
               "else");
    serve_finish(&w);
    ty_metrics_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_format),
        cmocka_unit_test(kept_elsewhere),
        cmocka_unit_test(labels_that_never_end),
        cmocka_unit_test(over_http),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
