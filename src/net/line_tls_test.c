/* What is said over TLS, and to whom. */
#include "net/line_testing.h"

/* Without ALPN the far end answers whatever comes with the same few bytes. */
static void bytes_both_ways(void **state)
{
    struct line_world w;
    struct line_heard h = { .to_send = "GET / HTTP/1.1\r\n\r\n" };
    (void)state;
    line_begin(&w, NULL);
    struct ty_line_settings s = line_to_far(&w);
    line_run(&w, &h, &s);
    assert_int_equal(h.ready, 1);
    assert_false(h.h2);
    assert_int_equal(h.gone, 0);
    ty_buf_chr(&h.in, '\0');
    assert_has(h.in.p, "old");
    line_end(&w, &h);
    line_finish(&w);
}

static void chooses_h2(void **state)
{
    struct line_world w;
    struct line_heard h = { 0 }, freed = { .free_when_ready = true },
                      heard = { .free_when_heard = true };
    (void)state;
    line_begin(&w, "h2");
    struct ty_line_settings s = line_to_far(&w);
    line_run(&w, &h, &s); /* its settings are what we hear */
    assert_true(h.h2);
    assert_true(h.in.n > 0);
    line_end(&w, &h);
    line_run(&w, &freed, &s);
    assert_int_equal(freed.ready, 1);
    assert_int_equal(freed.gone, 0);
    line_end(&w, &freed);
    line_run(&w, &heard, &s);
    assert_int_equal(heard.gone, 0);
    line_end(&w, &heard);
    line_finish(&w);
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
    struct line_world w;
    (void)state;
    line_begin(&w, "h2");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct ty_line_settings s = line_to_far(&w);
        struct line_heard h = { 0 };
        s.name = cases[i].name;
        s.ca_file = cases[i].without_ca ? NULL : s.ca_file;
        s.insecure = cases[i].insecure;
        line_run(&w, &h, &s);
        assert_int_equal(h.gone, cases[i].why ? 1 : 0);
        assert_int_equal(h.ready, cases[i].why ? 0 : 1);
        if (cases[i].why)
            assert_has(h.why, cases[i].why);
        line_end(&w, &h);
    }
    line_finish(&w);
}

static void files(void **state)
{
    struct line_world w;
    struct line_heard no_ca = { 0 }, bad_ca = { 0 }, bad_cert = { 0 }, good = { 0 };
    (void)state;
    line_begin(&w, "h2");
    w.far.wants_client_cert = true;
    struct ty_line_settings s = line_to_far(&w);
    s.ca_file = "/nonexistent";
    line_run(&w, &no_ca, &s);
    assert_has(no_ca.why, "/nonexistent: no CA certificate can be read");
    s.ca_file = w.far.key;
    line_run(&w, &bad_ca, &s);
    assert_has(bad_ca.why, "no CA certificate can be read");
    s.ca_file = w.far.ca;
    s.cert_file = w.far.key;
    s.key_file = w.far.cert;
    line_run(&w, &bad_cert, &s);
    assert_has(bad_cert.why, "the client certificate");
    s.cert_file = w.far.cert;
    s.key_file = w.far.key;
    line_run(&w, &good, &s);
    assert_int_equal(good.ready, 1);
    assert_int_equal(w.far.client_certs, 1); /* though it is of no CA that the server named */
    line_end(&w, &no_ca);
    line_end(&w, &bad_ca);
    line_end(&w, &bad_cert);
    line_end(&w, &good);
    line_finish(&w);
}

/* No TLS there. */
static void no_tls(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 400 Bad Request\r\n\r\n", NULL };
    struct line_world w;
    struct ty_peer peer;
    struct line_heard h = { 0 };
    (void)state;
    line_begin(&w, "h2");
    peer_start(&peer, answers);
    struct ty_line_settings s = line_to_far(&w);
    s.port = strrchr(peer.url, ':') + 1;
    s.connect_ms = 500; /* that server waits for an empty line, which TLS may not bring */
    line_run(&w, &h, &s);
    assert_int_equal(h.ready, 0);
    assert_int_equal(h.gone, 1);
    line_end(&w, &h);
    peer_stop(&peer);
    line_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_both_ways), cmocka_unit_test(chooses_h2),
        cmocka_unit_test(certificates),    cmocka_unit_test(files),
        cmocka_unit_test(no_tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
