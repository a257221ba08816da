#include "net/http_server_testing.h"
#include "serve/status.h"

#define PATH "/apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job/status"
#define TIME "\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\""
#define GOOD "{\"trainerStatus\":{\"progressPercentage\":5," TIME "}}"

/* The token chooses the result: "t" is accepted, "broken" cannot be checked, any other is
 * refused. */
struct fixture {
    struct serve_world w; /* first */
    struct ty_status_api api;
    struct ty_status_call *later;
    char token[64], kept[1024];
    int code;
    const char *message;
    bool wait;
};

static void authorize(void *ctx, struct ty_status_call *c)
{
    struct fixture *f = ctx;

    snprintf(f->token, sizeof(f->token), "%.*s", TY_ARG(c->token));
    assert_true(ty_str_is(c->ns, "ns") && ty_str_is(c->name, "job"));
    if (f->wait)
        f->later = c;
    else
        ty_status_authorized(c, ty_str_is(c->token, "broken") ? -1 : ty_str_is(c->token, "t"));
}

static void apply(void *ctx, struct ty_status_call *c)
{
    struct fixture *f = ctx;
    const char *refusal = ty_status_refusal(c->arena, c->name, c->trainer_status);

    if (refusal) {
        ty_status_applied(c, 422, refusal);
        return;
    }
    snprintf(f->kept, sizeof(f->kept), "%s", ty_json_text(c->arena, c->trainer_status).p);
    ty_status_applied(c, f->code, f->message);
}

static void handle(void *ctx, struct ty_http_request *q)
{
    struct fixture *f = ctx;
    ty_status_handle(&f->api, q);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->code = 200;
    f->api = (struct ty_status_api){ .ctx = f, .authorize = authorize, .apply = apply };
    serve_begin(&f->w, (struct ty_http_server_opts){
                           .body_bytes = TY_STATUS_BODY_MAX, .handle = handle, .ctx = f });
    *state = f;
    return 0;
}

static const char *post(struct fixture *f, const char *line, const char *auth, const char *body)
{
    char text[4096];

    snprintf(text, sizeof(text),
             "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s", line,
             auth, strlen(body), body);
    return serve_talk(&f->w, text);
}

static void is_failure(const char *got, int code, const char *reason, const char *message)
{
    char want[512];

    snprintf(want, sizeof(want), "HTTP/1.1 %d ", code);
    assert_has(got, want);
    assert_has(got, "Content-Type: application/json\r\n");
    snprintf(want, sizeof(want),
             "\r\n\r\n{\"metadata\":{},\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\","
             "\"code\":%d}\n",
             message, reason, code);
    assert_has(got, want);
}

#define AUTH "Authorization: Bearer t\r\n"

static void a_good_post(void **state)
{
    struct fixture *f = *state;
    const char *got = post(f, "POST " PATH, AUTH, GOOD);

    assert_has(got, "HTTP/1.1 200 OK");
    assert_has(got, "\r\n\r\n" GOOD "\n");
    assert_string_equal(f->kept, "{\"progressPercentage\":5," TIME "}");
    f->kept[0] = 0;
    got = post(f, "POST " PATH, AUTH, "{}"); /* nothing to write */
    assert_has(got, "HTTP/1.1 200 OK");
    assert_has(got, "\r\n\r\n{}\n");
    assert_string_equal(f->kept, "");
}

static void other_paths_and_methods(void **state)
{
    static const char *const lines[] = {
        "GET " PATH,
        "PUT " PATH,
        "POST " PATH "/",
        "POST " PATH "x",
        "POST /",
        "POST " PATH "/more",
        "POST /apis/trainer.kubeflow.org/v1alpha1/namespaces//trainjobs/job/status",
        "POST /apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs//status",
        "POST /apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job",
        "POST /apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/jobs/job/status",
        "POST /apis/trainer.kubeflow.org/v1/namespaces/ns/trainjobs/job/status",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(lines); i++)
        is_failure(post(f, lines[i], AUTH, GOOD), 404, "NotFound", "Not found");
}

