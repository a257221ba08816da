#include "net/http_client.h"
#include "net/http_endpoint.h"
#include "net/testing.h"

#include <stdlib.h>

static void taken_apart(void **state)
{
    static const struct {
        const char *url, *to; /* where else, or NULL */
        const char *host, *port, *name, *authority, *path;
    } cases[] = {
        { "https://a.b/", NULL, "a.b", "443", "a.b", "a.b", "/" },
        { "https://a.b:6443/x?y=1/2", NULL, "a.b", "6443", "a.b", "a.b:6443", "/x?y=1/2" },
        { "https://10.0.0.1:6443/api", NULL, "10.0.0.1", "6443", "10.0.0.1", "10.0.0.1:6443",
          "/api" },
        { "https://[::1]:6443/", NULL, "::1", "6443", "::1", "[::1]:6443", "/" },
        { "https://[::1]/", NULL, "::1", "443", "::1", "[::1]", "/" },
        { "https://name/p", "10.0.0.1:6443", "10.0.0.1", "6443", "name", "name", "/p" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_http_client_peer peer = { .to = cases[i].to };
        struct ty_http_endpoint p = { 0 };
        assert_true(ty_http_endpoint_parse(&p, cases[i].url, i % 2 || cases[i].to ? &peer : NULL));
        assert_string_equal(p.host, cases[i].host);
        assert_string_equal(p.port, cases[i].port);
        assert_string_equal(p.name, cases[i].name);
        assert_string_equal(p.authority, cases[i].authority);
        assert_string_equal(p.path, cases[i].path);
    }
}

/* Those are libcurl's. */
static void others(void **state)
{
    static const char *const urls[] = { "http://a/",
                                        "https://a",
                                        "https://a?x",
                                        "https:///x",
                                        "https://:1/",
                                        "https://a:/",
                                        "https://u@a/x",

                                        "ftp://a/",
                                        "https://a:123456789/",
                                        "" };
    struct ty_http_endpoint p;
    char longer[1024] = "https://";
    (void)state;
    for (size_t i = 0; i < TY_COUNT(urls); i++)
        if (ty_http_endpoint_parse(&p, urls[i], NULL))
            fail_msg("%s", urls[i]);
    memset(longer + 8, 'a', 280);
    longer[288] = '/';
    assert_false(ty_http_endpoint_parse(&p, longer, NULL)); /* a name has 253 at most */
    memset(longer + 8, 'a', 1000);
    longer[1008] = '/';
    assert_false(ty_http_endpoint_parse(&p, longer, NULL));
}

static void proxies(void **state)
{
    static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
    struct ty_http_client_peer none = { .proxy = "" }, one = { .proxy = "http://p:1" },
                               silent = { 0 };
    (void)state;
    for (size_t i = 0; i < 4; i++)
        unsetenv(names[i]);
    assert_false(ty_http_endpoint_is_proxied(NULL));
    assert_false(ty_http_endpoint_is_proxied(&silent));
    assert_true(ty_http_endpoint_is_proxied(&one));
    for (size_t i = 0; i < 4; i++) {
        setenv(names[i], "http://p:1", 1);
        assert_true(ty_http_endpoint_is_proxied(NULL));
        assert_true(ty_http_endpoint_is_proxied(&silent));
        assert_false(ty_http_endpoint_is_proxied(&none));
        setenv(names[i], "", 1); /* as manifests have it where there is none */
        assert_false(ty_http_endpoint_is_proxied(NULL));
        unsetenv(names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(taken_apart), cmocka_unit_test(others),
                                        cmocka_unit_test(proxies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
