/* Operations: limiter, retries, timeouts, cancellation. kube_request_test.c tests the requests. */
#include "store/kube/kube_inner.h"
#include "store/kube/kube_testing.h"

#define SLOWLY "HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\nslowly"
#define LATER  "HTTP/1.1 429 Slow\r\nRetry-After: 86400\r\n\r\ntomorrow"
#define OBJECT .kind = &ty_kind_configmap, .ns = TY_LIT("d"), .name = TY_LIT("a")
#define ONE    OK "{\"metadata\":{\"resourceVersion\":\"5\"}}"

struct world {
    struct kube_world k;
    int seen, whole, again;  /* ends of requests */
    struct ty_kube_op *drop; /* cancelled from the end of another */
    bool chain;              /* asks once more from the end */
};

static void on_end(void *ctx, const struct ty_kube_response *answer)
{
    struct world *w = ctx;
    kube_on_end(&w->k, answer);
    ty_kube_cancel(w->drop);
    w->drop = NULL;
    if (w->chain) {
        w->chain = false;
        ty_kube_start(w->k.kube, &(struct ty_kube_request){ OBJECT, .fn = on_end, .ctx = w });
    }
}

static void on_seen(void *ctx, const struct ty_kube_request_result *seen)
{
    struct world *w = ctx;
    assert_string_equal(seen->method, "GET");
    assert_false(seen->watch);
    assert_int_equal(seen->whole, seen->text == NULL);
    w->seen++;
    w->whole += seen->whole;
    w->again += seen->again;
}

static void start_client(struct world *w, const char *const *answers)
{
    w->k.set.seen = on_seen;
    w->k.set.ctx = w;
    kube_begin(&w->k, answers);
}

static struct ty_kube_op *start(struct world *w, struct ty_kube_request ask)
{
    ask.kind = &ty_kind_configmap;
    ask.ns = TY_LIT("d");
    ask.name = TY_LIT("a");
    ask.fn = on_end;
    ask.ctx = w;
    return ty_kube_start(w->k.kube, &ask);
}

/* Starts the client and one request, and waits for its end. */
static void ask(struct world *w, const char *const *answers, struct ty_kube_request what)
{
    start_client(w, answers);
    w->k.op = start(w, what);
    kube_run(&w->k);
}

static void asked_again_when_the_server_says_later(void **state)
{
    static const char *const answers[] = { SLOWLY, ONE, NULL };
    struct world w = { 0 };
    (void)state;
    ask(&w, answers, (struct ty_kube_request){ 0 });
    assert_ended(&w.k, 0, "");
    assert_string_equal(w.k.version, "5");
    assert_int_equal(ty_kube_requests(w.k.kube), 2);
    assert_true(w.seen == 2 && w.whole == 2 && w.again == 1);
    kube_finish(&w.k);
}

/* No retry: too many retries, not enough time, no Retry-After, another status. */
static void not_asked_again(void **state)
{
    static const struct {
        const char *answers[3];
        struct ty_kube_request ask;
        const char *says;
        uint64_t requests;
    } cases[] = {
        { { SLOWLY, SLOWLY }, { .tries = 1 }, "slowly", 2 },
        { { LATER }, { 0 }, "tomorrow", 1 }, /* than there is time for */
        { { "HTTP/1.1 503 No\r\n\r\nnever said when" }, { 0 }, "never said when", 1 },
        { { "HTTP/1.1 500 Oh\r\nRetry-After: 1\r\n\r\noh" }, { 0 }, "oh", 1 },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct world w = { 0 };
        ask(&w, cases[i].answers, cases[i].ask);
        assert_ended(&w.k, -EAGAIN, cases[i].says);
        assert_int_equal(ty_kube_requests(w.k.kube), cases[i].requests);
        assert_int_equal(w.seen - w.again, 1);
        kube_finish(&w.k);
    }
}

