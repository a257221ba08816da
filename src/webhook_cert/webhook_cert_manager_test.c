/* Tests without an API server; the others are in tests/cluster/test_parts.py. */
#include "webhook_cert/webhook_cert_testing.h"

static int on_ready(void *ctx, const struct ty_pem *pem, struct ty_str ca, struct ty_err *err)
{
    (void)ctx;
    (void)pem;
    (void)ca;
    (void)err;
    fail(); /* the server never answered */
    return 0;
}

static void on_time(uv_timer_t *t)
{
    struct ty_webhook_cert_manager *h = t->data;
    assert_false(ty_webhook_cert_manager_ready(h));
    assert_has(ty_webhook_cert_manager_reason(h), "the Secret ns/s cannot be read: ");
    assert_int_equal(ty_webhook_cert_manager_not_after(h), 0);
    ty_webhook_cert_manager_check(h); /* before the first list: no effect */
    ty_webhook_cert_manager_free(h);
    uv_close((uv_handle_t *)t, NULL);
}

/* No answer: not ready, with the reason; and it can be freed at any time. */
static void test_no_server(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_loop_init(&loop);
    uv_timer_init(&loop, &timer);
    struct ty_kube *kube = api_nobody(&loop);
    timer.data = ty_webhook_cert_manager_new(
        &(struct ty_webhook_cert_manager_settings){ .loop = &loop,
                                                    .kube = kube,
                                                    .ns = "ns",
                                                    .secret = "s",
                                                    .service = "svc",
                                                    .ready = on_ready });
    uv_timer_start(&timer, on_time, 300, 0);
    while (uv_is_active((uv_handle_t *)&timer))
        uv_run(&loop, UV_RUN_ONCE);
    ty_kube_free(kube);
    loop_end(&loop);
}

/* ---- two replicas ---- */

#define SECRET(version, ca)                                                                        \
    "{\"metadata\":{\"name\":\"s\",\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":"        \
    "\"" version "\"},\"data\":{\"ca.crt\":\"" ca "\"}}"

/* We created the Secret, another replica changed it, and its watch event arrives before our answer:
 * the watch event counts. */
static void test_an_answer_that_comes_late(void **state)
{
    static const struct api_row rows[] = { { "POST /api/v1/namespaces/ns/secrets", 0, NULL },
                                           { "PATCH /api/v1/namespaces/ns/secrets/s", 0, NULL },
                                           { 0 } };
    struct certs_fixture w;

    (void)state;
    certs_begin(&w, rows, on_ready);
    struct ty_http_request *write = api_wait(&w.api, "POST /api/v1/namespaces/ns/secrets");
    ty_http_request_respond(api_wait(&w.api, "GET /api/v1/namespaces/ns/secrets?"), 200,
                            "application/json",
                            TY_LIT("{\"type\":\"ADDED\",\"object\":" SECRET("11", "eA==") "}\n"));
    while (!ty_str_is(w.h->version, "11"))
        uv_run(&w.loop, UV_RUN_ONCE);
    ty_http_request_respond(write, 201, "application/json", TY_LIT(SECRET("10", "eQ==")));
    while (!api_holds(&w.api, "PATCH /api/v1/namespaces/ns/secrets/s"))
        uv_run(&w.loop, UV_RUN_ONCE);
    assert_has(w.api.body.p, "\"resourceVersion\":\"11\"");
    certs_end(&w);
}

/* ---- memory is short ---- */

#define POST "POST /api/v1/namespaces/ns/secrets"

static void until_written(struct certs_fixture *w)
{
    while (w->h->op)
        uv_run(&w->loop, UV_RUN_ONCE);
}

/* However little memory is left, no Secret without data is written, and none is reported as too
 * large. */
static void test_memory_is_short(void **state)
{
    static const struct api_row rows[] = { { POST, 500, "{\"kind\":\"Status\"}" }, { 0 } };
    struct certs_fixture w;
    size_t starved = 0;

    (void)state;
    certs_begin(&w, rows, on_ready);
    while (!w.h->op)
        uv_run(&w.loop, UV_RUN_ONCE);
    until_written(&w);
    for (size_t more = 0; more < 200000; more += 4000) {
        w.api.budget.ceiling = w.api.budget.used + more + 1;
        ty_webhook_cert_manager_check(w.h);
        w.api.budget.ceiling = 0;
        if (w.h->op) {
            until_written(&w);
            assert_has(w.api.body.p, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\"");
        } else {
            assert_has(ty_webhook_cert_manager_reason(w.h), "memory is short");
            starved++;
        }
    }
    assert_in_range(starved, 1, 49);
    certs_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_server),
        cmocka_unit_test(test_an_answer_that_comes_late),
        cmocka_unit_test(test_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
