#include "net/http_server_testing.h"
#include "serve/health.h"
#include "serve/respond.h"

struct fixture {
    struct serve_world w; /* first */
    struct ty_health health, ready;
    struct ty_health_check checks[4];
    bool bad;
    char reported[256];
};

static const char *well(void *ctx TY_UNUSED, struct ty_arena *a TY_UNUSED)
{
    return NULL;
}

static const char *certs(void *ctx, struct ty_arena *a TY_UNUSED)
{
    const struct fixture *f = ctx;
    return f->bad ? "certificates are not ready" : NULL;
}

static void failed(void *ctx, const char *path, const char *check, const char *why)
{
    struct fixture *f = ctx;
    snprintf(f->reported, sizeof(f->reported), "%s %s: %s", path, check, why);
}

static void handle(void *ctx, struct ty_http_request *q)
{
    const struct fixture *f = ctx;

    if (!ty_health_handle(&f->health, q) && !ty_health_handle(&f->ready, q))
        ty_respond_text(q, 404, TY_LIT("else"));
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->health = (struct ty_health){ .path = "/healthz" };
    f->ready =
        (struct ty_health){ .path = "/readyz", .checks = f->checks, .failed = failed, .ctx = f };
    f->checks[0] = (struct ty_health_check){ .name = "ping", .ask = well };
    f->checks[1] = (struct ty_health_check){ .name = "certs", .ask = certs, .ctx = f };
    serve_begin(&f->w, (struct ty_http_server_opts){ .handle = handle, .ctx = f });
    *state = f;
    return 0;
}

static void expect(struct fixture *f, const char *line, const char *code, const char *body)
{
    char text[256], want[512];

    snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", line);
    const char *got = serve_talk(&f->w, text);
    snprintf(want, sizeof(want), "HTTP/1.1 %s", code);
    assert_has(got, want);
    const char *at = strstr(got, "\r\n\r\n");
    assert_non_null(at);
    assert_string_equal(at + 4, body);
}

static void when_all_is_well(void **state)
{
    struct fixture *f = *state;

    expect(f, "GET /healthz", "200", "ok");
    expect(f, "GET /healthz/", "200", "ok");
    expect(f, "GET /healthz?verbose", "200", "healthz check passed\n");
    expect(f, "GET /readyz", "200", "ok");
    expect(f, "GET /readyz?verbose=1", "200", "[+]ping ok\n[+]certs ok\nreadyz check passed\n");
    expect(f, "GET /readyz/certs", "200", "ok");
    expect(f, "GET /readyz/none", "404", "404 page not found\n");
    expect(f, "GET /readyzz", "404", "else");
    expect(f, "POST /readyz", "405", "Method Not Allowed\n");
    assert_has(f->w.t.got, "Allow: GET, HEAD\r\n");
    expect(f, "HEAD /readyz", "200", "");
}

static void when_a_check_fails(void **state)
{
    struct fixture *f = *state;

    f->bad = true;
    expect(f, "GET /healthz", "200", "ok");
    expect(f, "GET /readyz", "500",
           "[+]ping ok\n[-]certs failed: reason withheld\nreadyz check failed\n");
    assert_string_equal(f->reported, "/readyz certs: certificates are not ready");
    expect(f, "GET /readyz/certs", "500", "internal server error: reason withheld\n");
    expect(f, "GET /readyz?exclude=c%65rts", "200", "ok");
    expect(f, "GET /readyz?verbose&exclude=certs", "200",
           "[+]ping ok\n[+]certs excluded: ok\nreadyz check passed\n");
    expect(f, "GET /readyz?exclude=ping", "500",
           "[+]ping excluded: ok\n[-]certs failed: reason withheld\nreadyz check failed\n");
}

/* Advice has its line and its path; only the other checks decide. */
static void when_advice_is_bad(void **state)
{
    struct fixture *f = *state;

    f->checks[1].advice = true;
    expect(f, "GET /readyz?verbose", "200", "[+]ping ok\n[+]certs ok\nreadyz check passed\n");
    f->bad = true;
    expect(f, "GET /readyz", "200", "ok");
    expect(f, "GET /readyz?verbose", "200",
           "[+]ping ok\n[-]certs failed, does not decide: reason withheld\nreadyz check passed\n");
    assert_string_equal(f->reported, ""); /* not logged for every probe */
    expect(f, "GET /readyz/certs", "500", "internal server error: reason withheld\n");
    assert_string_equal(f->reported, "/readyz certs: certificates are not ready");
    f->checks[2] = (struct ty_health_check){ .name = "more", .ask = certs, .ctx = f };
    expect(f, "GET /readyz", "500",
           "[+]ping ok\n[-]certs failed, does not decide: reason withheld\n"
           "[-]more failed: reason withheld\nreadyz check failed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(when_all_is_well, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(when_a_check_fails, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(when_advice_is_bad, setup, serve_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
