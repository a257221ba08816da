/* Handshakes are tested with other people's clients in tests/serve. */
#include "net/http_server_testing.h"

#include <errno.h>

static void say_ok(void *ctx TY_UNUSED, struct ty_http_request *q)
{
    ty_http_request_respond(q, 200, NULL, TY_LIT("ok"));
}

static void settings_are_checked(void **state TY_UNUSED)
{
    uv_loop_t loop;
    struct ty_http_server_tls tls = { .priority = "NORMAL:+NO-SUCH-THING" };
    struct ty_http_server_opts o = {
        .loop = &loop, .address = "127.0.0.1", .tls = &tls, .handle = say_ok
    };
    struct ty_http_server *s = NULL;
    struct ty_err err = { 0 };

    uv_loop_init(&loop);
    assert_int_equal(ty_http_server_new(&o, &s, &err), -EINVAL);
    assert_has(err.text, "TLS settings are not understood: ");
    loop_end(&loop);
}

static void an_identity_is_checked(void **state TY_UNUSED)
{
    uv_loop_t loop;
    struct ty_http_server_tls tls = { 0 };
    struct ty_http_server_opts o = {
        .loop = &loop, .address = "127.0.0.1", .tls = &tls, .handle = say_ok
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_certs_request ask = { .name = "x", .from_s = 0, .until_s = 4000000000 };
    struct ty_pem one, two, bad = { TY_LIT("no"), TY_LIT("no") };
    struct ty_http_server *s = NULL, *plain = NULL;
    struct ty_err err = { 0 };
    struct ty_talk t;

    uv_loop_init(&loop);
    assert_int_equal(ty_certs_ca(a, &ask, &one, &err), 0);
    assert_int_equal(ty_certs_ca(a, &ask, &two, &err), 0);
    assert_int_equal(ty_http_server_new(&o, &s, &err), 0);
    /* nothing to show yet: the handshake ends, the server does not */
    assert_null(strstr(talk(&t, &loop, ty_http_server_port(s), "GET / HTTP/1.1\r\n\r\n"), "HTTP"));
    assert_int_equal(ty_http_server_set_cert(s, &bad, &err), -EINVAL);
    assert_has(err.text, "the certificate and its key cannot be used: ");
    assert_int_equal(ty_http_server_set_cert(s, &one, &err), 0);
    assert_int_equal(ty_http_server_set_cert(s, &two, &err), 0);
    bad = (struct ty_pem){ one.cert, two.key };
    assert_int_equal(ty_http_server_set_cert(s, &bad, &err), -EINVAL);
    o.tls = NULL;
    assert_int_equal(ty_http_server_new(&o, &plain, &err), 0);
    assert_int_equal(ty_http_server_set_cert(plain, &one, &err), -EINVAL);
    assert_string_equal(err.text, "the server speaks plain HTTP: it shows no certificate");
    ty_http_server_free(plain);
    ty_http_server_free(s);
    loop_end(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(an_identity_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
