/* Authorization of status reports by the API server's reviews. tests/operator has real tokens and a
 * real API server; here are its rare answers. */
#include "serve/jwt_testing.h"
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
    struct servers_fixture *f = servers_open(ty_servers_handle_status);

    ty_servers_status_init(&f->servers);
    *state = f;
    return 0;
}

/* A well-formed token; `signature` distinguishes it from others. */
static const char *token(struct servers_fixture *f, const char *signature)
{
    return jwt_good(f->a, "ns", AUD, signature);
}

static int post(struct servers_fixture *f, const struct api_row *rows, const char *path,
                const char *token)
{
    return servers_ask(f, rows, ty_arena_printf(f->a, "POST %s", path),
                       ty_arena_printf(f->a, "Authorization: Bearer %s\r\n", token), GOOD);
}

static void test_a_good_token(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct servers_fixture *f = *state;

    assert_int_equal(post(f, rows, PATH, token(f, "t")), 200);
    assert_string_equal(api_asked(&f->api, f->a), ASK "\n" WRITE "\n");
    assert_has(f->api.body.p, "\"status\":{\"trainerStatus\":{\"lastUpdatedTime\":");
}

/* The review: this token, for this job of this namespace. */
static void test_the_review_names_the_audience(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, REVIEW("false", "", "") }, { 0 } };
    struct servers_fixture *f = *state;

    assert_int_equal(post(f, rows, PATH, token(f, "k-en_")), 403);
    assert_has(f->api.body.p,
               ty_arena_printf(f->a, "\"spec\":{\"audiences\":[\"" AUD "\"],\"token\":\"%s\"}",
                               token(f, "k-en_")));
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
        { 201, REVIEW("true", "system:serviceaccount:ns:default", ""),
          403 }, /* without audiences */
        { 201, REVIEW("true", "system:serviceaccount:ns:default", FOR(AUD "es")), 403 },
        { 201, "{\"status\":{\"authenticated\":\"true\"}}", 403 },
        { 201, "{}", 403 },
        { 201, "no JSON at all", 500 },
        { 403, "{\"kind\":\"Status\",\"code\":403,\"message\":\"not yours\"}", 500 },
        { 500, "", 500 },
    };
    struct servers_fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = { { ASK, cases[i].code, cases[i].body }, TAKEN, { 0 } };
        const char *other = token(f, ty_arena_printf(f->a, "t%zu", i));
        assert_int_equal(post(f, rows, PATH, other), cases[i].want);
        assert_string_equal(api_asked(&f->api, f->a), ASK "\n"); /* and no write */
    }
}

/* A token that cannot be accepted causes no request. */
static void test_no_good_token_no_question(void **state)
{
    static const struct api_row rows[] = { { ASK, 201, YES }, TAKEN, { 0 } };
    struct servers_fixture *f = *state;
    const char *const tokens[] = { "",
                                   "t",
                                   "a.b.c",
                                   jwt_good(f->a, "ns", AUD "es", "t"),
                                   jwt_good(f->a, "other", AUD, "t"),
                                   jwt_of(f->a,
                                          "{\"aud\":[\"" AUD "\"],\"exp\":1000000000,"
                                          "\"sub\":\"system:serviceaccount:ns:default\"}",
                                          "t") };

    for (size_t i = 0; i < TY_COUNT(tokens); i++)
        assert_int_equal(post(f, rows, PATH, tokens[i]), 403);
    assert_string_equal(api_asked(&f->api, f->a), "");
}

static void forget(struct ty_token_cache *v, uint64_t now) /* as if it had expired */
{
    for (size_t i = 0; i < TY_TOKEN_CACHE_SLOTS; i++)
        v->slot[i].until_ms = v->slot[i].until_ms ? now : 0;
}

static const struct api_row yes[] = { { ASK, 201, YES }, TAKEN, { 0 } };
static const struct api_row no[] = { { ASK, 201, REVIEW("false", "", "") }, TAKEN, { 0 } };

/* A yes is cached, for that token and that job. */
static void test_a_yes_is_remembered(void **state)
{
    static const char base[] = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/";
    struct servers_fixture *f = *state;
    const char *t = token(f, "t");

    assert_int_equal(post(f, yes, PATH, t), 200);
    api_asked(&f->api, f->a);
    assert_int_equal(post(f, no, PATH, t), 200);
    assert_string_equal(api_asked(&f->api, f->a), WRITE "\n");
    assert_int_equal(post(f, no, PATH, token(f, "u")), 403);
    assert_int_equal(post(f, no, ty_arena_printf(f->a, "%sns/trainjobs/job2/status", base), t),
                     403);
    assert_int_equal(post(f, no, ty_arena_printf(f->a, "%sns2/trainjobs/job/status", base), t),
                     403);
    forget(&f->servers.accepted, uv_now(&f->loop));
    assert_int_equal(post(f, no, PATH, t), 403);
}

/* A no, too, for a few seconds: the same token causes no request. */
static void test_a_no_is_remembered(void **state)
{
    struct servers_fixture *f = *state;
    const char *t = token(f, "t");

    assert_int_equal(post(f, no, PATH, t), 403);
    assert_int_equal(post(f, yes, PATH, t), 403);
    assert_string_equal(api_asked(&f->api, f->a), ASK "\n");
    assert_int_equal(post(f, yes, PATH, token(f, "u")), 200);
    forget(&f->servers.refused, uv_now(&f->loop));
    assert_int_equal(post(f, yes, PATH, t), 200);
}

static void test_what_the_write_is_answered(void **state)
{
    static const int codes[][2] = { { 200, 200 }, { 404, 404 }, { 422, 422 }, { 400, 422 },
                                    { 409, 500 }, { 403, 500 }, { 500, 500 } };
    struct servers_fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(codes); i++) {
        struct api_row rows[] = { { ASK, 201, YES }, { WRITE, codes[i][0], "{}" }, { 0 } };
        assert_int_equal(post(f, rows, PATH, token(f, "t")), codes[i][1]);
    }
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, servers_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_a_good_token),
        T(test_the_review_names_the_audience),
        T(test_reviews_that_are_no_yes),
        T(test_no_good_token_no_question),
        T(test_a_yes_is_remembered),
        T(test_a_no_is_remembered),
        T(test_what_the_write_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
