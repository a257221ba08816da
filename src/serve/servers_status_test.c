/* Who may post progress, as the API server's reviews tell it. A real API server judges real tokens
 * in tests/operator; here it says what a real one says seldom. */
#include "serve/servers_testing.h"

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

static int setup(void **state)
{
    struct servers_world *f = servers_open(ty_servers_handle_status);

    ty_servers_status_init(&f->servers);
    *state = f;
    return 0;
}

static int post(struct servers_world *f, const struct api_row *rows, const char *path,
                const char *token)
{
    return servers_ask(f, rows, ty_arena_printf(f->a, "POST %s", path),
                       ty_arena_printf(f->a, "Authorization: Bearer %s\r\n", token), GOOD);
}

static void test_a_good_token(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct servers_world *f = *state;

    assert_int_equal(post(f, rows, PATH, "t"), 200);
    assert_string_equal(api_asked(&f->api, f->a), ASK "\n" WRITE "\n");
    assert_has(f->api.body.p, "\"status\":{\"trainerStatus\":{\"lastUpdatedTime\":");
}

/* What is asked: this token, for this job of this namespace. */
static void test_the_review_names_the_audience(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, REVIEW("false", "", "") }, { 0 } };
    struct servers_world *f = *state;

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
    struct servers_world *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct api_row rows[] = { { ASK, cases[i].code, cases[i].body }, TAKEN, { 0 } };
        assert_int_equal(post(f, rows, PATH, "t"), cases[i].want);
        assert_string_equal(api_asked(&f->api, f->a), ASK "\n"); /* and nothing is written */
    }
}

static void test_no_token_no_question(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct servers_world *f = *state;

    assert_int_equal(post(f, rows, PATH, ""), 403);
    assert_string_equal(api_asked(&f->api, f->a), "");
}

/* A yes is remembered for a while, for that token and that job; a no is not. */
static void test_a_yes_is_remembered(void **state)
{
    static const struct api_row yes[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    static const struct api_row no[] = { { ASK, 201, REVIEW("false", "", "") }, TAKEN, { 0 } };
    struct servers_world *f = *state;

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
    struct servers_world *f = *state;

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct api_row rows[] = { { ASK, 201, YES }, { WRITE, codes[i][0], "{}" }, { 0 } };
        assert_int_equal(post(f, rows, PATH, "t"), codes[i][1]);
    }
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, servers_teardown)
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