/* A token that does not change is not tried twice. */
static void refused(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 401 No\r\n\r\n" STATUS(401, "Unauthorized", "who?"), ONE, NULL
    };
    struct world w = { .k.config.token = "t" };
    (void)state;
    ask(&w, answers, (struct ty_kube_request){ 0 });
    assert_ended(&w.k, -EACCES, "who?");
    assert_int_equal(ty_kube_requests(w.k.kube), 1);
    assert_has(w.k.peer.asked[0], "\r\nAuthorization: Bearer t\r\n");
    kube_finish(&w.k);
}

/* Without credentials nothing is sent; it counts as a failed request. */
static void no_credentials(void **state)
{
    static const char *const answers[] = { ONE, NULL };
    struct world w = { .k.config.token_file = "/nonexistent/token" };
    (void)state;
    ask(&w, answers, (struct ty_kube_request){ 0 });
    assert_ended(&w.k, -EAGAIN, "/nonexistent/token");
    assert_int_equal(ty_kube_requests(w.k.kube), 0);
    assert_true(w.seen == 1 && w.whole == 0);
    kube_finish(&w.k);
}

/* Credentials from an exec plugin; the timer of the wait is stopped. */
static void credentials_in_time(void **state)
{
    static const char *const args[] = {
        "-c",
        "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
        "\"status\":{\"token\":\"of-the-plugin\"}}'",
        NULL
    };
    static const struct ty_kube_exec exec = { .command = "/bin/sh",
                                              .args = args,
                                              .api_version = "client.authentication.k8s.io/v1",
                                              .interactive = TY_KUBE_NEVER };
    static const char *const answers[] = { ONE, NULL };
    struct world w = { .k.config.exec = &exec };
    (void)state;
    start_client(&w, answers);
    start(&w, (struct ty_kube_request){ 0 });
    assert_int_equal(ty_kube_requests(w.k.kube), 0);
    while (w.k.ends == 0)
        uv_run(&w.k.loop, UV_RUN_ONCE);
    assert_ended(&w.k, 0, "");
    assert_has(w.k.peer.asked[0], "\r\nAuthorization: Bearer of-the-plugin\r\n");
    assert_false(uv_is_active((const uv_handle_t *)w.k.kube->timer));
    kube_finish(&w.k);
}

/* One token now, the next in a quarter of an hour: a request with a short timeout fails, and an
 * exempt one is sent. */
static void the_limit(void **state)
{
    static const char *const answers[] = { ONE, ONE, NULL };
    struct world w = { .k.set = { .qps = 0.001, .burst = 1, .timeout_ms = 2000 } };
    (void)state;
    start_client(&w, answers);
    start(&w, (struct ty_kube_request){ 0 });
    start(&w, (struct ty_kube_request){ .timeout_ms = 100 });
    start(&w, (struct ty_kube_request){ .unlimited = true });
    kube_run(&w.k);
    assert_int_equal(w.k.ends, 3);
    assert_int_equal(ty_kube_requests(w.k.kube), 2);
    assert_told(&w.k, "end end end ");
    kube_finish(&w.k);
}

/* Uses up the only token: the next request has to wait for a quarter of an hour. */
static void begin_at_the_limit(struct world *w)
{
    static const char *const answers[] = { ONE, NULL };
    w->k.set.qps = 0.001;
    w->k.set.burst = 1;
    start_client(w, answers);
    start(w, (struct ty_kube_request){ 0 });
    uv_run(&w->k.loop, UV_RUN_DEFAULT);
}

static void the_limit_left_no_time(void **state)
{
    struct world w = { 0 };
    (void)state;
    begin_at_the_limit(&w);
    w.k.ends = 0;
    w.k.told.n = 0;
    start(&w, (struct ty_kube_request){ .timeout_ms = 100 });
    kube_run(&w.k);
    assert_ended(&w.k, -EAGAIN, "the limit on requests (qps) left no time");
    kube_finish(&w.k);
}

