/* Which connections are closed when there are too many, or too little memory. */
#include "base/budget.h"
#include "net/http_server_inner.h"
#include "net/http_server_testing.h"

#include <sys/ioctl.h>

#define MOST 16u /* three quarters: 12 */
#define GET  "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"

struct fixture {
    struct serve_world w; /* first */
    struct ty_budget budget;
    int fd[64];
    size_t n;
    struct ty_http_request *kept;
    bool keep;
    size_t served;
};

static void handle(void *ctx, struct ty_http_request *q)
{
    struct fixture *f = ctx;

    f->served++;
    if (f->keep)
        f->kept = q;
    else
        ty_http_request_respond(q, 200, NULL, TY_LIT("ok"));
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    serve_begin(&f->w, (struct ty_http_server_opts){ .connections = MOST,
                                                     .body_bytes = 1 << 20,
                                                     .deadline_ms = 60000,
                                                     .budget = &f->budget,
                                                     .handle = handle,
                                                     .ctx = f });
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < f->n; i++)
        close(f->fd[i]);
    serve_finish(&f->w);
    assert_int_equal(f->budget.used, 0);
    free(f);
    return 0;
}

struct waited {
    struct fixture *f;
    size_t n;
};

static bool has_served(void *ctx)
{
    struct waited *w = ctx;
    return w->f->served >= w->n;
}

static bool has_connections(void *ctx)
{
    struct waited *w = ctx;
    return ty_http_server_connections(w->f->w.s) == w->n;
}

static bool has_ended(void *ctx)
{
    return raw_ended(*(int *)ctx);
}

static bool has_answer(void *ctx)
{
    int n = 0;
    return ioctl(*(int *)ctx, FIONREAD, &n) == 0 && n > 0;
}

static bool has_held(void *ctx)
{
    struct waited *w = ctx;
    return w->f->budget.used >= w->n;
}

static int *open_one(struct fixture *f, const char *text)
{
    int *fd = &f->fd[f->n++];

    *fd = raw_open(ty_http_server_port(f->w.s));
    raw_send(*fd, text);
    return fd;
}

/* A connection that has its response and stays open. */
static int *open_idle(struct fixture *f)
{
    int *fd = open_one(f, GET);

    loop_until(&f->w.loop, has_answer, fd);
    return fd;
}

static void the_longest_idle_goes_first(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 12; i++)
        open_idle(f);
    for (unsigned i = 0; i < 12; i++)
        assert_false(raw_ended(f->fd[i]));
    raw_send(f->fd[0], GET); /* now the second is the longest idle */
    loop_until(&f->w.loop, has_served, &(struct waited){ f, 13 });
    for (unsigned i = 0; i < 3; i++)
        open_idle(f);
    loop_until(&f->w.loop, has_connections, &(struct waited){ f, 12 });
    for (unsigned i = 0; i < 15; i++)
        assert_int_equal(raw_ended(f->fd[i]), i >= 1 && i <= 3);
    assert_int_equal(ty_http_server_closed(f->w.s, TY_HTTP_SERVER_CLOSE_CROWDED), 3);
}

/* More connections than the limit, each answered at once. */
static void a_crowd_is_served(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 60; i++)
        open_idle(f);
    assert_int_equal(f->served, 60);
    assert_true(ty_http_server_connections(f->w.s) <= 13);
}

/* Connections with half a request line are closed after HEAD_MS. */
static void unfinished_ones_go(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 20; i++)
        open_one(f, "GET / HT");
    int *last = open_one(f, GET);
    loop_until(&f->w.loop, has_answer, last);
    assert_false(raw_ended(*last));
    assert_true(ty_http_server_closed(f->w.s, TY_HTTP_SERVER_CLOSE_CROWDED) >= 5);
    assert_int_equal(ty_http_server_closed(f->w.s, TY_HTTP_SERVER_CLOSE_DEADLINE), 0);
}

/* A complete request that waits for the handler is never closed, however many connections follow.
 */
