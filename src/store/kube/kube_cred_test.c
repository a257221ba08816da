#include "store/kube/kube_exec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "json/json.h"

#define V1 "client.authentication.k8s.io/v1"

static const struct ty_kube_exec exec = { .command = "p", .api_version = V1, .cluster_info = true };

static int read_cred(struct ty_arena *a, const char *said, struct ty_kube_cred *c,
                     struct ty_err *err)
{
    return ty_kube_cred_parse(a, &exec, ty_str(said), c, err);
}

#define CRED(status) "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":" status "}"

static void good(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kube_cred c;
    struct ty_err err = { 0 };
    (void)state;
    assert_int_equal(read_cred(a, CRED("{\"token\":\"t\"}"), &c, &err), 0);
    assert_string_equal(c.token, "t");
    assert_true(c.expires_s == INT64_MAX);
    assert_int_equal(read_cred(a,
                               CRED("{\"clientCertificateData\":\"c\",\"clientKeyData\":\"k\","
                                    "\"expirationTimestamp\":\"1970-01-01T00:01:00Z\"}"),
                               &c, &err),
                     0);
    assert_null(c.token);
    assert_true(ty_str_is(c.cert, "c") && ty_str_is(c.key, "k"));
    assert_int_equal(c.expires_s, 60);
}

static void bad(void **state)
{
    static const struct {
        const char *said, *why;
    } cases[] = {
        { "", "did not print JSON" },
        { "token", "did not print JSON" },
        { "{}", "did not print an ExecCredential" },
        { "{\"kind\":\"ExecCredential\",\"apiVersion\":\"x\"}", "printed apiVersion x" },
        { "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\"}", "no status" },
        { CRED("{}"), "neither a token nor" },
        { CRED("{\"clientKeyData\":\"k\"}"), "only one of" },
        { CRED("{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}"), "not a time: soon" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kube_cred c;
        struct ty_err err = { 0 };
        assert_true(read_cred(a, cases[i].said, &c, &err) < 0);
        if (!strstr(err.text, cases[i].why))
            fail_msg("case %zu: %s", i, err.text);
    }
}

static void what_it_is_told(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kubeconfig c = {
        .server = "https://h",
        .tls_name = "n",
        .exec = &exec,
        .ca.data = TY_LIT("ca"),
        .exec_config = TY_LIT("{\"a\":1}"),
    };
    (void)state;
    assert_string_equal(ty_kube_exec_info(a, &c, true).p,
                        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                        "\",\"spec\":{\"cluster\":{"
                        "\"server\":\"https://"
                        "h\",\"tls-server-name\":\"n\",\"certificate-authority-data\":\"Y2E=\","
                        "\"config\":{\"a\":1}},\"interactive\":true}}");
    struct ty_kube_exec quiet = { .command = "p", .api_version = V1 };
    c.exec = &quiet;
    assert_string_equal(ty_kube_exec_info(a, &c, false).p,
                        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                        "\",\"spec\":{\"interactive\":false}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),
        cmocka_unit_test(bad),
        cmocka_unit_test(what_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