static void tokens(void **state)
{
    static const struct {
        const char *header, *token;
    } cases[] = {
        { "", "" },
        { "Authorization: \r\n", "" },
        { "Authorization: Bearer\r\n", "" },
        { "Authorization: x\r\n", "" },
        { "Authorization: Basic x\r\n", "" },
        { "Authorization: Bearerx\r\n", "" },
        { "Authorization: Bearer x y\r\n", "" },
        { "Authorization: Bearer x\r\n", "x" },
        { "Authorization: bearer x\r\n", "x" },
        { "authorization:   BEARER   x  \r\n", "x" },
        { "Authorization: Bearer\tx\r\n", "x" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        is_failure(post(f, "POST " PATH, cases[i].header, GOOD), 403, "Forbidden", "Forbidden");
        assert_string_equal(f->token, cases[i].token);
    }
    is_failure(post(f, "POST " PATH, "Authorization: Bearer broken\r\n", GOOD), 500,
               "InternalError", "Internal error");
    /* a refused token is reported before an invalid payload */
    is_failure(post(f, "POST " PATH, "", "rubbish"), 403, "Forbidden", "Forbidden");
    assert_string_equal(f->kept, "");
}

static void bad_payloads(void **state)
{
    struct fixture *f = *state;

    is_failure(post(f, "POST " PATH, AUTH, "invalid payload"), 422, "Invalid", "Invalid payload");
    is_failure(post(f, "POST " PATH, AUTH, ""), 422, "Invalid", "Invalid payload");
    is_failure(
        post(f, "POST " PATH, AUTH, "{\"trainerStatus\":{\"progressPercentage\":150," TIME "}}"),
        422, "Invalid",
        "TrainJob.trainer.kubeflow.org \\\"job\\\" is invalid: "
        "status.trainerStatus.progressPercentage: Invalid value: 150: "
        "trainerStatus.progressPercentage in body should be less than or equal to 100");
    assert_has(post(f, "POST " PATH, AUTH, "{\"trainerStatus\":{\"progressPercentage\":5}}"),
               "lastUpdatedTime is required when trainerStatus is present");
    assert_has(f->w.t.got, "HTTP/1.1 422 ");
    assert_string_equal(f->kept, "");
}

static void sizes(void **state)
{
    static char body[70000], text[80000];
    struct fixture *f = *state;

    memset(body, 'x', sizeof(body) - 1);
    /* by Content-Length: before the token is checked, for any path */
    snprintf(text, sizeof(text),
             "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    is_failure(serve_talk(&f->w, text), 413, "RequestEntityTooLarge", "Payload too large");
    /* chunked: while decoding */
    snprintf(text, sizeof(text),
             "POST " PATH " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" AUTH
             "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
             strlen(body), body);
    is_failure(serve_talk(&f->w, text), 422, "Invalid", "Invalid payload");
}

static void what_the_api_server_says(void **state)
{
    struct fixture *f = *state;

    f->code = 404;
    is_failure(post(f, "POST " PATH, AUTH, GOOD), 404, "NotFound", "Train job not found");
    f->code = 400;
    f->message = "bad";
    is_failure(post(f, "POST " PATH, AUTH, GOOD), 422, "Invalid", "bad");
    f->code = 409;
    is_failure(post(f, "POST " PATH, AUTH, GOOD), 500, "InternalError", "Internal error");
}

static void answers_may_come_later(void **state)
{
    struct fixture *f = *state;

    f->wait = true;
    talk_start(&f->w.t, ty_http_server_port(f->w.s),
               "POST " PATH
               " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    while (!f->later)
        uv_run(&f->w.loop, UV_RUN_ONCE);
    ty_status_authorized(f->later, 1);
    assert_has(talk_end(&f->w.t, &f->w.loop), "200 OK");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_good_post, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(other_paths_and_methods, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(tokens, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(bad_payloads, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(sizes, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(what_the_api_server_says, setup, serve_teardown),
        cmocka_unit_test_setup_teardown(answers_may_come_later, setup, serve_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
