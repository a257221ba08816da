/* What is said over TLS, and to whom. */
#include "net/tls_conn_testing.h"

/* Without ALPN the far end answers whatever comes with the same few bytes. */
static void bytes_both_ways(void **state)
{
    struct conn_world w;
    struct conn_heard h = { .to_send = "GET / HTTP/1.1\r\n\r\n" };
    (void)state;
    conn_begin(&w, NULL);
    struct ty_tls_conn_settings s = conn_to_far(&w);
    conn_run(&w, &h, &s);
    assert_int_equal(h.ready, 1);
    assert_false(h.h2);
    assert_int_equal(h.gone, 0);
    ty_buf_chr(&h.in, '\0');
    assert_has(h.in.p, "old");
    conn_end(&w, &h);
    conn_finish(&w);
}

static void chooses_h2(void **state)
{
    struct conn_world w;
    struct conn_heard h = { 0 }, freed = { .free_when_ready = true },
                      heard = { .free_when_heard = true };
    (void)state;
    conn_begin(&w, "h2");
    struct ty_tls_conn_settings s = conn_to_far(&w);
    conn_run(&w, &h, &s); /* its settings are what we hear */
    assert_true(h.h2);
    assert_true(h.in.n > 0);
    conn_end(&w, &h);
    conn_run(&w, &freed, &s);
    assert_int_equal(freed.ready, 1);
    assert_int_equal(freed.gone, 0);
    conn_end(&w, &freed);
    conn_run(&w, &heard, &s);
    assert_int_equal(heard.gone, 0);
    conn_end(&w, &heard);
    conn_finish(&w);
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
        { "::1", NULL, false, false },
        { "0:0::0001", NULL, false, false },
        { "::2", "::2", false, false },
        { "127.0.0.1", "issuer is unknown", true, false },
        { "near.test", NULL, true, true },
    };
    struct conn_world w;
    (void)state;
    conn_begin(&w, "h2");
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_tls_conn_settings s = conn_to_far(&w);
        struct conn_heard h = { 0 };
        s.name = cases[i].name;
        s.ca_file = cases[i].without_ca ? NULL : s.ca_file;
        s.insecure = cases[i].insecure;
        conn_run(&w, &h, &s);
        assert_int_equal(h.gone, cases[i].why ? 1 : 0);
        assert_int_equal(h.ready, cases[i].why ? 0 : 1);
        if (cases[i].why)
            assert_has(h.why, cases[i].why);
        conn_end(&w, &h);
    }
    conn_finish(&w);
}

static void files(void **state)
{
    struct conn_world w;
    struct conn_heard no_ca = { 0 }, bad_ca = { 0 }, bad_cert = { 0 }, good = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    w.far.client_cert = GNUTLS_CERT_REQUEST;
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.ca_file = "/nonexistent";
    conn_run(&w, &no_ca, &s);
    assert_has(no_ca.why, "/nonexistent: no CA certificate can be read");
    s.ca_file = w.far.key;
    conn_run(&w, &bad_ca, &s);
    assert_has(bad_ca.why, "no CA certificate can be read");
    s.ca_file = w.far.ca;
    s.cert_file = w.far.key;
    s.key_file = w.far.cert;
    conn_run(&w, &bad_cert, &s);
    assert_has(bad_cert.why, "the client certificate");
    s.cert_file = w.far.cert;
    s.key_file = w.far.key;
    conn_run(&w, &good, &s);
    assert_int_equal(good.ready, 1);
    assert_int_equal(w.far.client_certs, 1); /* though it is of no CA that the server named */
    conn_end(&w, &no_ca);
    conn_end(&w, &bad_ca);
    conn_end(&w, &bad_cert);
    conn_end(&w, &good);
    conn_finish(&w);
}

/* No TLS there. */
static void no_tls(void **state)
{
    static const char *const answers[] = { "HTTP/1.1 400 Bad Request\r\n\r\n", NULL };
    struct conn_world w;
    struct ty_peer peer;
    struct conn_heard h = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    peer_start(&peer, answers);
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.port = strrchr(peer.url, ':') + 1;
    s.connect_ms = 500; /* that server waits for an empty conn, which TLS may not bring */
    conn_run(&w, &h, &s);
    assert_int_equal(h.ready, 0);
    assert_int_equal(h.gone, 1);
    conn_end(&w, &h);
    peer_stop(&peer);
    conn_finish(&w);
}

/* When it is valid is part of it. */
static void out_of_time(void **state)
{
    struct conn_world w;
    struct conn_heard expired = { 0 }, early = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    struct ty_tls_conn_settings s = conn_to_far(&w);
    far_certs(&w.far, -600, -60);
    conn_run(&w, &expired, &s);
    assert_has(expired.why, "expired");
    far_certs(&w.far, 60, 600);
    conn_run(&w, &early, &s);
    assert_has(early.why, "not yet");
    conn_end(&w, &expired);
    conn_end(&w, &early);
    conn_finish(&w);
}

