/* End to end: a client and a loopback server that fails and recovers. With a real API server, and
 * tokens that it revokes: tests/operator/test_tokens.py. */
#include "log/log.h"
#include "serve/apiserver_health.h"
#include "store/api_testing.h"

#include <sys/mman.h>

#define REFUSED  "{\"kind\":\"Status\",\"code\":401,\"message\":\"Unauthorized\"}"
#define PROBE_MS 20

static const struct api_row good[] = { { "GET /version", 200, "{}" }, { 0 } };
static const struct api_row bad[] = { { "GET /", 401, REFUSED }, { 0 } };

struct fixture {
    uv_loop_t loop;
    struct api_world api;
    struct ty_apiserver_health_settings s;
    struct ty_apiserver_health *t;
    struct ty_kube *kube; /* whose requests are observed */
    struct ty_log log;
    struct ty_arena *a;
    uv_timer_t poll, patience;
    bool (*enough)(struct fixture *f);
    int fd, well, answers;
    bool late;
};

static void on_well(void *ctx)
{
    struct fixture *f = ctx;
    f->well++;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct ty_log_settings log = ty_log_default;

    assert_non_null(f);
    f->a = ty_arena_new(1 << 24);
    uv_loop_init(&f->loop);
    uv_timer_init(&f->loop, &f->poll);
    uv_timer_init(&f->loop, &f->patience);
    api_begin(&f->api, &f->loop);
    f->fd = memfd_create("log", MFD_CLOEXEC);
    log.fd = f->fd;
    f->log = (struct ty_log){ ty_log_open(&log), NULL };
    f->s = (struct ty_apiserver_health_settings){ .loop = &f->loop,
                                                  .config = &f->api.config,
                                                  .log = &f->log,
                                                  .probe_ms = PROBE_MS,
                                                  .well = on_well,
                                                  .ctx = f };
    *state = f;
    return 0;
}

static void open_it(struct fixture *f)
{
    struct ty_err err = { 0 };
    struct ty_kube_settings k = { .loop = &f->loop,
                                  .config = f->s.config,
                                  .agent = "test",
                                  .timeout_ms = 5000,
                                  .seen = ty_apiserver_health_observe };

    f->t = k.ctx = ty_apiserver_health_new(&f->s);
    assert_int_equal(ty_kube_new(&f->kube, &k, &err), 0);
    ty_apiserver_health_set_client(f->t, f->kube);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    ty_apiserver_health_free(f->t);
    ty_kube_free(f->kube);
    api_end(&f->api);
    uv_close((uv_handle_t *)&f->poll, NULL);
    uv_close((uv_handle_t *)&f->patience, NULL);
    loop_end(&f->loop);
    ty_log_close(f->log.out);
    close(f->fd);
    ty_arena_free(f->a);
    free(f);
    return 0;
}

/* ---- wait ---- */

static void on_poll(uv_timer_t *timer)
{
    struct fixture *f = timer->data;
    if (f->enough(f))
        uv_stop(&f->loop);
}

static void on_late(uv_timer_t *timer)
{
    struct fixture *f = timer->data;
    f->late = true;
    uv_stop(&f->loop);
}

static void until(struct fixture *f, bool (*enough)(struct fixture *))
{
    f->enough = enough;
    f->poll.data = f->patience.data = f;
    uv_timer_start(&f->poll, on_poll, 0, 5);
    uv_timer_start(&f->patience, on_late, 60000, 0);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&f->poll);
    uv_timer_stop(&f->patience);
    assert_false(f->late);
}

static void on_answer(void *ctx, const struct ty_kube_response *answer TY_UNUSED)
{
    struct fixture *f = ctx;
    f->answers++;
}

static bool answered(struct fixture *f)
{
    return f->answers > 0;
}

static void ask(struct fixture *f, const char *path)
{
    f->answers = 0;
    ty_kube_start(f->kube,
                  &(struct ty_kube_request){
                      .verb = TY_KUBE_GET, .path = path, .tries = -1, .fn = on_answer, .ctx = f });
    until(f, answered);
}

