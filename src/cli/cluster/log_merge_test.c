/* Against a scripted server, one connection for each request; tests/operator uses a real one. */
#include "cli/cluster/cluster_session_testing.h"
#include "cli/cluster/job_watch.h"
#include "cli/cluster/log_merge.h"

#include <poll.h>

#define LOG  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
#define CUT  "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" /* more than follows */
#define T(n) "2026-11-17T18:40:0" #n ".000000000Z "
#define BUSY "HTTP/1.1 500 Internal Server Error\r\n\r\n" STATUS(500, "InternalError", "no kubelet")

struct merge_fixture {
    struct cluster_fixture *f;
    struct ty_cluster_session *s;
    struct ty_log_merge *m;
    struct ty_log_container c;
    struct ty_log_pod pod;
    bool done;
    int64_t restart_to; /* the status at the next end of a log; -1: none */
};

static void on_changed(void *ctx)
{
    struct merge_fixture *w = ctx;

    if (w->restart_to >= 0) {
        w->c = (struct ty_log_container){ .name = "node", .instance = w->restart_to };
        w->restart_to = -1;
        ty_log_merge_pod(w->m, &w->pod);
    }
    w->done = ty_log_merge_idle(w->m) || ty_log_merge_fatal(w->m);
}

static void open_merge(struct merge_fixture *w, struct cluster_fixture *f,
                       const char *const *answers, struct ty_log_merge_opts opts)
{
    *w = (struct merge_fixture){ .f = f, .restart_to = -1 };
    w->c = (struct ty_log_container){ .name = "node", .ended = true };
    w->pod = (struct ty_log_pod){ .name = "t-node-0-0-x",
                                  .uid = "u",
                                  .host = "t-node-0-0",
                                  .node = "node-0-0",
                                  .containers = &w->c,
                                  .n = 1 };
    cluster_serve(f, answers);
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &w->s), 0);
    opts.cli = &f->b.cli;
    opts.session = w->s;
    opts.prefix = true;
    opts.tail = opts.tail ? opts.tail : -1;
    opts.changed = on_changed;
    opts.ctx = w;
    w->m = ty_log_merge_new(&opts);
}

/* Until nothing is being read. */
static void run_merge(struct merge_fixture *w)
{
    assert_int_equal(ty_job_watch_run(w->s, &w->done, ty_cli_monotonic_ms() + 30000, false),
                     TY_JOB_WATCH_DONE);
}

/* The output, and the number of requests. */
static void close_merge(struct merge_fixture *w, const char *out, size_t requests)
{
    ty_log_merge_free(w->m);
    ty_cluster_session_free(w->s);
    fixture_flush(&w->f->b);
    assert_string_equal(w->f->b.out, out);
    size_t n = 0;
    while (n < TY_COUNT(w->f->peer.asked) && w->f->peer.asked[n][0])
        n++;
    assert_int_equal(n, requests);
}

/* The stream breaks in the middle of a line; then the kubelet does not answer; then it ends, and
 * one more read makes sure of that. */
static void test_resume(void **state)
{
    static const char *const answers[] = { CUT T(1) "a\n" T(2) "b\n" T(3) "ha", BUSY,
                                           LOG T(2) "b\n" T(3) "half\n" T(4) "d\n",
                                           LOG T(4) "d\n" T(4) "e\n", NULL };
    struct cluster_fixture *f = *state;
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true, .tail = 10 });
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    assert_has(f->peer.asked[0], "/pods/t-node-0-0-x/log?");
    assert_has(f->peer.asked[0], "tailLines=10");
    assert_has(f->peer.asked[2], "sinceTime=2026-11-17T18%3A40%3A02.000000000Z");
    assert_null(strstr(f->peer.asked[2], "tailLines"));
    assert_null(strstr(f->peer.asked[3], "follow=true"));
    assert_int_equal(ty_log_merge_code(w.m), TY_EXIT_OK);
    close_merge(&w, "[node-0-0] a\n[node-0-0] b\n[node-0-0] half\n[node-0-0] d\n[node-0-0] e\n", 4);
}

/* Restarted in place while its stream was broken: the rest of the old log, then the new one. */
static void test_restart_in_place(void **state)
{
    static const char *const answers[] = { CUT T(1) "a\n", LOG T(1) "a\n" T(2) "b\n",
                                           LOG T(5) "again\n", LOG T(5) "again\n", NULL };
    struct cluster_fixture *f = *state;
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true });
    w.c.ended = false;
    ty_log_merge_pod(w.m, &w.pod);
    w.restart_to = 1;
    while (strstr(f->peer.asked[2], "follow=true") == NULL)
        uv_run(ty_cluster_session_loop(w.s), UV_RUN_ONCE);
    assert_has(f->peer.asked[1], "previous=true");
    w.c.ended = true;
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    close_merge(&w, "[node-0-0] a\n[node-0-0] b\n[node-0-0] again\n", 4);
}

