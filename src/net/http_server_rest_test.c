/* A server that was busy pauses, so that other work on the loop runs, and then continues. */
#include "net/http_server_inner.h"
#include "net/http_server_testing.h"

#define GET "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

struct fixture {
    struct serve_world w;   /* first */
    bool long_judgement;    /* else it is the server that is busy */
    bool one_after_another; /* a handler was called after a long one, in the same run */
    size_t served, ticks, ticks_then;
    bool rested;
};

/* Takes 30 ms, which count as the server's own time, as in a handshake, or as the handler's. */
static void handle(void *ctx, struct ty_http_request *q)
{
    struct fixture *f = ctx;
    struct ty_http_server *s = f->w.s;
    uint64_t begin = uv_hrtime();

    f->one_after_another |= f->long_judgement && s->handled_ns > 20000000;
    while (uv_hrtime() - begin < 30000000)
        ;
    if (!f->long_judgement)
        s->handled_ns -= uv_hrtime() - begin;
    f->served++;
    f->ticks_then = f->ticks;
    ty_http_request_respond(q, 200, NULL, TY_LIT("ok"));
}

static void on_tick(uv_timer_t *t)
{
    struct fixture *f = t->data;

    f->ticks++;
    f->rested |= f->w.s->resting && !uv_is_active((uv_handle_t *)&f->w.s->poll);
}

static bool has_served_three(void *ctx)
{
    return ((struct fixture *)ctx)->served == 3;
}

static bool is_awake(void *ctx)
{
    return !((struct fixture *)ctx)->w.s->resting;
}

static void start_server(struct fixture *f, uv_timer_t *tick)
{
    serve_begin(&f->w, (struct ty_http_server_opts){ .handle = handle, .ctx = f });
    uv_timer_init(&f->w.loop, tick);
    tick->data = f;
    uv_timer_start(tick, on_tick, 1, 1);
}

static void stop_server(struct fixture *f, uv_timer_t *tick, const int *fd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        close(fd[i]);
    uv_close((uv_handle_t *)tick, NULL);
    serve_finish(&f->w);
}

/* Sends three requests before the loop runs. */
static void ask_three(struct fixture *f, int *ret_fd)
{
    for (size_t i = 0; i < 3; i++) {
        ret_fd[i] = raw_open(ty_http_server_port(f->w.s));
        raw_send(ret_fd[i], GET);
    }
}

static void who_was_busy_rests(void **state)
{
    struct fixture f = { .served = 0 };
    uv_timer_t tick;
    int fd[3];

    (void)state;
    start_server(&f, &tick);
    ask_three(&f, fd);
    loop_until(&f.w.loop, has_served_three, &f);
    loop_until(&f.w.loop, is_awake, &f);
    assert_true(f.w.s->rests > 0 && f.rested);
    assert_true(f.ticks > f.ticks_then); /* others had their turns */
    stop_server(&f, &tick, fd, 3);
}

/* Their last bytes arrive together; other work on the loop runs in between. */
static void one_long_judgement_a_turn(void **state)
{
    struct fixture f = { .long_judgement = true };
    uv_timer_t tick;
    int fd[3];

    (void)state;
    start_server(&f, &tick);
    ask_three(&f, fd);
    loop_until(&f.w.loop, has_served_three, &f);
    assert_false(f.one_after_another);
    assert_int_equal(f.w.s->later, 0);
    stop_server(&f, &tick, fd, 3);
}

static bool one_waits(void *ctx)
{
    return ((struct fixture *)ctx)->w.s->later > 0;
}

/* Clients reset their connections while their requests wait for a later iteration; then the server
 * is freed. */
static void gone_while_they_wait(void **state)
{
    struct fixture f = { .long_judgement = true };
    uv_timer_t tick;
    int fd[3];

    (void)state;
    start_server(&f, &tick);
    ask_three(&f, fd);
    loop_until(&f.w.loop, one_waits, &f);
    for (size_t i = 0; i < 3; i++)
        raw_reset(fd[i]);
    stop_server(&f, &tick, NULL, 0);
}

static bool has_served_one(void *ctx)
{
    return ((struct fixture *)ctx)->served == 1;
}

static void told_to_stop_meanwhile(void **state)
{
    struct fixture f = { .served = 0 };
    uv_timer_t tick;

    (void)state;
    start_server(&f, &tick);
    int fd = raw_open(ty_http_server_port(f.w.s));
    raw_send(fd, GET);
    loop_until(&f.w.loop, has_served_one, &f);
    assert_true(f.w.s->resting);
    stop_server(&f, &tick, &fd, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_busy_rests),
        cmocka_unit_test(told_to_stop_meanwhile),
        cmocka_unit_test(one_long_judgement_a_turn),
        cmocka_unit_test(gone_while_they_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
