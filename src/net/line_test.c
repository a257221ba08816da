#include "net/line.h"

#include "net/h2_testing.h"

#include "base/buf.h"

struct heard {
    struct ty_line *line;
    struct ty_buf in;
    const char *to_send; /* once it is ready */
    int ready, gone;
    bool h2, free_when_ready, free_when_heard;
    char why[512];
};

static void on_ready(void *ctx, bool h2)
{
    struct heard *h = ctx;
    h->ready++;
    h->h2 = h2;
    if (h->free_when_ready) {
        ty_line_free(h->line);
        h->line = NULL;
    }
}

static void on_bytes(void *ctx, struct ty_str bytes)
{
    struct heard *h = ctx;
    ty_buf_add(&h->in, bytes);
    if (h->free_when_heard) {
        ty_line_free(h->line);
        h->line = NULL;
    } else {
        ty_line_hold(h->line, false);
    }
}

static struct ty_str on_more(void *ctx)
{
    struct heard *h = ctx;
    struct ty_str s = ty_str(h->to_send);
    h->to_send = NULL;
    return s;
}

static void on_gone(void *ctx, const char *why)
{
    struct heard *h = ctx;
    h->gone++;
    snprintf(h->why, sizeof(h->why), "%s", why);
}

struct world {
    uv_loop_t loop;
    struct ty_gnutls gnutls;
    struct ty_far far;
    char port[8];
};

static void begin(struct world *w, const char *alpn)
{
    struct ty_err err = { 0 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_gnutls_load(&w->gnutls, &err), 0);
    far_start(&w->far, alpn);
    snprintf(w->port, sizeof(w->port), "%d", w->far.port);
}

static struct ty_line_settings to_far(struct world *w)
{
    return (struct ty_line_settings){ .loop = &w->loop,
                                      .gnutls = &w->gnutls,
                                      .host = "127.0.0.1",
                                      .port = w->port,
                                      .name = "127.0.0.1",
                                      .ca_file = w->far.ca,
                                      .connect_ms = 20000,
                                      .dead_ms = 20000,
                                      .ready = on_ready,
                                      .bytes = on_bytes,
                                      .more = on_more,
                                      .gone = on_gone };
}

/* Until nothing keeps the loop going. */
static void run(struct world *w, struct heard *h, const struct ty_line_settings *s)
{
    struct ty_line_settings mine = *s;
    mine.ctx = h;
    h->line = ty_line_new(&mine);
    assert_int_equal(h->ready + h->gone, 0); /* never from within */
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static void end(struct world *w, struct heard *h)
{
    ty_line_free(h->line);
    ty_buf_done(&h->in);
    uv_run(&w->loop, UV_RUN_DEFAULT);
}

static void finish(struct world *w)
{
    assert_int_equal(uv_loop_close(&w->loop), 0);
    far_stop(&w->far);
    ty_gnutls_done(&w->gnutls);
}

/* Without ALPN the far end answers whatever comes with the same few bytes. */
static void bytes_both_ways(void **state)
{
    struct world w;
    struct heard h = { .to_send = "GET / HTTP/1.1\r\n\r\n" };
    (void)state;
    begin(&w, NULL);
    struct ty_line_settings s = to_far(&w);
    run(&w, &h, &s);
    assert_int_equal(h.ready, 1);
    assert_false(h.h2);
    assert_int_equal(h.gone, 0);
    ty_buf_chr(&h.in, '\0');
    assert_has(h.in.p, "old");
    end(&w, &h);
    finish(&w);
}

static void chooses_h2(void **state)
{
    struct world w;
    struct heard h = { 0 }, freed = { .free_when_ready = true },
                 heard = { .free_when_heard = true };
    (void)state;
    begin(&w, "h2");
    struct ty_line_settings s = to_far(&w);
    run(&w, &h, &s); /* its settings are what we hear */
    assert_true(h.h2);
    assert_true(h.in.n > 0);
    end(&w, &h);
    run(&w, &freed, &s);
    assert_int_equal(freed.ready, 1);
    assert_int_equal(freed.gone, 0);
    end(&w, &freed);
    run(&w, &heard, &s);
    assert_int_equal(heard.gone, 0);
    end(&w, &heard);
    finish(&w);
}

/* Whom we talk to is certain, or we do not talk. */
static void certificates(void **state)
{
    static const struct {
        const char *name, *why;
        bool without_ca, insecure;
    } cases[] = {
        { "far.test", NULL, false, false },
        { "near.test", "near.test", false, false },
        { "127.0.0.2", "127.0.0.2", false, false },
        { "127.0.0.1", "issuer is unknown", true, false },
        { "near.test", NULL, true, true },
    };
    struct world w;
    (void)state;
    begin(&w, "h2");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ty_line_settings s = to_far(&w);
        struct heard h = { 0 };
        s.name = cases[i].name;
        s.ca_file = cases[i].without_ca ? NULL : s.ca_file;
        s.insecure = cases[i].insecure;
        run(&w, &h, &s);
        assert_int_equal(h.gone, cases[i].why ? 1 : 0);
        assert_int_equal(h.ready, cases[i].why ? 0 : 1);
        if (cases[i].why)
            assert_has(h.why, cases[i].why);
        end(&w, &h);
    }
    finish(&w);
}

