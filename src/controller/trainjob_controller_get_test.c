#include "controller/trainjob_controller_get.h"
#include "controller/trainjob_controller_testing.h"

#include <errno.h>

#define RT "GET " CONTROLLER_GROUP "/clustertrainingruntimes/rt"
#define CM "GET /api/v1/namespaces/ns/configmaps/j-runtime-snapshot"

struct came {
    int n, r;
    char why[256];
};

static void on_came(void *ctx, int r, struct ty_str why)
{
    struct came *c = ctx;

    c->n++;
    c->r = r;
    snprintf(c->why, sizeof(c->why), "%.*s", TY_ARG(why));
}

/* Controllers of an empty cluster, synced and not leading. */
static void begin(struct controller_fixture *w, const struct api_row *rows)
{
    w->api.rows = rows;
    w->controller = ty_trainjob_controller_new(&w->s);
    controller_run_until(w, controller_is_synced);
}

static int none_open(struct controller_fixture *w)
{
    return w->controller->live_gets == NULL;
}

static int one_asked(struct controller_fixture *w)
{
    return w->api.asked.n > 0;
}

static void get_runtime(struct controller_fixture *w, struct came *c)
{
    ty_trainjob_controller_get(w->controller, &ty_kind_clustertrainingruntime, (struct ty_str){ 0 },
                               TY_LIT("rt"), on_came, c);
}

static void get_snapshot(struct controller_fixture *w, struct came *c)
{
    ty_trainjob_controller_get(w->controller, &ty_kind_configmap, TY_LIT("ns"),
                               TY_LIT("j-runtime-snapshot"), on_came, c);
}

static const struct ty_cached *runtime(struct controller_fixture *w)
{
    return ty_cache_get(ty_trainjob_controller_cache(w->controller),
                        &ty_kind_clustertrainingruntime, TY_LIT(""), TY_LIT("rt"));
}

/* Created a moment ago: the get finds it before the watch event arrives. */
static void test_a_new_runtime(void **state)
{
    static const struct api_row rows[] = { { RT, 200, CONTROLLER_RUNTIME }, { 0 } };
    struct controller_fixture *w = *state;
    struct came c = { 0 };

    begin(w, rows);
    get_runtime(w, &c);
    assert_int_equal(c.n, 0); /* from the loop, not from the call */
    controller_run_until(w, none_open);
    assert_int_equal(c.n, 1);
    assert_non_null(runtime(w));
    assert_int_equal(runtime(w)->id.version, 5);
}

static void on_spent(void *ctx, const struct ty_kube_response *a)
{
    *(int *)ctx = ty_str_contains(a->message, TY_LIT("(qps)")) ? 1 : 0;
}

static int nothing_left(struct controller_fixture *w)
{
    int left = -1;

    ty_kube_start(w->s.kube, &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                                        .path = "/version",
                                                        .timeout_ms = 50,
                                                        .fn = on_spent,
                                                        .ctx = &left });
    while (left < 0)
        uv_run(&w->loop, UV_RUN_ONCE);
    return left;
}

/* The lists have used up the client's rate limit; a get for a webhook does not wait for it. */
static void test_not_for_the_limiter(void **state)
{
    static const struct api_row rows[] = { { RT, 200, CONTROLLER_RUNTIME }, { 0 } };
    struct controller_fixture *w = *state;
    struct ty_kube_settings k = {
        .loop = &w->loop, .config = &w->api.config, .agent = "test", .qps = 0.001, .burst = 50
    };
    struct ty_err err = { 0 };
    struct came c = { 0 };

    assert_int_equal(ty_kube_new(&w->s.kube, &k, &err), 0);
    begin(w, rows);
    while (!nothing_left(w))
        ;
    get_runtime(w, &c);
    controller_run_until(w, none_open);
    assert_non_null(runtime(w));
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    ty_kube_free(w->s.kube);
}

/* Whatever the answer, the callback runs once and the cache is unchanged. Only 404 means that the
 * object does not exist; a failure always has a message. */
static void test_answers_that_are_none(void **state)
{
    enum { FAILED = -1 }; /* any error but -ENOENT */
    static const struct {
        int code;
        const char *body;
        int r;
    } cases[] = { { 404, CONTROLLER_REFUSAL(404, "NotFound"), -ENOENT },
                  { 401, CONTROLLER_REFUSAL(401, "Unauthorized"), FAILED },
                  { 403, CONTROLLER_REFUSAL(403, "Forbidden"), FAILED },
                  { 409, "", FAILED },
                  { 422, "{", FAILED },
                  { 500, "<html>", FAILED },
                  { 503, "", FAILED },
                  { 200, "garbage", FAILED },
                  { 200, "", 0 },
                  { 200, "[1]", 0 },
                  { 200, "{}", 0 },
                  { 200, "{\"metadata\":{\"name\":7}}", 0 },
                  { 200, "{\"metadata\":{\"name\":\"\\u0000\",\"uid\":\"x\"}}", 0 } };
    struct controller_fixture *w = *state;

    begin(w, NULL);
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = { { RT, cases[i].code, cases[i].body }, { 0 } };
        struct came c = { 0 };
        w->api.rows = rows;
        get_runtime(w, &c);
        controller_run_until(w, none_open);
        assert_int_equal(c.n, 1);
        if (cases[i].r == FAILED)
            assert_true(c.r < 0 && c.r != -ENOENT && c.why[0]);
        else
            assert_int_equal(c.r, cases[i].r);
        assert_null(runtime(w));
        assert_string_equal(api_asked(&w->api, w->a),
                            RT "\n"); /* a webhook has no time for a retry */
    }
}

