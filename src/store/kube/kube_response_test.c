#include "store/kube/kube_response.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STATUS(code, reason, more)                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"why\","       \
    "\"reason\":\"" reason "\",\"code\":" #code more "}"

static void codes(void **state)
{
    static const struct {
        int code;
        const char *body;
        int r;
    } cases[] = {
        { 404, STATUS(404, "NotFound", ""), -ENOENT },
        { 409, STATUS(409, "AlreadyExists", ""), -EEXIST },
        { 409, STATUS(409, "Conflict", ""), -ESTALE },
        { 410, STATUS(410, "Expired", ""), -EIDRM },
        { 400, STATUS(400, "BadRequest", ""), -EINVAL },
        { 422, STATUS(422, "Invalid", ""), -EINVAL },
        { 401, STATUS(401, "Unauthorized", ""), -EACCES },
        { 403, STATUS(403, "Forbidden", ""), -EACCES },
        { 429, STATUS(429, "TooManyRequests", ""), -EAGAIN },
        { 500, STATUS(500, "InternalError", ""), -EAGAIN },
        { 504, STATUS(504, "Timeout", ""), -EAGAIN },
        { 301, "", -EPROTO },
        { 415, STATUS(415, "UnsupportedMediaType", ""), -EPROTO },
    };
    ty_auto_arena *a = ty_arena_new(1 << 20);
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kube_response answer;
        ty_kube_response_parse(a, cases[i].code, ty_str(cases[i].body), NULL, &answer);
        assert_int_equal(answer.r, cases[i].r);
        assert_int_equal(answer.code, cases[i].code);
        assert_true(answer.message.n > 0);
        if (cases[i].body[0])
            assert_true(ty_str_is(answer.message, "why"));
    }
}

static void objects(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kube_response answer;
    (void)state;
    ty_kube_response_parse(
        a, 201, TY_LIT("{\"kind\":\"X\",\"metadata\":{\"resourceVersion\":\"7\"}}"), NULL, &answer);
    assert_int_equal(answer.r, 0);
    assert_true(ty_str_is(answer.version, "7"));
    assert_true(ty_str_is(ty_json_str_at(answer.json, "kind"), "X"));
    /* A deletion that is done answers with a Status that is no failure. */
    ty_kube_response_parse(
        a, 200, TY_LIT("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}"), NULL,
        &answer);
    assert_int_equal(answer.r, 0);
    assert_int_equal(answer.message.n, 0);
    ty_kube_response_parse(a, 200, TY_LIT(""), NULL, &answer);
    assert_int_equal(answer.r, 0);
    assert_null(answer.json);
    ty_kube_response_parse(a, 200, TY_LIT("ok"), NULL, &answer);
    assert_int_equal(answer.r, -EPROTO);
}

static void not_ours(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kube_response answer;
    (void)state;
    ty_kube_response_parse(a, 502, TY_LIT("\n<html>\n<h1>Bad gateway</h1>"), "5", &answer);
    assert_int_equal(answer.r, -EAGAIN);
    assert_true(ty_str_is(answer.message, "HTTP 502: <html>"));
    assert_int_equal(answer.retry_after_ms, 5000);
    ty_kube_response_parse(a, 503, TY_LIT(""), "Wed, 21 Oct 2015 07:28:00 GMT", &answer);
    assert_true(ty_str_is(answer.message, "HTTP 503"));
    assert_int_equal(answer.retry_after_ms, 0);
    ty_kube_response_parse(a, 404, TY_LIT("{\"broken\""), NULL, &answer);
    assert_int_equal(answer.r, -ENOENT);
    /* A Status without a sentence, and with a wish. */
    ty_kube_response_parse(a, 500,
                           TY_LIT("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"R\","
                                  "\"details\":{\"retryAfterSeconds\":3}}"),
                           NULL, &answer);
    assert_true(ty_str_is(answer.message, "HTTP 500 R"));
    assert_int_equal(answer.retry_after_ms, 3000);
    ty_kube_response_parse(a, 429, TY_LIT(""), "99999999", &answer);
    assert_int_equal(answer.retry_after_ms, 3600000);
}

/* The API server repeats a label of a megabyte in its message. */
static void long_sentences(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    ty_auto_buf body = { 0 };
    struct ty_kube_response answer;
    (void)state;
    ty_buf_cstr(&body, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"x");
    for (int i = 0; i < 300000; i++)
        ty_buf_cstr(&body, "€"); /* at the edge of the cut, too */
    ty_buf_cstr(&body, "\",\"reason\":\"Invalid\",\"code\":422}");
    ty_kube_response_parse(a, 422, ty_buf_str(&body), NULL, &answer);
    assert_int_equal(answer.r, -EINVAL);
    assert_in_range(answer.message.n, 4000, 4200);
    assert_true(ty_str_ends(answer.message, TY_LIT("€ ...")));
    ty_kube_response_status(a, answer.json, &answer);
    assert_in_range(answer.message.n, 4000, 4200);
}

static void watch_errors(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_kube_response answer;
    (void)state;
    ty_kube_response_status(a, ty_json_parse(a, TY_LIT(STATUS(410, "Expired", "")), NULL, NULL),
                            &answer);
    assert_int_equal(answer.r, -EIDRM);
    assert_true(ty_str_is(answer.reason, "Expired"));
    ty_kube_response_status(a, ty_json_parse(a, TY_LIT("{\"code\":200}"), NULL, NULL), &answer);
    assert_int_equal(answer.r, -EPROTO);
    ty_kube_response_status(a, ty_json_parse(a, TY_LIT("{}"), NULL, NULL), &answer);
    assert_int_equal(answer.r, -EPROTO);
    ty_kube_response_lost(TY_LIT("gone"), &answer);
    assert_int_equal(answer.r, -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes),        cmocka_unit_test(objects),
        cmocka_unit_test(not_ours),     cmocka_unit_test(long_sentences),
        cmocka_unit_test(watch_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
