/* What the webhooks fetch from the API server when the cache does not have it. Verdicts are tested
 * in webhook_test.c and tests/golden, with a real API server in tests/operator/test_webhooks.py. */
#include "controller/trainjob_controller_testing.h"
#include "serve/webhook_handler.h"

#define PATH "/validate-trainer-kubeflow-org-v1alpha1-trainjob"
#define RT   "GET " CONTROLLER_GROUP "/clustertrainingruntimes/rt"
#define JOB(more)                                                                                  \
    "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{"       \
    "\"name\":\"j\",\"namespace\":\"ns\",\"uid\":\"u1\"},\"spec\":{\"suspend\":true,"              \
    "\"runtimeRef\":{\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":\"ClusterTrainingRuntime\","   \
    "\"name\":\"rt\"}" more "}}"
#define REVIEW(op, more)                                                                           \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":"   \
    "\"r\",\"kind\":{\"group\":\"trainer.kubeflow.org\",\"version\":\"v1alpha1\",\"kind\":"        \
    "\"TrainJob\"},\"operation\":\"" op "\",\"object\":" JOB("") more "}}"
#define CREATE REVIEW("CREATE", "")

struct fixture {
    struct controller_fixture *w;
    struct ty_webhook_handler hooks;
    struct ty_http_server *front;
    struct ty_talk talk;
    int code, counted;
    char path[128];
};

static void answered(void *ctx, struct ty_str path, int code, double seconds)
{
    struct fixture *f = ctx;

    f->counted++;
    f->code = code;
    snprintf(f->path, sizeof(f->path), "%.*s", TY_ARG(path));
    assert_true(seconds >= 0);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct ty_http_server_opts o = { .address = "127.0.0.1", .handle = ty_webhook_handler_serve };
    void *w = NULL;

    assert_non_null(f);
    controller_setup(&w);
    f->w = w;
    f->w->controller = ty_trainjob_controller_new(&f->w->s);
    controller_run_until(f->w, controller_is_synced);
    f->hooks = (struct ty_webhook_handler){ .controller = f->w->controller,
                                            .pipeline = &f->w->pipeline,
                                            .settings = &f->w->settings,
                                            .log = &f->w->log,
                                            .answered = answered,
                                            .ctx = f };
    o.loop = &f->w->loop;
    o.body_bytes = 4096;
    o.ctx = &f->hooks;
    assert_int_equal(ty_http_server_new(&o, &f->front, NULL), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    void *w = f->w;

    ty_http_server_free(f->front);
    controller_teardown(&w);
    free(f);
    return 0;
}

static const char *ask(struct fixture *f, const char *method, const char *body)
{
    char *text = ty_arena_printf(f->w->a,
                                 "%s " PATH " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                 "Content-Length: %zu\r\n\r\n%s",
                                 method, strlen(body), body);

    return talk(&f->talk, &f->w->loop, ty_http_server_port(f->front), text);
}

/* Created a moment ago, before its watch event: it is fetched once. */
static void test_a_new_runtime(void **state)
{
    static const struct api_row rows[] = { { RT, 200, CONTROLLER_RUNTIME }, { 0 } };
    struct fixture *f = *state;

    f->w->api.rows = rows;
    assert_has(ask(f, "POST", CREATE), "\"allowed\":true");
    assert_string_equal(api_asked(&f->w->api, f->w->a), RT "\n");
    assert_has(ask(f, "POST", CREATE), "\"allowed\":true");
    assert_string_equal(api_asked(&f->w->api, f->w->a), "");
    int lines = 0; /* one for each verdict, however often the review ran */
    for (const char *p = controller_log(f->w); (p = strstr(p, "\"admitted\"")); p++)
        lines++;
    assert_int_equal(lines, 2);
    assert_int_equal(f->counted, 2);
    assert_int_equal(f->code, 200);
    assert_string_equal(f->path, PATH);
}

/* Larger than the cache stores whole: it is fetched each time. */
static void test_a_large_runtime(void **state)
{
    struct fixture *f = *state;
    const char *at = strstr(CONTROLLER_RUNTIME, "\"image\":\"i\"");
    char *fill = ty_arena_alloc(f->w->a, 100001, 1);
    memset(fill, 'x', 100000);
    const struct api_row rows[] = { { RT, 200,
                                      ty_arena_printf(f->w->a, "%.*s\"args\":[\"%s\"],%s",
                                                      (int)(at - CONTROLLER_RUNTIME),
                                                      CONTROLLER_RUNTIME, fill, at) },
                                    { 0 } };

    f->w->api.rows = rows;
    for (int i = 0; i < 2; i++) {
        assert_has(ask(f, "POST", CREATE), "\"allowed\":true");
        assert_string_equal(api_asked(&f->w->api, f->w->a), RT "\n");
    }
    assert_true(ty_cache_bytes(ty_trainjob_controller_cache(f->w->controller)) < 20000);
}

/* The verdict on a new job when the API server answers this for its runtime. */
static const char *told_when(struct fixture *f, int code, const char *body)
{
    struct api_row rows[] = { { RT, code, body }, { 0 } };

    f->w->api.rows = rows;
    const char *got = ask(f, "POST", CREATE);
    f->w->api.rows = NULL;
    return got;
}

/* It does not exist: refused with upstream's message, after two requests at most. */
static void test_no_runtime(void **state)
{
    static const struct {
        int code;
        const char *body;
    } cases[] = { { 404, CONTROLLER_REFUSAL(404, "NotFound") }, { 200, "{}" } };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = told_when(f, cases[i].code, cases[i].body);
        assert_has(got, "HTTP/1.1 200 ");
        assert_has(got, "\"allowed\":false");
        assert_has(got, "\\\"rt\\\" not found");
        assert_string_equal(api_asked(&f->w->api, f->w->a), RT "\n" RT "\n");
        assert_int_equal(f->counted, i + 1);
    }
}

