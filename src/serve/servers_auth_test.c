/* Authorization of /metrics by the API server's reviews. With a real API server:
 * tests/operator/test_operator_ports.py. */
#include "serve/servers_testing.h"

#define TOKEN  "POST /apis/authentication.k8s.io/v1/tokenreviews"
#define ACCESS "POST /apis/authorization.k8s.io/v1/subjectaccessreviews"
#define USER                                                                                       \
    "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"prom\",\"uid\":\"7\","           \
    "\"groups\":[\"g1\",\"g2\"],\"extra\":{\"example.org/scopes\":[\"less\"]}}}}"
#define ALLOWED "{\"status\":{\"allowed\":true}}"

static int setup(void **state)
{
    struct servers_fixture *f = servers_open(ty_servers_handle_metrics);

    f->config.metrics_auth = true;
    *state = f;
    return 0;
}

static int get(struct servers_fixture *f, const struct api_row *rows, const char *auth)
{
    return servers_ask(f, rows, "GET /metrics", auth, "");
}
#define BEARER "Authorization: Bearer t\r\n"

static void test_no_token(void **state)
{
    static const struct api_row rows[] = { { TOKEN, 201, USER }, { ACCESS, 201, ALLOWED }, { 0 } };
    struct servers_fixture *f = *state;

    assert_int_equal(get(f, rows, ""), 401);
    assert_int_equal(get(f, rows, "Authorization: Basic dDp0\r\n"), 401);
    assert_int_equal(get(f, rows, "Authorization: Bearer\r\n"), 401);
    assert_string_equal(api_asked(&f->api, f->a), "");
}

/* Every answer but a clear yes is a no, and the second review is sent only after the yes of the
 * first. */
static void test_no(void **state)
{
    static const struct {
        int token_code;
        const char *token;
        int access_code;
        const char *access;
        int want;
        bool second;
    } cases[] = {
        { 201, "{\"status\":{\"authenticated\":false}}", 201, ALLOWED, 401, false },
        { 201, "{\"status\":{\"authenticated\":\"true\"}}", 201, ALLOWED, 401, false },
        { 201, "{}", 201, ALLOWED, 401, false },
        { 201, "garbage", 201, ALLOWED, 500, false },
        { 403, "", 201, ALLOWED, 500, false },
        { 201, USER, 201, "{\"status\":{\"allowed\":false}}", 403, true },
        { 201, USER, 201, "{\"status\":{\"allowed\":1}}", 403, true },
        { 201, USER, 201, "{}", 403, true },
        { 201, USER, 201, "garbage", 500, true },
        { 201, USER, 500, "", 500, true },
    };
    struct servers_fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = { { TOKEN, cases[i].token_code, cases[i].token },
                                  { ACCESS, cases[i].access_code, cases[i].access },
                                  { 0 } };
        assert_int_equal(get(f, rows, BEARER), cases[i].want);
        assert_string_equal(api_asked(&f->api, f->a),
                            cases[i].second ? TOKEN "\n" ACCESS "\n" : TOKEN "\n");
    }
}

/* The reviews carry the whole user and the path. */
static void test_what_is_asked(void **state)
{
    static const struct api_row rows[] = { { TOKEN, 201, USER },
                                           { ACCESS, 201, "{\"status\":{\"allowed\":false}}" },
                                           { 0 } };
    struct servers_fixture *f = *state;

    assert_int_equal(get(f, rows, BEARER), 403);
    assert_has(f->api.body.p, "\"spec\":{\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":"
                              "\"get\"},\"user\":\"prom\",\"uid\":\"7\",\"groups\":[\"g1\",\"g2\"],"
                              "\"extra\":{\"example.org/scopes\":[\"less\"]}}");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, servers_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_no_token), T(test_no), T(test_what_is_asked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