#define SNAPSHOT(more)                                                                             \
    "{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\",\"uid\":\"c\","           \
    "\"resourceVersion\":\"6\"}" more "}"

static const char *body(struct controller_fixture *w)
{
    const struct ty_cached *o =
        ty_cache_get(ty_trainjob_controller_cache(w->controller), &ty_kind_configmap, TY_LIT("ns"),
                     TY_LIT("j-runtime-snapshot"));

    return o ? o->body : NULL;
}

/* The snapshot is fetched with its data once; then the cache answers. */
static void test_a_snapshot(void **state)
{
    static const struct api_row rows[] = {
        { CM, 200, SNAPSHOT(",\"data\":{\"runtime\":\"spec: {a: 1}\"}") }, { 0 }
    };
    struct controller_fixture *w = *state;
    struct came c = { 0 };

    begin(w, rows);
    get_snapshot(w, &c);
    controller_run_until(w, none_open);
    assert_int_equal(c.n, 1);
    assert_string_equal(body(w), "{\"runtime\":\"{\\\"spec\\\":{\\\"a\\\":1}}\"}");
    get_snapshot(w, &c);
    assert_int_equal(c.n, 2);
    assert_string_equal(api_asked(&w->api, w->a), CM "\n");
}

/* A snapshot without data is fetched again: it may have been repaired. */
static void test_a_snapshot_without_data(void **state)
{
    static const struct api_row rows[] = { { CM, 200, SNAPSHOT("") }, { 0 } };
    struct controller_fixture *w = *state;
    struct came c = { 0 };

    begin(w, rows);
    for (int i = 1; i < 3; i++) {
        get_snapshot(w, &c);
        controller_run_until(w, none_open);
        assert_int_equal(c.n, i);
        assert_null(body(w));
    }
    assert_string_equal(api_asked(&w->api, w->a), CM "\n" CM "\n");
}

/* Freed while several gets are in flight: no callbacks, no leaks. */
static void test_cancelled_half_way(void **state)
{
    static const struct api_row rows[] = { { RT, 0, NULL }, { CM, 0, NULL }, { 0 } };
    struct controller_fixture *w = *state;
    struct came c = { 0 };

    begin(w, rows);
    get_runtime(w, &c);
    get_snapshot(w, &c);
    get_runtime(w, &c);
    controller_run_until(w, one_asked);
    ty_trainjob_controller_free(w->controller);
    w->controller = NULL;
    assert_int_equal(c.n, 0);
}

/* Two gets of the same object: both callbacks run. */
static void test_two_at_once(void **state)
{
    static const struct api_row rows[] = { { RT, 200, CONTROLLER_RUNTIME }, { 0 } };
    struct controller_fixture *w = *state;
    struct came a = { 0 }, b = { 0 };

    begin(w, rows);
    get_runtime(w, &a);
    get_runtime(w, &b);
    controller_run_until(w, none_open);
    assert_true(a.n == 1 && b.n == 1);
    assert_non_null(runtime(w));
}

static bool is_queued(struct controller_fixture *w)
{
    const struct ty_pending_job *p = ty_map_get(&w->controller->pending, TY_LIT("ns/j"));

    assert_int_equal(w->controller->counts.fetches, 1);
    assert_int_equal(controller_queue_depth(w), p ? 1 : 0);
    return p && p->check_children;
}

/* A child is missing from a relist. Its TrainJob is requeued if the server has it, or the request
 * fails; not if it was deleted, too, because a standby would keep its key for ever. One request is
 * sent for all its children. */
static void test_verified_before_a_requeue(void **state)
{
    static const struct {
        bool known;
        int code;
        const char *body;
        bool requeued;
    } cases[] = { { false, 200, CONTROLLER_LIST(CONTROLLER_JOB), true },
                  { false, 200, CONTROLLER_LIST(""), false },
                  { true, 200, CONTROLLER_LIST(""), false },
                  { true, 500, CONTROLLER_REFUSAL(500, "InternalError"), true },
                  { false, 500, CONTROLLER_REFUSAL(500, "InternalError"), false } };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct api_row rows[] = {
            { "GET " CONTROLLER_GROUP "/namespaces/ns/trainjobs?fieldSelector=metadata.name%3Dj",
              cases[i].code, cases[i].body },
            { cases[i].known ? "GET " CONTROLLER_GROUP "/trainjobs?limit" : NULL, 200,
              CONTROLLER_LIST(CONTROLLER_JOB) },
            { 0 }
        };
        if (i > 0)
            controller_setup(state);
        struct controller_fixture *w = *state;
        begin(w, rows);
        ty_trainjob_controller_get_verify(w->controller, TY_LIT("ns"), TY_LIT("j"));
        ty_trainjob_controller_get_verify(w->controller, TY_LIT("ns"), TY_LIT("j"));
        controller_run_until(w, none_open);
        assert_int_equal(is_queued(w), cases[i].requeued);
        assert_int_equal(
            ty_cache_count(ty_trainjob_controller_cache(w->controller), &ty_kind_trainjob),
            cases[i].known || i == 0);
        if (i + 1 < TY_COUNT(cases))
            controller_teardown(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONTROLLER_TEST(test_a_new_runtime),
        CONTROLLER_TEST(test_not_for_the_limiter),
        CONTROLLER_TEST(test_answers_that_are_none),
        CONTROLLER_TEST(test_a_snapshot),
        CONTROLLER_TEST(test_a_snapshot_without_data),
        CONTROLLER_TEST(test_cancelled_half_way),
        CONTROLLER_TEST(test_two_at_once),
        CONTROLLER_TEST(test_verified_before_a_requeue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
