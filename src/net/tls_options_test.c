#include <gnutls/gnutls.h>

#include "net/testing.h"
#include "net/tls_options.h"

#define HEAD "NORMAL:%SERVER_PRECEDENCE:-VERS-ALL:+VERS-TLS1.3"

/* GnuTLS has the last word on whether a text means anything. */
static void assert_understood(const char *priority)
{
    gnutls_priority_t p = NULL;
    const char *bad = NULL;
    if (gnutls_priority_init(&p, priority, &bad) < 0)
        fail_msg("not understood from \"%s\" on", bad);
    gnutls_priority_deinit(p);
}

static void versions(void **state TY_UNUSED)
{
    static const struct {
        const char *min, *want;
        size_t notes;
    } cases[] = {
        { NULL, TY_TLS_DEFAULT, 0 },
        { "", TY_TLS_DEFAULT, 0 },
        { "1.3", HEAD, 0 },
        { "1.2", TY_TLS_DEFAULT, 0 },
        { "1.0", TY_TLS_DEFAULT ":+VERS-TLS1.1:+VERS-TLS1.0", 0 },
        { "VersionTLS12", TY_TLS_DEFAULT, 1 },
        { "4", TY_TLS_DEFAULT, 1 },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_tls_options_notes notes = { 0 };
        assert_string_equal(ty_tls_options_priority(a, cases[i].min, NULL, &notes), cases[i].want);
        assert_int_equal(notes.n, cases[i].notes);
        assert_understood(cases[i].want);
    }
}

static void ciphers(void **state TY_UNUSED)
{
    static const char *const two[] = { "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                       "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", NULL };
    static const char *const mixed[] = { "TLS_NO_SUCH", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", NULL };
    static const char *const none[] = { "TLS_NO_SUCH", "TLS_AES_128_GCM_SHA256", NULL };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_tls_options_notes notes = { 0 };

    const char *got = ty_tls_options_priority(a, "1.3", two, &notes);
    assert_string_equal(got, HEAD ":-KX-ALL:-CIPHER-ALL:-MAC-ALL:+ECDHE-ECDSA:+AES-256-GCM:+AEAD"
                                  ":+CHACHA20-POLY1305:+AES-128-GCM");
    assert_understood(got);
    assert_int_equal(notes.n, 0);
    got = ty_tls_options_priority(a, NULL, mixed, &notes);
    assert_has(got, "-MAC-ALL:+RSA:+3DES-CBC:+SHA1:+AES-128-GCM");
    assert_understood(got);
    assert_int_equal(notes.n, 2);
    assert_string_equal(notes.v[0], "tls.cipherSuites: \"TLS_NO_SUCH\" is unknown and ignored");
    assert_string_equal(notes.v[1],
                        "tls.cipherSuites: \"TLS_RSA_WITH_3DES_EDE_CBC_SHA\" is insecure");
    assert_string_equal(ty_tls_options_priority(a, NULL, none, &notes), TY_TLS_DEFAULT);
    for (int i = 0; i < 40; i++) /* more notes than fit */
        ty_tls_options_priority(a, "9", none, &notes);
    assert_int_equal(notes.n, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions),
        cmocka_unit_test(ciphers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
