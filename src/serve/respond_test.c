#include "net/http_server_testing.h"
#include "serve/respond.h"

static void handle(void *ctx TY_UNUSED, struct ty_http_request *q)
{
    if (ty_str_is(q->path, "/text"))
        ty_respond_text(q, 201, TY_LIT("a\n"));
    else if (ty_str_is(q->path, "/json"))
        ty_respond_json(q, 200, ty_json_int(q->arena, 5));
    else
        ty_respond_failure(q, 404, "NotFound", "no \"such\" thing");
}

static void shapes(void **state TY_UNUSED)
{
    static const struct {
        const char *send, *type, *want;
    } cases[] = {
        { "GET /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "Content-Type: text/plain; charset=utf-8\r\n", "\r\n\r\na\n" },
        { "GET /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "Content-Type: application/json\r\n", "\r\n\r\n5\n" },
        { "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
          "Content-Type: application/json\r\n",
          "\r\n\r\n{\"metadata\":{},\"status\":\"Failure\",\"message\":\"no \\\"such\\\" "
          "thing\",\"reason\":\"NotFound\",\"code\":404}\n" },
    };
    struct serve_world w;

    serve_begin(&w, (struct ty_http_server_opts){ .handle = handle });
    for (size_t i = 0; i < 3; i++) {
        const char *got = serve_talk(&w, cases[i].send);
        assert_has(got, cases[i].type);
        assert_has(got, cases[i].want);
    }
    serve_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
