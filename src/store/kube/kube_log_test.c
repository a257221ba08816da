/* Container logs: what is asked, the server's errors, retries, the rate limiter, cancellation.
 * kube_log_stream_test.c has the streams. */
#include "store/kube/kube_testing.h"

#define TEXT     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
#define SHORT_MS 1000 /* a timeout that is waited for */

static void on_data(void *ctx, struct ty_str chunk)
{
    char word[128];
    assert_in_range(chunk.n, 1, TY_KUBE_LOG_BYTES);
    snprintf(word, sizeof(word), "%.*s", TY_ARG(chunk));
    kube_tell(ctx, word);
}

static struct ty_kube_log log_of(struct kube_world *w, const char *pod)
{
    return (struct ty_kube_log){ .ns = TY_LIT("d"),
                                 .pod = ty_str(pod),
                                 .tail_lines = -1,
                                 .data = on_data,
                                 .end = kube_on_end,
                                 .ctx = w };
}

static void on_seen(void *ctx, const struct ty_kube_request_result *seen)
{
    (void)ctx;
    assert_true(seen->log);
    assert_false(seen->watch);
}

static void read_log(struct kube_world *w, const char *const *answers)
{
    w->set.seen = on_seen;
    kube_begin(w, answers);
    struct ty_kube_log log = log_of(w, "p");
    w->op = ty_kube_log(w->kube, &log);
    kube_run(w);
}

static void what_is_asked(void **state)
{
    const struct {
        struct ty_kube_log log;
        const char *query;
    } cases[] = {
        { { .tail_lines = -1 }, "" },
        { { .tail_lines = 0, .follow = true }, "?follow=true&tailLines=0" },
        { { .container = TY_LIT("node"),
            .follow = true,
            .previous = true,
            .timestamps = true,
            .since_s = 90,
            .tail_lines = 20 },
          "?container=node&follow=true&previous=true&timestamps=true&sinceSeconds=90&"
          "tailLines=20" },
        { { .since_time = TY_LIT("2026-01-02T03:04:05.6Z"), .tail_lines = -1 },
          "?sinceTime=2026-01-02T03%3A04%3A05.6Z" },
        { { .container = TY_LIT("a&b=c"), .tail_lines = -1 }, "?container=a%26b%3Dc" },
    };
    static const char *const answers[] = { TEXT, NULL };
    char line[256];
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { 0 };
        struct ty_kube_log log = cases[i].log;
        kube_begin(&w, answers);
        log.ns = TY_LIT("d");
        log.pod = TY_LIT("p");
        log.data = on_data;
        log.end = kube_on_end;
        log.ctx = &w;
        w.op = ty_kube_log(w.kube, &log);
        kube_run(&w);
        assert_told(&w, "end "); /* a container that has said nothing */
        assert_ended(&w, 0, "");
        snprintf(line, sizeof(line), "GET /api/v1/namespaces/d/pods/p/log%s HTTP", cases[i].query);
        assert_has(w.peer.asked[0], line);
        assert_has(w.peer.asked[0], "Accept: application/json, */*\r\n");
        kube_finish(&w);
    }
}

static void refused_locally(void **state)
{
    static const struct {
        const char *ns, *pod, *says;
    } cases[] = {
        { "d", "", "the pod has no name" },
        { "", "p", "the pod has no namespace" },
        { "d", "..", "may not be . or .." },
        { ".", "p", "may not be . or .." },
    };
    static const char *const none[] = { NULL };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { 0 };
        kube_begin(&w, none);
        struct ty_kube_log log = log_of(&w, cases[i].pod);
        log.ns = ty_str(cases[i].ns);
        w.op = ty_kube_log(w.kube, &log);
        kube_run(&w);
        assert_ended(&w, -EINVAL, cases[i].says);
        assert_int_equal(ty_kube_requests(w.kube), 0);
        kube_finish(&w);
    }
}

