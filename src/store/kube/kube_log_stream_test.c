/* Container logs as streams: text of any kind over both transports, silence and progress, and
 * readers that are slow or have seen enough. */
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "net/h2_testing.h"
#include "store/kube/kube_testing.h"

#define SHORT_MS 1000 /* a timeout that is waited for */

/* Both transports: over HTTP/2 or over HTTP/1.1 by libcurl. */

struct far_world {
    struct kube_world k;
    struct ty_far far;
    size_t bytes, chunks;
    size_t stop_at; /* cancel with so many bytes; 0: read all */
    int naps;       /* of the reader, left */
};

static void begin_far(struct far_world *w)
{
    static const char *const none[] = { NULL };
    struct ty_err err = { 0 };
    kube_begin(&w->k, none);
    ty_kube_free(w->k.kube);
    far_start(&w->far, "h2");
    w->k.config.server = w->far.url;
    w->k.config.ca.file = w->far.ca;
    assert_int_equal(ty_kube_new(&w->k.kube, &w->k.set, &err), 0);
}

static void finish_far(struct far_world *w)
{
    kube_finish(&w->k);
    far_stop(&w->far);
}

static void on_bytes(void *ctx, struct ty_str chunk)
{
    struct far_world *w = ctx;
    assert_in_range(chunk.n, 1, TY_KUBE_LOG_BYTES);
    w->bytes += chunk.n;
    w->chunks++;
    if (w->naps > 0) {
        w->naps--;
        poll(NULL, 0, 2 * SHORT_MS);
    }
    if (w->stop_at && w->bytes >= w->stop_at)
        ty_kube_cancel(w->k.op);
}

static void on_far_end(void *ctx, const struct ty_kube_response *answer)
{
    struct far_world *w = ctx;
    kube_on_end(&w->k, answer);
}

static struct ty_kube_op *start_far_log(struct far_world *w, const char *pod, bool follow)
{
    w->k.op = ty_kube_log(w->k.kube, &(struct ty_kube_log){ .ns = TY_LIT("d"),
                                                            .pod = ty_str(pod),
                                                            .follow = follow,
                                                            .tail_lines = -1,
                                                            .data = on_bytes,
                                                            .end = on_far_end,
                                                            .ctx = w });
    return w->k.op;
}

/* More bytes than a window has, in chunks of bounded size; cancelled in the middle of them. */
static void much_text(void **state)
{
    (void)state;
    for (size_t stop_at = 0; stop_at <= 100000; stop_at += 50000) {
        struct far_world w = { .stop_at = stop_at };
        begin_far(&w);
        start_far_log(&w, "big", true);
        kube_run(&w.k);
        assert_int_equal(w.k.ends, stop_at == 0);
        if (stop_at)
            assert_in_range(w.bytes, stop_at, stop_at + TY_KUBE_LOG_BYTES);
        else
            assert_int_equal(w.bytes, BIG_BYTES);
        assert_true(w.chunks > 3);
        finish_far(&w);
    }
}

static void errors_over_http2(void **state)
{
    static const struct {
        const char *pod, *says;
        int r, code;
    } cases[] = {
        { "early", "HTTP 401: GET /early 0", -EACCES, 401 },
        { "none", "", 0, 204 },
        { "reset", "", -EAGAIN, 0 },
        { "cut", "", -EAGAIN, 0 },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct far_world w = { 0 };
        begin_far(&w);
        start_far_log(&w, cases[i].pod, false);
        kube_run(&w.k);
        assert_ended(&w.k, cases[i].r, cases[i].says);
        assert_int_equal(w.k.code, cases[i].code);
        assert_true((w.bytes > 0) == (cases[i].r == -EAGAIN));
        finish_far(&w);
    }
}

static void on_other(void *ctx, const struct ty_kube_response *answer)
{
    (void)answer;
    ++*(int *)ctx;
}