/* A cluster's CA signs clients, too, with any name that they ask for: none of them may stand where
 * the server does. */
static void a_client_is_no_server(void **state)
{
    struct conn_world w;
    struct conn_heard client = { 0 }, server = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    struct ty_tls_conn_settings s = conn_to_far(&w);
    far_certify_for(&w.far, GNUTLS_KP_TLS_WWW_CLIENT);
    conn_run(&w, &client, &s);
    assert_int_equal(client.ready, 0);
    assert_has(client.why, "purpose");
    far_certify_for(&w.far, GNUTLS_KP_TLS_WWW_SERVER);
    conn_run(&w, &server, &s);
    assert_int_equal(server.ready, 1);
    conn_end(&w, &client);
    conn_end(&w, &server);
    conn_finish(&w);
}

/* TLS 1.2 and later, as Go's clients do. */
static void versions(void **state)
{
    struct conn_world w;
    (void)state;
    conn_begin(&w, "h2");
    for (size_t i = 0; i < FAR_VERSIONS; i++) {
        struct ty_tls_conn_settings s = conn_to_far(&w);
        struct conn_heard h = { 0 };
        w.far.priority = far_versions[i].priority;
        conn_run(&w, &h, &s);
        assert_int_equal(h.ready, far_versions[i].good);
        assert_int_equal(h.gone, !far_versions[i].good);
        conn_end(&w, &h);
    }
    conn_finish(&w);
}

/* TLS 1.3 ends the client's handshake before the server has checked its certificate: the refusal
 * arrives with the first read. */
static void refused_after_the_handshake(void **state)
{
    struct conn_world w;
    struct conn_heard h = { 0 };
    (void)state;
    conn_begin(&w, "h2");
    w.far.client_cert = GNUTLS_CERT_REQUIRE;
    struct ty_tls_conn_settings s = conn_to_far(&w);
    conn_run(&w, &h, &s);
    assert_int_equal(h.gone, 1);
    assert_has(h.why, "the server refused the TLS connection");
    assert_int_equal(h.in.n, 0);
    conn_end(&w, &h);
    conn_finish(&w);
}

/* All keys change, ours at the server's wish: with each answer. (More than eight a second are too
 * many for GnuTLS.) */
static void keys_change(void **state)
{
    struct conn_world w;
    struct conn_heard h = { .to_send = "x", .then_send = 4 };
    (void)state;
    conn_begin(&w, NULL);
    w.far.rekeys = true;
    w.far.priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3";
    struct ty_tls_conn_settings s = conn_to_far(&w);
    conn_run(&w, &h, &s);
    assert_string_equal(h.why, "");
    assert_int_equal(w.far.requests, 5);
    conn_end(&w, &h);
    conn_finish(&w);
}

/* Sends only TLS warnings, as anyone on the path can. */
static void *warn(void *ctx)
{
    static const unsigned char warning[] = { 21, 3, 3, 0, 2, 1, 112 }; /* unrecognized_name */
    unsigned char many[sizeof(warning) * 1000];
    int listener = *(int *)ctx, c = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    for (size_t i = 0; i < sizeof(many); i++)
        many[i] = warning[i % sizeof(warning)];
    while (send(c, many, sizeof(many), MSG_NOSIGNAL) > 0)
        ;
    close(c);
    return NULL;
}

/* No matter how many there are, time goes on. */
static void warnings_without_end(void **state)
{
    struct conn_world w;
    struct conn_heard h = { 0 };
    pthread_t thread;
    int number = 0, fd = port_take(1, &number);
    char port[8];
    (void)state;
    conn_begin(&w, "h2");
    snprintf(port, sizeof(port), "%d", number);
    assert_int_equal(pthread_create(&thread, NULL, warn, &fd), 0);
    struct ty_tls_conn_settings s = conn_to_far(&w);
    s.port = port;
    s.connect_ms = 300;
    conn_run(&w, &h, &s);
    assert_int_equal(h.ready, 0);
    assert_int_equal(h.gone, 1);
    conn_end(&w, &h);
    pthread_join(thread, NULL);
    close(fd);
    conn_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_both_ways),
        cmocka_unit_test(chooses_h2),
        cmocka_unit_test(certificates),
        cmocka_unit_test(files),
        cmocka_unit_test(no_tls),
        cmocka_unit_test(out_of_time),
        cmocka_unit_test(a_client_is_no_server),
        cmocka_unit_test(versions),
        cmocka_unit_test(refused_after_the_handshake),
        cmocka_unit_test(keys_change),
        cmocka_unit_test(warnings_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
