

#include "serve/servers_address.h"

#include "base/testing.h"

static void test_addresses(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *host;
        int port;
    } rows[] = { { ":8443", NULL, 8443 },
                 { "127.0.0.1:80", "127.0.0.1", 80 },
                 { "[::1]:8081", "::1", 8081 },
                 { "localhost:0", "localhost", 0 },
                 { "0", NULL, -1 },
                 { "", NULL, -1 },
                 { NULL, NULL, -1 } };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *host = "x";
        int port = 0;
        struct ty_err err = { 0 };
        assert_int_equal(ty_address_parse(a, "f", rows[i].text, &host, &port, &err), 0);
        assert_int_equal(port, rows[i].port);
        if (rows[i].host)
            assert_string_equal(host, rows[i].host);
        else
            assert_null(host);
    }
}

static void test_mistakes(void **state TY_UNUSED)
{
    static const char *const rows[] = { "8443", "host",   ":x", ":70000",
                                        ":-1",  "::1:80", ":",  "a:b:1" };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *host = NULL;
        int port = 0;
        struct ty_err err = { 0 };
        assert_true(ty_address_parse(a, "metrics.bindAddress", rows[i], &host, &port, &err) < 0);
        assert_has(err.text, "metrics.bindAddress");
        assert_has(err.text, rows[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