static const char *log_of(struct fixture *f)
{
    char *text = ty_arena_alloc(f->a, 65536, 1);
    ssize_t n = pread(f->fd, text, 65535, 0);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static size_t times(const char *text, const char *what)
{
    size_t n = 0;

    while ((text = strstr(text, what))) {
        text += strlen(what);
        n++;
    }
    return n;
}

static uint64_t count_of(struct fixture *f, const char *method, int code)
{
    const struct ty_apiserver_health_count *c = NULL;
    size_t n = ty_apiserver_health_counts(f->t, &c);

    for (size_t i = 0; i < n; i++)
        if (c[i].code == code && strcmp(c[i].method, method) == 0)
            return c[i].n;
    return 0;
}

static bool well(struct fixture *f)
{
    return !ty_apiserver_health_reason(f->t, f->a);
}

static bool probed_often(struct fixture *f)
{
    return count_of(f, "GET", 401) + count_of(f, "GET", 0) >= 5;
}

/* ---- tests ---- */

static void test_well(void **state)
{
    struct fixture *f = *state;

    open_it(f);
    assert_true(well(f)); /* before the first request */
    f->api.rows = good;
    ask(f, "/version");
    ask(f, "/none"); /* 404 is an answer like any other */
    assert_true(well(f));
    assert_int_equal(count_of(f, "GET", 200), 1);
    assert_int_equal(count_of(f, "GET", 404), 1);
    assert_string_equal(log_of(f), "");
}

/* A long name in the kubeconfig is cut. */
static void test_refused_with_a_long_name(void **state)
{
    struct fixture *f = *state;
    const struct ty_kube_request_result seen = { .method = "GET", .code = 401, .whole = true };
    size_t n = (size_t)1 << 17;
    char *file = ty_arena_alloc(f->a, n + 1, 1);

    memset(file, 'x', n);
    open_it(f);
    f->api.config.token_file = file;
    ty_apiserver_health_observe(f->t, &seen);
    assert_has(ty_apiserver_health_reason(f->t, f->a), "does not take the token in file xxx");
    f->api.config.token_file = NULL;
}

/* Logged once, with the name of the credentials, however often they are refused; ends by itself. */
static void test_refused(void **state)
{
    struct fixture *f = *state;

    f->api.config.token = "wrong";
    open_it(f);
    f->api.rows = bad;
    ask(f, "/apis");
    assert_has(ty_apiserver_health_reason(f->t, f->a),
               "Unauthorized: the API server does not take ");
    assert_has(ty_apiserver_health_reason(f->t, f->a),
               ty_kubeconfig_identity(f->a, &f->api.config));
    until(f, probed_often);
    assert_int_equal(times(log_of(f), "TrainJobs wait: the API server refuses"), 1);
    assert_has(log_of(f), ty_kubeconfig_identity(f->a, &f->api.config));
    assert_int_equal(f->well, 0);
    f->api.rows = good;
    until(f, well);
    assert_int_equal(f->well, 1);
    assert_int_equal(times(log_of(f), "the API server takes our credentials again"), 1);
    uint64_t asked = count_of(f, "GET", 200);
    ask(f, "/version");
    assert_int_equal(count_of(f, "GET", 200), asked + 1); /* no more probes */
}

/* A token that can be renewed is, before anything is logged. */
static void test_a_401_that_fresh_credentials_mend(void **state)
{
    struct fixture *f = *state;
    struct ty_kube_request_result seen = {
        .method = "GET", .code = 401, .whole = true, .again = true
    };

    open_it(f);
    ty_apiserver_health_observe(f->t, &seen);
    assert_true(well(f));
    assert_int_equal(count_of(f, "GET", 401), 1);
    assert_string_equal(log_of(f), "");
}

/* A watch that ends normally was accepted long ago. */
static void test_the_end_of_a_watch_proves_nothing(void **state)
{
    struct fixture *f = *state;
    struct ty_kube_request_result end = {
        .method = "GET", .code = 200, .whole = true, .watch = true
    };

    open_it(f);
    f->api.rows = bad;
    ask(f, "/apis");
    ty_apiserver_health_observe(f->t, &end);
    assert_false(well(f));
}

/* Whatever becomes of a container log: it is the kubelet of some node that answers, refuses or is
 * silent. */
static void test_a_log_proves_nothing(void **state)
{
    struct fixture *f = *state;
    static const struct ty_kube_request_result ends[] = {
        { .method = "GET", .log = true, .text = "the server has said nothing for 30 s" },
        { .method = "GET", .log = true, .code = 401, .whole = true },
        { .method = "GET", .log = true, .code = 200, .text = "the connection died" },
    };
    const struct ty_kube_request_result good_log = {
        .method = "GET", .log = true, .code = 200, .whole = true
    };

    open_it(f);
    for (size_t i = 0; i < TY_COUNT(ends); i++) {
        ty_apiserver_health_observe(f->t, &ends[i]);
        assert_true(well(f));
    }
    assert_int_equal(count_of(f, "GET", 401), 1);
    f->api.rows = bad;
    ask(f, "/apis");
    ty_apiserver_health_observe(f->t, &good_log);
    assert_false(well(f));
}

/* One request is refused, and the connection closed under the others: one problem. */
static void test_refused_and_hung_up(void **state)
{
    struct fixture *f = *state;
    struct ty_kube_request_result cut = { .method = "GET", .text = "the connection died" };

    f->s.probe_ms = 60000;
    open_it(f);
    f->api.rows = bad;
    for (int i = 0; i < 3; i++) {
        ask(f, "/apis");
        ty_apiserver_health_observe(f->t, &cut);
        assert_has(ty_apiserver_health_reason(f->t, f->a), "Unauthorized");
    }
    assert_int_equal(times(log_of(f), "TrainJobs wait: the API server refuses"), 1);
}

/* One of several servers behind one address refuses us. */
static void test_to_and_fro(void **state)
{
    struct fixture *f = *state;

    f->s.probe_ms = 60000;
    open_it(f);
    for (int i = 0; i < 5; i++) {
        f->api.rows = bad;
        ask(f, "/version");
        assert_false(well(f));
        f->api.rows = good;
        ask(f, "/version");
        assert_true(well(f));
    }
    assert_int_equal(times(log_of(f), "refuses our credentials"), 1);
    assert_int_equal(times(log_of(f), "takes our credentials again"), 1);
    assert_int_equal(f->well, 1);
}

static bool silent(struct fixture *f)
{
    return strstr(log_of(f), "TrainJobs wait: the API server does not answer") != NULL;
}

/* Refused at first, then not reachable. */
static void test_refused_and_then_silent(void **state)
{
    struct fixture *f = *state;

    open_it(f);
    f->api.rows = bad;
    ask(f, "/apis");
    ty_http_server_free(f->api.serve);
    f->api.serve = NULL;
    until(f, silent);
    assert_null(strstr(ty_apiserver_health_reason(f->t, f->a), "Unauthorized"));
}

/* Nothing listens: logged when it has lasted, ends when the server is back. */
static void test_silent(void **state)
{
    struct fixture *f = *state;
    struct ty_kubeconfig away = f->api.config;
    struct ty_http_server *late = NULL;
    char url[64];
    int port = port_free();

    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    away.server = url;
    f->s.config = &away;
    open_it(f);
    ask(f, "/apis");
    assert_false(well(f));
    assert_string_equal(log_of(f), ""); /* not logged yet: it may be back in a moment */
    until(f, probed_often);
    assert_int_equal(times(log_of(f), "TrainJobs wait: the API server does not answer"), 1);
    f->api.rows = good;
    struct ty_http_server_opts o = {
        .loop = &f->loop, .address = "127.0.0.1", .port = port, .handle = api_handle, .ctx = &f->api
    };
    assert_int_equal(ty_http_server_new(&o, &late, NULL), 0);
    until(f, well);
    assert_int_equal(f->well, 1);
    assert_int_equal(times(log_of(f), "the API server answers again"), 1);
    ty_http_server_free(late);
}

/* A credential plugin that fails is as bad as a refused token. */
static void test_no_credentials_to_be_had(void **state)
{
    struct fixture *f = *state;

    f->api.config.token_file = "/nowhere/token";
    open_it(f);
    f->api.rows = good;
    ask(f, "/version");
    assert_has(ty_apiserver_health_reason(f->t, f->a), "/nowhere/token");
    until(f, probed_often);
    assert_int_equal(count_of(f, "GET", 200), 0);
    assert_has(log_of(f), "/nowhere/token");
}

/* Requests are counted, within the limit of series. */
static void test_counts_have_an_end(void **state)
{
    struct fixture *f = *state;
    const struct ty_apiserver_health_count *c = NULL;

    open_it(f);
    for (int code = 200; code < 200 + 2 * TY_APISERVER_HEALTH_COUNTS; code++)
        if (code != 401)
            ty_apiserver_health_observe(f->t, &(struct ty_kube_request_result){
                                                  .method = "PUT", .code = code, .whole = true });
    assert_int_equal(ty_apiserver_health_counts(f->t, &c), TY_APISERVER_HEALTH_COUNTS);
    ty_apiserver_health_observe(
        f->t, &(struct ty_kube_request_result){ .method = "PUT", .code = 200, .whole = true });
    assert_int_equal(count_of(f, "PUT", 200), 2);
    assert_int_equal(count_of(f, "PUT", 200 + TY_APISERVER_HEALTH_COUNTS), 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_well),
        T(test_refused),
        T(test_refused_with_a_long_name),
        T(test_a_401_that_fresh_credentials_mend),
        T(test_the_end_of_a_watch_proves_nothing),
        T(test_a_log_proves_nothing),
        T(test_refused_and_hung_up),
        T(test_to_and_fro),
        T(test_refused_and_then_silent),
        T(test_silent),
        T(test_no_credentials_to_be_had),
        T(test_counts_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