/* As a real API server words them (k8s.io/kubernetes v1.36, registry/core/pod/strategy.go). */
static void errors_of_the_server(void **state)
{
    static const struct {
        const char *answer, *told, *reason, *says;
        int r, code;
    } cases[] = {
        { "HTTP/1.1 404 Not Found\r\n\r\n" STATUS(404, "NotFound", "pods \\\"p\\\" not found"),
          "end ", "NotFound", "pods \"p\" not found", -ENOENT, 404 },
        { "HTTP/1.1 403 Forbidden\r\n\r\n" STATUS(
              403, "Forbidden", "pods \\\"p\\\" is forbidden: User \\\"u\\\" cannot get resource"),
          "end ", "Forbidden", "cannot get resource", -EACCES, 403 },
        { "HTTP/1.1 400 Bad Request\r\n\r\n" STATUS(
              400, "BadRequest",
              "container \\\"node\\\" in pod \\\"p\\\" is waiting to start: ContainerCreating"),
          "end ", "BadRequest", "is waiting to start: ContainerCreating", -EINVAL, 400 },
        { "HTTP/1.1 400 Bad Request\r\n\r\n" STATUS(
              400, "BadRequest",
              "previous terminated container \\\"node\\\" in pod \\\"p\\\" not found"),
          "end ", "BadRequest", "previous terminated container", -EINVAL, 400 },
        { "HTTP/1.1 500 Internal Server Error\r\n\r\n" STATUS(
              500, "InternalError", "Get \\\"https://n:10250/\\\": dial tcp: connection refused"),
          "end ", "InternalError", "connection refused", -EAGAIN, 500 },
        { "HTTP/1.1 502 Bad Gateway\r\n\r\n<html>\nno", "end ", "", "HTTP 502: <html>", -EAGAIN,
          502 },
        { "HTTP/1.1 204 No Content\r\n\r\n", "end ", "", "", 0, 204 }, /* on no node yet */
        /* JSON is a log like any other, and so is a Status. */
        { TEXT STATUS(404, "NotFound", "no"), STATUS(404, "NotFound", "no") " end ", "", "", 0,
          200 },
        /* The connection ends early: the text so far, and that it is not all. */
        { "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\none\ntwo", "one\ntwo end ", "",
          "http://127.0.0.1:", -EAGAIN, 0 },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *const answers[] = { cases[i].answer, NULL };
        struct kube_world w = { 0 };
        read_log(&w, answers);
        assert_ended(&w, cases[i].r, cases[i].says);
        assert_int_equal(w.code, cases[i].code);
        assert_string_equal(w.reason, cases[i].reason);
        assert_told(&w, cases[i].told);
        kube_finish(&w);
    }
}

#define REFUSED "HTTP/1.1 401 Unauthorized\r\n\r\n" STATUS(401, "Unauthorized", "who are you")
#define SLOWLY  "HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\nslowly"

/* 401: once more with the credentials read anew; 429: after the pause. */
static void sent_again(void **state)
{
    static const struct {
        const char *answers[4];
        int r;
        uint64_t requests;
    } cases[] = {
        { { REFUSED, TEXT "hello", NULL }, 0, 2 },
        { { REFUSED, REFUSED, NULL }, -EACCES, 2 },
        { { SLOWLY, TEXT "hello", NULL }, 0, 2 },
    };
    char path[] = "/tmp/ty-log.XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_int_equal(write(fd, "token", 5), 5);
    close(fd);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { .config.token_file = path };
        read_log(&w, cases[i].answers);
        assert_ended(&w, cases[i].r, "");
        assert_int_equal(ty_kube_requests(w.kube), cases[i].requests);
        assert_told(&w, cases[i].r ? "end " : "hello end ");
        assert_has(w.peer.asked[1], "Authorization: Bearer token\r\n");
        kube_finish(&w);
    }
    unlink(path);
}

/* The rate limiter counts logs: with one request in a minute, the second has no time left. */
static void limited(void **state)
{
    static const char *const answers[] = { TEXT "one", NULL };
    struct kube_world w = { .set = { .qps = 1.0 / 60, .burst = 1, .timeout_ms = SHORT_MS } };
    (void)state;
    read_log(&w, answers);
    assert_told(&w, "one end ");
    w.ends = 0;
    struct ty_kube_log log = log_of(&w, "p");
    w.op = ty_kube_log(w.kube, &log);
    kube_run(&w);
    assert_ended(&w, -EAGAIN, "the limit on requests (qps) left no time");
    assert_int_equal(ty_kube_requests(w.kube), 1);
    kube_finish(&w);
}

static void cancelled(void **state)
{
    static const char *const answers[] = { TEXT "hello", NULL };
    static const char *const at[] = { "hello", "end" };
    static const char *const told[] = { "hello ", "hello end " };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(at); i++) {
        struct kube_world w = { .cancel_at = at[i] };
        read_log(&w, answers);
        assert_told(&w, told[i]);
        kube_finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked),
        cmocka_unit_test(refused_locally),
        cmocka_unit_test(errors_of_the_server),
        cmocka_unit_test(sent_again),
        cmocka_unit_test(limited),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