/* Logs have a connection of their own, and another one when the server allows no more streams. */
static void connections(void **state)
{
    struct far_world w = { .far.streams = 2 };
    int others = 0;
    (void)state;
    begin_far(&w);
    ty_kube_list(w.k.kube, &(struct ty_kube_list){
                               .which.kind = &ty_kind_configmap, .end = on_other, .ctx = &others });
    while (!others)
        uv_run(&w.k.loop, UV_RUN_ONCE);
    assert_int_equal(w.far.connections, 1);
    struct ty_kube_op *silent[4];
    for (size_t i = 0; i < 2; i++)
        silent[i] = start_far_log(&w, "silent", true);
    while (w.far.requests < 3)
        uv_run(&w.k.loop, UV_RUN_NOWAIT);
    assert_int_equal(w.far.connections, 2);
    for (size_t i = 2; i < 4; i++)
        silent[i] = start_far_log(&w, "silent", true);
    while (w.far.requests < 5)
        uv_run(&w.k.loop, UV_RUN_NOWAIT);
    assert_int_equal(w.far.connections, 3);
    for (size_t i = 0; i < 4; i++)
        ty_kube_cancel(silent[i]);
    assert_int_equal(w.k.ends, 0);
    finish_far(&w);
}

/* Silence ends a log that is only read, but not one that is followed. */
static void check_silence(struct far_world *w)
{
    struct ty_kube_op *followed = start_far_log(w, "silent", true);
    start_far_log(w, "silent", false);
    while (!w->k.ends)
        uv_run(&w->k.loop, UV_RUN_ONCE);
    assert_ended(&w->k, -EAGAIN, "the server has said nothing for 1 s");
    assert_int_equal(w->bytes, 0);
    ty_kube_cancel(followed);
    assert_int_equal(w->k.ends, 1);
}

static void silence(void **state)
{
    static const char *const none[] = { NULL };
    struct far_world w = { .k.set.timeout_ms = SHORT_MS };
    (void)state;
    begin_far(&w);
    check_silence(&w);
    finish_far(&w);

    w = (struct far_world){ .k.set.timeout_ms = SHORT_MS };
    struct ty_err err = { 0 };
    char url[64];
    int port = 0, fd = port_take(16, &port); /* accepts, and never answers */
    kube_begin(&w.k, none);
    ty_kube_free(w.k.kube);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    w.k.config.server = url;
    assert_int_equal(ty_kube_new(&w.k.kube, &w.k.set, &err), 0);
    check_silence(&w);
    kube_finish(&w.k);
    close(fd);
}

/* The reader blocks the loop for longer than the timeout, again and again: no bytes are lost. */
static void slow_reader_of_http2(void **state)
{
    struct far_world w = { .k.set.timeout_ms = SHORT_MS, .naps = 2 };
    (void)state;
    begin_far(&w);
    start_far_log(&w, "big", false);
    kube_run(&w.k);
    assert_ended(&w.k, 0, "");
    assert_int_equal(w.bytes, BIG_BYTES);
    finish_far(&w);
}

/* A server that sends any bytes, in chunks of HTTP/1.1 of any size. */
struct drip {
    pthread_t thread;
    int fd;
    unsigned seed;
    int pause_ms;
    size_t n;
    char body[200000];
};

static void drip_send(int c, const char *p, size_t n)
{
    while (n) {
        ssize_t put = send(c, p, n, MSG_NOSIGNAL);
        if (put <= 0)
            return;
        p += put;
        n -= (size_t)put;
    }
}

static void *drip_run(void *ctx)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    struct drip *d = ctx;
    char line[32], junk[4096];
    int c = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC);
    if (c < 0 || read(c, junk, sizeof(junk)) <= 0)
        return NULL;
    drip_send(c, head, sizeof(head) - 1);
    for (size_t at = 0; at < d->n;) {
        size_t most = rand_r(&d->seed) % 4 ? 200 : 40000;
        size_t n = 1 + (size_t)rand_r(&d->seed) % most;
        n = n < d->n - at ? n : d->n - at;
        drip_send(c, line, (size_t)snprintf(line, sizeof(line), "%zx\r\n", n));
        drip_send(c, d->body + at, n);
        drip_send(c, "\r\n", 2);
        at += n;
        poll(NULL, 0, d->pause_ms);
    }
    drip_send(c, "0\r\n\r\n", 5);
    while (read(c, junk, sizeof(junk)) > 0)
        ;
    close(c);
    return NULL;
}

struct drip_world {
    struct kube_world k; /* first: of kube_on_end */
    int naps;            /* of the reader, left */
};

