#include "net/http_client.h"
#include "net/testing.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static int on_piece(void *ctx TY_UNUSED, struct ty_http_client_call *call TY_UNUSED,
                    struct ty_str piece TY_UNUSED)
{
    return 0;
}

static void on_end(void *ctx, struct ty_http_client_call *call TY_UNUSED,
                   const struct ty_http_client_result *end)
{
    int *good = ctx;
    *good += end->whole && end->status == 200;
}

struct world {
    uv_loop_t loop;
    struct ty_http_client *client;
    struct ty_peer peer;
    size_t turns; /* of the loop */
    int good;     /* answers */
};

static void on_turn(uv_prepare_t *h)
{
    struct world *w = h->data;
    w->turns++;
}

static void start_client(struct world *w, const char *const *answers)
{
    struct ty_err err = { 0 };
    struct ty_http_client_settings s = { .loop = &w->loop,
                                         .agent = "tester",
                                         .connect_ms = 2000,
                                         .dead_ms = 2000,
                                         .http1 = true,
                                         .connections = 1 };
    memset(w, 0, sizeof(*w));
    assert_int_equal(uv_loop_init(&w->loop), 0);
    assert_int_equal(ty_http_client_new(&w->client, &s, &err), 0);
    if (answers)
        peer_start(&w->peer, answers);
}

static void ask(struct world *w)
{
    static const struct ty_http_client_peer direct = { .proxy = "" };
    struct ty_http_client_request a = { .method = "GET",
                                        .url = w->peer.url,
                                        .peer = &direct,
                                        .total_ms = 10000,
                                        .piece = on_piece,
                                        .end = on_end,
                                        .ctx = &w->good };
    ty_http_client_start(w->client, &a);
}

static void finish(struct world *w)
{
    ty_http_client_free(w->client);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
}

static void on_wait_over(uv_timer_t *t)
{
    uv_stop(t->loop);
}

/* Turns of the loop while it waits for so long. */
static size_t wait_ms(struct world *w, uint64_t ms)
{
    uv_prepare_t turn;
    uv_timer_t timer;
    uv_prepare_init(&w->loop, &turn);
    uv_timer_init(&w->loop, &timer);
    turn.data = w;
    w->turns = 0;
    uv_prepare_start(&turn, on_turn);
    uv_timer_start(&timer, on_wait_over, ms, 0);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&turn, NULL);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&w->loop, UV_RUN_NOWAIT);
    return w->turns;
}

/* Nothing reads from a connection between two calls: a readable socket must not keep the loop busy.
 */
static void closed_while_idle(void **state)
{
    static const char *const answers[] = { OK, OK, NULL };
    struct world w;
    (void)state;
    start_client(&w, answers);
    ask(&w);
    uv_run(&w.loop, UV_RUN_DEFAULT); /* ends: an idle connection does not keep the loop going */
    assert_int_equal(w.good, 1);
    assert_true(wait_ms(&w, 200) < 20);
    ask(&w); /* over a new connection */
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.good, 2);
    finish(&w);
    peer_stop(&w.peer);
    assert_int_equal(w.peer.n, 2);
}

/* Answers every request that comes over its one connection. */
static void *answer_all(void *ctx)
{
    int listener = *(int *)ctx;
    int c = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    char asked[4096];
    while (read(c, asked, sizeof(asked)) > 0)
        if (send(c, OK, sizeof(OK) - 1, MSG_NOSIGNAL) < 0)
            break;
    close(c);
    return NULL;
}

static void used_again(void **state)
{
    struct world w;
    pthread_t thread;
    int port = 0, fd = port_take(1, &port);
    (void)state;
    start_client(&w, NULL);
    snprintf(w.peer.url, sizeof(w.peer.url), "http://127.0.0.1:%d", port);
    assert_int_equal(pthread_create(&thread, NULL, answer_all, &fd), 0);
    for (int i = 1; i <= 20; i++) {
        ask(&w);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        assert_int_equal(w.good, i);
    }
    ask(&w); /* and a queue for it */
    ask(&w);
    ask(&w);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.good, 23);
    ty_http_client_renew(w.client); /* closes it: the peer's thread ends */
    uv_run(&w.loop, UV_RUN_DEFAULT);
    pthread_join(thread, NULL);
    close(fd);
    finish(&w);
}

static void on_no_end(void *ctx TY_UNUSED, struct ty_http_client_call *call TY_UNUSED,
                      const struct ty_http_client_result *end)
{
    fail_msg("nobody has answered, and it ended: %s", end->text);
}

/* libcurl closes a socket that is still connecting without telling us; the next one has its number.
 */
static void canceled_while_it_connects(void **state)
{
    static const char *const answers[] = { OK, NULL };
    static const struct ty_http_client_peer direct = { .proxy = "" };
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    struct world w;
    int port = 0, full = port_take(0, &port),
        first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char url[64];
    (void)state;
    start_client(&w, answers);
    to.sin_port = htons((uint16_t)port);
    assert_int_equal(connect(first, (const struct sockaddr *)&to, sizeof(to)), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port); /* its queue is full: no answer */
    for (int i = 0; i < 3; i++) {
        struct ty_http_client_request a = { .method = "GET",
                                            .url = url,
                                            .peer = &direct,
                                            .total_ms = 10000,
                                            .piece = on_piece,
                                            .end = on_no_end };
        struct ty_http_client_call *call = ty_http_client_start(w.client, &a);
        wait_ms(&w, 20);
        ty_http_client_cancel(call);
    }
    ask(&w);
    uv_run(&w.loop, UV_RUN_DEFAULT);
    assert_int_equal(w.good, 1);
    finish(&w);
    peer_stop(&w.peer);
    close(first);
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_while_idle),
        cmocka_unit_test(used_again),
        cmocka_unit_test(canceled_while_it_connects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
