/* Downloads: redirects, signatures, stalls, and which failures a retry may help. */
#include "base/buf.h"
#include "net/http_client.h"
#include "net/testing.h"

#include <errno.h>

struct heard {
    struct ty_buf body;
    char etag[64], text[256];
    int status;
    bool whole, lost, over, refuse;
};

static int on_body(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    struct heard *h = ctx;
    assert_true(ty_http_client_status(call) > 0);
    ty_buf_add(&h->body, piece);
    return h->refuse ? -EBADMSG : 0;
}

static void on_end(void *ctx, struct ty_http_client_call *call,
                   const struct ty_http_client_result *end)
{
    struct heard *h = ctx;
    const char *etag = ty_http_client_header(call, "ETag");
    snprintf(h->etag, sizeof(h->etag), "%s", etag ? etag : "");
    snprintf(h->text, sizeof(h->text), "%s", end->text);
    h->whole = end->whole;
    h->lost = end->lost;
    h->status = end->status;
    h->over = true;
}

static void download(struct heard *h, const struct ty_http_client_request *a)
{
    uv_loop_t loop;
    const struct ty_http_client_settings settings = {
        .loop = &loop, .agent = "t/1", .connect_ms = 5000, .dead_ms = 5000, .stall_s = 1
    };
    struct ty_http_client *client = NULL;
    struct ty_http_client_request full = *a;
    full.method = "GET";
    full.redirects = !a->peer;
    full.piece = on_body;
    full.end = on_end;
    full.ctx = h;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(ty_http_client_new(&client, &settings, NULL), 0);
    ty_http_client_start(client, &full);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(h->over);
    ty_buf_chr(&h->body, '\0');
    ty_http_client_free(client);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void test_an_answer(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"e\"\r\nConnection: close\r\n\r\nhello",
        NULL,
    };
    struct ty_peer peer;
    struct heard h = { 0 };
    peer_start(&peer, answers);
    download(&h, &(struct ty_http_client_request){
                     .url = peer.url, .headers = (const char *const[]){ "X-One: 1", NULL } });
    peer_stop(&peer);
    assert_true(h.whole);
    assert_int_equal(h.status, 200);
    assert_string_equal(h.body.p, "hello");
    assert_string_equal(h.etag, "\"e\"");
    assert_has(peer.asked[0], "X-One: 1\r\n");
    assert_has(peer.asked[0], "User-Agent: t/1\r\n");
    ty_buf_done(&h.body);
}

static void test_a_redirect_takes_no_token_along(void **state)
{
    (void)state;
    char first[256];
    static const char *const last[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx", NULL
    };
    struct ty_peer to, from;
    struct heard h = { 0 };
    peer_start(&to, last);
    snprintf(first, sizeof(first),
             "HTTP/1.1 302 Found\r\nLocation: %s/y\r\nETag: \"first\"\r\nContent-Length: 3\r\n"
             "Connection: close\r\n\r\nold",
             to.url);
    peer_start(&from, (const char *const[]){ first, NULL });
    download(&h, &(struct ty_http_client_request){
                     .url = from.url,
                     .headers = (const char *const[]){ "Authorization: Bearer t", "Range: bytes=1-",
                                                       NULL } });
    peer_stop(&from);
    peer_stop(&to);
    assert_string_equal(h.body.p, "x"); /* only the last answer's */
    assert_string_equal(h.etag, "");
    assert_has(from.asked[0], "Authorization: Bearer t\r\n");
    assert_has(to.asked[0], "GET /y ");
    assert_has(to.asked[0], "Range: bytes=1-\r\n");
    assert_null(strstr(to.asked[0], "Authorization"));
    ty_buf_done(&h.body);
}

static void test_a_signed_request(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 301 Moved\r\nLocation: /z\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", NULL
    };
    const struct ty_aws_key key = { "AK", "SK", "eu-1", "s3" };
    const struct ty_http_client_peer signs = { .key = &key };
    struct ty_peer peer;
    struct heard h = { 0 };
    peer_start(&peer, answers);
    download(&h, &(struct ty_http_client_request){ .url = peer.url, .peer = &signs });
    peer_stop(&peer);
    assert_int_equal(h.status, 301); /* not followed */
    assert_has(peer.asked[0], "Authorization: AWS4-HMAC-SHA256 Credential=AK/");
    assert_has(peer.asked[0], "/eu-1/s3/aws4_request");
    ty_buf_done(&h.body);
}

static void test_losses(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        "",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        NULL,
    };
    struct ty_peer peer;
    peer_start(&peer, answers);
    for (size_t i = 0; i < 3; i++) {
        struct heard h = { 0 };
        download(&h, &(struct ty_http_client_request){ .url = peer.url });
        assert_true(h.lost && !h.whole);
        assert_true(h.text[0]);
        ty_buf_done(&h.body);
    }
    peer_stop(&peer);
    struct heard h = { 0 }; /* the peer has stopped */
    download(&h, &(struct ty_http_client_request){ .url = peer.url });
    assert_true(h.lost && !h.whole);
    assert_int_equal(h.status, 0);
    ty_buf_done(&h.body);
}

static void test_the_hopeless(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        NULL,
    };
    struct ty_peer peer;
    peer_start(&peer, answers);
    struct heard h = { 0 };
    download(&h, &(struct ty_http_client_request){ .url = peer.url });
    assert_false(h.lost || h.whole);
    assert_string_equal(h.body.p, "");
    ty_buf_done(&h.body);
    h = (struct heard){ .refuse = true };
    download(&h, &(struct ty_http_client_request){ .url = peer.url });
    assert_false(h.lost || h.whole);
    ty_buf_done(&h.body);
    h = (struct heard){ 0 };
    download(&h, &(struct ty_http_client_request){ .url = "ftp://127.0.0.1/x" });
    assert_false(h.lost || h.whole);
    ty_buf_done(&h.body);
    peer_stop(&peer);
}

/* A peer that accepts and says nothing is given up after stall_s. */
static void test_a_silent_peer(void **state)
{
    (void)state;
    char url[64];
    int port = 0, fd = port_take(1, &port);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
    struct heard h = { 0 };
    download(&h, &(struct ty_http_client_request){ .url = url });
    assert_true(h.lost && !h.whole);
    close(fd);
    ty_buf_done(&h.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer),
        cmocka_unit_test(test_a_redirect_takes_no_token_along),
        cmocka_unit_test(test_a_signed_request),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_the_hopeless),
        cmocka_unit_test(test_a_silent_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
