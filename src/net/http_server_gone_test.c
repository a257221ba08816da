/* A connection may end at every step of a request that is answered later. What the handler was
 * given stays valid until it answers, and its answer goes nowhere. */
#include "net/http_server_testing.h"

#define HEAD "POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Mark: a-mark-of-some-length\r\n"
#define REST "Content-Length: 4\r\n\r\n"

struct fixture {
    struct serve_world w; /* first */
    int fd;
    struct ty_http_request *kept;
    const char *mark; /* taken before the handler waits */
    bool stopped;
};

static void handle(void *ctx, struct ty_http_request *q)
{
    struct fixture *f = ctx;

    f->mark = ty_http_request_header(q, "x-mark");
    f->kept = q;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    serve_begin(&f->w, (struct ty_http_server_opts){
                           .deadline_ms = 300, .idle_ms = 300, .handle = handle, .ctx = f });
    f->fd = raw_open(ty_http_server_port(f->w.s));
    *state = f;
    return 0;
}

static bool is_kept(void *ctx)
{
    return ((struct fixture *)ctx)->kept != NULL;
}

static bool is_alone(void *ctx)
{
    return ty_http_server_connections(((struct fixture *)ctx)->w.s) == 0;
}

static bool is_taken(void *ctx)
{
    return !is_alone(ctx);
}

static bool is_stopped(void *ctx)
{
    return ((struct fixture *)ctx)->stopped;
}

static void on_stopped(void *ctx)
{
    ((struct fixture *)ctx)->stopped = true;
}

/* Runs until the handler has the request and has not answered yet. */
static void wait_for_handler(struct fixture *f)
{
    raw_send(f->fd, HEAD REST "body");
    loop_until(&f->w.loop, is_kept, f);
}

/* All data of the request are still valid; then answers it. */
static void answer(struct fixture *f)
{
    assert_string_equal(f->mark, "a-mark-of-some-length");
    assert_string_equal(ty_http_request_header(f->kept, "X-Mark"), "a-mark-of-some-length");
    assert_null(ty_http_request_header(f->kept, "X-Other"));
    assert_string_equal(f->kept->method, "POST");
    assert_true(ty_str_is(f->kept->path, "/a/b"));
    assert_true(ty_str_is(f->kept->query, "c=d"));
    assert_true(ty_str_is(f->kept->body, "body"));
    ty_http_request_respond(f->kept, 200, NULL, TY_LIT("nobody hears this"));
}

static void reset_within(struct fixture *f, const char *text)
{
    raw_send(f->fd, text);
    loop_until(&f->w.loop, is_taken, f);
    for (int i = 0; i < 5; i++)
        uv_run(&f->w.loop, UV_RUN_NOWAIT);
    raw_reset(f->fd);
    loop_until(&f->w.loop, is_alone, f);
    assert_null(f->kept);
}

static void reset_within_headers(void **state)
{
    reset_within(*state, HEAD);
}

static void reset_within_body(void **state)
{
    reset_within(*state, HEAD REST "bo");
}

static void reset_then_answered(void **state)
{
    struct fixture *f = *state;

    wait_for_handler(f);
    raw_reset(f->fd);
    answer(f);
    loop_until(&f->w.loop, is_alone, f);
}

static void reset_then_deadline_then_answered(void **state)
{
    struct fixture *f = *state;

    wait_for_handler(f);
    raw_reset(f->fd);
    loop_until(&f->w.loop, is_alone, f);
    answer(f);
}

static void deadline_then_answered(void **state)
{
    struct fixture *f = *state;

    wait_for_handler(f);
    loop_until(&f->w.loop, is_alone, f);
    assert_true(raw_ended(f->fd));
    close(f->fd);
    answer(f);
}

static void stopped_then_answered(void **state)
{
    struct fixture *f = *state;

    wait_for_handler(f);
    ty_http_server_stop(f->w.s, 1, on_stopped, f);
    loop_until(&f->w.loop, is_stopped, f);
    close(f->fd);
    answer(f);
}

static void freed_then_answered(void **state)
{
    struct fixture *f = *state;

    wait_for_handler(f);
    ty_http_server_free(f->w.s);
    f->w.s = NULL;
    uv_run(&f->w.loop, UV_RUN_DEFAULT);
    close(f->fd);
    answer(f);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, serve_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(reset_within_headers),   T(reset_within_body),
        T(reset_then_answered),    T(reset_then_deadline_then_answered),
        T(deadline_then_answered), T(stopped_then_answered),
        T(freed_then_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