/* Once: one after the other, what cannot be read is said, the rest is printed. */
static void test_once(void **state)
{
    static const char *const answers[] = { BUSY, BUSY, BUSY, BUSY, LOG T(1) "no newline", NULL };
    struct cluster_fixture *f = *state;
    struct ty_log_container two[2] = { { .name = "init", .ended = true },
                                       { .name = "node", .ended = true } };
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .timestamps = true });
    w.pod.containers = two;
    w.pod.n = 2;
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    assert_int_equal(ty_log_merge_code(w.m), TY_EXIT_BAD);
    close_merge(&w, "[node-0-0] " T(1) "no newline\n", 5);
    assert_has(f->b.err, "log of container \"init\" of node-0-0 cannot be read: no kubelet");
}

static void test_no_right(void **state)
{
    static const char *const answers[] = { FORBIDDEN, NULL };
    struct cluster_fixture *f = *state;
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true });
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    assert_true(ty_log_merge_fatal(w.m));
    close_merge(&w, "", 1);
    assert_has(f->b.err, "cannot read the logs: you may not get pods/log in namespace \"team\"");
}

/* More logs than streams: the others begin when these end, and that is said once. */
static void test_limit(void **state)
{
    static const char *const answers[] = { LOG T(1) "a\n", LOG T(1) "a\n", LOG T(2) "b\n",
                                           LOG T(2) "b\n", NULL };
    struct cluster_fixture *f = *state;
    struct ty_log_container two[2] = { { .name = "init", .ended = true },
                                       { .name = "node", .ended = true } };
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true, .streams = 1 });
    w.pod.containers = two;
    w.pod.n = 2;
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    close_merge(&w, "[node-0-0] a\n[node-0-0] b\n", 4);
    assert_has(f->b.err, "note: 1 logs are followed at the same time; 1 more begin when these end");
}

/* A container that has not started, in a pod that is deleted; the log of a pod that is gone. */
static void test_gone(void **state)
{
    static const char *const answers[] = { NOT_FOUND, NULL };
    struct cluster_fixture *f = *state;
    struct ty_log_container two[2] = { { .name = "node", .ended = true },
                                       { .name = "late", .instance = -1 } };
    struct merge_fixture w;

    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true });
    w.pod.containers = two;
    w.pod.n = 2;
    ty_log_merge_pod(w.m, &w.pod);
    assert_false(ty_log_merge_idle(w.m));
    ty_log_merge_pod_gone(w.m, "u");
    ty_log_merge_pod_gone(w.m, "another");
    run_merge(&w);
    close_merge(&w, "", 1);
}

/* Until the clock has moved on, as if a pager did not read on. */
static ssize_t write_slowly(void *ctx, const char *p TY_UNUSED, size_t n)
{
    int64_t *written_ms = ctx, begin = ty_cli_monotonic_ms();

    while ((*written_ms = ty_cli_monotonic_ms()) < begin + 20)
        poll(NULL, 0, 1);
    return (ssize_t)n;
}

/* The time in which the output blocks is no silence of the logs. */
static void test_blocked_output(void **state)
{
    static const char *const answers[] = { LOG T(1) "a\n", LOG T(1) "a\n", NULL };
    struct cluster_fixture *f = *state;
    struct merge_fixture w;
    int64_t written_ms = 0;
    FILE *out = f->b.cli.out,
         *slow = fopencookie(&written_ms, "w", (cookie_io_functions_t){ .write = write_slowly });

    assert_non_null(slow);
    f->b.cli.out = slow;
    open_merge(&w, f, answers, (struct ty_log_merge_opts){ .follow = true });
    ty_log_merge_pod(w.m, &w.pod);
    run_merge(&w);
    int64_t quiet = ty_log_merge_quiet_ms(w.m);
    assert_true(written_ms > 0);
    assert_true(ty_cli_monotonic_ms() - quiet >= written_ms);
    f->b.cli.out = out;
    close_merge(&w, "", 2);
    fclose(slow);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_resume),        TEST(test_restart_in_place),
                                        TEST(test_once),          TEST(test_no_right),
                                        TEST(test_limit),         TEST(test_gone),
                                        TEST(test_blocked_output) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