static void on_drip(void *ctx, struct ty_str chunk)
{
    struct drip_world *w = ctx;
    assert_in_range(chunk.n, 1, TY_KUBE_LOG_BYTES);
    ty_buf_add(&w->k.told, chunk);
    if (w->naps > 0) {
        w->naps--;
        poll(NULL, 0, 2 * SHORT_MS);
    }
}

/* Reads what it sends, and compares. */
static void check_drip(struct drip *d, int64_t timeout_ms, int naps)
{
    static const char *const none[] = { NULL };
    struct drip_world dw = { .k.set.timeout_ms = timeout_ms, .naps = naps };
    struct kube_world *w = &dw.k;
    struct ty_err err = { 0 };
    char url[64];
    int port = 0;

    d->fd = port_take(16, &port);
    assert_int_equal(pthread_create(&d->thread, NULL, drip_run, d), 0);
    kube_begin(w, none);
    ty_kube_free(w->kube);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    w->config.server = url;
    assert_int_equal(ty_kube_new(&w->kube, &w->set, &err), 0);
    w->op = ty_kube_log(w->kube, &(struct ty_kube_log){ .ns = TY_LIT("d"),
                                                        .pod = TY_LIT("p"),
                                                        .tail_lines = -1,
                                                        .data = on_drip,
                                                        .end = kube_on_end,
                                                        .ctx = &dw });
    kube_run(w);
    assert_ended(w, 0, "");
    assert_int_equal(w->told.n, d->n + strlen("end "));
    assert_memory_equal(w->told.p, d->body, d->n);
    kube_finish(w);
    pthread_join(d->thread, NULL);
    close(d->fd);
}

/* Not only text, and not in lines: every byte arrives, in order. */
static void any_bytes(void **state)
{
    struct drip *d = calloc(1, sizeof(*d));
    (void)state;
    for (unsigned round = 1; round <= 10; round++) {
        *d = (struct drip){ .seed = round, .n = round * sizeof(d->body) / 10 };
        for (size_t i = 0; i < d->n; i++)
            d->body[i] = (char)rand_r(&d->seed);
        check_drip(d, 20000, 0);
    }
    free(d);
}

static void slow_reader_of_http1(void **state)
{
    struct drip *d = calloc(1, sizeof(*d));
    (void)state;
    d->n = sizeof(d->body);
    memset(d->body, 'x', d->n);
    check_drip(d, SHORT_MS, 2);
    free(d);
}

/* Bytes arrive for longer than the timeout. */
static void progress(void **state)
{
    struct drip *d = calloc(1, sizeof(*d));
    (void)state;
    d->n = 1200; /* about twelve pieces */
    d->pause_ms = 250;
    d->seed = 4;
    memset(d->body, 'x', d->n);
    check_drip(d, 2000, 0);
    free(d);
}

/* In a network of its own, the loopback interface goes down: nothing is acknowledged any more, and
 * nothing says that the peer is gone. */
static bool set_loopback(bool up)
{
    struct ifreq lo = { .ifr_name = "lo", .ifr_flags = (short)(up ? IFF_UP | IFF_RUNNING : 0) };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = ioctl(fd, SIOCSIFFLAGS, &lo) == 0;
    close(fd);
    return good;
}

static void dead_peer(void **state)
{
    struct far_world w = { .k.set.dead_ms = SHORT_MS };
    (void)state;
    if (unshare((geteuid() ? CLONE_NEWUSER : 0) | CLONE_NEWNET) < 0 || !set_loopback(true))
        skip(); /* namespaces are not permitted here */
    begin_far(&w);
    start_far_log(&w, "silent", true);
    while (w.far.requests < 1)
        uv_run(&w.k.loop, UV_RUN_NOWAIT);
    assert_true(set_loopback(false));
    while (!w.k.ends)
        uv_run(&w.k.loop, UV_RUN_ONCE);
    assert_int_equal(w.k.r, -EAGAIN);
    assert_true(set_loopback(true));
    finish_far(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_text),
        cmocka_unit_test(errors_over_http2),
        cmocka_unit_test(connections),
        cmocka_unit_test(silence),
        cmocka_unit_test(slow_reader_of_http2),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(slow_reader_of_http1),
        cmocka_unit_test(progress),
        cmocka_unit_test(dead_peer), /* last: it leaves the network */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