/* Similar names of its kind are listed. */
static void test_the_runtimes_that_there_are(void **state)
{
    struct fixture *f = *state;
    static const char *const others[] = { "rtt", "plain" };

    for (size_t i = 0; i < 2; i++) {
        struct ty_json *rt = ty_json_parse(f->w->a, ty_str(CONTROLLER_RUNTIME), NULL, NULL);
        ty_json_set(f->w->a, ty_json_get(rt, "metadata"), "name", ty_json_cstr(f->w->a, others[i]));
        ty_cache_put(f->w->controller->cache, &ty_kind_clustertrainingruntime, rt);
    }
    const char *got = told_when(f, 404, CONTROLLER_REFUSAL(404, "NotFound"));
    assert_has(got, "\"warnings\":[\"spec.RuntimeRef: did you mean \\\"rtt\\\"? there are: rtt, "
                    "plain\"]");
}

/* The runtime cannot be read: the message does not blame the job. */
static void test_an_unread_runtime(void **state)
{
    static const struct {
        int code;
        const char *body, *why;
    } cases[] = { { 401, CONTROLLER_REFUSAL(401, "Unauthorized"), "Unauthorized" },
                  { 403, CONTROLLER_REFUSAL(403, "Forbidden"), "Forbidden" },
                  { 500, "", "500" },
                  { 503, CONTROLLER_REFUSAL(503, "ServiceUnavailable"), "ServiceUnavailable" },
                  { 200, "garbage", "JSON" } };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = told_when(f, cases[i].code, cases[i].body);
        assert_has(got, "HTTP/1.1 200 ");
        assert_has(got, "\"allowed\":false");
        assert_has(got, "\"reason\":\"InternalError\",\"code\":500");
        assert_has(got, "\"message\":\"the TrainJob cannot be checked: "
                        "ClusterTrainingRuntime \\\"rt\\\" cannot be read: ");
        assert_has(got, cases[i].why);
        assert_null(strstr(got, "not found"));
        assert_string_equal(api_asked(&f->w->api, f->w->a), RT "\n");
        assert_int_equal(f->counted, i + 1);
    }
}

#define SNAPSHOT_PATH "/api/v1/namespaces/ns/configmaps"
#define SNAPSHOT                                                                                   \
    "{\"metadata\":{\"name\":\"j-runtime-snapshot\",\"namespace\":\"ns\",\"uid\":\"c\","           \
    "\"resourceVersion\":\"6\",\"ownerReferences\":[{\"uid\":\"u1\",\"controller\":true}]}}"

/* An update of a job whose runtime was deleted is checked with its snapshot; if that cannot be
 * read, the update is refused with the reason. */
static void test_an_unread_snapshot(void **state)
{
    static const struct api_row rows[] = { { RT, 404, CONTROLLER_REFUSAL(404, "NotFound") },
                                           { "GET " SNAPSHOT_PATH "/j-runtime-snapshot", 403,
                                             CONTROLLER_REFUSAL(403, "Forbidden") },
                                           { 0 } };
    struct fixture *f = *state;
    struct ty_json *map = ty_json_parse(f->w->a, ty_str(SNAPSHOT), NULL, NULL);

    ty_cache_put(f->w->controller->cache, &ty_kind_configmap, map);
    f->w->api.rows = rows;
    const char *got = ask(f, "POST", REVIEW("UPDATE", ",\"oldObject\":" JOB("")));
    assert_has(got, "\"code\":500");
    assert_has(got,
               "the TrainJob cannot be checked: ConfigMap \\\"j-runtime-snapshot\\\" cannot be "
               "read: ");
    assert_has(got, "Forbidden");
}

static void test_what_is_no_review(void **state)
{
    struct fixture *f = *state;
    char *big = ty_arena_printf(f->w->a, "%08192d", 1);

    assert_has(ask(f, "PUT", CREATE), "HTTP/1.1 405 ");
    assert_has(ask(f, "POST", big), "HTTP/1.1 413 ");
    assert_int_equal(f->counted, 0);
    assert_has(ask(f, "POST", "garbage"), "HTTP/1.1 400 ");
    assert_int_equal(f->counted, 1);
    assert_int_equal(f->code, 400);
    assert_string_equal(api_asked(&f->w->api, f->w->a), "");
}

/* Without the callback for metrics. */
static void test_nobody_is_told(void **state)
{
    static const struct api_row rows[] = { { RT, 200, CONTROLLER_RUNTIME }, { 0 } };
    struct fixture *f = *state;

    f->hooks.answered = NULL;
    f->w->api.rows = rows;
    assert_has(ask(f, "POST", CREATE), "\"allowed\":true");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_a_new_runtime),     T(test_a_large_runtime),
        T(test_no_runtime),        T(test_the_runtimes_that_there_are),
        T(test_an_unread_runtime), T(test_an_unread_snapshot),
        T(test_what_is_no_review), T(test_nobody_is_told)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
