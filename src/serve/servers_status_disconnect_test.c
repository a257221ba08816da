/* The status API needs two answers of the API server: the connection, or the whole server, ends at
 * every step. Only the reviewed token is cached as accepted. */
#define DEADLINE_MS 300
#include "serve/jwt_testing.h"
#include "serve/servers_testing.h"

#define PATH  "/apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job/status"
#define AUD   "trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job/status"
#define GOOD  "{\"trainerStatus\":{\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\"}}"
#define ASK   "POST /apis/authentication.k8s.io/v1/tokenreviews"
#define WRITE "PATCH " PATH
#define YES                                                                                        \
    "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"system:serviceaccount:ns:x\"},"  \
    "\"audiences\":[\"" AUD "\"]}}"

static const struct api_row held[] = { { ASK, 0, NULL }, { WRITE, 0, NULL }, { 0 } };

static int setup(void **state)
{
    struct servers_fixture *f = servers_open(ty_servers_handle_status);

    ty_servers_status_init(&f->servers);
    f->api.rows = held;
    *state = f;
    return 0;
}

static const char *text_of(struct servers_fixture *f, const char *signature, const char *body)
{
    return ty_arena_printf(f->a,
                           "POST " PATH " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
                           "Content-Length: %zu\r\n\r\n%s",
                           jwt_good(f->a, "ns", AUD, signature), strlen(GOOD), body);
}

static int post(struct servers_fixture *f, const char *signature)
{
    int fd = raw_open(ty_http_server_port(f->front));

    raw_send(fd, text_of(f, signature, GOOD));
    return fd;
}

struct waited {
    struct servers_fixture *f;
    const char *ask;
};

static bool is_asked(void *ctx)
{
    struct waited *w = ctx;
    return api_holds(&w->f->api, w->ask);
}

static bool is_alone(void *ctx)
{
    return ty_http_server_connections(((struct servers_fixture *)ctx)->front) == 0;
}

static bool is_taken(void *ctx)
{
    return !is_alone(ctx);
}

static bool is_over(void *ctx)
{
    return !((struct servers_fixture *)ctx)->servers.pending;
}

static void wait_asked(struct servers_fixture *f, const char *ask)
{
    loop_until(&f->loop, is_asked, &(struct waited){ f, ask });
}

/* A review is in flight whose client has disconnected, or exceeded its deadline. */
static void lose(struct servers_fixture *f, int fd, bool reset)
{
    if (reset)
        raw_reset(fd);
    loop_until(&f->loop, is_alone, f);
    if (!reset)
        close(fd);
}

static void before_the_review(void **state)
{
    struct servers_fixture *f = *state;
    int fd = raw_open(ty_http_server_port(f->front));

    raw_send(fd, text_of(f, "sssss", "{"));
    loop_until(&f->loop, is_taken, f);
    raw_reset(fd);
    loop_until(&f->loop, is_alone, f);
    assert_string_equal(api_asked(&f->api, f->a), "");
}

/* The memory of the first connection is reused by a client with a token of the same length. */
static void during_the_review(struct servers_fixture *f, bool reset)
{
    static const struct api_row no[] = { { ASK, 201, "{}" }, { 0 } };
    int fd = post(f, "sssss");

    wait_asked(f, ASK);
    lose(f, fd, reset);
    struct ty_http_request *first = api_take(&f->api, ASK);
    fd = post(f, "jjjjj");
    wait_asked(f, ASK);
    ty_http_request_respond(first, 201, "application/json", TY_LIT(YES));
    wait_asked(f, WRITE); /* accepted: the report is stored, although the client is gone */
    ty_http_request_respond(api_take(&f->api, WRITE), 200, "application/json", TY_LIT("{}"));
    ty_http_request_respond(api_take(&f->api, ASK), 201, "application/json", TY_LIT("{}"));
    loop_until(&f->loop, is_over, f);
    close(fd);
    api_asked(&f->api, f->a);
    for (int i = 0; i < 2; i++) {
        f->servers.refused = (struct ty_token_cache){ 0 };
        assert_int_equal(
            servers_ask(f, no, "POST " PATH,
                        ty_arena_printf(f->a, "Authorization: Bearer %s\r\n",
                                        jwt_good(f->a, "ns", AUD, i ? "sssss" : "jjjjj")),
                        "{}"),
            i ? 200 : 403);
        assert_string_equal(api_asked(&f->api, f->a), i ? "" : ASK "\n");
    }
}

static void reset_during_the_review(void **state)
{
    during_the_review(*state, true);
}

static void deadline_during_the_review(void **state)
{
    during_the_review(*state, false);
}

static void during_the_write(struct servers_fixture *f, bool reset)
{
    int fd = post(f, "sssss");

    wait_asked(f, ASK);
    ty_http_request_respond(api_take(&f->api, ASK), 201, "application/json", TY_LIT(YES));
    wait_asked(f, WRITE);
    lose(f, fd, reset);
    ty_http_request_respond(api_take(&f->api, WRITE), 200, "application/json", TY_LIT("{}"));
    loop_until(&f->loop, is_over, f);
}

static void reset_during_the_write(void **state)
{
    during_the_write(*state, true);
}

static void deadline_during_the_write(void **state)
{
    during_the_write(*state, false);
}

/* The server is freed while its requests wait; later answers are dropped (see servers_teardown). */
static void freed_during_the_review(void **state)
{
    struct servers_fixture *f = *state;
    int fd = post(f, "sssss");

    wait_asked(f, ASK);
    close(fd);
}

static void freed_during_the_write(void **state)
{
    struct servers_fixture *f = *state;
    int fd = post(f, "sssss");

    wait_asked(f, ASK);
    ty_http_request_respond(api_take(&f->api, ASK), 201, "application/json", TY_LIT(YES));
    wait_asked(f, WRITE);
    close(fd);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, servers_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(before_the_review),      T(reset_during_the_review),   T(deadline_during_the_review),
        T(reset_during_the_write), T(deadline_during_the_write), T(freed_during_the_review),
        T(freed_during_the_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