static void files(void **state)
{
    struct world w;
    struct heard no_ca = { 0 }, bad_ca = { 0 }, bad_cert = { 0 }, good = { 0 };
    (void)state;
    begin(&w, "h2");
    w.far.wants_client_cert = true;
    struct ty_line_settings s = to_far(&w);
    s.ca_file = "/nonexistent";
    run(&w, &no_ca, &s);
    assert_has(no_ca.why, "/nonexistent: no CA certificate can be read");
    s.ca_file = w.far.key;
    run(&w, &bad_ca, &s);
    assert_has(bad_ca.why, "no CA certificate can be read");
    s.ca_file = w.far.ca;
    s.cert_file = w.far.key;
    s.key_file = w.far.cert;
    run(&w, &bad_cert, &s);
    assert_has(bad_cert.why, "the client certificate");
    s.cert_file = w.far.cert;
    s.key_file = w.far.key;
    run(&w, &good, &s);
    assert_int_equal(good.ready, 1);
    assert_int_equal(w.far.client_certs, 1); /* though it is of no CA that the server named */
    end(&w, &no_ca);
    end(&w, &bad_ca);
    end(&w, &bad_cert);
    end(&w, &good);
    finish(&w);
}

static void nobody_there(void **state)
{
    struct world w;
    struct heard refused = { 0 }, unknown = { 0 }, port = { 0 };
    (void)state;
    begin(&w, "h2");
    struct ty_line_settings s = to_far(&w);
    s.port = "1";
    run(&w, &refused, &s);
    assert_has(refused.why, "cannot connect to 127.0.0.1 port 1: Connection refused");
    s.host = "nobody.invalid";
    run(&w, &unknown, &s);
    assert_has(unknown.why, "nobody.invalid");
    s.host = "127.0.0.1";
    s.port = "seven";
    run(&w, &port, &s);
    assert_int_equal(port.gone, 1);
    end(&w, &refused);
    end(&w, &unknown);
    end(&w, &port);
    finish(&w);
}

/* By its name; ::1, where nobody listens, may come first. */
static void by_name(void **state)
{
    struct world w;
    struct heard h = { 0 };
    (void)state;
    begin(&w, "h2");
    struct ty_line_settings s = to_far(&w);
    s.host = "localhost";
    run(&w, &h, &s);
    assert_int_equal(h.ready, 1);
    end(&w, &h);
    finish(&w);
}

/* The kernel accepts, nobody shakes hands. */
static void time_is_limited(void **state)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof(at);
    struct world w;
    struct heard h = { 0 };
    char port[8];
    (void)state;
    begin(&w, "h2");
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    snprintf(port, sizeof(port), "%d", ntohs(at.sin_port));
    struct ty_line_settings s = to_far(&w);
    s.port = port;
    s.connect_ms = 50;
    run(&w, &h, &s);
    assert_has(h.why, "timed out");
    assert_has(h.why, "TLS handshake");
    end(&w, &h);
    close(fd);
    finish(&w);
}

/* No TLS there. */
static void no_tls(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 400 Bad Request\r\n\r\n", NULL };
    struct world w;
    struct ty_peer peer;
    struct heard h = { 0 };
    (void)state;
    begin(&w, "h2");
    peer_start(&peer, answers);
    struct ty_line_settings s = to_far(&w);
    s.port = strrchr(peer.url, ':') + 1;
    s.connect_ms = 500; /* that server waits for an empty line, which TLS may not bring */
    run(&w, &h, &s);
    assert_int_equal(h.ready, 0);
    assert_int_equal(h.gone, 1);
    end(&w, &h);
    peer_stop(&peer);
    finish(&w);
}

static void freed_at_once(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost", "nobody.invalid" };
    struct world w;
    (void)state;
    begin(&w, "h2");
    for (int i = 0; i < 6; i++) {
        struct heard h = { 0 };
        struct ty_line_settings s = to_far(&w);
        s.host = hosts[i % 3];
        s.ctx = &h;
        struct ty_line *line = ty_line_new(&s);
        if (i >= 3)
            uv_run(&w.loop, UV_RUN_NOWAIT);
        ty_line_free(line);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(h.gone, 0);
        ty_buf_done(&h.in);
    }
    ty_line_free(NULL);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_both_ways), cmocka_unit_test(chooses_h2),
        cmocka_unit_test(certificates),    cmocka_unit_test(files),
        cmocka_unit_test(nobody_there),    cmocka_unit_test(by_name),
        cmocka_unit_test(time_is_limited), cmocka_unit_test(no_tls),
        cmocka_unit_test(freed_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
