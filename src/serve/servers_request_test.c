/* Limits of the reviews that unauthenticated clients can cause. */
#include <errno.h>

#include "serve/servers_testing.h"
#include "store/kube/kube_kinds.h"

#define ASK "POST /apis/authentication.k8s.io/v1/tokenreviews"

/* Each request of a client becomes a review about the subject in its path; the token of "/known/X"
 * was accepted before. */
static void handle(void *ctx, struct ty_http_request *q);

static const struct api_row held[] = { { ASK, 0, NULL }, { 0 } };

static int setup(void **state)
{
    struct servers_fixture *f = servers_open(handle);

    f->api.rows = held;
    *state = f;
    return 0;
}

struct call {
    struct ty_http_request *q;
};

static void reviewed(void *ctx, const struct ty_kube_response *a)
{
    struct call *c = ctx;

    ty_http_request_respond(c->q, a->r < 0 ? 500 : 200, NULL, TY_LIT(""));
}

static void handle(void *ctx, struct ty_http_request *q)
{
    struct call *c = ty_new(q->arena, struct call);
    const struct ty_kube_request ask = { .verb = TY_KUBE_CREATE,
                                         .kind = &ty_kind_tokenreview,
                                         .body = TY_LIT("{}"),
                                         .fn = reviewed,
                                         .ctx = c };

    c->q = q;
    if (ty_servers_request_review(ctx, q, &ask, q->path,
                                  ty_str_starts(q->path, TY_LIT("/known/"))) < 0)
        ty_http_request_respond(q, 429, NULL, TY_LIT(""));
}

struct burst {
    struct servers_fixture *f;
    int fd[200];
    size_t n, refused;
};

static bool all_came(void *ctx)
{
    struct burst *b = ctx;
    char text[64];

    b->refused = 0;
    for (size_t i = 0; i < b->n; i++) {
        ssize_t n = recv(b->fd[i], text, sizeof(text), MSG_DONTWAIT | MSG_PEEK);
        b->refused += n > 12 && memcmp(text + 9, "429", 3) == 0;
    }
    return b->f->servers.reviews + b->refused == b->n;
}

static void send_more(struct burst *b, size_t n, const char *path, bool each)
{
    for (size_t i = 0; i < n; i++) {
        b->fd[b->n] = raw_open(ty_http_server_port(b->f->front));
        raw_send(b->fd[b->n++], ty_arena_printf(b->f->a, "GET %s%zu HTTP/1.1\r\nHost: x\r\n\r\n",
                                                path, each ? i : 0));
    }
    loop_until(&b->f->loop, all_came, b);
}

static void end(struct burst *b)
{
    for (size_t i = 0; i < b->n; i++)
        close(b->fd[i]);
}

static void about_the_same(void **state)
{
    struct burst b = { .f = *state };

    send_more(&b, 30, "/a/", false);
    assert_int_equal(b.refused, 30 - TY_REVIEWS_PER_SUBJECT);
    send_more(&b, 5, "/b/", false); /* other subjects are served */
    assert_int_equal(b.refused, 30 - TY_REVIEWS_PER_SUBJECT);
    /* and so is the next one about the same, when they are answered */
    while (b.f->servers.reviews) {
        while (api_holds(&b.f->api, ASK))
            ty_http_request_respond(api_take(&b.f->api, ASK), 201, "application/json",
                                    TY_LIT("{}"));
        uv_run(&b.f->loop, UV_RUN_ONCE);
    }
    end(&b);
    b.n = 0;
    send_more(&b, 1, "/a/", false);
    assert_int_equal(b.refused, 0);
    end(&b);
}

/* However many subjects are asked about, tokens that were accepted before are served. */
static void about_all(void **state)
{
    struct burst b = { .f = *state };

    send_more(&b, 60, "/a/", true);
    assert_int_equal(b.refused, 60 - (TY_REVIEWS_MAX - TY_REVIEWS_RESERVED));
    send_more(&b, 10, "/known/", false);
    assert_int_equal(b.refused, 60 - (TY_REVIEWS_MAX - TY_REVIEWS_RESERVED));
    end(&b);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, servers_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(about_the_same), T(about_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
