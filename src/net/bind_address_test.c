#include "net/bind_address.h"

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

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *host = "x";
        int port = 0;
        assert_null(ty_bind_address_parse(a, rows[i].text, &host, &port));
        assert_int_equal(port, rows[i].port);
        if (rows[i].host)
            assert_string_equal(host, rows[i].host);
        else
            assert_null(host);
    }
}

static void test_mistakes(void **state TY_UNUSED)
{
    static const struct {
        const char *text, *want;
    } rows[] = { { "8443", "HOST:PORT" },  { "host", "HOST:PORT" },   { ":x", "HOST:PORT" },
                 { ":-1", "HOST:PORT" },   { ":70000", "HOST:PORT" }, { ":", "HOST:PORT" },
                 { "::1:80", "brackets" }, { "a:b:1", "brackets" } };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);

    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *host = NULL;
        int port = 0;
        assert_has(ty_bind_address_parse(a, rows[i].text, &host, &port), rows[i].want);
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
