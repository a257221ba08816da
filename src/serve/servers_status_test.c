/* Who may post progress, as the API server's reviews tell it. A real API server judges real tokens
 * in tests/operator; here it says what a real one says seldom. */
#include "serve/servers_inner.h"
#include "store/api_testing.h"

#define PATH  "/apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job/status"
#define AUD   "trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job/status"
#define GOOD  "{\"trainerStatus\":{\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\"}}"
#define ASK   "POST /apis/authentication.k8s.io/v1/tokenreviews"
#define WRITE "PATCH " PATH
#define REVIEW(yes, user, audiences)                                                               \
    "{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\",\"status\":{"           \
    "\"authenticated\":" yes ",\"user\":{\"username\":\"" user "\"}" audiences "}}"
#define FOR(audience) ",\"audiences\":[\"https://kubernetes\",\"" audience "\"]"
#define YES           REVIEW("true", "system:serviceaccount:ns:default", FOR(AUD))
#define TAKEN                                                                                      \
    {                                                                                              \
        WRITE, 200, "{}"                                                                           \
    }

struct fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_serve *front;
    struct ty_servers servers;
    struct ty_arena *a;
    struct ty_talk talk;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct ty_serve_opts o = { .address = "127.0.0.1", .handle = ty_servers_handle_status };

    assert_non_null(f);
    f->a = ty_arena_new(1 << 20);
    uv_loop_init(&f->loop);
    api_begin(&f->api, &f->loop);
    f->servers.s = (struct ty_servers_settings){ .loop = &f->loop,
                                                 .kube = f->api.kube,
                                                 .status_kube = f->api.kube };
    ty_servers_status_init(&f->servers);
    o.loop = &f->loop;
    o.ctx = &f->servers;
    assert_int_equal(ty_serve_new(&o, &f->front, NULL), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    ty_serve_free(f->front);
    api_end(&f->api);
    loop_end(&f->loop);
    ty_arena_free(f->a);
    free(f);
    return 0;
}

/* The status code of a post with this token. */
static int post(struct fixture *f, const struct api_row *rows, const char *path, const char *token)
{
    int code = 0;
    char *text = ty_arena_printf(f->a,
                                 "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                 "Authorization: Bearer %s\r\nContent-Length: %zu\r\n\r\n%s",
                                 path, token, strlen(GOOD), GOOD);

    f->api.rows = rows;
    assert_int_equal(
        sscanf(talk(&f->talk, &f->loop, ty_serve_port(f->front), text), "HTTP/1.1 %d", &code), 1);
    return code;
}

static void test_a_good_token(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct fixture *f = *state;

    assert_int_equal(post(f, rows, PATH, "t"), 200);
    assert_string_equal(api_asked(&f->api, f->a), ASK "\n" WRITE "\n");
    assert_has(f->api.body.p, "\"status\":{\"trainerStatus\":{\"lastUpdatedTime\":");
}

/* What is asked: this token, for this job of this namespace. */
static void test_the_review_names_the_audience(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, REVIEW("false", "", "") }, { 0 } };
    struct fixture *f = *state;

    assert_int_equal(post(f, rows, PATH, "to.k-en_"), 403);
    assert_has(f->api.body.p, "\"spec\":{\"audiences\":[\"" AUD "\"],\"token\":\"to.k-en_\"}");
}

static void test_reviews_that_are_no_yes(void **state)
{
    static const struct {
        int code;
        const char *body;
        int want;
    } cases[] = {
        { 201, REVIEW("false", "system:serviceaccount:ns:default", FOR(AUD)), 403 },
        { 201, REVIEW("true", "system:serviceaccount:other:default", FOR(AUD)), 403 },
        { 201, REVIEW("true", "system:serviceaccount:nsx:default", FOR(AUD)), 403 },
        { 201, REVIEW("true", "ns", FOR(AUD)), 403 },
        { 201, REVIEW("true", "system:serviceaccount:ns:default", ""), 403 }, /* knows of none */
        { 201, REVIEW("true", "system:serviceaccount:ns:default", FOR(AUD "es")), 403 },
        { 201, "{\"status\":{\"authenticated\":\"true\"}}", 403 },
        { 201, "{}", 403 },
        { 201, "no JSON at all", 500 },
        { 403, "{\"kind\":\"Status\",\"code\":403,\"message\":\"not yours\"}", 500 },
        { 500, "", 500 },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct api_row rows[] = { { ASK, cases[i].code, cases[i].body }, TAKEN, { 0 } };
        assert_int_equal(post(f, rows, PATH, "t"), cases[i].want);
        assert_string_equal(api_asked(&f->api, f->a), ASK "\n"); /* and nothing is written */
    }
}

static void test_no_token_no_question(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct fixture *f = *state;

    assert_int_equal(post(f, rows, PATH, ""), 403);
    assert_string_equal(api_asked(&f->api, f->a), "");
}

/* A yes is remembered for a while, for that token and that job; a no is not. */
static void test_a_yes_is_remembered(void **state)
{
    static const struct api_row yes[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    static const struct api_row no[] = { { ASK, 201, REVIEW("false", "", "") }, TAKEN, { 0 } };
    struct fixture *f = *state;

    assert_int_equal(post(f, no, PATH, "t"), 403);
    assert_int_equal(post(f, yes, PATH, "t"), 200); /* asked again */
    api_asked(&f->api, f->a);
    assert_int_equal(post(f, no, PATH, "t"), 200);
    assert_string_equal(api_asked(&f->api, f->a), WRITE "\n");
    assert_int_equal(post(f, no, PATH, "u"), 403);
    assert_int_equal(
        post(f, no, "/apis/trainer.kubeflow.org/v1alpha1/namespaces/ns/trainjobs/job2/status", "t"),
        403);
    assert_int_equal(
        post(f, no, "/apis/trainer.kubeflow.org/v1alpha1/namespaces/ns2/trainjobs/job/status", "t"),
        403);
    for (size_t i = 0; i < TY_VOUCHED_SLOTS; i++) /* as if its time had passed */
        f->servers.vouched.slot[i].until_ms = uv_now(&f->loop);
    assert_int_equal(post(f, no, PATH, "t"), 403);
}

static void test_what_the_write_is_answered(void **state)
{
    static const int codes[][2] = { { 200, 200 }, { 404, 404 }, { 422, 422 }, { 400, 422 },
                                    { 409, 500 }, { 403, 500 }, { 500, 500 } };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct api_row rows[] = { { ASK, 201, YES }, { WRITE, codes[i][0], "{}" }, { 0 } };
        assert_int_equal(post(f, rows, PATH, "t"), codes[i][1]);
    }
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_a_good_token),
        T(test_the_review_names_the_audience),
        T(test_reviews_that_are_no_yes),
        T(test_no_token_no_question),
        T(test_a_yes_is_remembered),
        T(test_what_the_write_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