static void a_request_under_way_stays(void **state)
{
    struct fixture *f = *state;

    f->keep = true;
    int *first = open_one(f, GET);
    loop_until(&f->w.loop, has_served, &(struct waited){ f, 1 });
    f->keep = false;
    for (unsigned i = 0; i < 40; i++)
        open_idle(f);
    ty_http_request_respond(f->kept, 200, NULL, TY_LIT("ok"));
    loop_until(&f->w.loop, has_answer, first);
}

static void slow_bodies_keep_nobody_out(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 20; i++)
        open_one(f, POST "x");
    loop_until(&f->w.loop, has_answer, open_one(f, GET));
    assert_int_equal(f->served, 1);
}

/* ---- memory ---- */

static void connections_are_counted(void **state)
{
    struct fixture *f = *state;

    open_idle(f);
    open_idle(f);
    assert_int_equal(f->budget.used, 2 * ty_http_server_limit_conn_bytes(f->w.s));
    assert_true(f->budget.peak >
                2 * ty_http_server_limit_conn_bytes(f->w.s)); /* a request's arena */
}

/* Memory for four connections: the fifth is answered, and the first is closed. */
static void idle_ones_make_room(void **state)
{
    struct fixture *f = *state;

    f->budget.ceiling =
        4 * 4 * ty_http_server_limit_conn_bytes(f->w.s); /* one server's is a quarter */
    for (unsigned i = 0; i < 5; i++)
        open_idle(f);
    loop_until(&f->w.loop, has_ended, &f->fd[0]);
    assert_false(raw_ended(f->fd[1]));
    assert_int_equal(ty_http_server_closed(f->w.s, TY_HTTP_SERVER_CLOSE_MEMORY), 1);
}

static void fill(int fd, size_t n)
{
    char text[1000];

    memset(text, 'x', sizeof(text));
    for (; n; n -= sizeof(text))
        assert_int_equal(send(fd, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
}

/* Two bodies do not fit: the connection that has been sending for longer is closed, the other is
 * served. */
static void the_longest_sender_makes_room(void **state)
{
    struct fixture *f = *state;

    f->budget.ceiling = 4 * (2 * ty_http_server_limit_conn_bytes(f->w.s) + ((size_t)100 << 10));
    int *slow = open_one(f, POST);
    fill(*slow, 50000);
    loop_until(&f->w.loop, has_held, &(struct waited){ f, (size_t)64 << 10 });
    int *quick = open_one(f, POST);
    fill(*quick, 60000);
    loop_until(&f->w.loop, has_served, &(struct waited){ f, 1 });
    loop_until(&f->w.loop, has_ended, slow);
    assert_false(raw_ended(*quick));
    assert_int_equal(ty_http_server_closed(f->w.s, TY_HTTP_SERVER_CLOSE_MEMORY), 1);
}

static void one_that_never_fits_is_told_so(void **state)
{
    struct fixture *f = *state;

    f->budget.ceiling = 4 * (ty_http_server_limit_conn_bytes(f->w.s) + ((size_t)20 << 10));
    static const char head[] = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                               "Content-Length: 60000\r\n\r\n";
    char text[61000];
    snprintf(text, sizeof(text), "%s%60000d", head, 7);
    const char *got = serve_talk(&f->w, text);
    assert_has(got, "HTTP/1.1 503 ");
    assert_has(got, "Retry-After: 1\r\n");
    assert_int_equal(f->budget.refused, 1);
    assert_int_equal(f->served, 0);
}

/* The budget is used up by others: not even a request's arena fits. */
static void an_empty_budget_is_told(void **state)
{
    struct fixture *f = *state;

    f->budget.ceiling = 1000;
    assert_has(serve_talk(&f->w, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
               "HTTP/1.1 503 ");
    assert_int_equal(f->served, 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_longest_idle_goes_first),
        T(a_crowd_is_served),
        T(unfinished_ones_go),
        T(a_request_under_way_stays),
        T(slow_bodies_keep_nobody_out),
        T(connections_are_counted),
        T(idle_ones_make_room),
        T(the_longest_sender_makes_room),
        T(one_that_never_fits_is_told_so),
        T(an_empty_budget_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
