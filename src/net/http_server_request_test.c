#include "base/budget.h"
#include "net/http_server_testing.h"

struct fixture {
    struct serve_world w; /* first */
    struct ty_budget budget;
    struct ty_http_request *kept;
    bool keep;
};

/* A handler that allocates until the arena is full, and then answers. */
static void fill(struct ty_http_request *q)
{
    while (!ty_arena_full(q->arena))
        ty_arena_alloc(q->arena, 1000, 1);
    ty_http_request_add_header(q, "X-Again", "1");
    ty_http_request_respond(q, 200, NULL, TY_LIT("half of it"));
}

static void handle(void *ctx, struct ty_http_request *q)
{
    struct fixture *f = ctx;
    const char *mark = ty_http_request_header(q, "X-MARK");

    if (f->keep) {
        f->kept = q;
        return;
    }
    if (ty_str_is(q->path, "/fill")) {
        fill(q);
        return;
    }
    const char *text = ty_arena_printf(
        q->arena, "[%s|%.*s|%.*s|%.*s|%s%s|%s]", q->method, TY_ARG(q->path), TY_ARG(q->query),
        TY_ARG(q->body), q->announced ? "A" : "", q->too_big ? "B" : "", mark ? mark : "");
    for (int i = 0; i < 12; i++) /* more than fit are left out, not written past the end */
        ty_http_request_add_header(q, "X-Again", "1");
    ty_http_request_respond(q, 299, "text/x", ty_str(text));
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    serve_begin(&f->w, (struct ty_http_server_opts){ .body_bytes = 10,
                                                     .arena_bytes = 1 << 20,
                                                     .deadline_ms = 2000,
                                                     .budget = &f->budget,
                                                     .handle = handle,
                                                     .ctx = f });
    *state = f;
    return 0;
}

static void what_a_handler_sees(void **state)
{
    static const struct {
        const char *send, *want;
    } cases[] = {
        { "GET /a/b?c=d?e HTTP/1.1\r\nHost: x\r\nx-mark: m\r\nConnection: close\r\n\r\n",
          "[GET|/a/b|c=d?e|||m]" },
        { "PUT /%41%00 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
          "[PUT|/%41%00||abc|A|]" },
        { "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789",
          "[POST|/||0123456789|A|]" },
        { "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nConnection: "
          "close\r\n\r\n0123456789a",
          "[POST|/|||AB|]" },
        { "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
          "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n",
          "[POST|/||0123456789||]" },
        { "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
          "5\r\n01234\r\n6\r\n56789a\r\n0\r\n\r\n",
          "[POST|/|||B|]" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = serve_talk(&f->w, cases[i].send);
        assert_has(got, "HTTP/1.1 299 ");
        assert_has(got, "Content-Type: text/x\r\n");
        assert_has(got, cases[i].want);
    }
}

static void answered_later(void **state)
{
    struct fixture *f = *state;

    f->keep = true;
    talk_start(&f->w.t, ty_http_server_port(f->w.s),
               "POST / HTTP/1.1\r\nHost: x\r\nX-Mark: m\r\nContent-Length: 2\r\nConnection: "
               "close\r\n\r\nhi");
    while (!f->kept)
        uv_run(&f->w.loop, UV_RUN_ONCE);
    assert_string_equal(ty_http_request_header(f->kept, "x-mark"), "m");
    assert_int_equal(f->kept->body.n, 2);
    ty_http_request_respond(f->kept, 202, NULL, TY_LIT("done"));
    assert_has(talk_end(&f->w.t, &f->w.loop), "\r\n\r\ndone");
}

static void answered_after_the_deadline(void **state)
{
    struct fixture *f = *state;

    f->keep = true;
    assert_has(serve_talk(&f->w, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "503 Service Unavailable");
    assert_non_null(f->kept);
    ty_http_request_respond(f->kept, 200, NULL, TY_LIT("nobody hears this"));
}

/* If the arena is full, the handler's response is replaced by 413 or 503. */
static void a_full_arena_is_told(void **state)
{
    static const char ask[] = "GET /fill HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    struct fixture *f = *state;
    const char *got = serve_talk(&f->w, ask);

    assert_has(got, "HTTP/1.1 413 ");
    assert_null(strstr(got, "half of it"));
    assert_null(strstr(got, "X-Again"));
    f->budget.ceiling = 200000; /* now it is the budget that ends first */
    got = serve_talk(&f->w, ask);
    assert_has(got, "HTTP/1.1 503 ");
    assert_has(got, "Retry-After: 1\r\n");
    assert_null(strstr(got, "half of it"));
    assert_int_equal(f->budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_handler_sees, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(answered_later, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(answered_after_the_deadline, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(a_full_arena_is_told, setup, serve_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