/* Operations are sent in the order of their start. */
static void turns(void **state)
{
    static const char *const answers[] = { ONE, ONE, ONE, ONE, NULL };
    struct world w = { .k.set = { .qps = 20, .burst = 1 } };
    (void)state;
    start_client(&w, answers);
    for (int i = 0; i < 4; i++)
        ty_kube_start(w.k.kube, &(struct ty_kube_request){
                                    .path = &"/0\0/1\0/2\0/3"[3 * i], .fn = on_end, .ctx = &w });
    kube_run(&w.k);
    assert_int_equal(w.k.ends, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(w.k.peer.asked[i][strlen("GET /")], '0' + i);
    kube_finish(&w.k);
}

static void more_than_an_answer(void **state)
{
    size_t n = (size_t)32 << 20;
    char *text = malloc(sizeof(OK) + n);
    const char *const answers[] = { text, NULL };
    struct world w = { 0 };
    (void)state;
    assert_non_null(text);
    memcpy(text, OK, sizeof(OK) - 1);
    memset(text + sizeof(OK) - 1, ' ', n + 1);
    text[sizeof(OK) - 1 + n] = '\0';
    ask(&w, answers, (struct ty_kube_request){ 0 });
    assert_ended(&w.k, -EPROTO, "not JSON"); /* as much as that is read */
    kube_finish(&w.k);
    text = realloc(text, sizeof(OK) + n + 1);
    assert_non_null(text);
    memcpy(text + sizeof(OK) - 1 + n, " ", 2);
    const char *const longer[] = { text, NULL };
    w = (struct world){ 0 };
    ask(&w, longer, (struct ty_kube_request){ 0 });
    assert_ended(&w.k, -EFBIG, "longer than 32 MB");
    kube_finish(&w.k);
    free(text);
}

/* Canceled while it waits for the limiter, while it is sent, from another's callback, from its own.
 */
static void cancelled(void **state)
{
    static const char *const answers[] = { ONE, NULL };
    struct world w = { .k.set = { .qps = 0.001, .burst = 1 } };
    (void)state;
    start_client(&w, answers);
    ty_kube_cancel(NULL);
    w.k.op = start(&w, (struct ty_kube_request){ 0 });
    w.k.cancel_at = "end";
    w.drop = start(&w, (struct ty_kube_request){ 0 });
    ty_kube_cancel(start(&w, (struct ty_kube_request){ 0 }));
    ty_kube_cancel(start(&w, (struct ty_kube_request){ .unlimited = true }));
    kube_run(&w.k);
    assert_told(&w.k, "end ");
    assert_ended(&w.k, 0, "");
    kube_finish(&w.k);
}

/* A canceled operation does not keep the loop running until its timeout. */
static void cancelled_while_it_waits(void **state)
{
    struct world w = { 0 };
    (void)state;
    begin_at_the_limit(&w);
    struct ty_kube_op *op = start(&w, (struct ty_kube_request){ 0 });
    assert_true(uv_loop_alive(&w.k.loop));
    ty_kube_cancel(op);
    assert_false(uv_loop_alive(&w.k.loop));
    kube_finish(&w.k);
}

static void from_its_own_end(void **state)
{
    static const char *const answers[] = { ONE, ONE, NULL };
    struct world w = { .chain = true };
    (void)state;
    ask(&w, answers, (struct ty_kube_request){ 0 });
    assert_told(&w.k, "end end ");
    kube_finish(&w.k);
}

static void nobody_wants_to_know(void **state)
{
    static const char *const answers[] = { ONE, NULL };
    struct world w = { 0 };
    (void)state;
    start_client(&w, answers);
    ty_kube_start(w.k.kube, &(struct ty_kube_request){ OBJECT });
    kube_run(&w.k);
    assert_int_equal(w.seen, 1);
    kube_finish(&w.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asked_again_when_the_server_says_later),
        cmocka_unit_test(not_asked_again),
        cmocka_unit_test(refused),
        cmocka_unit_test(no_credentials),
        cmocka_unit_test(credentials_in_time),
        cmocka_unit_test(the_limit),
        cmocka_unit_test(the_limit_left_no_time),
        cmocka_unit_test(turns),
        cmocka_unit_test(more_than_an_answer),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(cancelled_while_it_waits),
        cmocka_unit_test(from_its_own_end),
        cmocka_unit_test(nobody_wants_to_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
