/* Failures of libcurl in words, and which of them a retry may help. Those that need TLS or a proxy
 * of their own are in tests/fetch/test_web.py. */
#include "base/xalloc.h"
#include "net/http_client_testing.h"

struct failure_heard {
    char text[256];
    bool whole, lost, over;
};

static int on_piece(void *ctx TY_UNUSED, struct ty_http_client_call *call TY_UNUSED,
                    struct ty_str piece TY_UNUSED)
{
    return 0;
}

static void on_end(void *ctx, struct ty_http_client_call *call TY_UNUSED,
                   const struct ty_http_client_result *end)
{
    struct failure_heard *h = ctx;

    snprintf(h->text, sizeof(h->text), "%s", end->text);
    h->whole = end->whole;
    h->lost = end->lost;
    h->over = true;
}

/* The result of a GET that is answered so, directly or through a proxy. */
static struct failure_heard answered(const char *answer, bool proxy)
{
    const char *const answers[] = { answer, NULL };
    struct web_world w;
    struct failure_heard h = { 0 };

    web_begin(&w, answers);
    struct ty_http_client_peer peer = { .proxy = proxy ? w.peer.url : "" };
    ty_http_client_start(w.client, &(struct ty_http_client_request){
                                       .method = "GET",
                                       .url = proxy ? "https://nowhere.invalid/f" : w.peer.url,
                                       .peer = &peer,
                                       .total_ms = 20000,
                                       .piece = on_piece,
                                       .end = on_end,
                                       .ctx = &h });
    while (!h.over)
        uv_run(&w.loop, UV_RUN_ONCE);
    web_finish(&w);
    assert_false(h.whole);
    return h;
}

static void test_headers_that_are_too_large(void **state TY_UNUSED)
{
    ty_auto_buf answer = { 0 };

    ty_buf_cstr(&answer, "HTTP/1.1 200 OK\r\nX: ");
    for (int i = 0; i < 200000; i++)
        ty_buf_chr(&answer, 'a');
    ty_buf_cstr(&answer, "\r\nContent-Length: 2\r\n\r\nhi");
    ty_buf_chr(&answer, 0);
    struct failure_heard h = answered(answer.p, false);
    assert_string_equal(h.text, "the server's headers are too large");
    assert_false(h.lost);
}

static void test_no_http(void **state TY_UNUSED)
{
    struct failure_heard h = answered("SSH-2.0-OpenSSH_9.2\r\n", false);

    assert_string_equal(h.text, "what answers there does not speak HTTP");
    assert_false(h.lost);
    h = answered("SSH-2.0-OpenSSH_9.2\r\n", true);
    assert_string_equal(h.text, "what answers there does not speak HTTP");
    assert_false(h.lost);
}

static void test_a_proxy(void **state TY_UNUSED)
{
    struct failure_heard h = answered("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", true);

    assert_string_equal(
        h.text, "the proxy answers 407: put user:password@ before the host in the proxy's address");
    assert_false(h.lost);
    h = answered("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", true);
    assert_string_equal(h.text, "the proxy answers 502");
    assert_true(h.lost);
}

static void test_an_answer_that_is_cut_off(void **state TY_UNUSED)
{
    struct failure_heard h = answered("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi", false);

    assert_true(h.lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_that_are_too_large),
        cmocka_unit_test(test_no_http),
        cmocka_unit_test(test_a_proxy),
        cmocka_unit_test(test_an_answer_that_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
